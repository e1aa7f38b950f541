"""Recorded conversations asked again: what a connected model says and calls with a draft's words, beside today's.

The model is asked for its next answer at the place where a tool was called, once with each wording, and nothing else
happens: what it would call is read and never carried out. No dispatcher and no vendor is known here but the model.
What that costs is told first, and asked for as it was told.
"""

import asyncio
import difflib
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import datetime
from typing import Final, Protocol

from switchboard.admin.access.refusal import EntryProblem, NotFound, NotValid
from switchboard.admin.definitions.definition_set import content_hash
from switchboard.admin.definitions.record import Record
from switchboard.admin.definitions.replay import drafted
from switchboard.admin.definitions.wording import ASKED
from switchboard.admin.evals.stored_conversation import ModelCall, StoredConversation, StoredTurn, read_conversation
from switchboard.catalog.definitions.tool import Tool
from switchboard.catalog.definitions.variables import PhoneNumbers
from switchboard.catalog.offer.catalog import Catalog, Options
from switchboard.catalog.offer.offer import Offer, OfferedTool
from switchboard.contract.call import ToolCall
from switchboard.contract.context import Context, is_trials_id
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.model import (
    CallPiece,
    Message,
    ModelError,
    ModelEvent,
    Prompt,
    Spoken,
    TextPiece,
    ToolMessage,
    UserMessage,
)
from switchboard.contract.ports import ChatModel, Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document, Filter, Missing, Order, Query, Stale, Update
from switchboard.pipeline.ledger.row import CallRow

MOST_CONVERSATIONS: Final = 10
USUAL_CONVERSATIONS: Final = 5
MOST_TOKENS_SAID: Final = 400
"""How long an answer may become."""
# All of them within a minute, in which a request to the owners' API has to be answered.
_ANSWER_WITHIN_S = 12.0
_AT_ONCE = 5
# So many calls are looked through for conversations that can be asked again.
_CALLS_LOOKED_AT = 50
_CHARACTERS_A_TOKEN = 4
NO_MODEL: Final = "No model is connected here, so that nobody can be asked: SWITCHBOARD_MODEL names one."


class PromptWriter(Protocol):
    """Writes what a model is told, as at some moment."""

    def __call__(self, offer: Offer, facts: Context, at: datetime) -> Awaitable[tuple[str, str]]:
        """Return what stays the same in a conversation, and what was true at that moment."""


@dataclass(frozen=True, slots=True)
class AskedAnswer:
    """What the model answered: words and calls as one text; `problem` says why there is none."""

    text: str
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """One place in a recorded conversation, with the answers to both wordings."""

    conversation: str
    at: datetime
    said: str
    old: AskedAnswer
    new: AskedAnswer

    @property
    def is_same(self) -> bool | None:
        """Whether both answers are; None where one is missing."""
        return None if self.old.problem or self.new.problem else self.old.text == self.new.text

    def to_json(self) -> JsonObject:
        """Return it as the admin API answers it."""
        return {
            "conversation": self.conversation,
            "at": self.at,
            "said": self.said,
            "old": {"text": self.old.text, "problem": self.old.problem},
            "new": {"text": self.new.text, "problem": self.new.problem},
            "isSame": self.is_same,
            "words": marked_words(self.old.text, self.new.text),
        }


@dataclass(frozen=True, slots=True)
class _Case:
    conversation: str
    at: datetime
    said: str
    old: Prompt
    new: Prompt


@dataclass(frozen=True, slots=True)
class WordsPlan:
    """What would be asked.

    Attributes:
        model: Who would be; None where nobody is connected.
        cases: The places in recorded conversations.
        skipped: How many conversations with calls of the tool cannot be asked again.
    """

    model: str | None
    cases: tuple[_Case, ...]
    skipped: int

    @property
    def requests(self) -> int:
        """How many requests that are."""
        return 2 * len(self.cases)

    @property
    def tokens(self) -> int:
        """About how many tokens the model would read in all."""
        return sum(_length(prompt) for case in self.cases for prompt in (case.old, case.new)) // _CHARACTERS_A_TOKEN

    def to_json(self) -> JsonObject:
        """Return it as the admin API answers it."""
        return {
            "model": self.model,
            "whyNot": None if self.model else NO_MODEL,
            "conversations": len(self.cases),
            "skipped": self.skipped,
            "requests": self.requests,
            "aboutTokensRead": self.tokens,
            "mostTokensWritten": self.requests * MOST_TOKENS_SAID,
        }


