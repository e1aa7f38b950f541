"""Awkward models on every channel, over the wire: a server that speaks like OpenAI replays them in whatever pieces.

One table of what a model does in a turn; each row is played on each channel, whole, event by event, and cut in the
middle of whatever stands there. The channels differ in what a turn may cost, and in nothing else that is seen here.
"""

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.contract.error import ErrorType
from switchboard.contract.policy import CHANNEL_POLICY
from switchboard.contract.store import Set
from switchboard.conversation.claims.guard import ClaimGuards
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.dependencies import join
from switchboard.conversation.event import Event, Text, ToolFinished, TurnOutcome
from switchboard.conversation.session import CallSession
from switchboard.integrations.http_session import HttpSession
from switchboard.models.anthropic_messages import AnthropicMessages
from switchboard.models.openai_chat import OpenAIChat
from switchboard.pipeline.confirmation.approvals import Approvals
from switchboard.pipeline.execution.deadline import outlived
from switchboard.state.memory.store import MemoryStore
from tests.conversation import planted
from tests.conversation.conftest import Notes, answer
from tests.conversation.test_turn import is_well_formed, outcome, spoken
from tests.desk.front_desk import StoppedClock
from tests.models import test_anthropic as anthropic
from tests.models.anthropic_rules import assert_taken
from tests.models.replay import DROP, Reply, in_pieces, serving, sse
from tests.pipeline import planted as pipeline_planted
from tests.pipeline.conftest import BUSINESS, PATHS, Instance

SAFE = "You can reach us at (518) 555-0142."


