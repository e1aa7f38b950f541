"""`scripts/eval` tells people and machines what came of it."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from evals import command
from evals.report import Complaint
from switchboard.admin.evals.scenario import scenario_of
from switchboard.admin.evals.scenario_text import read_file
from switchboard.app.evaluation.vendors import StandInVendors
from tests.each import each
from tests.scripts.evals.conftest import document

SHIPPED = sorted(command.SUITES.rglob("*.yaml"))
TRADES = ("craftsman", "garage", "office", "practice", "restaurant", "salon")


def _written(folder: Path, **by_name: dict[str, Any]) -> Path:
    for name, body in by_name.items():
        (folder / f"{name}.yaml").write_text(json.dumps({**body, "name": name}))
    return folder


def test_what_came_of_it_is_a_table_xml_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """1 where something is not as expected, with the sentence and the call."""
    place = _written(tmp_path, good=document(), poor=document(expect={}))
    junit, rows = tmp_path / "out.xml", tmp_path / "out.json"
    options = ["--plain", "--jobs", "1", "--junit", str(junit), "--json", str(rows)]
    assert command.main([str(place), *options]) == 1
    printed = capsys.readouterr().out
    assert f"FAILED  {tmp_path.name}/poor, plain" in printed
    assert "nobody expects this appointment" in printed
    assert "the model asked for book_appointment" in printed
    verdicts = json.loads(rows.read_text())["verdicts"]
    assert [(row["scenario"], row["form"], row["passed"]) for row in verdicts] == [
        ("good", "plain", True),
        ("poor", "plain", False),
    ]
    suite = ElementTree.parse(junit).getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert "nobody expects" in (suite.find("testcase/failure").get("message") or "")


def test_a_file_that_is_no_scenario_keeps_no_other_from_being_held(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line each, and 2."""
    none, gone = document(lines=[]), document(lines=[{"say": "Hi.", "agent": [{"book_table": {}}]}])
    place = _written(tmp_path, good=document(), none=none, gone=gone)
    assert command.main([str(place), "--plain", "--jobs", "1"]) == 2
    printed = capsys.readouterr()
    assert "1     1       1       0" in printed.out
    assert len(printed.err.splitlines()) == 2
    assert "gone: it names book_table, and there is no such tool" in printed.err


def test_a_scenario_for_a_connected_model_says_what_to_set(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where none is."""
    monkeypatch.delenv("SWITCHBOARD_MODEL", raising=False)
    place = _written(tmp_path, real=document(agent="connected"))
    assert command.main([str(place), "--jobs", "1"]) == 2
    assert "no model is connected; name one by SWITCHBOARD_MODEL" in capsys.readouterr().err


def test_a_recorded_conversation_is_a_scenario(tmp_path: Path, stand_ins: StandInVendors) -> None:
    """What was said and answered then is said and answered again."""
    recording = Path(__file__).parents[2] / "conversations" / "chat_en_book.json"
    (tmp_path / "again.yaml").write_text(
        f"recording: {recording}\nwithout: {{two callers: it was held alone}}\nexpect:\n  bookings:\n"
        "    - {service: Haircut, start: 2026-12-02 10:00, customer: Siobhan Kelly}\n  texts: [{has: Haircut}]\n"
    )
    (task,) = [
        command.Task(suite, scenario, 1, ("",)) for suite, scenario in command.collected([tmp_path / "again.yaml"], [])
    ]
    (verdict,) = command.hold(task, stand_ins)
    assert verdict.scenario == "again"
    assert next(words for who, words in verdict.lines if who == "caller").startswith("hi need a haircut")


@pytest.mark.requirement("004-663")
def test_six_trades_have_a_suite_of_twelve_in_each_language_and_abuse_has_one() -> None:
    """And every file in them is a scenario."""
    names = {path: scenario_of(command.filled(read_file(path), path.parent)).name for path in SHIPPED}
    for trade in TRADES:
        own = [name for path, name in names.items() if path.parent.name == trade]
        assert [sum(name.startswith(f"{language}-") for name in own) for language in ("en", "de")] == [12, 12], trade
    assert sum(path.parent.name == "abuse" for path in SHIPPED) >= 12


@each("path", [path for path in SHIPPED if path.parent.name in ("abuse", "salon")])
@pytest.mark.requirement("004-663")
def test_shipped_scenarios_come_to_what_they_expect(path: Path, stand_ins: StandInVendors) -> None:
    """As they are written; `scripts/eval` holds all of them in every form."""
    (task,) = [command.Task(suite, scenario, 1, ("",)) for suite, scenario in command.collected([path], [])]
    outcome = command.hold(task, stand_ins)
    assert not isinstance(outcome, Complaint)
    assert [finding.what for verdict in outcome for finding in verdict.findings] == []