class WordsTrial:
    """Asks a model again. What the store raises passes through."""

    def __init__(
        self,
        store: Store,
        paths: Paths,
        catalog: Catalog,
        clock: Clock,
        prompts: PromptWriter,
        model: Callable[[], ChatModel | None],
    ) -> None:
        """Ask what `model` returns, None where none is connected."""
        self._store, self._paths, self._catalog, self._clock = store, paths, catalog, clock
        self._prompts, self._model = prompts, model

    async def plan(self, record: Record, business_id: str, count: int) -> WordsPlan:
        """Return what would be asked: the latest conversations of a business in which the tool was called.

        Raises:
            NotValid: There is no draft, or one that could not be published anyway.
        """
        tool, model = Tool(drafted(record), record.built), self._model()
        cases: list[_Case] = []
        looked: set[str] = set()
        for row in await self._rows(record.name, business_id):
            session = CallRow(row).named("sessionId")
            if session in looked or is_trials_id(session) or "triedAt" in row.data:
                continue
            if len(cases) == count:
                break
            looked.add(session)
            case = await self._case(CallRow(row), session, business_id, tool, model.dialect if model else "openai")
            cases += [case] if case is not None else []
        return WordsPlan(model.name if model else None, tuple(cases), len(looked) - len(cases))

    async def ask(self, record: Record, business_id: str, count: int, requests: int) -> tuple[AskedAgain, ...]:
        """Return what the model answers; `requests` says how many requests that is, as the plan told.

        Raises:
            NotValid: There is no draft, or one that could not be published anyway.
            ToolError: CONFLICT; no model is connected, or it would be another number of requests.
        """
        plan, model = await self.plan(record, business_id, count), self._model()
        if model is None:
            raise ToolError(ErrorType.CONFLICT, NO_MODEL)
        if plan.requests != requests:
            message = f"It would be {plan.requests} requests now; look at what it costs, and say that number."
            raise NotValid([EntryProblem("requests", message)])
        gate = asyncio.Semaphore(_AT_ONCE)

        async def answer(prompt: Prompt) -> AskedAnswer:
            async with gate:
                return await _answer(model, prompt)

        answers = await asyncio.gather(*(answer(prompt) for case in plan.cases for prompt in (case.old, case.new)))
        pairs = zip(plan.cases, answers[::2], answers[1::2], strict=True)
        asked = tuple(AskedAgain(case.conversation, case.at, case.said, old, new) for case, old, new in pairs)
        await self._note(record, sum(one.is_same is not None for one in asked))
        return asked

    async def _note(self, record: Record, asked: int) -> None:
        """Have the draft say that its words were tried; one that is another by now says so of none."""
        assert record.draft is not None
        noted = {"of": content_hash(record.draft.data.get("document")), "asked": asked}
        try:
            await self._store.commit([Update(record.draft.path, {ASKED: noted}, record.draft.update_time)])
        except (Stale, Missing):
            return

    async def _rows(self, tool: str, business_id: str) -> list[Document]:
        of_tool = (Filter("businessId", "==", business_id), Filter("tool", "==", tool))
        order = (Order("startedAt", descending=True),)
        return await self._store.query(Query("calls", of_tool, order, limit=_CALLS_LOOKED_AT, group=True))

    async def _case(self, row: CallRow, session: str, business_id: str, tool: Tool, dialect: str) -> _Case | None:
        """Return the first place in a row's conversation where the tool was called; None where none can be asked."""
        name = tool.definition.name
        try:
            facts = row.facts()
            conversation = await read_conversation(self._store, self._paths.within(business_id), session)
        except (NotFound, NotValid, KeyError, TypeError, ValueError):
            return None
        at = next((n for n, turn in enumerate(conversation.turns) if _called(turn, name) is not None), None)
        if at is None:
            return None
        options = Options(facts.channel, is_verified=facts.caller_verified, agent_id=facts.agent_id)
        offer = await self._catalog.get_tool_definitions(business_id, options)
        if offer.named(name) is None:
            return None
        began = row.started_at or self._clock.now()
        old, new = [
            await self._prompt(one, facts, began, conversation, at, name, dialect)
            for one in (offer, with_tool(offer, tool))
        ]
        return _Case(conversation.id, began, conversation.turns[at].said, old, new)

    async def _prompt(
        self,
        offer: Offer,
        facts: Context,
        began: datetime,
        conversation: StoredConversation,
        at: int,
        name: str,
        dialect: str,
    ) -> Prompt:
        system, moment = await self._prompts(offer, facts, began)
        turn = conversation.turns[at]
        before = [message for one in conversation.turns[:at] for message in _messages(one)]
        first = _called(turn, name)
        # What was said and called in the turn before it came to the tool, with what was answered.
        until = [UserMessage(turn.said, moment), *_messages(turn)[1:][: _length_before(turn, first)]]
        declared = offer.declared_to_model(dialect)
        return Prompt(system, [*before, *until], declared, MOST_TOKENS_SAID, offer.scene)


