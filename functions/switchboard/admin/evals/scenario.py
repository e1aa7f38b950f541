"""A scenario: who calls whom and when, what the caller says, what the agent does, and what must be so in the end.

One YAML file each; `docs/testing.md` shows one. Whatever is wrong with a file is told in one line, and the others run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from switchboard.desk.contact.phone import caller_number
from switchboard.desk.contact.told_numbers import says_none

Channel = Literal["phone", "portal"]
AgentKind = Literal["rehearsal", "scripted", "recorded", "adversarial", "connected"]
Fact = Literal["readBack", "asked", "offered", "said"]
MOST_LINES = 40
"""So many lines a caller says at most."""
OTHERWISE = "otherwise"
_CONDITION = re.compile(r"(?P<fact>\w+)(?P<negated> not)? has (?P<text>.+)", re.S)
_ARROW = "->"


class BadScenario(Exception):
    """A file that is no scenario; the text is one line that says why."""


class _ScenarioPart(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Condition(_ScenarioPart):
    """What has to be so of the agent's last answer; `fact` says where `text` is looked for.

    Attributes:
        fact: `readBack` is the question for the caller's yes with what it is about, `asked` its tool, `offered` the
            times that were named as free, and `said` the words.
        text: Compared without regard to case.
        is_negated: Whether it must not be there.
    """

    fact: Fact
    text: str
    is_negated: bool = False


class Branch(_ScenarioPart):
    """What the caller says where a condition holds; without one, where none did.

    Attributes:
        next: The name of the line after this one; empty for the one below.
        agent: What a scripted agent does about it.
    """

    when: Condition | None = None
    say: str = Field(min_length=1)
    next: str = ""
    agent: tuple[str | dict[str, Any], ...] = ()


class CallersLine(_ScenarioPart):
    """One thing that the caller says, by what was said before.

    Attributes:
        name: Other lines lead here by it.
        branches: The first whose condition holds is said.
    """

    name: str = ""
    branches: tuple[Branch, ...] = Field(min_length=1)


def _shown(phone: str) -> str:
    if phone and caller_number(phone) is None and not says_none(phone):
        raise ValueError(f"{phone!r} is no number that a line shows: write it like +12015550123, a withheld one as ''")
    return phone


class ShownCaller(_ScenarioPart):
    """Who calls.

    Attributes:
        phone: Shown, and vouched for by the carrier as `attestation` says; none is withheld.
    """

    phone: Annotated[str, AfterValidator(_shown)] = ""
    attestation: Literal["A", "B", "C", ""] = "A"


class BookingExpectation(_ScenarioPart):
    """An appointment that is new or has changed; only what is named is compared. Times are the business's."""

    service: str | None = None
    start: datetime | None = None
    customer: str | None = None
    phone: str | None = None
    email: str | None = None
    status: Literal["confirmed", "cancelled", "completed"] = "confirmed"
    with_: str | None = Field(default=None, alias="with")
    party: int | None = Field(default=None, ge=1)


class TextExpectation(_ScenarioPart):
    """A text message to a number."""

    to: str | None = None
    has: str = ""


class MessageExpectation(_ScenarioPart):
    """What the business is told by a caller, or an e-mail that is sent."""

    to: str | None = None
    has: str = ""


class CallExpectation(_ScenarioPart):
    """A call of a tool as the ledger has it; `error` is the kind of refusal or failure."""

    tool: str
    state: Literal["finished", "failed", "refused", "unknown", "queued"] | None = None
    error: str | None = None


class WordsExpectation(_ScenarioPart):
    """Words that must and must not stand somewhere."""

    has: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


class LimitsExpectation(_ScenarioPart):
    """How much there may be: lines of the caller, calls in a turn, and words in one answer."""

    lines: int | None = Field(default=None, ge=1)
    calls_per_turn: int | None = Field(default=None, ge=0, alias="callsPerTurn")
    words_per_answer: int | None = Field(default=None, ge=1, alias="wordsPerAnswer")


