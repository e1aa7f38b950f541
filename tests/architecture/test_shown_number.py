"""Every place that reads the number a call shows, and why it may: anybody can have any number shown."""

import ast
import json
from collections import Counter
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

import pytest

from tests.architecture.house import ROOT, files_under, trees_under

SWITCHBOARD = Path("functions/switchboard")
# The attribute of every record that holds the number, and the ways around it.
NAMES = ("caller_phone", "shown_phone")


class Use(Enum):
    """What the number is there for; none of it opens what is somebody's."""

    REACH = "where this very caller is texted, called back or shown as calling"
    RECORD = "written down as what was shown, beside how far it is proven where something is decided by it"
    PROOF = "held against what proves it, or a proven one"
    SHARE = "whom a limit is counted for, or who is restricted: it takes away and gives nothing"
    CARRY = "passed on as what was shown, to whoever asks whether it is proven"


# Each place, with why, and how often it reads the number where that is more than once.
USES: dict[str, tuple[Use, str] | tuple[Use, str, int]] = {
    "admin/evals/stored_conversation.py: _shown_phone": (
        Use.CARRY,
        "the one that was shown then is shown again, disguised, where the conversation is held again",
    ),
    "conversation/claims/statements/promises.py: _hold_other_receiver": (
        Use.RECORD,
        "where a text went is held against where one is said to have gone",
    ),
    "admin/conversations/trials.py: context_of": (Use.CARRY, "the one that an owner plays in a trial"),
    "admin/tenant_tools/trial.py: ToolTrials._facts": (Use.CARRY, "the one that an owner plays in a trial"),
    "contract/caller/strangers.py: vouched_number": (Use.PROOF, "with the carrier's full attestation of it", 2),
    "contract/context.py: _Facts.shown_phone": (Use.CARRY, "unless it is the one on file"),
    "contract/caller/caller_identity.py: Standing.is_of": (
        Use.SHARE,
        "another one than was shown then takes the standing away",
    ),
    "desk/bookings/ownership.py: was_made_here": (
        Use.SHARE,
        "another one than booked in the conversation takes the booking away",
        4,
    ),
    "pipeline/ledger/row.py: CallRow.is_of": (Use.SHARE, "another one's call is not the same call", 2),
    "pipeline/ledger/row.py: CallRow.may_be_heard_by": (
        Use.PROOF,
        "what was answered to a number that the carrier vouched for is answered again to that number, proven again",
        2,
    ),
    "pipeline/ledger/turn_counts.py: session_fields": (Use.RECORD, "by which owners find a conversation", 2),
    "desk/callers/code_state.py: ShownThen.fields": (Use.RECORD, "from where a code was asked for"),
    "desk/callers/code_state.py: ShownThen.may_be": (
        Use.SHARE,
        "another one than asked for a code takes the code away",
    ),
    "desk/callers/one_time_codes.py: OneTimeCodes._use": (Use.RECORD, "from where somebody has shown who they are"),
    "desk/callers/verification.py: Verification._established": (
        Use.RECORD,
        "from where somebody has shown who they are",
    ),
    "contract/caller/trusted_facts.py": (
        Use.CARRY,
        "a definition that asks for `x-trust: verified` gets a proven one instead",
    ),
    "conversation/claims/several.py: without_first": (
        Use.SHARE,
        "a text to it went to nobody else: that takes a sentence away",
    ),
    "desk/bookings/open_bookings.py: _keys": (Use.SHARE, "a number counts once where it is shown and named"),
    "contract/caller/strangers.py: keys_of": (Use.SHARE, "an unattested number has a share of its own", 2),
    "catalog/offer/prompts.py: _momentary": (Use.CARRY, "that there is one; not which"),
    "catalog/definitions/variables.py: PhoneNumbers.of": (Use.REACH, "for words that a model reads"),
    "catalog/definitions/variables.py: PhoneNumbers._known": (
        Use.CARRY,
        "where it selects, the proven one is taken instead",
    ),
    "catalog/tenant_tools/definition.py: OwnTool.read": (Use.CARRY, "beside the proven one"),
    "pipeline/ledger/record.py: _facts": (Use.RECORD, "the ledger, with the attestation, and whether it was shown"),
    "pipeline/checks/caller_identity.py: with_standing": (Use.REACH, "beside the number on file", 2),
    "pipeline/execution/result_cache.py: _whom": (
        Use.SHARE,
        "what was answered under another number is not given again",
    ),
    "app/channel_app.py: ChannelApp.goes_on": (Use.REACH, "whose link it is, which the visit has proven", 2),
    "channels/http/call_numbers.py: with_read_numbers": (Use.CARRY, "in one spelling, or that it is withheld", 3),
    "channels/portal/auth.py: TokenVisit.is_anonymous": (
        Use.SHARE,
        "who was sent a link has another share than who was not",
    ),
    "channels/vapi/incoming.py: _call": (Use.REACH, "Vapi is told whom it talks to", 2),
    "channels/vapi/server_messages.py: variables": (Use.REACH, "for the assistant's words"),
    "channels/vapi/incoming.py: Controls.keep": (Use.RECORD, "the call's own document"),
    "channels/browser_voice/turn.py: admit": (Use.CARRY, "where the link was sent; the browser proves nothing"),
    "channels/phone/call_state.py: CallStates.beginning_of": (
        Use.RECORD,
        "with the attestation, which counts for it alone",
    ),
    "channels/portal/sessions.py: Visits.begin": (Use.CARRY, "into a token of the same visit"),
    "desk/bookings/confirmations.py: text_writes": (Use.PROOF, "a booking whose number had been proven"),
    "desk/bookings/confirmations.py: _is_on_file": (Use.PROOF, "a booking whose number had been proven"),
    "desk/bookings/ownership.py: is_unproven": (
        Use.PROOF,
        "tells of a booking that nobody had shown to be the caller's",
        3,
    ),
    "desk/bookings/ownership.py: CallerIdentity._is_shown_by": (Use.PROOF, "a booking whose number had been proven"),
    "desk/bookings/ownership.py: CallerIdentity.kept_by": (
        Use.RECORD,
        "where none was: the number by which the booking was the caller's own, whatever is to be reached from now on",
    ),
    "desk/bookings/request.py: is_same_wish": (Use.PROOF, "of two bookings whose numbers had been proven", 3),
    "desk/bookings/request.py: guarded": (
        Use.SHARE,
        "proven, or as shown, of a booking: the same is made once under it",
        2,
    ),
    "desk/bookings/request.py: require_first": (
        Use.SHARE,
        "what was booked under a number that is only shown is not made a second time, and not handed out",
        3,
    ),
    "desk/bookings/request.py: _draft": (Use.RECORD, "with whether it is proven", 5),
    "desk/bookings/booking.py: Booking.to_document": (Use.RECORD, "with whether it is proven"),
    "desk/messaging/messages.py: Messages.take": (Use.REACH, "the owner calls back"),
    "desk/messaging/messages.py: _document": (Use.RECORD, "what the channel vouches for"),
    "desk/messaging/email.py: _document": (Use.RECORD, "the outbox"),
    "desk/callers/portal_links.py: PortalLinks.issue": (
        Use.REACH,
        "the link is texted there, and proves nothing in the browser",
        3,
    ),
    "desk/callers/portal_links.py: PortalLinks.sent": (
        Use.SHARE,
        "what an older link has opened ends; vouched for, or of this very call",
        2,
    ),
    "desk/callers/portal_links.py: PortalLinks.end": (
        Use.SHARE,
        "what a link has opened ends; proven, or of this very call",
        2,
    ),
    "desk/callers/portal_links.py: PortalLinks._unopened": (
        Use.SHARE,
        "what this very call has had sent opens no more",
    ),
    "desk/messaging/opt_outs.py: SpokenStops.stop": (
        Use.REACH,
        "texts to it end on the word of whoever shows it; START from it brings them back",
    ),
    "conversation/speech/briefing.py: Briefing.note_wishes": (Use.REACH, "the one that gets no more texts"),
    "desk/messaging/duplicates.py: twin_of": (
        Use.SHARE,
        "what is word for word the same, under the same number, is one",
    ),
    "desk/callers/moderation.py: Moderation._known": (
        Use.SHARE,
        "the number of an ignored record gets no conversation",
    ),
    "desk/callers/moderation.py: Moderation.turned_away": (
        Use.SHARE,
        "the number of an ignored or flagged record gets no conversation",
    ),
    "desk/contact/recipients.py: recipient": (Use.REACH, "a text to the caller"),
    "desk/tenant_tools/sms.py: _check_dictated": (Use.REACH, "a text to the caller, who names their own number"),
    "desk/contact/recipients.py: Recipient.introduced": (Use.REACH, "the owner is told who had a text sent"),
    "desk/tenant_tools/transfers.py: _own": (Use.REACH, "a call is not put through to the caller"),
    "desk/tenant_tools/transfers.py: transfer_payload": (Use.REACH, "what those who are rung see"),
    "desk/escalation/transfers.py: Transfers.transfer": (Use.REACH, "what those who are rung see", 2),
    "tools/transfer_call/handler.py: execute": (Use.REACH, "what those who are rung see"),
    "tools/send_portal_link/handler.py: execute": (Use.REACH, "the link is texted there"),
    "tools/flag_caller/handler.py: execute": (Use.RECORD, "words of a receipt"),
    "tools/ignore_user/handler.py: execute": (Use.RECORD, "words of a receipt"),
    "conversation/record/interactions.py: Interaction._fields": (Use.RECORD, "the conversation's own document"),
}


