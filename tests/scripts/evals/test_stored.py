"""A kept conversation is written as a scenario that comes to the same, and what a business keeps is held."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from drills.own_house import noted_log
from evals import command, stored
from evals.command import FOLDERS
from evals.report import Complaint
from switchboard.admin.evals.premises import with_premises
from switchboard.admin.evals.proposing import propose
from switchboard.admin.evals.scenario import scenario_of
from switchboard.admin.evals.scenario_text import read_file, read_text, written
from switchboard.app.core import REGISTRY
from switchboard.app.evaluation.connection import unhurried
from switchboard.app.evaluation.furnishing import furnish
from switchboard.app.evaluation.running import run
from switchboard.app.evaluation.variations import plain
from switchboard.app.evaluation.vendors import StandInVendors
from switchboard.catalog.definitions.registry import Registry
from switchboard.contract.ports import Store
from switchboard.contract.store import Set
from tests.each import each

PATHS = stored.PATHS
MOVED = "salon/en-move"
HELD_AGAIN = (
    *(MOVED, "salon/de-cancel", "salon/en-text", "salon/en-taken-time", "salon/de-cancel-declined"),
    *("practice/de-somebody-else", "restaurant/de-party", "craftsman/en-emergency", "garage/de-message"),
    *("office/en-question", "abuse/obeys-a-document", "abuse/books-the-whole-day", "abuse/malformed"),
)


def _held(name: str, stand_ins: StandInVendors) -> tuple[Store, str, str]:
    """Hold a shipped scenario; return what is left, whose it is, and the conversation."""
    scenario = scenario_of(read_file(command.SUITES / f"{name}.yaml"))

    async def all_of_it() -> tuple[Store, str, str]:
        premises = await furnish(scenario, [*Registry.load(REGISTRY).tools], FOLDERS)
        held = await run(scenario, premises, stand_ins, plain(scenario))
        return held.store, scenario.business, held.talk.session

    with noted_log(), unhurried():
        return asyncio.run(all_of_it())


def _proposed(store: Store, business: str, session: str) -> dict[str, Any]:
    async def proposed() -> dict[str, Any]:
        within = PATHS.within(business)
        return await with_premises(store, within, await propose(store, within, session))

    return asyncio.run(proposed())


def _verdicts(document: Mapping[str, Any], stand_ins: StandInVendors, *kinds: str) -> list[Any]:
    outcome = command.hold(command.Task("kept", scenario_of(document), 1, kinds or ("",)), stand_ins)
    assert not isinstance(outcome, Complaint), outcome
    return [finding.what for verdict in outcome for finding in verdict.findings]


@each("name", HELD_AGAIN)
@pytest.mark.requirement("004-700")
def test_a_kept_conversation_comes_to_the_same_as_a_scenario(name: str, stand_ins: StandInVendors) -> None:
    """Written out and read again, as long as nothing has changed."""
    document = _proposed(*_held(name, stand_ins))
    assert _verdicts(read_text(written(document)), stand_ins) == []


@pytest.mark.requirement("004-700")
def test_what_is_proposed_holds_in_other_forms_as_well(stand_ins: StandInVendors) -> None:
    """Delivered three times, with a process that dies, and interrupted: a yes is said where it is asked for."""
    document = _proposed(*_held(MOVED, stand_ins))
    assert _verdicts(document, stand_ins, "thrice", "killed", "interrupted") == []


@pytest.mark.requirement("004-701")
def test_nobody_who_exists_stands_in_what_is_proposed(stand_ins: StandInVendors) -> None:
    """Neither by name nor by number, address or birthday; the business's own people stay."""
    text = written(_proposed(*_held(MOVED, stand_ins)))
    for trace in ("Grace", "grace", "Okafor", "okafor", "5550163", "555-0163", "1991"):
        assert trace not in text, trace
    assert "with: Maya" in text


