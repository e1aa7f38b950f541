"""Phone calls while the store is away: every webhook of Twilio's is answered in time, with TwiML that says what is so.

What was said of the opening hours while the store was there is so, and so is a sentence of those that need no store.
Anything else is untrue, or at least nobody can know that it is not.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import aiohttp

from command_line import Problem
from drills import premises
from drills.result import Check, at_most
from simulating.twilio import Parties, Twiml, Webhooks
from switchboard.channels.phone.voice import Sentence, Voice, greeting
from switchboard.contract.business.business import read_business
from switchboard.contract.store import Update
from switchboard.integrations.secrets.kms import LocalKeyKeeper
from switchboard.integrations.secrets.sealed_secrets import SealedSecrets
from switchboard.state.firestore.store import FirestoreStore

CALLER, NUMBER, TOKEN = "+15185550171", "+15185550142", "twilio-token-of-the-drill"
ALLOWED_S = 3.0
INCOMING, TURN = "/phone/incoming", "/phone/turn"
_CALLS_A_SECOND = 2
_QUESTION = "What are your opening hours?"
# An answer that takes long is fetched piece by piece.
_MOST_PIECES = 4
GREETED_BEFORE = 2
_WARM_WITHIN_S = 20.0


@dataclass(frozen=True)
class Heard:
    """What came of one webhook; `problem` says why it is no answer."""

    path: str
    took_s: float
    twiml: Twiml | None = None
    problem: str = ""


@dataclass
class PhoneCalls:
    """Callers who ask for the opening hours, over webhooks that are signed as Twilio signs them.

    Attributes:
        known: What may be said.
    """

    http: aiohttp.ClientSession
    url: str
    known: set[str] = field(default_factory=set)
    _begun: list[tuple[Webhooks, str]] = field(default_factory=list)

    async def learn(self, store: FirestoreStore) -> None:
        """Call while the store is there, until all is answered; what is said then is so."""
        document = await store.get(premises.WITHIN.business)
        business = read_business(premises.BUSINESS, document.data if document else {})
        # Also the voice of a business that could not be read.
        voices = (Voice.of(business), Voice())
        self.known = {voice.sentence(sentence) for voice in voices for sentence in Sentence} | {greeting(business)}
        deadline = time.monotonic() + _WARM_WITHIN_S
        while time.monotonic() < deadline:
            heard = await self._call()
            chosen = [text for answer in heard if answer.twiml for text in answer.twiml.said]
            if not any(answer.problem for answer in heard) and not any(_is_trouble(text, voices) for text in chosen):
                self.known.update(chosen)
                return
        raise Problem("a phone call is not answered although the store is there")

    async def ring(self, calls: int) -> None:
        """Have so many calls answered with the greeting, whose callers ask later."""
        for _ in range(calls):
            webhooks = self._webhooks()
            heard = await _asked(webhooks, INCOMING)
            if heard.twiml and heard.twiml.gather:
                self._begun.append((webhooks, heard.twiml.gather))

    async def go_on(self, seconds: float) -> list[Heard]:
        """Call at an even pace, whatever becomes of the calls before; return what all were answered.

        The first of them have been greeted before.
        """
        tasks, began = [], time.monotonic()
        for number in itertools.count():
            due = began + number / _CALLS_A_SECOND
            if due > began + seconds:
                break
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            tasks.append(asyncio.create_task(self._ask(*self._begun.pop()) if self._begun else self._call()))
        return [heard for call in await asyncio.gather(*tasks) for heard in call]

    def untrue(self, twiml: Twiml) -> str:
        """Return what a document says that nobody can know to be so; empty where all of it is known."""
        if not (twiml.said or twiml.redirect or twiml.hangs_up):
            return "nothing at all"
        rest = " ".join(twiml.said)
        for text in sorted(self.known, key=len, reverse=True):
            rest = rest.replace(text, "")
        return rest.strip()

    async def _call(self) -> list[Heard]:
        """Call up and ask; return what each webhook was answered."""
        webhooks = self._webhooks()
        first = await _asked(webhooks, INCOMING)
        action = first.twiml.gather if first.twiml else ""
        return [first, *await self._ask(webhooks, action or TURN)]

    def _webhooks(self) -> Webhooks:
        parties = Parties(CALLER, NUMBER, TOKEN, None)
        return Webhooks(self.http, self.url, premises.PUBLIC_URL, parties, lambda _: None)

    async def _ask(self, webhooks: Webhooks, action: str) -> list[Heard]:
        heard = [await _asked(webhooks, action, SpeechResult=_QUESTION, Confidence="0.9")]
        for _ in range(_MOST_PIECES):
            twiml = heard[-1].twiml
            if twiml is None or twiml.gather or not twiml.redirect:
                break
            heard.append(await _asked(webhooks, twiml.redirect))
        return heard


async def connect_phone(store: FirestoreStore) -> None:
    """Give the drilled business a number of its own at Twilio."""
    await store.commit([Update(premises.WITHIN.business, {"twilioNumber": NUMBER})])
    secrets = SealedSecrets(store, premises.PATHS, LocalKeyKeeper.from_text(premises.SECRETS_KEY))
    await secrets.keep(premises.BUSINESS, "twilio", "authToken", TOKEN)


def phone_checks(name: str, calls: PhoneCalls, heard: Sequence[Heard]) -> Iterator[Check]:
    """Yield what callers on the phone were answered in one outage."""
    for path in (INCOMING, TURN):
        those = [one for one in heard if one.path == path]
        what = f"{name}: row 8: {path}"
        unanswered = [one.problem for one in those if one.problem]
        untrue = [chosen for one in those if one.twiml and (chosen := calls.untrue(one.twiml))]
        yield Check(
            f"{what} x {len(those)}, not 200 with TwiML",
            "none",
            f"{len(unanswered)}: {unanswered[0][:60]}" if unanswered else "none",
            not unanswered and bool(those),
        )
        yield Check(
            f"{what}, said what nobody can know",
            "none",
            f"{len(untrue)}: {untrue[0][:60]}" if untrue else "none",
            not untrue,
        )
        yield at_most(f"{what}, slowest", ALLOWED_S, max((one.took_s for one in those), default=0.0))


def told(heard: Sequence[Heard]) -> str:
    """Return what was said how often, for whoever looks into it."""
    counts = Counter(" ".join(one.twiml.said) or "(goes on)" for one in heard if one.twiml)
    return "; ".join(f"{count} x {text[:80]}" for text, count in counts.most_common(4))


def _is_trouble(text: str, voices: Sequence[Voice]) -> bool:
    return any(voice.sentence(Sentence.TROUBLE) in text for voice in voices)


async def _asked(webhooks: Webhooks, address: str, **fields: str) -> Heard:
    began = time.perf_counter()
    path = INCOMING if address == INCOMING else TURN
    try:
        twiml = await webhooks.ask(address, **fields)
    except Problem as problem:
        return Heard(path, time.perf_counter() - began, problem=str(problem))
    return Heard(path, time.perf_counter() - began, twiml)
