"""No silence: whoever is waited for, the caller hears a word, and the answer still follows."""

import asyncio
import heapq
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from switchboard.contract.channel import Channel
from switchboard.contract.policy import FIRST_TOKEN_S
from switchboard.contract.response import Intent, IntentType, ToolResponse
from switchboard.conversation.event import Effect, Event, Text, ToolFinished, ToolStarted, TurnEnded, TurnOutcome
from switchboard.conversation.speech import bridging
from switchboard.conversation.speech.bridging import CHARACTERS_PER_S, Bridge
from switchboard.conversation.speech.utterance import Utterance
from switchboard.models.request import SILENCE_S
from tests.conversation.conftest import LANGUAGES, Talk, answer
from tests.conversation.planted import gates
from tests.conversation.scripted import calls, says
from tests.conversation.test_turn import messages, outcome, spoken
from tests.leisure import AS_IN_PRODUCTION, limited

LONGEST_SILENCE_S = 1.2
APART_S = 2.0


class Hour:
    """A loop whose time a test moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self._due: list[tuple[float, int, Any, Callable[[], None]]] = []
        self._number = 0

    def time(self) -> float:
        return self.now

    def call_later(self, after_s: float, call: Callable[[], None]) -> Any:
        alarm = Alarm()
        self._number += 1
        heapq.heappush(self._due, (self.now + after_s, self._number, alarm, call))
        return alarm

    def pass_until(self, until: float) -> None:
        while self._due and self._due[0][0] <= until:
            self.now, _, alarm, call = heapq.heappop(self._due)
            if not alarm.is_cancelled:
                call()
        self.now = until


class Alarm:
    is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True


class Heard:
    """What a caller hears of a turn, and when."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, channel: Channel = Channel.PHONE, **how: Any) -> None:
        self.hour = Hour()
        monkeypatch.setattr(bridging.asyncio, "get_running_loop", lambda: self.hour)
        self.language, self.own, self.is_known = how.get("language", "en"), how.get("own", ()), True
        self.words: list[tuple[float, Text]] = []
        turn, limits = how.get("turn", 1), AS_IN_PRODUCTION[channel]
        self.bridge = Bridge(limits, turn, channel.is_spoken, self._speaking, self.emit)

    def _speaking(self) -> Any:
        return (self.language, self.own) if self.is_known else None

    def emit(self, event: Event) -> None:
        event = self.bridge.pass_on(event)
        if isinstance(event, Text):
            self.words.append((self.hour.now, event))

    def at(self, moment: float, event: Event) -> None:
        self.hour.pass_until(moment)
        self.emit(event)

    @property
    def fillers(self) -> list[tuple[float, str]]:
        return [(moment, event.text.strip()) for moment, event in self.words if event.is_filler]

    def longest_silence(self, until: float) -> float:
        silent_from = longest = 0.0
        for moment, event in [*self.words, (until, Text(""))]:
            longest = max(longest, moment - silent_from)
            silent_from = max(silent_from, moment) + len(event.text) / CHARACTERS_PER_S
        return longest


@pytest.mark.requirement("003-336")
@pytest.mark.parametrize("thinks_s", [0.5, 1, 2, 3, 5, 11.9])
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_silence_is_longer_than_a_second_and_a_fifth(
    monkeypatch: pytest.MonkeyPatch, thinks_s: float, language: str
) -> None:
    """While a model thinks, while its tool runs and while it thinks again; in every language, in every turn."""
    for turn in range(1, 6):
        heard = Heard(monkeypatch, language=language, turn=turn)
        heard.at(thinks_s, ToolStarted("c", "look", "Let me look at the calendar."))
        heard.at(thinks_s + 3, ToolFinished("c", "look", ToolResponse(data={}), 3000.0))
        heard.at(2 * thinks_s + 3, Text("At ten."))
        assert heard.longest_silence(2 * thinks_s + 3) <= LONGEST_SILENCE_S + 1e-9
        assert all(b - a >= APART_S - 1e-9 for (a, _), (b, _) in pairwise(heard.fillers))


@pytest.mark.requirement("003-336")
def test_a_quick_answer_has_no_filler_and_nothing_comes_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Talking over every answer would be worse than the silence."""
    heard = Heard(monkeypatch)
    heard.at(0.7, Text("At ten."))
    heard.at(0.8, TurnEnded(TurnOutcome.ANSWERED))
    heard.hour.pass_until(60)
    assert heard.fillers == []


def test_what_is_still_being_spoken_is_no_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sentence that takes four seconds to say is not followed by a filler after one."""
    heard = Heard(monkeypatch)
    heard.at(0.1, Text("w" * int(4 * CHARACTERS_PER_S)))
    heard.hour.pass_until(4.0)
    assert heard.fillers == []
    heard.hour.pass_until(4.2)
    assert len(heard.fillers) == 1


