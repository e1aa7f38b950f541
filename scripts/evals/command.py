"""Hold scenarios in all their forms and tell what came of them: `scripts/eval`."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import setting_up
from command_line import WRONG_USAGE, CommandLine, Problem, file_to_write
from drills.own_house import noted_log
from evals import stored
from evals.report import Complaint, Verdict, conversation, failures, table, write_json, write_junit
from evals.vendors import vendors
from played import recording as played
from played.recording import Recording
from switchboard.admin.evals.scenario import BadScenario, Scenario, scenario_of
from switchboard.admin.evals.scenario_text import read_file
from switchboard.app.core import REGISTRY
from switchboard.app.evaluation import variations
from switchboard.app.evaluation.connection import unhurried
from switchboard.app.evaluation.furnishing import furnish
from switchboard.app.evaluation.running import HeldScenario, run
from switchboard.app.evaluation.vendors import StandInVendors
from switchboard.catalog.definitions.registry import Registry

FOLDERS = (setting_up.ROOT / "seeds" / "templates", setting_up.ROOT / "seeds" / "businesses")
"""Where the businesses lie that shipped scenarios are about."""
SUITES = setting_up.ROOT / "scripts" / "evals" / "suites"
RECORD = "record"
VENDORS = ("OPENAI", "GEMINI", "ANTHROPIC")
PASSED_ON = (
    *("SWITCHBOARD_MODEL", "SWITCHBOARD_EGRESS_STAND_INS"),
    *(f"{vendor}_API_KEY" for vendor in VENDORS),
    *(f"{vendor}_BASE_URL" for vendor in VENDORS),
)
USAGE = f"""examples:
  scripts/eval                          every suite, in every form
  scripts/eval salon                    one suite
  scripts/eval my_scenario.yaml         one scenario of your own, or a folder of them
  scripts/eval salon --plain --talk     as written only, with what was said
  scripts/eval --form killed            those forms alone
  scripts/eval --junit out.xml --json out.json
  scripts/eval record CA7d21c0 --business demo-salon    write a kept conversation as a scenario; its --help tells more
  scripts/eval --business demo-salon    what that business keeps as tests, with the business as it is now

forms:
{chr(10).join(f"  {kind:<12}{what}" for kind, what in variations.KINDS.items())}