def with_tool(offer: Offer, tool: Tool) -> Offer:
    """Return an offer with one of its tools in other words."""
    own = tool.at(offer.business)
    told = own.told(offer.business, PhoneNumbers())
    name = told.name
    tools = tuple(OfferedTool(told, own) if one.name == name else one for one in offer.tools)
    version = f"{offer.catalog_version}+{content_hash(told.to_document())[:16]}"
    by_name = {one.name: one for one in tools}
    return replace(offer, tools=tools, catalog_version=version, _by_name=by_name, _bodies={}, _declarations={})


def marked_words(old: str, new: str) -> list[JsonObject]:
    """Return two texts as pieces in order, word by word: what both have, what only the old one has, or the new one."""
    # As many words as an answer may have; to hold longer ones against each other takes the square of their length.
    before, after = (text.split(maxsplit=MOST_TOKENS_SAID)[:MOST_TOKENS_SAID] for text in (old, new))
    pieces: list[JsonObject] = []
    for how, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if how == "equal":
            pieces.append({"side": "both", "text": " ".join(before[a:b])})
            continue
        pieces += [{"side": "old", "text": " ".join(before[a:b])}] if b > a else []
        pieces += [{"side": "new", "text": " ".join(after[c:d])}] if d > c else []
    return pieces


async def _answer(model: ChatModel, prompt: Prompt) -> AskedAnswer:
    words: list[str] = []
    calls: dict[int, list[str]] = {}
    try:
        async with asyncio.timeout(_ANSWER_WITHIN_S), aclosing(_closable(model, prompt)) as events:
            async for event in events:
                if isinstance(event, TextPiece):
                    words.append(event.text)
                elif isinstance(event, CallPiece):
                    parts = calls.setdefault(event.index, ["", ""])
                    parts[0] += event.name
                    parts[1] += event.arguments
    except TimeoutError:
        return AskedAnswer("", f"It did not answer within {_ANSWER_WITHIN_S:.0f} seconds.")
    except ModelError as error:
        return AskedAnswer("", f"It did not answer: {error}.")
    lines = ["".join(words).strip(), *(f"{name} {_plain(arguments)}" for name, arguments in calls.values())]
    return AskedAnswer("\n".join(line for line in lines if line))


async def _closable(model: ChatModel, prompt: Prompt) -> AsyncGenerator[ModelEvent, None]:
    async for event in model.stream(prompt):
        yield event


def _plain(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments or "{}"), sort_keys=True, ensure_ascii=False)
    except ValueError:
        return arguments


def _called(turn: StoredTurn, tool: str) -> int | None:
    return next((n for n, step in enumerate(turn.steps) if isinstance(step, ModelCall) and step.tool == tool), None)


def _length_before(turn: StoredTurn, step: int | None) -> int:
    """Return how many messages the steps before one are."""
    return sum(
        1 if not isinstance(one, ModelCall) else 2 if one.response is not None else 0 for one in turn.steps[: step or 0]
    )


def _messages(turn: StoredTurn) -> Sequence[Message]:
    messages: list[Message] = [UserMessage(turn.said)]
    for number, step in enumerate(turn.steps):
        if not isinstance(step, ModelCall):
            messages.append(Spoken(step))
        elif step.response is not None:
            id = f"call_{step.turn}_{number}"
            messages.append(Spoken("", (ToolCall(step.tool, step.arguments, id),)))
            messages.append(ToolMessage(id, step.tool, step.response))
    return messages


def _length(prompt: Prompt) -> int:
    told = json.dumps([prompt.tools, [str(message) for message in prompt.messages]], default=str)
    return len(prompt.system) + len(told)
