"""One scenario, held once in one form, and judged."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import field, replace
from datetime import timedelta

from switchboard.admin.conversations.explain import explain
from switchboard.admin.evals.scenario import MOST_LINES, Branch, Condition, Scenario, ShownCaller
from switchboard.app.evaluation.agents import SPEAKING, ConversationModels, Script, open_agent
from switchboard.app.evaluation.channels import CallersWay, Heard, UnansweredCaller, line_to
from switchboard.app.evaluation.ending import Beginning, beginning_of, ending_of
from switchboard.app.evaluation.judging import Exchange, Finding, Talk, judge
from switchboard.app.evaluation.observing import Observer, Seen
from switchboard.app.evaluation.variations import BREAKING, Disturbance, ScenarioForm
from switchboard.app.evaluation.vendors import StandInVendors
from switchboard.app.evaluation.world import PATHS, FurnishedPremises, World
from switchboard.contract.ports import ChatModel, Store
from switchboard.contract.python.dataclass import dataclass

TURN_S = 20
"""So much later is each line than the one before."""
SLOW_S = 0.001
_TRIES = 3
_LONGEST_RUN_S = 60.0


@dataclass(frozen=True, slots=True)
class HeldScenario:
    """What came of one run.

    Attributes:
        findings: What is not as it should be; none where everything is.
        calls: How many calls were made.
        store: What is left, as the product keeps it.
        took_s: How long it took.
        catalog_hash: Of the set of tools that was published there.
    """

    form: ScenarioForm
    talk: Talk
    findings: list[Finding]
    store: Store
    took_s: float = 0.0
    catalog_hash: str = ""

    @property
    def passed(self) -> bool:
        """Whether everything is as it should be."""
        return not self.findings


@dataclass(slots=True)
class PlayedConversation:
    """One caller's conversation while it goes on."""

    scenario: Scenario
    world: World
    line: CallersWay
    talk: Talk
    agent: ChatModel
    disturbance: Disturbance
    read_back: str = ""
    asked: str = ""
    offered: list[str] = field(default_factory=list)

    @property
    def seen(self) -> Seen:
        """What is seen of it."""
        return self.talk.seen

    async def hold(self) -> None:
        """Say line after line, until there are no more or the agent has ended it."""
        self.talk.greeting = await self.line.begin()
        at, count = 0, len(self.scenario.lines)
        heard = self.talk.greeting
        while at < count and not self.talk.is_over:
            if len(self.talk.exchanges) >= MOST_LINES:
                self.talk.broken = f"after {MOST_LINES} lines there is no end"
                return
            branch = next(
                (b for b in self.scenario.lines[at].branches if b.when is None or self._holds(b.when, heard)), None
            )
            if branch is None:
                wishes = " or ".join(_told(b.when) for b in self.scenario.lines[at].branches if b.when)
                self.talk.broken = f"line {at + 1}: the caller has nothing to say: {wishes} is not so"
                return
            heard = await self._exchange(branch)
            at = self.scenario.after(at, branch)
        await self.line.leave()

    async def _exchange(self, branch: Branch) -> str:
        """Say one line, again where it came to nothing for want of an answer; return what was heard."""
        if isinstance(self.agent, Script):
            self.agent.take(branch.agent)
        number, since = len(self.talk.exchanges) + 1, len(self.seen.calls)
        begun = since
        form = self.disturbance.form
        heard: Heard | None = None
        if form.kind == "interrupted" and form.at == number:
            self._turn_begins()
            heard = await self.line.break_in(branch.say)
        for tries in range(_TRIES if heard is None else 0):
            begun = len(self.seen.calls)
            self._turn_begins()
            heard = await self._said(branch.say)
            if heard is None:
                continue
            was_disturbed = tries or (self.disturbance.has_happened)
            if not self.seen.had_outage(begun) and not (was_disturbed and self._is_asked_again(begun, branch)):
                break
            # What was begun is brought to its end before somebody tries again.
            await self.world.settle()
        heard = heard or Heard("")
        calls = self.seen.calls[since:]
        self.talk.exchanges.append(Exchange(branch.say, heard.words, calls, len(self.seen.calls) - begun))
        self.talk.is_over, self.talk.dialled = heard.is_over or self.talk.is_over, heard.dialled or self.talk.dialled
        questions = [call for call in calls if call.read_back]
        if questions:
            self.read_back, self.asked = f"{questions[-1].read_back} {questions[-1].arguments}", questions[-1].tool
        self.offered = self.seen.offered(since) or self.offered
        return heard.words

    def _is_asked_again(self, since: int, branch: Branch) -> bool:
        """Whether the caller has to say once more what was already agreed to: the yes came to nothing."""
        is_yes = branch.when is not None and branch.when.fact == "readBack" and not branch.next
        return is_yes and any(call.read_back and call.tool == self.asked for call in self.seen.calls[since:])

    async def _said(self, words: str) -> Heard | None:
        """Say something; return what is heard, None where the process has died meanwhile."""
        died = asyncio.ensure_future(self.disturbance.died.wait())
        saying = asyncio.ensure_future(self.line.say(words))
        await asyncio.wait({saying, died}, return_when=asyncio.FIRST_COMPLETED)
        died.cancel()
        if saying.done():
            return saying.result()
        # Nobody waits for the dead one any more, and nothing of it is cleared up.
        self.disturbance.died.clear()
        await self.world.restart()
        await self.line.come_back()
        return None

    def _turn_begins(self) -> None:
        self.world.clock.moment += timedelta(seconds=TURN_S)
        self.seen.progress.has_spoken = False

    def _holds(self, condition: Condition, heard: str) -> bool:
        places: Mapping[str, str] = {
            "readBack": self.read_back,
            "asked": self.asked,
            "offered": " ".join(self.offered),
            "said": heard,
        }
        return (condition.text.casefold() in places[condition.fact].casefold()) is not condition.is_negated


