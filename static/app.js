"use strict";
// A form is sent once, and Escape closes the account menu. Every page works without this file.
document.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (button && button.form && button.form.method === "post") {
    // After the browser has gathered the form, so that the button's own value is still sent.
    setTimeout(() => { button.disabled = true; }, 0);
  }
});
window.addEventListener("pageshow", () => {
  document.querySelectorAll("button[disabled]").forEach((button) => { button.disabled = false; });
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    document.querySelectorAll("details.account[open]").forEach((menu) => { menu.open = false; });
  }
});
