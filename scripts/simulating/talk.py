"""A conversation that is played line after line, whichever way it is held."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from command_line import Problem
from simulating.screen import Screen
from simulating.script import Line, read_keyboard
from simulating.sent import SentPage
from simulating.twilio import Twiml
from simulating.ways import Way

_CHARACTERS_PER_S, _LONGEST_FAREWELL_S = 15.0, 10.0


class Leading(Protocol):
    """What becomes of a conversation beside what is said in it."""

    async def follow(self, twiml: Twiml | None) -> None:
        """Do what TwiML says until somebody listens again, or it is over."""

    async def redirect(self) -> None:
        """Do what the conversation was told from elsewhere meanwhile, if it was."""

    async def text(self, words: str) -> None:
        """Send a text message to the business."""


class Talk:
    """What the caller says and does, and what they hear.

    Args:
        screen: Is shown it.
        sent: Shows what was sent.
    """

    def __init__(self, screen: Screen, sent: SentPage) -> None:
        self.screen, self._sent = screen, sent
        self.way: Way | None = None
        self._became = ""

    async def play(self, leading: Leading, lines: list[Line] | None) -> bool:
        """Do line after line, or what is typed; return whether all was as expected."""
        is_good = True
        for line, until_s in _with_interruptions(lines) if lines is not None else ((x, None) for x in read_keyboard()):
            await leading.redirect()
            if line.deed == "hang up":
                self.screen.line("the caller hangs up")
                break
            if line.deed == "expect":
                is_good = await self._expect(leading, line.text) and is_good
            elif line.deed == "sent":
                is_good = self._verdict(await self._sent.shows(line.text), f"sent: {line.text}") and is_good
            elif line.deed == "text":
                self.screen.caller(f"[texts {line.text}]")
                await leading.text(line.text)
            elif self.way is None:
                if lines is None:
                    break
                raise Problem(f"the call is over, and {line.deed} {line.text!r} cannot be done any more.")
            else:
                await self._do(leading, self.way, line, until_s)
            await leading.redirect()
            if lines is None and self.way is None:
                break
        return is_good

    def tell(self, texts: Iterable[str]) -> None:
        """Show what is said while a conversation goes elsewhere, unless that was heard already."""
        said = list(texts)
        if self.way is not None and self.way.heard == " ".join(said):
            return
        for text in said:
            self.screen.agent(text)
            self._became += f" {text}"

    def become(self, text: str) -> None:
        """Note what becomes of the conversation."""
        self.screen.line(text)
        self._became += f" {text}"

    def finish(self) -> None:
        """Note that it is over."""
        self.become("the call ends")
        self.way = None

    async def _do(self, leading: Leading, way: Way, line: Line, until_s: float | None) -> None:
        self._became = ""
        if line.deed == "wait":
            await leading.follow(await way.wait(line.after_s))
            return
        words = await self._sent.filled(line.text)
        self.screen.caller(f"[{words}]" if line.deed == "press" else words)
        if line.deed == "press":
            twiml = await way.press(words, until_s)
        elif line.deed == "interrupt":
            twiml = await way.interrupt(words, line.after_s, until_s)
        else:
            twiml = await way.say(words, until_s)
        self._became += f" {way.heard}"
        await leading.follow(twiml)

    async def _expect(self, leading: Leading, text: str) -> bool:
        heard = self._heard()
        if not _holds(heard, text) and self.way is not None:
            # What becomes of a call shows when its last words have been spoken.
            spoken_s = min(len(heard) / _CHARACTERS_PER_S, _LONGEST_FAREWELL_S)
            await leading.follow(await self.way.wait(spoken_s + 1))
            await leading.redirect()
            heard = self._heard()
        return self._verdict(_holds(heard, text), f"expected: {text}")

    def _verdict(self, is_good: bool, text: str) -> bool:
        self.screen.verdict(is_good, text)
        return is_good

    def _heard(self) -> str:
        return f"{self._became} {self.way.heard if self.way is not None else ''}"


def _with_interruptions(lines: Iterable[Line]) -> Iterator[tuple[Line, float | None]]:
    """Yield each line with how long its answer is listened to, where the next line interrupts it."""
    known = list(lines)
    for number, line in enumerate(known):
        following = known[number + 1] if number + 1 < len(known) else None
        yield line, following.after_s if following is not None and following.deed == "interrupt" else None


def _holds(heard: str, text: str) -> bool:
    """Tell whether one of the texts that stand between bars was heard."""
    plain = " ".join(heard.split()).casefold()
    return any(" ".join(part.split()).casefold() in plain for part in text.split("|"))