def _told(condition: Condition | None) -> str:
    assert condition is not None
    return f"`{condition.fact}{' not' if condition.is_negated else ''} has {condition.text}`"


async def run(
    scenario: Scenario,
    premises: FurnishedPremises,
    vendors: StandInVendors,
    form: ScenarioForm,
    environment: Mapping[str, str] | None = None,
) -> HeldScenario:
    """Hold a scenario in one form and return what came of it; `environment` is what the product reads besides.

    Raises:
        BadScenario: It wants a model that is not connected.
    """
    began, observer = time.perf_counter(), Observer()
    world = World(premises, vendors, ConversationModels(form.dialect), observer.watch, environment or {})
    world.delay_s = SLOW_S if form.kind == "slow" else 0.0
    before = await beginning_of(world)
    catalog_hash = ""
    count = 2 if form.kind == "two callers" else 1
    findings: list[Finding] = []
    talks: list[PlayedConversation] = []
    try:
        await world.open()
        catalog_hash = (await world.house.catalog.definitions.current()).set.hash
        talks = [_conversation(scenario, world, observer, form, number) for number in range(1, count + 1)]
        async with asyncio.timeout(_LONGEST_RUN_S):
            await asyncio.gather(*(_held(talk) for talk in talks))
            findings = await _judged(talks, before)
    except TimeoutError:
        findings = [Finding(f"the conversation has come to no end within {_LONGEST_RUN_S:.0f} s")]
    finally:
        await world.close()
    return HeldScenario(form, talks[0].talk, findings, world.store, time.perf_counter() - began, catalog_hash)


def _conversation(
    scenario: Scenario, world: World, observer: Observer, form: ScenarioForm, number: int
) -> PlayedConversation:
    caller = scenario.caller if number == 1 else _other(scenario.caller)
    progress_of = Seen()
    line = line_to(world, form.channel, caller, progress_of.progress, number)
    seen = observer.of(line.session)
    seen.progress = progress_of.progress
    disturbance = Disturbance(form, world)
    seen.deliver = disturbance.deliver
    agent = open_agent(scenario, world, world.premises.business.language)
    return PlayedConversation(scenario, world, line, Talk(line.session, seen), agent, disturbance)


def _other(caller: ShownCaller) -> ShownCaller:
    """Return somebody else, who is known by no number of the first."""
    if not caller.phone:
        return caller
    return caller.model_copy(update={"phone": f"{caller.phone[:-2]}{(int(caller.phone[-2:]) + 37) % 100:02}"})


async def _held(conversation: PlayedConversation) -> None:
    # Everything that is done for this caller, the product's own tasks among it, speaks with this agent.
    SPEAKING.set(conversation.agent)
    try:
        await conversation.hold()
    except UnansweredCaller as trouble:
        conversation.talk.broken = str(trouble)


async def _judged(talks: list[PlayedConversation], before: Beginning) -> list[Finding]:
    first = talks[0]
    world, talk = first.world, first.talk
    await world.settle()
    others = talks[1:]
    sessions = [other.talk.session for other in others]
    phones = [_other(first.scenario.caller).phone for _ in others]
    ending = await ending_of(world, before, talk.session, sessions, phones)
    is_broken = first.disturbance.form.kind in BREAKING
    findings = judge(first.scenario, talk, ending, world.premises.business.timezone, may_be_unknown=is_broken)
    findings += [Finding(odd) for odd in first.disturbance.odd]
    return [await _with_story(finding, world, talk.session) for finding in findings]


async def _with_story(finding: Finding, world: World, session: str) -> Finding:
    if not finding.call:
        return finding
    story = await explain(world.store, PATHS, world.premises.business.id, session, finding.call)
    return replace(finding, story=story.sentences) if story is not None else finding
