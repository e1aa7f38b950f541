"""Play a call against a running server: as Twilio would, by signed webhooks and the relay's WebSocket, or as a page."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp

import days
from command_line import ATTESTATIONS, WRONG_USAGE, CommandLine, Problem
from simulating.redirects import Redirects
from simulating.screen import Screen
from simulating.script import SETTINGS, WRITTEN, Line, read_file
from simulating.sent import CODE, SentPage
from simulating.talk import Talk
from simulating.twilio import Parties, Twiml, Webhooks
from simulating.visit import PAGES, PageVisit
from simulating.ways import GatherTurns, RelaySession

NOT_AS_EXPECTED = 1
TOKEN = "SWITCHBOARD_DEMO_TWILIO_TOKEN"
SALON, CALLER = "+15185550100", "+15185550161"
MODES = ("relay", "gather", *PAGES)
TRANSFERS = ("answered", "no-answer")
EPILOG = f"""lines of a script:
  {WRITTEN}
  Lines that begin with # are comments. `expect` looks in what was heard since the last thing that was said or
  pressed, whatever its case, and in what became of the call: `put through to +15185550143`, `the call ends`; of
  several behind a | one is enough. `text` is a message to the business's number, `sent` looks at the page of the
  stand-ins, and {CODE} stands for the digits that were texted last. {days.WRITTEN}
  are days as the caller says them. Above the first line may stand, as `mode: portal`:
  {", ".join(SETTINGS)}.

Without a script you speak yourself: type what you say, digits to press keys, Ctrl-D to hang up.
The token is what scripts/run prints, or {TOKEN}, which fixes it for both; pages need none. What is called beside
the demo businesses, scripts/run serves by --template.
The exit code is 0 when everything was as expected, 1 when not, 2 when there was no call."""
_HTTP_S = 20.0


def read_options(arguments: Sequence[str]) -> argparse.Namespace:
    """Return what the person asked for, or end the program with a sentence."""
    line = CommandLine("scripts/simulate_call", "Play a phone call against the running server.", EPILOG)
    line.add_argument("script", nargs="?", type=Path, help="a file such as scripts/calls/haircut.txt")
    line.add_argument("--to", metavar="NUMBER", help=f"who is called ({SALON}, demo-salon)")
    line.add_argument("--from", dest="caller", metavar="NUMBER", help=f"who calls ({CALLER})")
    line.add_argument("--business", metavar="ID", help="whose page is visited (demo-salon)")
    line.add_argument("--token", default=os.environ.get(TOKEN), help="the auth token of the business's account")
    line.add_argument("--url", default="http://127.0.0.1:8080", help="where the server is (http://127.0.0.1:8080)")
    line.add_argument("--public-url", metavar="URL", help="what it takes its address for (the same)")
    line.add_argument(
        "--stand-ins", default="http://127.0.0.1:8090", metavar="URL", help="where it is seen what was sent"
    )
    line.add_argument("--attestation", choices=(*ATTESTATIONS, "none"), help="of the caller's number (A)")
    line.add_argument("--mode", choices=MODES, help="insist on a way (what the server answers a phone call with)")
    line.add_argument("--transfer", choices=TRANSFERS, help="what transfers meet (answered)")
    line.add_argument("--verbose", action="store_true", help="also show TwiML")
    options = line.parse_args(arguments)
    for name in ("url", "public_url"):
        value = getattr(options, name)
        if value and urlsplit(value).scheme not in ("http", "https"):
            line.error(f"--{name.replace('_', '-')}: {value!r} is not an address such as http://127.0.0.1:8080")
    return options


def settled(options: argparse.Namespace, settings: Mapping[str, str]) -> argparse.Namespace:
    """Return the options, with what a script says in place of those that nobody gave.

    Raises:
        Problem: The script says what is no choice, or a phone call has no token.
    """
    usual = {"to": SALON, "caller": CALLER, "business": "demo-salon", "mode": None, "attestation": "A"}
    for name, value in (usual | {"transfer": "answered"}).items():
        if getattr(options, name) is None:
            setattr(options, name, settings.get("from" if name == "caller" else name, value))
    for name, choices in (("mode", MODES), ("attestation", (*ATTESTATIONS, "none")), ("transfer", TRANSFERS)):
        if (value := getattr(options, name)) is not None and value not in choices:
            raise Problem(f"{options.script}: {name}: {value!r} is none of {', '.join(choices)}.")
    if options.mode not in PAGES and not options.token:
        raise Problem(f"the auth token is missing: give --token what scripts/run prints, or set {TOKEN}.")
    return options


def main(arguments: Sequence[str]) -> int:
    """Do what the command line says; returns the exit code."""
    options = read_options(arguments)
    try:
        script = read_file(options.script, datetime.now(UTC).date()) if options.script else None
        return asyncio.run(_call(settled(options, script.settings if script else {}), script and script.lines))
    except Problem as problem:
        print(f"scripts/simulate_call: {problem}", file=sys.stderr)
        return WRONG_USAGE
    except KeyboardInterrupt:
        return WRONG_USAGE


async def _call(options: argparse.Namespace, lines: list[Line] | None) -> int:
    url = options.url.rstrip("/")
    screen = Screen(options.verbose)
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(_HTTP_S)) as session:
        talk = Talk(screen, SentPage(session, options.stand_ins))
        if options.mode in PAGES:
            is_good = await _visit(session, url, talk, options, lines)
        else:
            is_good = await _phone_call(session, url, talk, options, lines)
    return 0 if is_good else NOT_AS_EXPECTED


async def _visit(
    session: aiohttp.ClientSession, url: str, talk: Talk, options: argparse.Namespace, lines: list[Line] | None
) -> bool:
    visit = PageVisit(session, url, options.business, options.mode, talk.screen)
    talk.screen.line(f"a visitor opens {options.business}'s {'portal' if options.mode == 'portal' else 'voice page'}")
    talk.way = visit
    await visit.begin(Twiml())
    return await talk.play(Page(talk), lines)


async def _phone_call(
    session: aiohttp.ClientSession, url: str, talk: Talk, options: argparse.Namespace, lines: list[Line] | None
) -> bool:
    public_url = (options.public_url or url).rstrip("/")
    parties = Parties(options.caller, options.to, options.token, ATTESTATIONS.get(options.attestation))
    webhooks = Webhooks(session, url, public_url, parties, talk.screen.twiml)
    redirects = Redirects(session, options.stand_ins)
    call = PhoneCall(session, url, webhooks, talk, options, redirects)
    talk.screen.line(f"{options.caller} calls {options.to}")
    await redirects.begin(webhooks.call_sid, parties)
    try:
        await call.follow(await webhooks.ask("/phone/incoming", CallStatus="ringing"))
        return await talk.play(call, lines)
    finally:
        await call.end()


class Page:
    """A page leads nowhere but to its own end."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk

    async def follow(self, twiml: Twiml | None) -> None:
        """End where the conversation does."""
        if twiml is not None:
            self._talk.finish()

    async def redirect(self) -> None:
        """Go on: nobody puts a visitor through."""

    async def text(self, words: str) -> None:
        """Refuse: who visits a page shows no number.

        Raises:
            Problem: Always.
        """
        raise Problem(f"a visitor of a page has no number to text {words!r} from.")