class Expectations(_ScenarioPart):
    """What must be so in the end; of appointments, texts, messages and e-mails there are those that are listed only.

    Attributes:
        ledger: Calls that there must be.
        never: Tools that may not have done anything.
        language: Of everything that the agent says.
        ended: Whether the agent has ended the conversation.
        transferred_to: The number that was dialled.
        left_out: How many sentences were held back because nothing bore them out; at least so many.
    """

    bookings: tuple[BookingExpectation, ...] = ()
    texts: tuple[TextExpectation, ...] = ()
    messages: tuple[MessageExpectation, ...] = ()
    emails: tuple[MessageExpectation, ...] = ()
    ledger: tuple[CallExpectation, ...] = ()
    never: tuple[str, ...] = ()
    said: WordsExpectation = WordsExpectation()
    transcript: WordsExpectation = WordsExpectation()
    limits: LimitsExpectation = LimitsExpectation()
    language: Literal["en", "de"] | None = None
    ended: bool | None = None
    transferred_to: str | None = Field(default=None, alias="transferredTo")
    left_out: int = Field(0, ge=0, alias="leftOut")


def _lines(value: Any) -> Any:
    return [_line(item) for item in value] if isinstance(value, list) else value


class Scenario(_ScenarioPart):
    """All of it.

    Attributes:
        business: A folder of `seeds/templates` or `seeds/businesses`, or any name where `document` says the rest.
        document: The business's own document, where it is none of these folders'.
        change: Fields of the business's document that are other ones here, by dotted name.
        add: Documents of its collections that are there as well, by collection and id.
        now: When the conversation begins; without a zone, the business's.
        channels: The first is the plain run's; the others must come to the same.
        forms: The forms in which it is not run, each with the reason.
    """

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    about: str = ""
    business: str
    document: dict[str, Any] = {}
    change: dict[str, Any] = {}
    add: dict[str, dict[str, Any]] = {}
    now: datetime
    channels: tuple[Channel, ...] = Field(("phone",), min_length=1)
    caller: ShownCaller = ShownCaller()
    agent: AgentKind = "rehearsal"
    recording: str = ""
    lines: Annotated[tuple[CallersLine, ...], BeforeValidator(_lines)] = Field(min_length=1)
    expect: Expectations
    without: dict[str, str] = {}

    def after(self, at: int, branch: Branch) -> int:
        """Return which line follows one; as many as there are for none."""
        if not branch.next:
            return at + 1
        return next(number for number, line in enumerate(self.lines) if line.name == branch.next)

    def tools(self) -> Iterator[str]:
        """Yield every tool that it names."""
        for branch in (branch for line in self.lines for branch in line.branches):
            yield from (name for item in branch.agent if isinstance(item, dict) for name in item if name != "say")
        yield from (call.tool for call in self.expect.ledger)
        yield from self.expect.never


def _line(item: Any) -> Any:
    """Return a line with its short forms written out."""
    if isinstance(item, str):
        return {"branches": [{"say": item}]}
    if not isinstance(item, Mapping):
        return item
    rest = {key: value for key, value in item.items() if key in ("name", "branches")}
    if "branches" in item:
        return item
    branches = item["when"] if "when" in item else [{k: v for k, v in item.items() if k != "name"}]
    listed = branches if isinstance(branches, list) else [branches]
    more = {k: v for k, v in item.items() if k not in ("name", "when")} if "when" in item else {}
    return {**rest, "branches": [{**_branch(branch), **more} for branch in listed]}


def _branch(item: Any) -> dict[str, Any]:
    """Return a branch with `readBack has 16:00 -> yes` written out."""
    if isinstance(item, Mapping):
        written = dict(item)
        if isinstance(written.get("when"), str):
            written["when"] = _condition(written["when"])
        return written
    condition, arrow, words = str(item).partition(_ARROW)
    if not arrow or not words.strip():
        raise ValueError(f"{item!r} is no branch: write it as `readBack has 16:00 -> yes`")
    return {"when": _condition(condition.strip()), "say": words.strip()}


