"use strict";
// A form is sent once, Escape and a click elsewhere close the account menu, and the focus goes where the answer says.
// Every page works without this file.
document.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (button && button.form && button.form.method === "post") {
    // After the browser has gathered the form, so that the button's own value is still sent.
    setTimeout(() => { button.disabled = true; }, 0);
  }
});
const enableButtons = () => document.querySelectorAll("button[disabled]").forEach((button) => { button.disabled = false; });
window.addEventListener("pageshow", enableButtons);

const menus = () => document.querySelectorAll("details.account[open]");
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    menus().forEach((menu) => { menu.open = false; menu.querySelector("summary").focus(); });
  }
});
document.addEventListener("click", (event) => {
  menus().forEach((menu) => { if (!menu.contains(event.target)) menu.open = false; });
});

// The answer to an action names the element that takes the focus when a row has left the list.
const focusWhereNamed = () => {
  const named = document.querySelector("#notices[data-focus]");
  if (!named) return false;
  const target = document.getElementById(named.dataset.focus);
  delete named.dataset.focus;
  if (target) target.focus();
  return true;
};
document.addEventListener("DOMContentLoaded", focusWhereNamed);
document.addEventListener("htmx:after:swap", () => {
  enableButtons();
  if (focusWhereNamed()) return;
  const editing = document.querySelector("li.editing textarea:not([data-met]), li.editing summary:not([data-met])");
  if (editing) {
    editing.dataset.met = "1";
    editing.focus();
  }
});
