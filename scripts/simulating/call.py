"""Play a phone call against a running server, as Twilio would: signed webhooks, and the relay's WebSocket."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp

from command_line import ATTESTATIONS, WRONG_USAGE, CommandLine, Problem
from simulating.screen import Screen
from simulating.script import WRITTEN, Line, read_file, read_keyboard
from simulating.twilio import Parties, Twiml, Webhooks
from simulating.ways import GatherTurns, RelaySession, Way

NOT_AS_EXPECTED = 1
TOKEN = "SWITCHBOARD_DEMO_TWILIO_TOKEN"
SALON, CALLER = "+15185550100", "+15185550161"
EPILOG = f"""lines of a script:
  {WRITTEN}
  Lines that begin with # are comments. `expect` looks in what was heard since the last thing that was said or
  pressed, whatever its case, and in what became of the call: `put through to +15185550143`, `the call ends`.

Without a script you speak yourself: type what you say, digits to press keys, Ctrl-D to hang up.
The token is what scripts/run prints, or {TOKEN}, which fixes it for both.
The exit code is 0 when everything was as expected, 1 when not, 2 when there was no call."""
_HTTP_S = 20.0
_CHARACTERS_PER_S, _LONGEST_FAREWELL_S = 15.0, 10.0


def read_options(arguments: Sequence[str]) -> argparse.Namespace:
    """Return what the person asked for, or end the program with a sentence."""
    line = CommandLine("scripts/simulate_call", "Play a phone call against the running server.", EPILOG)
    line.add_argument("script", nargs="?", type=Path, help="a file such as scripts/calls/haircut.txt")
    line.add_argument("--to", default=SALON, metavar="NUMBER", help=f"who is called ({SALON}, demo-salon)")
    line.add_argument("--from", dest="caller", default=CALLER, metavar="NUMBER", help=f"who calls ({CALLER})")
    line.add_argument("--token", default=os.environ.get(TOKEN), help="the auth token of the business's account")
    line.add_argument("--url", default="http://127.0.0.1:8080", help="where the server is (http://127.0.0.1:8080)")
    line.add_argument("--public-url", metavar="URL", help="what it takes its address for (the same)")
    line.add_argument("--attestation", choices=(*ATTESTATIONS, "none"), default="A", help="of the caller's number (A)")
    line.add_argument("--mode", choices=("relay", "gather"), help="insist on one (what the server answers)")
    line.add_argument("--transfer", choices=("answered", "no-answer"), default="answered", help="what transfers meet")
    line.add_argument("--verbose", action="store_true", help="also show TwiML")
    options = line.parse_args(arguments)
    for name in ("url", "public_url"):
        value = getattr(options, name)
        if value and urlsplit(value).scheme not in ("http", "https"):
            line.error(f"--{name.replace('_', '-')}: {value!r} is not an address such as http://127.0.0.1:8080")
    if not options.token:
        line.error(f"the auth token is missing: give --token what scripts/run prints, or set {TOKEN}")
    return options


def main(arguments: Sequence[str]) -> int:
    """Do what the command line says; returns the exit code."""
    options = read_options(arguments)
    try:
        lines = read_file(options.script) if options.script else None
        return asyncio.run(_call(options, lines))
    except Problem as problem:
        print(f"scripts/simulate_call: {problem}", file=sys.stderr)
        return WRONG_USAGE
    except KeyboardInterrupt:
        return WRONG_USAGE


async def _call(options: argparse.Namespace, lines: list[Line] | None) -> int:
    url = options.url.rstrip("/")
    public_url = (options.public_url or url).rstrip("/")
    attestation = ATTESTATIONS.get(options.attestation)
    screen = Screen(options.verbose)
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(_HTTP_S)) as session:
        parties = Parties(options.caller, options.to, options.token, attestation)
        webhooks = Webhooks(session, url, public_url, parties, screen.twiml)
        call = PhoneCall(session, url, webhooks, screen, options)
        screen.line(f"{options.caller} calls {options.to}")
        try:
            await call.follow(await webhooks.ask("/phone/incoming", CallStatus="ringing"))
            is_good = await call.play(lines)
        finally:
            await call.end()
    return 0 if is_good else NOT_AS_EXPECTED


class PhoneCall:
    """One call, from its first TwiML to its last status."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        url: str,
        webhooks: Webhooks,
        screen: Screen,
        options: argparse.Namespace,
    ) -> None:
        self._session, self._url, self._webhooks, self._screen = session, url, webhooks, screen
        self._mode, self._transfer = options.mode, options.transfer
        self._way: Way | None = None
        self._became = ""
        self._began = time.monotonic()

    async def play(self, lines: list[Line] | None) -> bool:
        """Do line after line; return whether all that was expected was heard."""
        is_good = True
        for line, until_s in _with_interruptions(lines) if lines is not None else ((x, None) for x in _typed()):
            if line.deed == "hang up":
                self._screen.line("the caller hangs up")
                break
            if line.deed == "expect":
                is_good = await self._expect(line.text) and is_good
            elif self._way is None:
                if lines is None:
                    break
                raise Problem(f"the call is over, and {line.deed} {line.text!r} cannot be done any more.")
            else:
                await self._do(self._way, line, until_s)
            if lines is None and self._way is None:
                break
        return is_good

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
                self._way = RelaySession(self._session, f"{relay_url}/phone/relay", self._webhooks, self._screen)
                twiml = await self._way.begin(twiml)
            elif twiml.dialled:
                twiml = await self._put_through(twiml)
            elif twiml.gather or twiml.redirect:
                if self._mode == "relay":
                    raise Problem("the server holds calls in turns; set SWITCHBOARD_RELAY_URL for scripts/run.")
                self._way = GatherTurns(self._webhooks, self._screen)
                twiml = await self._way.begin(twiml)
            else:
                for text in () if self._way is not None and self._way.heard == " ".join(twiml.said) else twiml.said:
                    self._screen.agent(text)
                    self._became += f" {text}"
                self._finish("the call ends")
                return

    async def end(self) -> None:
        """Leave, and tell the server that the call is over."""
        if self._way is not None:
            await self._way.hang_up()
            self._way = None
        seconds = str(round(time.monotonic() - self._began))
        await self._webhooks.ask("/phone/status", CallStatus="completed", CallDuration=seconds, SequenceNumber="3")

    async def _do(self, way: Way, line: Line, until_s: float | None) -> None:
        self._became = ""
        if line.deed == "wait":
            await self.follow(await way.wait(line.after_s))
            return
        self._screen.caller(f"[{line.text}]" if line.deed == "press" else line.text)
        if line.deed == "press":
            twiml = await way.press(line.text, until_s)
        elif line.deed == "interrupt":
            twiml = await way.interrupt(line.text, line.after_s, until_s)
        else:
            twiml = await way.say(line.text, until_s)
        self._became += f" {way.heard}"
        await self.follow(twiml)

    async def _expect(self, text: str) -> bool:
        heard = self._heard()
        if not _holds(heard, text) and self._way is not None:
            # What becomes of a call shows when its last words have been spoken.
            await self.follow(await self._way.wait(min(len(heard) / _CHARACTERS_PER_S, _LONGEST_FAREWELL_S) + 1))
            heard = self._heard()
        is_good = _holds(heard, text)
        self._screen.verdict(is_good, f"expected: {text}")
        return is_good

    def _heard(self) -> str:
        return f"{self._became} {self._way.heard if self._way is not None else ''}"

    async def _put_through(self, twiml: Twiml) -> Twiml | None:
        for text in twiml.said if self._way is None or self._way.heard != " ".join(twiml.said) else ():
            self._screen.agent(text)
        number = " and ".join(twiml.dialled)
        self._screen.line(f"put through to {number} ({self._transfer})")
        self._became += f" put through to {number}"
        if not twiml.result:
            self._finish("the call ends")
            return None
        status = "completed" if self._transfer == "answered" else "no-answer"
        fields = {"DialBridged": "true"} if self._transfer == "answered" else {}
        return await self._webhooks.ask(twiml.result, DialCallStatus=status, DialCallSid=f"CA{number}", **fields)

    def _finish(self, text: str) -> None:
        self._screen.line(text)
        self._became += f" {text}"
        self._way = None


def _with_interruptions(lines: Iterable[Line]) -> Iterator[tuple[Line, float | None]]:
    """Yield each line with how long its answer is listened to, where the next line interrupts it."""
    known = list(lines)
    for number, line in enumerate(known):
        following = known[number + 1] if number + 1 < len(known) else None
        yield line, following.after_s if following is not None and following.deed == "interrupt" else None


def _typed() -> Iterator[Line]:
    return read_keyboard()


def _holds(heard: str, text: str) -> bool:
    return " ".join(text.split()).casefold() in " ".join(heard.split()).casefold()
