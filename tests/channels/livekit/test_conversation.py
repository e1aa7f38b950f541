"""A LiveKit agent with our tools: the real `livekit-agents` package, a scripted model, and a seeded salon behind it."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import pytest
from livekit.agents import Agent, AgentSession, ConversationItemAddedEvent
from livekit.agents.llm import ChatMessage, FunctionCallOutput
from livekit.agents.voice.run_result import RunResult

import main
from switchboard.app.container import Container, build
from switchboard.app.settings import read_configuration
from switchboard.channels.livekit.conversation import LiveKitConversation
from switchboard.channels.livekit.tools import ConversationTools, HttpRemoteTools, LocalTools
from switchboard.contract.context import BrowserVoiceContext
from switchboard.contract.response import Intent, IntentType
from switchboard.contract.store import Query, Unavailable, Update
from switchboard.formats import livekit
from tests.channels.http.test_tools_api import KEY, PATHS, store  # noqa: F401 - a fixture
from tests.channels.livekit.scripted_model import ScriptedModel, Step

SALON = "demo-salon"
HAIRCUT = {"service": "Haircut", "start_time": "2026-12-02T10:00:00", "customer_name": "Ana Lopez"}


@dataclass
class Talk:
    """One conversation, and what came of it."""

    session: AgentSession[Any]
    model: ScriptedModel
    conversation: LiveKitConversation
    intents: list[Intent] = field(default_factory=list)

    async def say(self, text: str) -> RunResult[Any]:
        """Say something, wait until the agent has answered, and return what it did meanwhile."""
        return await self.session.run(user_input=text)

    @property
    def outputs(self) -> list[FunctionCallOutput]:
        """What the tools gave back, in order."""
        return [item for item in self.session.history.items if item.type == "function_call_output"]

    @property
    def answers(self) -> list[dict[str, Any]]:
        """What the model reads of that."""
        return [json.loads(item.output) for item in self.outputs]

    @property
    def replies(self) -> list[str]:
        """What the agent said."""
        items = self.session.history.items
        return [str(i.text_content) for i in items if i.type == "message" and i.role == "assistant"]


@asynccontextmanager
async def talking(tools: ConversationTools, steps: Sequence[Step]) -> AsyncIterator[Talk]:
    """Begin a conversation."""
    intents: list[Intent] = []

    async def apply(intent: Intent) -> None:
        intents.append(intent)

    conversation, model = LiveKitConversation(tools, apply), ScriptedModel(steps)
    agent = Agent(instructions="You answer for a salon.", tools=list(await conversation.functions()))
    async with AgentSession[Any](llm=model) as session:
        conversation.follow(session)
        await session.start(agent, record=False)
        yield Talk(session, model, conversation, intents)


@pytest.fixture
def house(store: Any) -> Container:  # noqa: F811
    """A house over a seeded store."""
    return build(read_configuration({}), store)


@pytest.fixture(params=["in the worker's process", "over HTTP"])
async def tools(request: pytest.FixtureRequest, house: Container, serve: Any) -> AsyncIterator[ConversationTools]:
    """The salon's tools, either way."""
    if request.param == "over HTTP":
        url = serve(house.app)
        async with aiohttp.ClientSession() as client:
            context = {"channel": "browser_voice", "sessionId": "lk-1"}
            yield HttpRemoteTools(lambda: client, url, KEY, SALON, context)
        return
    facts = BrowserVoiceContext(business_id=SALON, session_id="lk-1")
    yield LocalTools(house.catalog, house.dispatcher, house.approvals, house.clock, facts)


@pytest.mark.requirement("001-01", "001-03", "001-05", "001-63", "001-64", "001-65", "001-66", "001-67", "001-68")
async def test_each_offered_tool_is_a_typed_function_of_its_own(tools: ConversationTools):
    """The model is shown names, words and schemas, and no pair of free strings in place of parameters."""
    async with talking(tools, ["Hello."]) as talk:
        await talk.say("Hi")
    shown = {schema["name"]: schema for schema in talk.model.schemas[0]}
    offered = await tools.offered()
    assert shown == {tool.name: livekit.declare(tool) for tool in offered}
    listing = shown["list_events"]["parameters"]
    assert listing["required"] == ["time_min"]
    assert listing["properties"]["time_min"].items() >= {"type": "string", "format": "date-time"}.items()
    most = listing["properties"]["max_results"]
    assert most.items() >= {"type": "integer", "minimum": 1, "maximum": 100}.items()
    assert most.get("default") == 10 or "default 10" in most["description"]
    for schema in shown.values():
        assert schema["description"]
        assert all(p.get("description") for p in schema["parameters"]["properties"].values())
        assert not {"action", "details"} <= schema["parameters"]["properties"].keys()


