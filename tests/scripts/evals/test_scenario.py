"""A scenario is read as it is written, and what is wrong with one is told in one line."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from evals.command import FOLDERS, collected, filled
from evals.report import Complaint
from switchboard.admin.evals.scenario import BadScenario, scenario_of
from switchboard.admin.evals.scenario_text import read_file
from switchboard.app.evaluation.furnishing import furnish
from tests.each import each
from tests.scripts.evals.conftest import document

SAY = {"say": "Hello."}
LOOP = [{"name": "again", "say": "And?", "next": "again"}]


def test_yes_is_a_word_and_a_clock_is_a_time(tmp_path: Path) -> None:
    """As people write them, not as YAML 1.1 takes them."""
    path = tmp_path / "short.yaml"
    path.write_text("lines: [yes, 16:00]\ncount: 3\nnow: 2026-12-01 10:00\nis: true\n")
    assert read_file(path) == {
        "name": "short",
        "lines": ["yes", "16:00"],
        "count": 3,
        "now": "2026-12-01 10:00",
        "is": True,
    }


def test_a_branch_in_one_line_is_a_condition_and_what_is_said() -> None:
    """`when: readBack has 16:00 -> yes`."""
    scenario = scenario_of(document(lines=[SAY, {"when": ["readBack not has 16:00 -> no", "otherwise -> yes"]}]))
    first, last = scenario.lines[1].branches
    assert (first.when.fact, first.when.text, first.when.is_negated, first.say) == ("readBack", "16:00", True, "no")
    assert (last.when, last.say) == (None, "yes")


@each(
    ("wrong", "why"),
    [
        ({"now": "2026-02-30 10:00"}, "now: '2026-02-30 10:00' is no time that there is"),
        ({"expect": {"bookings": [{"start": "2026-12-04 25:00"}]}}, "expect.bookings.1.start"),
        ({"lines": LOOP}, "lines.1: from here the conversation never ends"),
        ({"lines": [{"say": "Hi.", "next": "nowhere"}]}, "no line has the name 'nowhere'"),
        ({"lines": [{"when": "the moon is full"}]}, "is no branch"),
        ({"lines": [{"when": "weather has sun -> yes"}]}, "lines.1.branches.1.when.fact"),
        ({"lines": []}, "lines"),
        ({"agents": "scripted"}, "agents: there is no such field"),
        (
            {"expect": {"said": {"has": ["Jane Doe"], "never": ["Jane"]}}},
            "nothing can have 'Jane Doe' and never 'Jane'",
        ),
        ({"expect": {"ledger": [{"tool": "end_call", "state": "finished"}], "never": ["end_call"]}}, "both cannot be"),
    ],
)
def test_what_is_wrong_with_a_scenario_is_one_line(wrong: dict[str, Any], why: str) -> None:
    """With the place."""
    with pytest.raises(BadScenario) as problem:
        scenario_of(document(**wrong))
    assert why in str(problem.value)
    assert "\n" not in str(problem.value)


@each(
    ("wrong", "why"),
    [
        ({"business": "salon-fr"}, "there is no 'salon-fr'"),
        ({"lines": [{"say": "Hi.", "agent": [{"book_table": {}}]}]}, "it names book_table, and there is no such tool"),
        ({"expect": {"never": ["book_table"]}}, "there is no such tool"),
        ({"expect": {"bookings": [{"service": "Massage"}]}}, "salon-en does not offer 'Massage'"),
        ({"expect": {"bookings": [{"start": "2026-11-30 14:00"}]}}, "which is past"),
        ({"expect": {"bookings": [{"start": "2028-01-04 14:00"}]}}, "further ahead than anybody can book"),
        ({"now": "2026-03-08 02:30"}, "the clocks skip 2026-03-08 02:30"),
        ({"add": {"guests": {"one": {}}}}, "has no collection 'guests'"),
        ({"add": {"faqs": {"one": {"topic": "x"}}}}, "one.question: is missing"),
    ],
)
def test_what_nothing_can_bring_about_is_one_line(wrong: dict[str, Any], why: str) -> None:
    """Once the business is known that a scenario is about."""
    with pytest.raises(BadScenario) as problem:
        asyncio.run(furnish(scenario_of(document(**wrong)), ["book_appointment", "end_call"], FOLDERS))
    assert why in str(problem.value)
    assert "\n" not in str(problem.value)


def test_of_two_scenarios_of_one_name_the_first_is_held(tmp_path: Path) -> None:
    """And the other is complained of, like a file that is none; those beside them are held all the same."""
    for name in ("a", "b", "c"):
        body = document(name="other" if name == "c" else "twin")
        (tmp_path / f"{name}.yaml").write_text(json.dumps(body))
    (tmp_path / "d.yaml").write_text("just words")
    complaints: list[Complaint] = []
    names = [scenario.name for _, scenario in collected([tmp_path, tmp_path / "nowhere.yaml"], complaints)]
    assert names == ["twin", "other"]
    assert [str(complaint).rpartition("/")[2] for complaint in complaints] == [
        "b.yaml: name: a.yaml has the name 'twin' as well",
        "d.yaml: it holds no fields; a scenario has business, now, lines and expect",
        *[str(complaints[2]).rpartition("/")[2]],
    ]
    assert "there is no such suite, file or folder" in complaints[2].why


def test_a_recorded_call_of_a_tool_that_is_gone_is_told(tmp_path: Path) -> None:
    """By its name, before anything is held."""
    setting = {"business": "demo-salon", "channel": "phone", "language": "en", "began": "2026-12-01T15:12:00+00:00"}
    answer = {"content": "", "calls": [{"name": "book_massage", "arguments": {}}]}
    turns = [{"said": "A massage.", "answers": [answer]}]
    (tmp_path / "old.json").write_text(json.dumps({"about": "", "setting": setting, "turns": turns}))
    scenario = scenario_of(filled({"name": "old", "recording": "old.json", "expect": {}}, tmp_path))
    assert scenario.agent == "recorded"
    with pytest.raises(BadScenario, match="the recording calls book_massage, and there is no such tool"):
        asyncio.run(furnish(scenario, ["book_appointment"], FOLDERS))
