"""The product with one demo business, in this process, its texts going to a stand-in, its clock set by the talk."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from played.recording import Setting, Turn
from running import demo
from stand_ins.for_demo import demo_account
from stand_ins.loopback import serving
from stand_ins.twilio.app import TwilioStandIn
from switchboard.channels.browser_voice.sessions import greeting as spoken_greeting
from switchboard.channels.portal.portals import read_portal
from switchboard.contract.business.business import read_business
from switchboard.contract.caller.strangers import VOUCHED_FOR
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS, Context
from switchboard.contract.store import Query, Update
from switchboard.conversation.event import Event, QuestionAsked, Text, ToolFinished, TurnEnded
from switchboard.conversation.guard import SpeechGuard, Unfounded
from switchboard.conversation.speech.utterance import Utterance
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths

if TYPE_CHECKING:
    from collections.abc import Collection

    from switchboard.app.container import Container
    from switchboard.contract.ports import ChatModel

TURN_S = 20
"""So much later is each turn than the one before."""
_TOKEN = "0123456789abcdef0123456789abcdef"
_SESSIONS = {"phone": "CA" + "5" * 32, "portal": "chat-1"}
_GREETINGS = {
    "en": "Thanks for calling, this is Echo. How can I help?",
    "de": "Guten Tag, hier ist Echo. Was kann ich für Sie tun?",
    "es": "Hola, le atiende Echo. ¿En qué puedo ayudarle?",
}


class Stage:
    """One conversation that is held here, turn by turn."""

    def __init__(self, house: Container, clock: TalkClock, setting: Setting, account: Any) -> None:
        """Begin nothing yet."""
        self.house, self.account = house, account
        self._clock, self._setting = clock, setting
        self._held: list[str] = []
        self.greeting, self._before = "", dict[str, int]()
        parts = house.channel_app.conversation_parts
        make = parts.guard

        def watched(session: Any, offer: Any) -> SpeechGuard:
            return _WatchedGuard(make(session, offer), self._held)

        house.channel_app.__dict__["conversation_parts"] = replace(parts, guard=watched)

    async def greet(self) -> None:
        """Say what a caller or visitor of this business hears first."""
        document = await self.house.store.get(FirestorePaths().within(self._setting.business).business)
        assert document is not None
        business = read_business(self._setting.business, document.data)
        is_phone = self._setting.channel == "phone"
        self.greeting = spoken_greeting(business) if is_phone else read_portal(business.id, document.data).greeting
        conversation = await self.house.channel_app.conversations.open(self._facts())
        conversation.greet(self.greeting)
        self._before = await self.done()

    async def say(self, words: str, watch: Callable[[Event], object] = lambda event: None) -> Turn:
        """Return what comes of a human turn, without what the model answered; `watch` sees every event as it comes."""
        self._clock.moment += timedelta(seconds=TURN_S)
        self._held.clear()
        conversation = await self.house.channel_app.conversations.open(self._facts())
        rows: list[str] = []
        results: list[dict[str, Any]] = []
        asked: list[str] = []
        outcome = ""
        async for event in conversation.reply(Utterance(words)):
            watch(event)
            match event:
                case Text(text=text, is_filler=False):
                    rows.append(text)
                case ToolFinished(name=name, response=response):
                    envelope = {key: value for key, value in response.to_json().items() if key != "meta"}
                    results.append({"name": name, **envelope})
                case QuestionAsked(tool=tool):
                    asked.append(tool)
                case TurnEnded(outcome=ended):
                    outcome = ended.value
        # What follows a filler, which comes when a machine is slow, is set off from it by a blank.
        return Turn(words, (), results, "".join(rows).strip(), asked, list(self._held), outcome)

    async def done(self) -> dict[str, int]:
        """Return how often each effect there was, without what the demo begins with."""
        within = FirestorePaths().within(self._setting.business)
        counts: Counter[str] = Counter()
        for booking in await self.house.store.query(Query(within.collection("bookings"))):
            counts[f"appointments {booking.data['status']}"] += 1
        for waiting in await self.house.store.query(Query(within.collection("outbox"))):
            counts[f"outbox {waiting.data['kind']}"] += 1
        counts["texts"] = len(self.account.texts)
        more = {what: counts[what] - self._before.get(what, 0) for what in sorted({*counts, *self._before})}
        return {what: count for what, count in more.items() if count}

    def _facts(self) -> Context:
        setting = self._setting
        session = _SESSIONS[setting.channel]
        known: dict[str, Any] = {}
        if setting.channel == "phone":
            known = {
                "call_sid": session,
                "caller_phone": setting.caller_phone or None,
                "is_withheld": not setting.caller_phone,
                "attestation": VOUCHED_FOR if setting.caller_phone else None,
            }
        return CONTEXTS[Channel(setting.channel)](
            business_id=setting.business, session_id=session, turn=0, applies_intents=True, **known
        )


class TalkClock:
    """A time that stands still but for the turns; what is measured goes on."""

    def __init__(self, moment: datetime, real: Any) -> None:
        """Begin at a moment."""
        self.moment, self._real = moment, real

    def now(self) -> datetime:
        """Tell the time."""
        return self.moment

    def monotonic(self) -> float:
        """Tell seconds that never run backwards."""
        return float(self._real.monotonic())


@asynccontextmanager
async def staged(
    setting: Setting, model: Callable[[Container], ChatModel] | None = None, **environ: str
) -> AsyncIterator[Stage]:
    """Open the product for one conversation.

    Args:
        setting: Who talks to whom.
        model: Makes what speaks; without it the one that `environ` names does.
        environ: What the product reads beside what this needs.
    """
    from switchboard.app.container import build
    from switchboard.app.settings import read_configuration

    account = demo_account(_TOKEN)
    with serving(TwilioStandIn(account).app) as url:
        secrets_key = base64.b64encode(bytes(32)).decode()
        environment = {
            "SWITCHBOARD_EMBEDDINGS": "none",
            "SWITCHBOARD_TWILIO_BASE_URL": url,
            "SWITCHBOARD_PUBLIC_URL": "http://127.0.0.1:8080",
            "SWITCHBOARD_SECRETS_KEY": secrets_key,
        }
        store, paths = MemoryStore(), FirestorePaths()
        house = build(read_configuration({**environment, **environ}), store)
        clock = house.clock = TalkClock(setting.began, house.clock)  # type: ignore[assignment]
        if model is not None:
            speaking = model(house)
            house.open_model = lambda tools: speaking  # type: ignore[method-assign]
        try:
            await demo.furnish(store, paths, setting.began)
            await demo.keep_twilio_token(store, paths, secrets_key, _TOKEN)
            await _speak(store, paths, setting)
            # As a server is before it answers anybody.
            await house.channel_app.warm()
            stage = Stage(house, clock, setting, account)
            await stage.greet()
            yield stage
        finally:
            await house.close()


async def _speak(store: MemoryStore, paths: FirestorePaths, setting: Setting) -> None:
    """Let the business be talked to in the language of the talk."""
    within = paths.within(setting.business)
    document = await store.get(within.business)
    assert document is not None
    if document.data["ai"]["language"] == setting.language:
        return
    spoken = {"ai.language": setting.language, "ai.greeting": _GREETINGS[setting.language]}
    writes = [Update(within.business, spoken)]
    for agent in await store.query(Query(within.collection("agents"))):
        writes.append(Update(agent.path, {"language": setting.language}))
    await store.commit(writes)


class _WatchedGuard:
    """Notes what is held back."""

    def __init__(self, guard: SpeechGuard, held: list[str]) -> None:
        self._guard, self._held = guard, held

    @property
    def has_left_out(self) -> bool:
        return self._guard.has_left_out

    def feed(self, text: str) -> str:
        try:
            return self._guard.feed(text)
        except Unfounded as unfounded:
            self._held.append(unfounded.sentence)
            raise

    def rest(self, calls: Collection[str] = ()) -> str:
        try:
            return self._guard.rest(calls)
        except Unfounded as unfounded:
            self._held.append(unfounded.sentence)
            raise