A scenario of `agent: connected` speaks with the model that SWITCHBOARD_MODEL names, with its key. 0 where all is as
expected, 1 where something is not, 2 where a file is no scenario: the others are held all the same."""


@dataclass(frozen=True, slots=True)
class Task:
    """A scenario to be held.

    Attributes:
        kinds: The forms; none are all, and an empty one is the plain form.
    """

    suite: str
    scenario: Scenario
    seed: int
    kinds: tuple[str, ...]


def main(arguments: Sequence[str]) -> int:
    """Do what the command line says; returns the exit code."""
    if arguments[:1] == [RECORD]:
        return stored.record(arguments[1:])
    options = _command_line().parse_args(arguments)
    began = time.monotonic()
    complaints: list[Complaint] = []
    kinds = ("",) if options.plain else tuple(options.form)
    places = options.suites or ([] if options.business else [SUITES])
    found = [*collected(places, complaints), *_kept(options, complaints)]
    tasks = [Task(suite, scenario, options.seed, kinds) for suite, scenario in found]
    verdicts: list[Verdict] = []
    for outcome in _held(tasks, options.jobs):
        if isinstance(outcome, Complaint):
            complaints.append(outcome)
            continue
        verdicts += outcome
        for verdict in outcome if options.talk else ():
            print(f"{'passed' if verdict.passed else 'FAILED'}  {verdict.name}", *conversation(verdict), sep="\n")
        for line in failures(outcome):
            print(line, flush=True)
    print(*table(verdicts, time.monotonic() - began), sep="\n")
    for complaint in complaints:
        print(f"scripts/eval: {complaint}", file=sys.stderr)
    if options.junit:
        write_junit(verdicts, complaints, options.junit)
    if options.json:
        write_json(verdicts, complaints, options.json)
    return WRONG_USAGE if complaints else int(not all(verdict.passed for verdict in verdicts))


def _command_line() -> CommandLine:
    line = CommandLine("scripts/eval", "Hold scenarios in all their forms and tell what came of them.", USAGE)
    line.add_argument("suites", nargs="*", metavar="SUITE", help="a shipped suite, or files and folders of your own")
    line.add_argument("--plain", action="store_true", help="only as the scenarios are written")
    line.add_argument("--form", action="append", default=[], choices=[*variations.KINDS], help="only this form")
    line.add_argument("--seed", type=int, default=1, help="chooses at which call or line something happens")
    line.add_argument("--jobs", type=int, default=min(4, os.cpu_count() or 1), help="processes at once")
    line.add_argument("--talk", action="store_true", help="show what was said")
    line.add_argument("--junit", type=file_to_write, metavar="FILE", help="also write JUnit XML")
    line.add_argument("--json", type=file_to_write, metavar="FILE", help="also write JSON, without times")
    line.add_argument("--business", metavar="ID", help="also, or only, what this business keeps as tests in its store")
    stored.add_store_options(line)
    return line


def _kept(options: Any, complaints: list[Complaint]) -> Iterator[tuple[str, Scenario]]:
    """Yield the scenarios that the business keeps which was named, if one was; add what is none to `complaints`."""
    if not options.business:
        return
    try:
        scenarios = stored.kept(options.business, options, stored.open_store)
    except Problem as problem:
        complaints.append(Complaint(options.business, str(problem)))
        return
    for name, document in scenarios:
        try:
            if isinstance(document, str):
                raise BadScenario(document)
            yield options.business, scenario_of(document)
        except BadScenario as problem:
            complaints.append(Complaint(f"{options.business}/{name}", str(problem)))


def collected(places: Sequence[Any], complaints: list[Complaint]) -> Iterator[tuple[str, Scenario]]:
    """Yield the scenarios of suites, files and folders, each with its suite's name; add what is none to `complaints`.

    Args:
        places: Names of shipped suites, or paths.
        complaints: Is added to.
    """
    names: dict[tuple[str, str], Path] = {}
    for path in _files(places, complaints):
        suite = path.resolve().parent.name
        try:
            scenario = scenario_of(filled(read_file(path), path.parent))
            twin = names.setdefault((suite, scenario.name), path)
            if twin is not path:
                raise BadScenario(f"name: {twin.name} has the name {scenario.name!r} as well")
        except BadScenario as problem:
            complaints.append(Complaint(_shown(path), str(problem)))
        else:
            yield suite, scenario


def _files(places: Sequence[Any], complaints: list[Complaint]) -> Iterator[Path]:
    for place in places:
        path = SUITES / place if (SUITES / place).is_dir() else Path(place)
        files = sorted(path.rglob("*.yaml")) if path.is_dir() else [path]
        if not path.exists():
            known = ", ".join(sorted(one.name for one in SUITES.iterdir() if one.is_dir()))
            complaints.append(Complaint(str(place), f"there is no such suite, file or folder; suites are {known}"))
        elif not files:
            complaints.append(Complaint(str(place), "holds no .yaml file"))
        else:
            yield from files


def _shown(path: Path) -> str:
    return str(path.relative_to(setting_up.ROOT)) if path.is_relative_to(setting_up.ROOT) else str(path)


def filled(document: Mapping[str, Any], folder: Path) -> Mapping[str, Any]:
    """Return a scenario's document with what its recording says, where it names one.

    Raises:
        BadScenario: There is no such recording, or it cannot be read.
    """
    if not document.get("recording"):
        return document
    try:
        recording = played.read(folder / str(document["recording"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadScenario(f"recording: {document['recording']} cannot be read: {str(error)[:100]}") from None
    setting = recording.setting
    return {
        "business": setting.business,
        "channels": [setting.channel],
        "now": setting.began,
        "caller": {"phone": setting.caller_phone},
        "lines": lines_of(recording),
        **document,
        "agent": "recorded",
    }


def lines_of(recording: Recording) -> list[dict[str, Any]]:
    """Return a recorded conversation as lines of a scenario: what was said, and what the model answered."""
    return [{"say": turn.said, "agent": [_item(answer) for answer in turn.answers]} for turn in recording.turns]


def _item(answer: Mapping[str, Any]) -> dict[str, Any]:
    calls = {call["name"]: call["arguments"] for call in answer["calls"]}
    return {"say": answer["content"], **calls}


def _held(tasks: Sequence[Task], jobs: int) -> Iterator[list[Verdict] | Complaint]:
    """Yield what comes of each task, in order, whichever is done first."""
    if jobs <= 1 or len(tasks) <= 1:
        with vendors() as stand_ins:
            yield from (hold(task, stand_ins) for task in tasks)
        return
    with ProcessPoolExecutor(min(jobs, len(tasks)), get_context("fork"), initializer=_begin) as pool:
        yield from pool.map(_hold, tasks)


_of_this_process = ExitStack()
_stand_ins: list[StandInVendors] = []


def _begin() -> None:
    # They end with the process.
    _stand_ins.append(_of_this_process.enter_context(vendors()))


def _hold(task: Task) -> list[Verdict] | Complaint:
    return hold(task, _stand_ins[0])


def hold(task: Task, stand_ins: StandInVendors) -> list[Verdict] | Complaint:
    """Hold a scenario in its forms; return what came of each, or why it cannot be held."""
    scenario = task.scenario
    tools = [*Registry.load(REGISTRY).tools]
    # What is not ours to say: which model is connected and how it is reached, and which servers of this machine may be.
    environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    try:
        with noted_log(), unhurried():
            premises = asyncio.run(furnish(scenario, tools, FOLDERS))
            first = asyncio.run(run(scenario, premises, stand_ins, variations.plain(scenario), environment))
            held = [first]
            # What does not hold as it is written says nothing in other forms.
            if first.passed and task.kinds != ("",):
                others = variations.forms(scenario, len(first.talk.seen.calls), len(first.talk.exchanges), task.seed)
                chosen = [form for form in others if not task.kinds or form.kind in task.kinds]
                held += [asyncio.run(run(scenario, premises, stand_ins, form, environment)) for form in chosen]
    except BadScenario as problem:
        return Complaint(f"{task.suite}/{scenario.name}", str(problem))
    return [_verdict(task, one) for one in held]


def _verdict(task: Task, held: HeldScenario) -> Verdict:
    lines = [("agent", held.talk.greeting)] if held.talk.greeting else []
    for exchange in held.talk.exchanges:
        lines += [("caller", exchange.said), *(("", _call(call)) for call in exchange.calls), ("agent", exchange.heard)]
    return Verdict(task.suite, task.scenario.name, held.form.name, held.findings, lines, held.took_s)


def _call(call: Any) -> str:
    failure = call.response.failure
    return f"{call.tool} {call.arguments}: {'done' if failure is None else failure.type.value}"
