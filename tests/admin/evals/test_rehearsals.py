"""Kept tests are played in a process of their own, which reaches nobody and is ended where one comes to no end."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from typing import Any

import pytest

from switchboard.admin.definitions.definition_set import storable
from switchboard.admin.evals.playing import KeptTest
from switchboard.app.core import REGISTRY
from switchboard.app.evaluation.rehearsals import Rehearsals
from switchboard.catalog.definitions.registry import Registry
from switchboard.contract.store import Document
from tests.admin.owners_office import OWN
from tests.architecture.house import ROOT
from tests.each import each

pytestmark = [pytest.mark.requirement("004-781"), pytest.mark.process]
SALON_EN = json.loads((ROOT / "seeds" / "templates" / "salon-en" / "business.json").read_text())
# A machine that has much else to do takes long over everything.
LONG_S = 500.0
PATIENT = Rehearsals(longest_test_s=LONG_S)
AT = datetime(2026, 11, 29, 12, tzinfo=UTC)
BOOKS: dict[str, Any] = {
    "say": "A haircut on Friday at two, for Jane Doe.",
    "agent": [
        {
            "book_appointment": {
                "service": "Haircut",
                "start_time": "2026-12-04T14:00:00",
                "customer_name": "Jane Doe",
                "customer_phone": "+15185550171",
            }
        },
        "You are booked for Friday at 2 PM, Jane.",
    ],
}
KEPT_IN = ("from switchboard.app.evaluation.process import keep_in", "sys.addaudithook(keep_in)")
REACHES = (
    "socket.create_connection(('127.0.0.1', 9))",
    "asyncio.run(asyncio.open_connection('127.0.0.1', 9))",
    "socket.getaddrinfo('example.com', 443)",
    "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
    "subprocess.run(['true'])",
    "os.system('true')",
)
BOOKED = {"bookings": [{"service": "Haircut", "start": "2026-12-04 14:00", "customer": "Jane Doe"}]}


def kept(name: str = "books", problem: str = "", **more: Any) -> KeptTest:
    """Return a kept test of the salon in which a haircut is booked."""
    scenario = {
        "name": name,
        "business": OWN,
        "document": SALON_EN,
        "now": "2026-12-01 10:00",
        "caller": {"phone": "+15185550171"},
        "agent": "scripted",
        "lines": [BOOKS],
        "expect": BOOKED,
        **more,
    }
    return KeptTest(OWN, Document(f"businesses/{OWN}/evals/{name}", {}, AT, AT), scenario, problem)


async def test_each_test_is_told_with_what_went_wrong_the_sentence_and_the_call() -> None:
    """One that cannot be read, and one of a tool that is gone, keep no other from being played."""
    gone = [{"say": "Hi.", "agent": [{"send_fax": {}}]}]
    tests = [kept(), kept("poor", expect={}), kept("gone", lines=gone), kept("none", problem="it is no YAML")]
    played = await PATIENT.play(tests, {}, LONG_S)
    green, poor, gone_one, none = (played.verdicts[test.name] for test in tests)
    assert (green.what, played.not_run) == ("", ())
    assert green.catalog_hash
    assert poor.what.startswith("nobody expects this appointment: 2026-12-04 14:00 Haircut, Jane Doe")
    assert (poor.sentence, poor.call) == ("You are booked for Friday at 2 PM, Jane.", "book_appointment: done")
    assert gone_one.what == "it names send_fax, and there is no such tool"
    assert none.what == "it is no YAML"


async def test_what_is_published_there_is_what_a_test_meets() -> None:
    """A tool that is switched off books nothing."""
    documents = {name: storable(t.definition.to_document()) for name, t in Registry.load(REGISTRY).tools.items()}
    documents["book_appointment"] |= {"enabled": False}
    played = await PATIENT.play([kept()], documents, LONG_S)
    verdict = played.verdicts[f"{OWN}/books"]
    assert verdict.what.startswith("no appointment is service Haircut")


async def test_a_test_that_comes_to_no_end_is_red_and_the_next_one_is_played() -> None:
    """The process that it holds up is ended, and another goes on."""
    tests = [kept("one"), kept("two")]
    played = await Rehearsals(longest_test_s=0.0).play(tests, {}, LONG_S)
    told = [played.verdicts[test.name].what for test in tests]
    assert told == ["it has come to no end within 0 seconds"] * 2


async def test_a_test_that_says_one_thing_for_ever_is_ended_by_the_caller() -> None:
    """After forty lines, whatever the conditions lead back to."""
    again = {
        "name": "again",
        "when": [{"when": "said not has farewell", "say": "Hello?", "next": "again"}, "otherwise -> Bye."],
    }
    played = await PATIENT.play([kept("chatty", lines=[again], agent="rehearsal", expect={})], {}, LONG_S)
    assert played.verdicts[f"{OWN}/chatty"].what == "after 40 lines there is no end"


@each("reach", REACHES)
def test_nothing_is_reached_from_there(reach: str) -> None:
    """Neither a server on this machine, nor a name, nor another program; whatever in the product asks for it."""
    lines = ("import asyncio, os, socket, subprocess, sys", *KEPT_IN, f"{reach}")
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], cwd=ROOT / "functions", capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "ConnectionRefusedError: nothing is reached from a rehearsal" in done.stderr


async def test_nothing_of_this_process_is_the_rehearsals_business(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither which store it has, nor what it signs in with."""
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1")
    monkeypatch.setenv("SWITCHBOARD_MODEL", "openai:gpt")
    played = await PATIENT.play([kept("real", agent="connected")], {}, LONG_S)
    assert played.verdicts[f"{OWN}/real"].what.startswith("agent: no model is connected")
    assert os.environ["SWITCHBOARD_MODEL"]


async def test_what_there_is_no_time_for_is_named_as_not_run() -> None:
    """None is begun behind the time."""
    played = await Rehearsals().play([kept(), kept("second")], {}, 0.0)
    assert (played.verdicts, played.not_run) == ({}, (f"{OWN}/books", f"{OWN}/second"))