class PhoneCall:
    """One call, from its first TwiML to its last status."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        url: str,
        webhooks: Webhooks,
        talk: Talk,
        options: argparse.Namespace,
        redirects: Redirects,
    ) -> None:
        self._session, self._url, self._webhooks, self._talk = session, url, webhooks, talk
        self._redirects = redirects
        self._mode, self._transfer = options.mode, options.transfer
        self._began = time.monotonic()

    async def follow(self, twiml: Twiml | None) -> None:
        """Do what TwiML says until somebody listens again, or the call is over."""
        refused = 0
        while twiml is not None:
            if twiml.relay and self._mode == "gather":
                # As if the socket could not be opened: the server has to find another way.
                refused += 1
                failed = {"SessionId": f"VX{refused}", "SessionStatus": "failed", "ErrorCode": "64102"}
                twiml = await self._webhooks.ask(twiml.ended, **failed)
            elif twiml.relay:
                relay_url = f"{'wss' if self._url.startswith('https') else 'ws'}{self._url[self._url.index(':') :]}"
                self._talk.way = RelaySession(
                    self._session, f"{relay_url}/phone/relay", self._webhooks, self._talk.screen
                )
                twiml = await self._talk.way.begin(twiml)
            elif twiml.dialled:
                twiml = await self._put_through(twiml)
            elif twiml.gather or twiml.redirect:
                if self._mode == "relay":
                    raise Problem("the server holds calls in turns; set SWITCHBOARD_RELAY_URL for scripts/run.")
                self._talk.way = GatherTurns(self._webhooks, self._talk.screen)
                twiml = await self._talk.way.begin(twiml)
            else:
                self._talk.tell(twiml.said)
                self._talk.finish()
                return

    async def redirect(self) -> None:
        """Leave whoever listens where the call was told something else meanwhile, and do that."""
        twiml = await self._redirects.told() if self._talk.way is not None else None
        if twiml is not None and self._talk.way is not None:
            await self._talk.way.hang_up()
            await self.follow(twiml)

    async def text(self, words: str) -> None:
        """Send a text message to the called number."""
        await self._webhooks.message(words)

    async def end(self) -> None:
        """Leave, and tell the server that the call is over."""
        if self._talk.way is not None:
            await self._talk.way.hang_up()
            self._talk.way = None
        await self._redirects.end()
        seconds = str(round(time.monotonic() - self._began))
        await self._webhooks.ask("/phone/status", CallStatus="completed", CallDuration=seconds, SequenceNumber="3")

    async def _put_through(self, twiml: Twiml) -> Twiml | None:
        self._talk.tell(twiml.said)
        self._talk.become(f"put through to {' and '.join(twiml.dialled)} ({self._transfer})")
        if not twiml.result:
            self._talk.finish()
            return None
        status = "completed" if self._transfer == "answered" else "no-answer"
        fields = {"DialBridged": "true"} if self._transfer == "answered" else {}
        dialled = f"CA{' and '.join(twiml.dialled)}"
        return await self._webhooks.ask(twiml.result, DialCallStatus=status, DialCallSid=dialled, **fields)