def uses_in(tree: ast.AST, at: str) -> Iterator[str]:
    """Yield the place of each reading of the number: module, and the class and function that it stands in."""
    for node in ast.iter_child_nodes(tree):
        inner = at
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{at}.{node.name}" if ": " in at else f"{at}: {node.name}"
        is_attribute = isinstance(node, ast.Attribute) and node.attr in NAMES and isinstance(node.ctx, ast.Load)
        is_by_name = isinstance(node, ast.Call) and _is_getter(node.func) and _names(node)
        if is_attribute or is_by_name:
            yield at
        yield from uses_in(node, inner)


def _is_getter(function: ast.expr) -> bool:
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    return name in ("getattr", "attrgetter")


def _names(call: ast.Call) -> bool:
    return any(isinstance(argument, ast.Constant) and argument.value in NAMES for argument in call.args)


def found() -> Counter[str]:
    places: Counter[str] = Counter()
    for path, tree in trees_under(ROOT, SWITCHBOARD):
        places.update(uses_in(tree, path.relative_to(SWITCHBOARD).as_posix()))
    return places


@pytest.mark.requirement("004-107")
def test_every_place_that_reads_the_shown_number_says_why_it_may():
    """A new one fails here until it is classified: ask `proven_number` where anything is told or changed by it."""
    known = {place: use[2] if len(use) == 3 else 1 for place, use in USES.items()}
    seen = dict(found())
    new = sorted(place for place in seen if seen[place] > known.get(place, 0))
    assert new == [], "say what the number is there for, or ask proven_number (contract/caller/strangers.py) instead"
    assert seen == known, "some of these read it no more"