def _condition(text: str) -> dict[str, Any] | None:
    if text == OTHERWISE:
        return None
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no condition: write it as `readBack has 16:00`, or {OTHERWISE}")
    return {"fact": match["fact"], "text": match["text"].strip(), "is_negated": bool(match["negated"])}


def scenario_of(document: Mapping[str, Any]) -> Scenario:
    """Return what a document says.

    Raises:
        BadScenario: One of its fields is not what it should be, or its lines never come to an end.
    """
    try:
        scenario = Scenario.model_validate(document)
    except ValidationError as error:
        raise BadScenario(_first_of(error)) from None
    _check_lines(scenario)
    _check_words(scenario.expect)
    return scenario


def _first_of(error: ValidationError) -> str:
    details = error.errors(include_url=False)
    first = details[0]
    place = ".".join(str(part + 1 if isinstance(part, int) else part) for part in first["loc"])
    reason = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        reason = "there is no such field"
    elif first["type"] == "missing":
        reason = "is missing"
    elif first["type"].startswith("datetime"):
        reason = f"{first['input']!r} is no time that there is; write it as 2026-12-01 16:00"
    more = f" (and {len(details) - 1} more)" if len(details) > 1 else ""
    return f"{place}: {' '.join(reason.split())}{more}"


def _check_lines(scenario: Scenario) -> None:
    names = [line.name for line in scenario.lines if line.name]
    for name in {branch.next for line in scenario.lines for branch in line.branches if branch.next}:
        if name not in names:
            raise BadScenario(f"lines: no line has the name {name!r} that another leads to")
    if len(set(names)) < len(names):
        raise BadScenario("lines: two have the same name")
    count = len(scenario.lines)
    leads = [{scenario.after(at, branch) for branch in line.branches} for at, line in enumerate(scenario.lines)]
    ending = {count}
    while more := {at for at in range(count) if at not in ending and leads[at] & ending}:
        ending |= more
    reached, left = {0}, [0]
    while left:
        for at in leads[left.pop()] - reached - {count}:
            reached.add(at)
            left.append(at)
    endless = sorted(reached - ending)
    if endless:
        raise BadScenario(f"lines.{endless[0] + 1}: from here the conversation never ends")


def _check_words(expect: Expectations) -> None:
    for place, words in (("said", expect.said), ("transcript", expect.transcript)):
        for text in words.never:
            contrary = next((has for has in words.has if text.casefold() in has.casefold()), None)
            if contrary is not None:
                raise BadScenario(f"expect.{place}: nothing can have {contrary!r} and never {text!r}")
    done = {call.tool for call in expect.ledger if call.state in ("finished", "queued")}
    if both := sorted(done & set(expect.never)):
        raise BadScenario(f"expect.never: {both[0]} is expected in the ledger as well; both cannot be")


def check_against(
    scenario: Scenario, tools: Sequence[str], services: Sequence[str], now: datetime, latest: timedelta
) -> None:
    """Hold a scenario against the business it is about.

    Args:
        scenario: What is checked.
        tools: Those that there are.
        services: What the business offers.
        now: When the conversation begins, aware.
        latest: How far ahead anybody can book.

    Raises:
        BadScenario: It names a tool that there is not, or expects what nothing can bring about.
    """
    for tool in scenario.tools():
        if tool not in tools:
            gone = "the recording calls" if scenario.agent == "recorded" else "it names"
            raise BadScenario(f"{gone} {tool}, and there is no such tool")
    for number, booking in enumerate(scenario.expect.bookings, 1):
        place = f"expect.bookings.{number}"
        if booking.service is not None and booking.service not in services:
            raise BadScenario(f"{place}.service: {scenario.business} does not offer {booking.service!r}")
        if booking.start is None or booking.status != "confirmed":
            continue
        start = booking.start if booking.start.tzinfo else booking.start.replace(tzinfo=now.tzinfo)
        if start <= now:
            raise BadScenario(f"{place}.start: nothing can be booked for {booking.start:%Y-%m-%d %H:%M}, which is past")
        if start > now + latest:
            raise BadScenario(f"{place}.start: {booking.start:%Y-%m-%d %H:%M} is further ahead than anybody can book")