@pytest.mark.requirement("001-29")
async def test_a_call_runs_through_the_dispatcher_and_its_answer_goes_back(
    tools: ConversationTools, house: Container, caplog: pytest.LogCaptureFixture
):
    """Once, under the model's own call id, in the turn of the human who asked; its name stands in the log."""
    caplog.set_level("INFO", "switchboard.channels.livekit")
    async with talking(tools, [("get_business_services", "{}", "call_7"), "We cut hair."]) as talk:
        await talk.say("What do you do?")
    (answer,) = talk.answers
    assert "Haircut" in str(answer) and not talk.outputs[0].is_error
    assert talk.replies == ["We cut hair."]
    (row,) = await house.store.query(Query(PATHS.within(SALON).calls("lk-1")))
    assert (row.data["tool"], row.data["turn"]) == ("get_business_services", 1)
    assert [r.tool for r in caplog.records if r.message == "tool called"] == ["get_business_services"]  # type: ignore[attr-defined]


@pytest.mark.requirement("001-16", "001-20")
async def test_wrong_arguments_are_told_to_the_model(tools: ConversationTools):
    """LiveKit checks nothing; the dispatcher names what is wrong, and the model may try again."""
    steps: list[Step] = [("list_events", '{"max_results": 500}', "call_1"), "Which day?"]
    async with talking(tools, steps) as talk:
        await talk.say("What is on?")
    (output,) = talk.outputs
    assert output.is_error
    error = json.loads(output.output)
    assert error["type"] == "VALIDATION"
    assert "time_min" in error["message"] and "100" in error["message"]


async def test_an_action_waits_for_the_humans_yes_in_a_later_turn(tools: ConversationTools, house: Container):
    """The question is asked once; the words of the human, not of the model, decide."""
    edit = {"confirm": True, "readBack": {"en": "Shall I book {{service}}?"}}
    await house.store.commit([Update(PATHS.definition("book_appointment"), edit)])
    arguments = json.dumps(HAIRCUT)
    steps: list[Step] = [
        ("book_appointment", arguments, "call_1"),
        "Shall I book Haircut?",
        ("book_appointment", arguments, "call_2"),
        "It is booked.",
    ]
    async with talking(tools, steps) as talk:
        await talk.say("A haircut on December 2 at ten, for Ana Lopez")
        await talk.say("Yes, please.")
    first, second = talk.answers
    assert first["type"] == "CONFIRMATION_REQUIRED"
    assert second["booked"] is True
    assert talk.conversation.turn == 2


@pytest.mark.requirement("004-121")
@pytest.mark.parametrize(
    "own",
    [
        "Would you like me to text you our address?",
        "We open at nine.",
        " ",
        "Shall I book Haircut? Or would you rather I texted you our address?",
        "Shall I do that? Shall I book Haircut?",
    ],
)
async def test_a_yes_to_the_models_own_words_books_nothing(tools: ConversationTools, house: Container, own: str):
    """Only the read-back, word for word and alone, can be agreed to; the honest way then books once."""
    edit = {"confirm": True, "readBack": {"en": "Shall I book {{service}}?"}}
    await house.store.commit([Update(PATHS.definition("book_appointment"), edit)])
    wish = [("book_appointment", json.dumps(HAIRCUT), f"call_{n}") for n in range(4)]
    steps: list[Step] = [wish[0], own, wish[1], "Shall I book Haircut?", wish[2], "It is booked.", wish[3], "It is."]
    async with talking(tools, steps) as talk:
        for words in ("A haircut, please", "Yes please.", "Yes please.", "Is it?"):
            await talk.say(words)
    first, early, booked, again = talk.answers
    assert (first["type"], early["type"]) == ("CONFIRMATION_REQUIRED", "CONFIRMATION_REQUIRED")
    assert (booked["booked"], booked["repeated"], again["repeated"]) == (True, False, True)


async def test_the_models_own_words_agree_to_nothing(tools: ConversationTools, house: Container):
    """Calling again in the same turn only asks again."""
    edit = {"confirm": True, "readBack": {"en": "Shall I book {{service}}?"}}
    await house.store.commit([Update(PATHS.definition("book_appointment"), edit)])
    calls: list[Step] = [("book_appointment", json.dumps(HAIRCUT), f"call_{n}") for n in (1, 2)]
    async with talking(tools, [*calls, "Shall I?"]) as talk:
        await talk.say("A haircut on December 2 at ten, for Ana Lopez")
    assert [a["type"] for a in talk.answers] == ["CONFIRMATION_REQUIRED"] * 2


async def test_what_a_tool_asks_of_the_conversation_reaches_the_worker_and_ends_the_talking(
    tools: ConversationTools,
):
    """After it, nothing more is said."""
    async with talking(tools, [("end_voice_session", "{}", "call_1"), "never said"]) as talk:
        await talk.say("Bye")
    assert not talk.outputs[0].is_error
    assert [intent.type for intent in talk.intents] == [IntentType.END_VOICE_SESSION]
    assert talk.replies == [] and len(talk.model.contexts) == 1