@pytest.mark.requirement("004-107")
@pytest.mark.parametrize(
    "code",
    [
        "def f(ctx):\n    return ctx.facts.caller_phone",
        "def f(facts):\n    return getattr(facts, 'caller_phone')",
        "from operator import attrgetter\ndef f(facts):\n    return attrgetter('caller_phone')(facts)",
        "def f():\n    return [b for b in () if b.caller_phone]",
    ],
)
def test_a_reading_is_found_however_it_is_written(code):
    """Or the list above would be as long as its author's memory."""
    assert list(uses_in(ast.parse(code), "m.py")) == ["m.py: f"]
    assert list(uses_in(ast.parse("facts.caller_phone = 1\nf(caller_phone=2)"), "m.py")) == []


@pytest.mark.requirement("004-107")
def test_no_built_tool_selects_by_the_shown_number():
    """A definition may take it as a fact for the record only: a handler that looks something up asks who is calling."""
    for path in files_under(ROOT, SWITCHBOARD / "tools"):
        if path.name != "schema.json":
            continue
        definition = json.loads((ROOT / path).read_text())
        shown = [
            name
            for name, schema in definition["parameters"]["properties"].items()
            if schema.get("x-from") in NAMES and schema.get("x-trust") != "verified"
        ]
        handler = ast.parse((ROOT / path).with_name("handler.py").read_text())
        used = [name for name in shown if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(handler))]
        assert used == [], f"{path}: {', '.join(used)} is a number that is only shown"