def test_who_reads_waits_for_the_words_and_not_for_a_voice(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written is there at once."""
    heard = Heard(monkeypatch, Channel.PORTAL)
    heard.at(0.1, Text("w" * 600))
    heard.hour.pass_until(1.0)
    assert len(heard.fillers) == 1


@pytest.mark.requirement("003-337")
def test_fillers_vary_within_a_turn_and_from_turn_to_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody wants to hear the same three words five times."""
    first = []
    for turn in range(1, 4):
        heard = Heard(monkeypatch, turn=turn)
        heard.hour.pass_until(9)
        said = [text for _, text in heard.fillers]
        assert len(said) == len(set(said)) > 3
        first.append(said[0])
    assert len(set(first)) == 3


@pytest.mark.requirement("003-337")
def test_an_owners_own_words_are_said_in_place_of_the_houses(monkeypatch: pytest.MonkeyPatch) -> None:
    """A receptionist sounds like the business it answers for; marks are not read aloud."""
    heard = Heard(monkeypatch, own=("Hang on, *love*.", "Won't be a tick."))
    heard.hour.pass_until(5)
    assert {text for _, text in heard.fillers} == {"Hang on, love.", "Won't be a tick."}


def test_the_words_of_a_running_tool_are_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """They say what is being done; after that, and once it is done, other words."""
    heard = Heard(monkeypatch)
    heard.at(0.1, ToolStarted("c", "book", "One moment, I'm booking that for you."))
    heard.hour.pass_until(7)
    said = [text for _, text in heard.fillers]
    assert said[0] == "One moment, I'm booking that for you."
    assert said.count(said[0]) == 1
    heard.at(7.1, ToolStarted("d", "look", "I'm looking."))
    heard.at(7.2, ToolFinished("d", "look", ToolResponse(data={}), 100.0))
    heard.hour.pass_until(12)
    assert "I'm looking." not in [text for _, text in heard.fillers]


@pytest.mark.parametrize("intent", ["TRANSFER_CALL", "END_CALL", "END_VOICE_SESSION", "SUPPRESS_AUDIO"])
def test_nothing_is_said_after_what_ends_speech(monkeypatch: pytest.MonkeyPatch, intent: str) -> None:
    """Seed 004: after a transfer or the end no further speech; nor where a tool has asked for silence."""
    heard = Heard(monkeypatch)
    heard.at(0.1, Effect(Intent(IntentType(intent), {})))
    heard.hour.pass_until(30)
    assert heard.words == []


def test_nobody_is_spoken_to_in_a_language_that_is_only_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as the business has not been read; from then on at once."""
    heard = Heard(monkeypatch, language="de-AT")
    heard.is_known = False
    heard.hour.pass_until(1.5)
    assert heard.words == []
    heard.is_known = True
    heard.hour.pass_until(1.7)
    assert {text for _, text in heard.fillers} < set(bridging._FIRST["de"])


def test_a_word_that_a_stall_has_cut_in_two_stays_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is shown and kept is the answer, with its own blanks."""
    heard = Heard(monkeypatch)
    for moment, piece in ((0.1, "We op"), (3.0, "en at"), (6.0, " nine.")):
        heard.at(moment, Text(piece))
    assert "".join(event.text for _, event in heard.words if not event.is_filler) == "We open at nine."
    assert len(heard.fillers) >= 2


@pytest.mark.requirement("003-336")
async def test_a_filler_is_spoken_while_the_model_thinks_and_its_answer_follows(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was waited for is said, and the filler is no part of it: neither for the model nor in a chat's answer."""
    limited(monkeypatch, filler_after_ms=20, filler_apart_ms=20)
    thought = asyncio.Event()
    conversation = talk([thought, *says("We open at nine.")])
    heard: list[Event] = []
    async for event in conversation.reply(Utterance("When do you open?")):
        heard.append(event)
        if sum(isinstance(e, Text) and e.is_filler for e in heard) == 2:
            thought.set()
    assert "".join(e.text for e in heard if isinstance(e, Text) and not e.is_filler).strip() == "We open at nine."
    assert outcome(heard) is TurnOutcome.ANSWERED
    assert [m.text for m in messages(conversation)] == ["When do you open?", "We open at nine."]


@pytest.mark.requirement("003-336")
async def test_a_filler_is_spoken_while_what_was_interrupted_is_waited_for(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An action of the turn before holds the next one up: that is silence like any other."""
    gates["slow"] = asyncio.Event()
    conversation = talk(calls(("post", {"key": "slow"})), says("It is posted."))
    async for event in conversation.reply(Utterance("Post it")):
        if isinstance(event, ToolStarted):
            await asyncio.sleep(0)
            await conversation.interrupt("")
    limited(monkeypatch, filler_after_ms=20, filler_apart_ms=20)
    heard: list[Event] = []
    async for event in conversation.reply(Utterance("Hello?")):
        heard.append(event)
        if isinstance(event, Text) and event.is_filler:
            gates["slow"].set()
    assert any(isinstance(e, Text) and e.is_filler for e in heard)
    assert spoken([e for e in heard if not (isinstance(e, Text) and e.is_filler)]).strip() == "It is posted."


async def test_nothing_is_said_once_the_caller_has_spoken_up(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A filler over the caller's own words would be the rudest of all."""
    limited(monkeypatch, filler_after_ms=20, filler_apart_ms=20)
    conversation = talk([asyncio.Event()], says("Yes?"))
    async for event in conversation.reply(Utterance("Hello")):
        if isinstance(event, Text):
            await conversation.interrupt("")
            noted = len(conversation.notes.events)  # type: ignore[attr-defined]
    await asyncio.sleep(0.1)
    fresh = conversation.notes.events[noted:]  # type: ignore[attr-defined]
    assert not any(isinstance(event, Text) for event in fresh)


@pytest.mark.requirement("003-336")
def test_no_answer_under_ten_seconds_is_lost() -> None:
    """Neither the conversation nor the connection gives up before; the latter never first: it would ask anew."""
    assert FIRST_TOKEN_S > 10
    assert SILENCE_S > FIRST_TOKEN_S


async def test_a_turn_without_a_silence_leaves_no_timer_behind(talk: Talk) -> None:
    """A thousand calls at once would otherwise hold a thousand of them."""
    conversation = talk(says("Hello."))
    await answer(conversation)
    assert conversation._bridge is not None
    assert conversation._bridge._alarm is None