@pytest.mark.requirement("001-02", "001-60", "001-72")
async def test_a_function_that_there_is_not_is_an_error_to_the_model(tools: ConversationTools):
    """As the package words it; and a tool that was taken away meanwhile is refused by the dispatcher."""
    definition = next(iter(await tools.offered()))
    async with talking(tools, [("google_calendar", '{"action": "list_events"}', "call_1"), "Sorry."]) as talk:
        await talk.say("Hi")
    assert talk.replies == ["Sorry."]
    gone = type(definition)("gone", definition.category, definition.kind, definition.description, definition.parameters)
    response = await tools.execute(gone, {}, "call_2", 1)
    assert response.failure is not None and response.failure.type == "NOT_FOUND"
    assert "search_knowledge" in response.failure.message


async def test_an_action_goes_on_when_its_conversation_ends(tools: ConversationTools):
    """Nobody who hangs up stops what was begun; a tool that only reads is let go."""
    begun, finished, may_end = asyncio.Event(), asyncio.Event(), asyncio.Event()

    class Slow:
        whose = tools.whose

        async def offered(self) -> Any:
            return await tools.offered()

        async def execute(self, tool: Any, arguments: Any, call_id: str, turn: int) -> Any:
            begun.set()
            await may_end.wait()
            response = await tools.execute(tool, arguments, call_id, turn)
            finished.set()
            return response

        async def heard(self, text: str, turn: int, asked: str) -> None:
            await tools.heard(text, turn, asked)

    conversation = LiveKitConversation(Slow(), _ignored)
    functions = {f.info.name: f for f in await conversation.functions()}
    task = asyncio.ensure_future(functions["book_appointment"](_Context(), HAIRCUT))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    may_end.set()
    async with asyncio.timeout(60):
        await finished.wait()


class _Session:
    """As much of LiveKit's session as a conversation looks at."""

    def on(self, name: str, callback: Any) -> None:
        assert name == "conversation_item_added"
        self.added = callback

    def says(self, text: str, role: str = "user") -> None:
        self.added(ConversationItemAddedEvent(item=ChatMessage(role=role, content=[text])))  # type: ignore[arg-type]


@pytest.mark.parametrize("is_recorded", [True, False])
async def test_a_call_waits_until_the_humans_words_are_heard(tools: ConversationTools, is_recorded: bool):
    """In their order; words that cannot be recorded do not keep the call, which then asks again."""
    done: list[str] = []
    may_hear = asyncio.Event()

    class Attentive:
        whose = tools.whose

        async def offered(self) -> Any:
            return await tools.offered()

        async def execute(self, tool: Any, arguments: Any, call_id: str, turn: int) -> Any:
            done.append(f"executed in {turn}")
            return await tools.execute(tool, arguments, call_id, turn)

        async def heard(self, text: str, turn: int, asked: str) -> None:
            await may_hear.wait()
            done.append(text)
            if not is_recorded:
                raise Unavailable("away")

    conversation, session = LiveKitConversation(Attentive(), _ignored), _Session()
    conversation.follow(session)  # type: ignore[arg-type]
    functions = {f.info.name: f for f in await conversation.functions()}
    session.says("One moment.")
    session.says("I am listening.", role="assistant")
    session.says("Yes.")
    task = asyncio.ensure_future(functions["get_business_services"](_Context(), {}))
    for _ in range(20):
        await asyncio.sleep(0)
    assert done == []
    may_hear.set()
    await task
    assert done == ["One moment.", "Yes.", "executed in 2"]


class _Context:
    """As much of LiveKit's context as a function looks at."""

    def __init__(self, interrupted: bool = False) -> None:
        self.interrupted = interrupted
        self.function_call = type("Call", (), {"call_id": "call_1"})

    def disallow_interruptions(self) -> None:
        if self.interrupted:
            raise RuntimeError("already interrupted")


async def _ignored(intent: Intent) -> None:
    return None


async def test_an_action_that_the_caller_has_interrupted_is_not_begun(tools: ConversationTools, house: Container):
    """Nothing is done, and the model is told so."""
    functions = {f.info.name: f for f in await LiveKitConversation(tools, _ignored).functions()}
    with pytest.raises(Exception, match="nothing was done"):
        await functions["book_appointment"](_Context(interrupted=True), HAIRCUT)
    assert await house.store.query(Query(PATHS.within(SALON).calls("lk-1"))) == []


@pytest.mark.process
def test_livekit_is_not_loaded_before_a_worker_needs_it():
    """It takes seconds to import, and no function needs it."""
    code = (
        "import sys; import switchboard.channels.livekit.conversation, switchboard.channels.livekit.tools;"
        "sys.exit('livekit' in sys.modules or 'aiohttp' in sys.modules)"
    )
    import subprocess
    import sys
    from pathlib import Path

    done = subprocess.run([sys.executable, "-c", code], cwd=Path(main.__file__).parent)
    assert done.returncode == 0
