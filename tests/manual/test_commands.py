"""The manual's commands of `scripts/`, typed as they stand beside a store, a sign-in service and a server."""

import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterator

import pytest

import setting_up
from running import emulator
from stand_ins.identity_platform import IdentityPlatformStandIn
from stand_ins.loopback import serving
from tests.manual.on_a_store import ROWS, TRACE, Row
from tests.manual.typist import typed_in

TOOL = {"name": "opening_song", "description": "Tell which song is played when the doors open.", "parameters": {}}
CALL = ["scripts/call_tool", "check_availability", '{"date": "{next Tuesday}"}', "--session", "s1", "--call-id", "c1"]
Ended = dict[str, tuple[int, str]]
"""How each command ended, and what it printed, as it was typed."""


@pytest.fixture(scope="module")
def project(emulator_host: str, worker_project: str) -> Iterator[dict[str, str]]:
    """The environment of a shell beside an emulator without data, and a project to which Maria has signed in."""
    name = f"{worker_project}-manual"
    people = IdentityPlatformStandIn(name)
    people.accounts = {
        "u-1": {"localId": "u-1", "email": "maria@example.com", "emailVerified": True, "validSince": "0"}
    }
    for place in (name, f"{name}-elsewhere"):
        emulator.clear(emulator_host, place)
    with serving(people.app) as url:
        yield {
            "PATH": f"{setting_up.VENV / 'bin'}:{os.environ['PATH']}",
            "HOME": os.environ.get("HOME", ""),
            "FIRESTORE_EMULATOR_HOST": emulator_host,
            "GOOGLE_CLOUD_PROJECT": name,
            "FIREBASE_AUTH_EMULATOR_HOST": url.removeprefix("http://"),
            "SWITCHBOARD_EMBEDDINGS": "none",
            "LOGNAME": "olivia",
        }


@pytest.fixture(scope="module")
def ended(project: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """What became of all of them, in the order of the table, after the demo was seeded and a tool called in it."""
    folder = tmp_path_factory.mktemp("shell")
    (folder / "scripts").symlink_to(setting_up.ROOT / "scripts")
    (folder / "my_tools.json").write_text(json.dumps([TOOL]))
    before = [{"words": ["scripts/seed", "--yes"], "environ": {}, "trace": ""}]
    before.append({"words": CALL, "environ": {}, "trace": TRACE})
    typed = [(row, text) for row in ROWS for text in row.typed() if text.startswith("scripts/") and "|" not in text]
    rows = [{"words": shlex.split(text), "environ": row.environ_in(project), "trace": ""} for row, text in typed]
    answers = typed_in(folder, [*before, *rows], project)
    assert answers[0]["code"] == 0, answers[0]["out"]
    return {text: (answer["code"], answer["out"]) for (_, text), answer in zip(typed, answers[2:], strict=True)}


@pytest.mark.process
@pytest.mark.requirement("004-760")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.words)
def test_a_command_does_what_the_page_says(row: Row, ended: Ended, project: dict[str, str]) -> None:
    """With what stands in brackets, and without it."""
    for text in row.typed():
        if text in ended:
            code, out = ended[text]
        else:
            line = ["bash", "-c", text]
            done = subprocess.run(line, cwd=setting_up.ROOT, env=project, capture_output=True, text=True, timeout=120)
            code, out = done.returncode, done.stdout + done.stderr
        assert (code, bool(re.search(row.says, out, re.M))) == (row.code, True), f"{text}\n{out}"