def delta(_reason: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": _reason}]}


def call(name: str, arguments: str, index: int | None = 0, id: str | None = "call_0") -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    made = {"index": index, "id": id, "type": "function", "function": function}
    return delta(tool_calls=[{key: value for key, value in made.items() if value is not None}])


def more(arguments: str, index: int = 0) -> dict[str, Any]:
    return delta(tool_calls=[{"index": index, "function": {"arguments": arguments}}])


CALLED, STOPPED = delta("tool_calls"), delta("stop")
LOOKED = sse(call("look", '{"word":'), more('"tea"'), more("}"), CALLED)
THERE_IS_TEA = sse(delta(role="assistant", content=""), delta(content="There is"), delta(content=" tea."), STOPPED)


@dataclass(frozen=True)
class Scenario:
    """What the model's server answers, one body after the other, and what has to come of it.

    Attributes:
        said: What the caller hears; with `...` in front, only how it ends.
        results: By tool, whether each call went well; None where the channels differ.
        status: Of the HTTP answers.
    """

    bodies: tuple[bytes, ...]
    said: str
    outcome: TurnOutcome = TurnOutcome.ANSWERED
    results: tuple[bool, ...] | None = ()
    status: int = 200


SCENARIOS = {
    "only speaks": Scenario((THERE_IS_TEA,), "There is tea."),
    "speaks without an end, but says that it is done": Scenario((sse(delta(content="Hello.")),), "Hello."),
    "calls in mid-speech": Scenario(
        (sse(delta(content="Let me look."), call("look", '{"word":"tea"}'), CALLED), THERE_IS_TEA),
        "Let me look. There is tea.",
        results=(True,),
    ),
    "sends arguments in fragments": Scenario((LOOKED, THERE_IS_TEA), "There is tea.", results=(True,)),
    "sends arguments of an empty text": Scenario(
        (sse(call("look", ""), CALLED), THERE_IS_TEA), "There is tea.", results=(True,)
    ),
    "leaves indexes out": Scenario(
        (sse(call("look", '{"word":"a"}', None, "x"), call("look", '{"word":"b"}', None, "y"), CALLED), THERE_IS_TEA),
        "There is tea.",
        results=(True, True),
    ),
    "leaves ids out": Scenario(
        (sse(call("look", "{}", 0, None), CALLED), THERE_IS_TEA), "There is tea.", results=(True,)
    ),
    "gives two calls one id": Scenario(
        (sse(call("look", '{"word":"a"}', 0, "x"), call("look", '{"word":"b"}', 1, "x"), CALLED), THERE_IS_TEA),
        "There is tea.",
        results=(True, True),
    ),
    "mixes the fragments of two calls": Scenario(
        (
            sse(
                call("look", '{"wo', 0, "x"),
                call("look", '{"w', 1, "y"),
                more('rd":"a"}'),
                more('ord":"b"}', 1),
                CALLED,
            ),
            THERE_IS_TEA,
        ),
        "There is tea.",
        results=(True, True),
    ),
    "stops with calls and says 'stop'": Scenario(
        (sse(call("look", '{"word":"a"}'), STOPPED), THERE_IS_TEA), "There is tea.", results=(True,)
    ),
    "calls what does not exist": Scenario(
        (sse(call("fly", "{}"), CALLED), THERE_IS_TEA), "There is tea.", results=(False,)
    ),
    "writes broken arguments": Scenario(
        (sse(call("look", '{"word": '), CALLED), THERE_IS_TEA), "There is tea.", results=(False,)
    ),
    "repeats itself until it is told to stop": Scenario(
        (*(sse(call("look", '{"word":"a"}', 0, f"c{n}"), CALLED) for n in range(4)), THERE_IS_TEA),
        "There is tea.",
        results=None,
    ),
    "calls and calls, and never speaks": Scenario(
        tuple(sse(call("look", json.dumps({"word": f"w{n}"})), CALLED) for n in range(9)),
        f"...{SAFE}",
        TurnOutcome.FAILED,
        results=None,
    ),
    "is cut off in a call": Scenario((sse(call("look", '{"wo'), delta("length")),), f"...{SAFE}", TurnOutcome.FAILED),
    "is cut off after words": Scenario(
        (sse(delta(content="We open daily at"), delta("length")), sse(delta(content="nine."), STOPPED)), "...nine."
    ),
    "is cut off again and again": Scenario(
        (sse(delta(content="We open at nine. Then "), delta("length")),), "We open at nine...Shall I go on?"
    ),
    "is cut off in a call, then calls": Scenario(
        (sse(call("look", '{"wo'), delta("length")), LOOKED, THERE_IS_TEA), "There is tea.", results=(True,)
    ),
    "is refused by a filter": Scenario(
        (sse(delta("content_filter")),), "...anything else I can do for you?", TurnOutcome.FAILED
    ),
    "says nothing, twice": Scenario((sse(STOPPED), sse(STOPPED)), f"...{SAFE}", TurnOutcome.FAILED),
    "says nothing, then something": Scenario((sse(STOPPED), THERE_IS_TEA), "There is tea."),
    "breaks off before it speaks": Scenario((DROP,), f"...{SAFE}", TurnOutcome.FAILED),
    "breaks off in mid-sentence": Scenario(
        (sse(delta(content="There is"), done=False) + DROP,), f"...{SAFE}", TurnOutcome.FAILED
    ),
    "breaks off in a call": Scenario(
        (sse(call("post", '{"key"'), done=False) + DROP,), f"...{SAFE}", TurnOutcome.FAILED
    ),
    "sends what is no JSON": Scenario((b"data: {oops\n\n",), f"...{SAFE}", TurnOutcome.FAILED),
    "reports an error in the stream": Scenario(
        (sse({"error": {"message": "overloaded"}}),), f"...{SAFE}", TurnOutcome.FAILED
    ),
    "refuses the key": Scenario((b'{"error":{"message":"bad key"}}',), f"...{SAFE}", TurnOutcome.FAILED, status=401),
    "claims what nobody did, then the truth": Scenario(
        (sse(delta(content="Booked for ten."), STOPPED), sse(delta(content="Not yet."), STOPPED)), "Not yet."
    ),
    "insists on what nobody did": Scenario(
        (sse(delta(content="Well. You are"), delta(content=" booked."), STOPPED),) * 2,
        f"Well. I can't confirm that this has been done. {SAFE}",
        TurnOutcome.FAILED,
    ),
    "ends the call": Scenario(
        (sse(delta(content="Goodbye."), call("hang_up", "{}"), CALLED),), "Goodbye.", TurnOutcome.ENDED, results=(True,)
    ),
}
CUTS: dict[str, Callable[[bytes], list[bytes]]] = {
    "whole": lambda body: [body],
    "event by event": lambda body: [part + b"\n\n" for part in body.split(b"\n\n") if part],
    "in sevens": lambda body: in_pieces(body, 7),
}


@pytest.fixture
async def open_talk() -> AsyncIterator[Callable[..., Any]]:
    """Begin a conversation with the model behind a URL."""
    store, http, clock = MemoryStore(), HttpSession(), StoppedClock()
    await store.commit(
        [Set(PATHS.within(BUSINESS).business, {"name": "Salon", "phone": "(518) 555-0142", "ai": {"language": "en"}})]
    )
    office = Instance(store, clock, claiming())
    pipeline_planted.done.clear()

    async def system(*_: Any) -> str:
        return "You are Echo."

    def begin(url: str, channel: Channel, vendor: Any = OpenAIChat) -> Conversation:
        model = vendor("m", url, "k", http.client)
        parts = join(
            model,
            office.catalog,
            office.dispatcher,
            Approvals(store, PATHS),
            clock,
            system,
            ClaimGuards(clock),
            lambda session: Notes(),
        )
        return Conversation(parts, CallSession(CONTEXTS[channel](business_id=BUSINESS, session_id="s1", turn=0)))

    yield begin
    await outlived()
    await http.close()


def claiming() -> Any:
    """Return the planted tools, of which one lets an agent say that something is booked."""
    registry = planted.registry()
    tool = pipeline_planted._tool(planted.book, "action", {"what": {"type": "string"}}, deeds=["booked"])
    return type(registry)(registry.version, {**registry.tools, tool.name: tool})


def pieces(body: bytes, cut: Callable[[bytes], list[bytes]]) -> list[bytes]:
    dropped = body.endswith(DROP)
    found = cut(body.removesuffix(DROP)) if body != DROP else []
    return [*found, DROP] if dropped else found


def fits(heard: str, wanted: str) -> bool:
    beginning, dots, end = wanted.partition("...")
    return heard.startswith(beginning) and heard.endswith(end) if dots else heard == wanted


@pytest.mark.parametrize("channel", Channel)
@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS.keys())
@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS.keys())
async def test_an_awkward_model_comes_to_the_same_end_on_every_channel(
    open_talk: Callable[..., Any], scenario: Scenario, cut: Callable[[bytes], list[bytes]], channel: Channel
) -> None:
    """Something is said, every call has one answer, and the next turn works."""
    bodies = [*scenario.bodies, *scenario.bodies[-1:]]
    replies = [Reply(pieces(body, cut), status=scenario.status) for body in bodies]
    async with serving(*replies) as server:
        conversation = open_talk(server.url, channel)
        heard = await answer(conversation)
        assert fits(spoken(heard), scenario.said), spoken(heard)
        assert outcome(heard) is scenario.outcome
        finished = [event for event in heard if isinstance(event, ToolFinished)]
        if scenario.results is not None:
            assert tuple(event.response.ok for event in finished) == scenario.results
        assert is_well_formed(conversation)
        assert pipeline_planted.done == []
        if scenario.outcome is not TurnOutcome.ENDED:
            server.replies = [Reply([THERE_IS_TEA])]
            assert spoken(await answer(conversation)) == "There is tea."


