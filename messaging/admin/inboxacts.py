"""What operators do to an inbox: each act is a service's. See docs/admin.md, "Inboxes"."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from messaging.inbox.models import Inbox
from messaging.inbox.receipts import Type
from messaging.inbox.services.handing import hand_over
from messaging.inbox.services.opening import LONGEST_WINDOW, join_inbox, leave_inbox, set_window
from messaging.inbox.services.schemas import remove_schema, set_schema
from workforce.admin.access import may_own
from workforce.admin.buttons import Button
from workforce.api.parsing import parse_json
from workforce.errors import DomainError, InvalidInput
from workforce.services.actors import freeze_actor, unfreeze_actor


def _name(**options: Any) -> forms.CharField:
    widget = UnfoldAdminTextInputWidget(attrs={"autocomplete": "off", "autocapitalize": "none"})
    return forms.CharField(max_length=64, widget=widget, **options)


class JoinForm(forms.Form):
    """Who is to take part."""

    passname = _name(label="Passname", help_text="An actor of this organization.")


class HandOverForm(forms.Form):
    """From whom to whom."""

    owed_by = _name(label="Owed by", help_text="Who was retired or has left.")
    to = _name(label="To", help_text="A participant, who finds it in its queue from the next pull on.")


class WindowForm(forms.Form):
    """In how many seconds an equal send is folded."""

    seconds = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=LONGEST_WINDOW,
        label="Seconds",
        help_text=f"0 to {LONGEST_WINDOW}; 0 is never. Empty: the server's setting.",
        widget=UnfoldAdminTextInputWidget(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )


class LaneForm(forms.Form):
    """A type and topic."""

    type = forms.ChoiceField(
        choices=[(type.value, type.value) for type in Type], widget=UnfoldAdminSelectWidget
    )
    topic = _name()


class SchemaForm(LaneForm):
    """What payloads of a type and topic must look like."""

    schema = forms.CharField(
        strip=False,
        label="JSON Schema",
        help_text="2020-12. It holds from the next send on; what was sent stays.",
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 8, "spellcheck": "false"}),
    )


def _read(form: forms.Form) -> dict[str, Any]:
    """What was filled in. Raises InvalidInput."""
    if not form.is_valid():
        faults = (f"{form.fields[name].label or name}: {words[0]}" for name, words in form.errors.items())
        raise InvalidInput("; ".join(faults))
    return dict(form.cleaned_data)


def _operator(request: HttpRequest) -> str:
    return request.user.get_username()


def _join(request: HttpRequest, inbox: Inbox) -> str:
    place = join_inbox(inbox=inbox, operator=_operator(request), **_read(JoinForm(request.POST)))
    return f"'{place.actor.passname}' takes part: it is sent what is sent from now on"


def _leave(request: HttpRequest, inbox: Inbox) -> str:
    place = leave_inbox(inbox=inbox, operator=_operator(request), **_read(JoinForm(request.POST)))
    left = place.pending + place.delivered
    return f"'{place.actor.passname}' takes no part any more; {left} open receipts are owed by nobody"


def _freeze(request: HttpRequest, inbox: Inbox) -> str:
    named = _read(JoinForm(request.POST))
    actor = freeze_actor(organization=inbox.organization, operator=_operator(request), **named)
    return f"'{actor}' is frozen: its keys are refused from the next call on, in every inbox"


def _unfreeze(request: HttpRequest, inbox: Inbox) -> str:
    named = _read(JoinForm(request.POST))
    actor = unfreeze_actor(organization=inbox.organization, operator=_operator(request), **named)
    return f"'{actor}' is not frozen any more: its keys count again"


def _hand_over(request: HttpRequest, inbox: Inbox) -> str:
    named = _read(HandOverForm(request.POST))
    done = hand_over(inbox=inbox, operator=_operator(request), **named)
    stayed = f"; {done.stayed} stay, which it was sent or sent itself" if done.stayed else ""
    return f"'{named['to'].lower()}' owes {done.moved} more{stayed}"


def _window(request: HttpRequest, inbox: Inbox) -> str:
    seconds = set_window(inbox=inbox, **_read(WindowForm(request.POST))).duplicate_window
    if seconds is None:
        return "Equal sends are folded as the server's setting says"
    return f"Equal sends are folded within {seconds} seconds" if seconds else "Equal sends are never folded"


def _schema(request: HttpRequest, inbox: Inbox) -> str:
    filled = _read(SchemaForm(request.POST))
    try:
        schema = parse_json(filled["schema"].encode("utf-8", "surrogatepass"))
    except DomainError as refusal:
        raise InvalidInput.at("JSON Schema", refusal.words) from None
    set_schema(inbox=inbox, type=filled["type"], topic=filled["topic"], schema=schema)
    return f"Payloads of {filled['type']} in {filled['topic']} must fit the schema from now on"


def _unset_schema(request: HttpRequest, inbox: Inbox) -> str:
    lane = _read(LaneForm(request.POST))
    remove_schema(inbox=inbox, **lane)
    return f"Payloads of {lane['type']} in {lane['topic']} may be anything"


def _operates(request: HttpRequest, inbox: Inbox) -> bool:
    """Whoever sees the inbox in the admin is an owner or an operator of its organization, or a superuser."""
    return True


def _owns(request: HttpRequest, inbox: Inbox) -> bool:
    return may_own(request, inbox.organization_id)


#: Those at the head of the page, with a form each.
SHOWN = (
    Button(
        name="join",
        label="Let join…",
        words="The actor can reach the whole history, and is sent what is sent from now on.",
        act=_join,
        allowed=_operates,
        fields=JoinForm,
        icon="person_add",
    ),
    Button(
        name="hand-over",
        label="Hand over…",
        words="What somebody left open who was retired or has left becomes another participant's, as pending.",
        act=_hand_over,
        allowed=_operates,
        fields=HandOverForm,
        icon="move_down",
    ),
    Button(
        name="window",
        label="Duplicate window…",
        words="The same message sent again within it is answered with the first one.",
        act=_window,
        allowed=_operates,
        fields=WindowForm,
        icon="content_copy",
    ),
    Button(
        name="schema",
        label="Payload schema…",
        words="A payload of this type and topic that does not fit is refused, and stored nowhere.",
        act=_schema,
        allowed=_operates,
        fields=SchemaForm,
        icon="rule",
    ),
)
#: Those beside a participant or a schema.
BESIDE = (
    Button(name="leave", label="Let leave", words="", act=_leave, allowed=_operates),
    Button(name="freeze", label="Freeze", words="", act=_freeze, allowed=_owns),
    Button(name="unfreeze", label="Unfreeze", words="", act=_unfreeze, allowed=_owns),
    Button(name="unset-schema", label="Remove", words="", act=_unset_schema, allowed=_operates),
)
