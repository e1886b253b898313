"""What people type: shape and bounds only. Errors stand beside the field and nothing typed is lost."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm, PasswordResetForm
from django.contrib.auth.password_validation import password_validators_help_text_html
from django.utils import timezone
from django.utils.functional import lazy
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from memoryapp.services.results import ItemView
from memoryapp.web.labels import KINDS, ROLES

IMPORTANCE = (
    (0.1, _("Lowest")),
    (0.3, _("Low")),
    (0.5, _("Normal")),
    (0.7, _("High")),
    (0.9, _("Highest")),
)
MOST_CHARACTERS = 4000
_password_help = lazy(password_validators_help_text_html, SafeString)


def _level(text: str) -> float:
    return float(text)


class MemoryForm(forms.Form):
    """One memory in a person's own words."""

    content = forms.CharField(
        label=_("What should be remembered?"),
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"required": _("Please write what should be remembered.")},
    )
    kind = forms.ChoiceField(label=_("Kind"), choices=list(KINDS.items()), initial="note")
    importance = forms.TypedChoiceField(
        label=_("Importance"), choices=IMPORTANCE, coerce=_level, initial=0.5, required=False, empty_value=None
    )
    pinned = forms.BooleanField(
        label=_("Pinned"), required=False, help_text=_("A pinned memory is given to assistants first.")
    )
    expires_on = forms.DateField(
        label=_("Forget after"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        input_formats=["%Y-%m-%d"],
        help_text=_("Leave empty to keep it."),
    )

    def clean_expires_on(self) -> datetime | None:
        """The end of that day in UTC; a day that is over is refused."""
        day = self.cleaned_data.get("expires_on")
        if day is None:
            return None
        end = datetime(day.year, day.month, day.day, 23, 59, 59, tzinfo=UTC)
        if end <= timezone.now():
            raise forms.ValidationError(_("That day is over. Choose a later one."))
        return end


class EditForm(MemoryForm):
    """A memory as it was shown; `version` is the one that the person saw."""

    version = forms.IntegerField(min_value=1, widget=forms.HiddenInput)

    def __init__(self, *args: Any, current: ItemView, **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["importance"]
        if isinstance(field, forms.TypedChoiceField) and current.importance not in dict(IMPORTANCE):
            field.choices = sorted([*IMPORTANCE, (current.importance, f"{current.importance:.2f}")], key=lambda c: c[0])
        self.fields["content"].label = _("Text")

    def changes(self, current: ItemView) -> Mapping[str, object]:
        """The fields that differ from the present state."""
        given = self.cleaned_data
        wanted: dict[str, object] = {"content": given["content"], "kind": given["kind"], "pinned": given["pinned"]}
        if given["importance"] is not None:
            wanted["importance"] = given["importance"]
        if _day(given["expires_on"]) != _day(current.expires_at):
            wanted["expires_at"] = given["expires_on"]
        return {name: value for name, value in wanted.items() if value != getattr(current, name)}


def _day(moment: datetime | None) -> str:
    return moment.astimezone(UTC).date().isoformat() if moment else ""


def edit_form(item: ItemView) -> EditForm:
    """The form as a person first sees it."""
    initial = {
        "content": item.content,
        "kind": item.kind,
        "importance": item.importance,
        "pinned": item.pinned,
        "expires_on": _day(item.expires_at),
        "version": item.version,
    }
    return EditForm(initial=initial, current=item, auto_id=f"id_{item.id.hex}_%s")


class InviteForm(forms.Form):
    """Whom to invite, as what, and whose memories that login shows."""

    email = forms.EmailField(label=_("E-mail address"), max_length=254)
    role = forms.ChoiceField(label=_("Role"), choices=list(ROLES.items()), initial="member")
    user_key = forms.CharField(
        label=_("Person (user_id)"),
        max_length=128,
        required=False,
        help_text=_("Whose memories this login shows, by the id that your agents send. Needed for members."),
    )
    language = forms.ChoiceField(label=_("Language of the invitation"), choices=settings.LANGUAGES)


class JoinForm(forms.Form):
    """What a person who is new here chooses."""

    name = forms.CharField(
        label=_("Your name"), max_length=128, required=False, widget=forms.TextInput(attrs={"autocomplete": "name"})
    )
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=_password_help(),
    )
    again = forms.CharField(
        label=_("Password again"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    language = forms.ChoiceField(label=_("Language"), choices=settings.LANGUAGES)

    def clean_again(self) -> str:
        again: str = self.cleaned_data["again"]
        if again != self.cleaned_data.get("password"):
            raise forms.ValidationError(_("The two passwords differ."))
        return again


class LoginForm(AuthenticationForm):
    """Django's, with the words of this product."""

    error_messages = {
        "invalid_login": _("E-mail address and password do not fit. Check both; capitals count in the password."),
        "inactive": _("This login is closed."),
    }

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["username"].label = _("E-mail address")


class ResetForm(PasswordResetForm):
    """Also for a login that never had a password: the link in the mail proves the address."""

    def get_users(self, email: str) -> Any:
        return User.objects.filter(email=email.strip().lower(), is_active=True)