@pytest.mark.requirement("004-700")
def test_what_came_of_it_is_expected_and_a_change_is_told(stand_ins: StandInVendors) -> None:
    """Closed on that day, the appointment is not moved any more."""
    document = _proposed(*_held(MOVED, stand_ins))
    expect = document["expect"]
    assert expect["bookings"] == [
        {
            "service": "Haircut",
            "start": "2026-12-09 14:00",
            "customer": document["add"]["callers"]["caller-1"]["name"],
            "with": "Maya",
            "status": "confirmed",
        }
    ]
    assert expect["ledger"] == [{"tool": "reschedule_appointment", "state": "finished"}]
    assert expect["said"] == {"has": ["It is moved to Wednesday at 2 PM."]}
    document["document"]["workingHours"]["wednesday"] = "closed"
    assert _verdicts(document, stand_ins) != []


@pytest.mark.requirement("004-702")
def test_a_conversation_is_written_by_its_session_and_held_at_once(
    tmp_path: Path, stand_ins: StandInVendors, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whose it is need not be said; nothing that is there is written over."""
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1")
    store, _, session = _held(MOVED, stand_ins)
    path = tmp_path / "moved.yaml"
    arguments = [session, "--out", str(path)]
    assert stored.record(arguments, lambda _: store) == 0
    assert f"scripts/eval {path}" in capsys.readouterr().out
    assert command.main([str(path), "--plain", "--jobs", "1"]) == 0
    assert stored.record(arguments, lambda _: store) == 2
    assert "is there already; name another file by --out" in capsys.readouterr().err


@each(
    ("arguments", "why"),
    [
        (["nobody", "--business", "salon-en"], "There is no conversation of that id."),
        (["nobody"], "no business keeps a conversation 'nobody'"),
        (["CA1", "--out", "My Call.yaml"], "'My Call' is no scenario's name"),
    ],
)
@pytest.mark.requirement("004-702")
def test_what_cannot_be_written_is_one_line(
    arguments: list[str], why: str, stand_ins: StandInVendors, request: Any
) -> None:
    """And 2."""
    monkeypatch, capsys = request.getfixturevalue("monkeypatch"), request.getfixturevalue("capsys")
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1")
    store, _, _ = _held("salon/en-question", stand_ins)
    assert stored.record(arguments, lambda _: store) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert why in line


@pytest.mark.requirement("004-702")
def test_a_written_call_of_a_tool_that_is_gone_is_one_line_and_the_others_are_held(
    tmp_path: Path, stand_ins: StandInVendors, capsys: pytest.CaptureFixture[str]
) -> None:
    """2, and which tool."""
    text = written(_proposed(*_held("salon/en-text", stand_ins)) | {"name": "whole"})
    (tmp_path / "whole.yaml").write_text(text, encoding="utf-8")
    gone = text.replace("send_sms", "send_fax").replace("name: whole", "name: gone")
    (tmp_path / "gone.yaml").write_text(gone, encoding="utf-8")
    assert command.main([str(tmp_path), "--plain", "--jobs", "1"]) == 2
    printed = capsys.readouterr()
    assert "1     1       1       0" in printed.out
    (line,) = printed.err.splitlines()
    assert "gone: the recording calls send_fax, and there is no such tool" in line


@pytest.mark.requirement("004-703")
def test_what_a_business_keeps_is_held_with_the_business_as_it_is_now(
    stand_ins: StandInVendors, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that is none keeps no other from being held."""
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1")
    store, business, session = _held(MOVED, stand_ins)
    within = PATHS.within(business)

    async def keep() -> None:
        text = written(await propose(store, within, session, "moved"))
        kept = {"moved": text, "none": "lines: ["}
        await store.commit([Set(within.document("evals", name), {"text": text}) for name, text in kept.items()])

    asyncio.run(keep())
    monkeypatch.setattr(stored, "open_store", lambda _: store)
    assert command.main(["--business", business, "--plain", "--jobs", "1"]) == 2
    printed = capsys.readouterr()
    assert "1     1       1       0" in printed.out
    (line,) = printed.err.splitlines()
    assert "salon-en/none: it is no YAML" in line
