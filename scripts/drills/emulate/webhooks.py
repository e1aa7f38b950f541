"""Webhooks that emulate signs as Twilio does: they are answered, but for those that another token signed."""

from __future__ import annotations

from drills.emulate.account import EmulatedAccount, seed
from drills.emulate.passage import Passage
from drills.emulate.server import emulating
from drills.own_house import CALLER, SALON, SALON_NUMBER, TWILIO_TOKEN, own_house
from drills.premises import PATHS
from drills.result import Check
from switchboard.desk.messaging.sms import stop_path

_REPORTED_TO = {"voice_url": "incoming", "status_callback": "status", "sms_url": "text"}
_KINDS = ("/phone/incoming", "/phone/status", "/phone/text")


async def webhook_checks() -> list[Check]:
    """Return the rows: a call comes in and ends, a text says STOP; then all of it by another account."""
    passage = Passage()
    # What Twilio calls, and signs over, is the passage's address; so the answers can be looked at there.
    with passage.open() as url:
        async with own_house(SWITCHBOARD_PUBLIC_URL=url) as own:
            passage.target = own.url
            known = await _delivered(passage, url, TWILIO_TOKEN)
            greeting = passage.losses.journal[0]["answer"]
            stopped = await own.store.get(stop_path(PATHS.within(SALON), CALLER))
            passage.losses.journal.clear()
            forged = await _delivered(passage, url, "the token of another account")
    is_greeting = greeting.lstrip().startswith((b"<?xml", b"<Response"))
    return [
        *(_row(f"webhook {kind}", "2xx", known[kind], known[kind].startswith("2")) for kind in _KINDS),
        _row("webhook /phone/incoming: the answer", "TwiML", "TwiML" if is_greeting else "no TwiML", is_greeting),
        _row("texted STOP", "no more texts", "no more texts" if stopped else "not heard", stopped is not None),
        *(_row(f"webhook {kind}, another token", "403", forged[kind], forged[kind] == "403") for kind in _KINDS),
    ]


async def _delivered(passage: Passage, url: str, token: str) -> dict[str, str]:
    """Have emulate deliver one webhook of each kind, signed with a token; return what it was answered, by path."""
    held = seed(token, SALON_NUMBER, **{name: f"{url}/phone/{path}" for name, path in _REPORTED_TO.items()})
    with emulating("twilio", held) as target:
        async with EmulatedAccount(target, token) as account:
            call = await account.simulate("inbound-call", To=SALON_NUMBER, From=CALLER)
            await account.simulate("call-status", CallSid=call["sid"], Status="completed")
            await account.simulate("inbound-message", To=SALON_NUMBER, From=CALLER, Body="STOP")
    answered = {line["method"].partition(" ")[2]: str(line["status"]) for line in passage.losses.journal}
    return {kind: answered.get(kind, "never asked") for kind in _KINDS}


def _row(what: str, expected: str, seen: str, is_met: bool) -> Check:
    return Check(what, expected, seen, is_met)