@pytest.mark.parametrize("channel", Channel)
async def test_a_model_that_asks_for_too_much_is_told_so_and_still_answers(
    open_talk: Callable[..., Any], channel: Channel
) -> None:
    """Each channel has its own budget of look-ups at once; beyond it nothing runs, and the caller hears an answer."""
    budget = CHANNEL_POLICY[channel].look_ups_at_once
    body = sse(*(call("look", json.dumps({"word": f"w{n}"}), n, f"c{n}") for n in range(12)), CALLED)
    async with serving(Reply([body]), Reply([THERE_IS_TEA])) as server:
        heard = await answer(open_talk(server.url, channel))
    finished = [event.response for event in heard if isinstance(event, ToolFinished)]
    assert sum(response.ok for response in finished) == budget
    refused = {response.failure.type for response in finished if response.failure}
    assert refused == {ErrorType.BUDGET_EXCEEDED}
    assert spoken(heard) == "There is tea."


@pytest.mark.requirement("003-330", "003-331")
@pytest.mark.parametrize("channel", Channel)
async def test_a_conversation_is_held_with_anthropic_as_with_any_other(
    open_talk: Callable[..., Any], channel: Channel
) -> None:
    """Calls side by side, a broken one, a cut and a correction: whatever happens, the next request is one it takes."""
    look = anthropic.call(1, "toolu_1", "look", '{"word": ', '"tea"}')
    bodies = [
        [anthropic.text(0, "Let me look."), look, anthropic.call(2, "toolu_2", "look", '{"wo'), "tool_use"],
        [anthropic.thought(0, "Tea it is.", "c2ln"), look, anthropic.call(2, "toolu_3", "fly"), "tool_use"],
        [anthropic.text(0, "You are booked."), "end_turn"],
        [anthropic.text(0, "There is"), "max_tokens"],
        [anthropic.text(0, "tea."), "end_turn"],
    ]
    replies = [Reply([anthropic.sse(anthropic.STARTED, *more, anthropic.end(reason))]) for *more, reason in bodies]
    async with serving(*replies) as server:
        conversation = open_talk(server.url, channel, AnthropicMessages)
        conversation.greet("Salon Rosa, hello.")
        heard = await answer(conversation, "Is there tea?")
        assert spoken(heard).endswith("tea.")
        assert [event.response.ok for event in heard if isinstance(event, ToolFinished)] == [True, False, True, False]
        await answer(conversation, "Thank you.")
        assert is_well_formed(conversation)
        for asked in server.asked:
            assert_taken(asked["messages"])


async def test_every_event_is_seen_as_it_comes(open_talk: Callable[..., Any]) -> None:
    """Words reach the channel sentence by sentence, however the network cut the bytes."""
    body = sse(*(delta(content=piece) for piece in ("There ", "is tea. The", "re is no coffee.")), STOPPED)
    async with serving(Reply(in_pieces(body, 7))) as server:
        heard: list[Event] = await answer(open_talk(server.url, Channel.PHONE))
    assert [event.text for event in heard if isinstance(event, Text)] == ["There is tea. ", "There is no coffee."]
