"""The manual's blocks that ask a server, sent to one; and the evaluation that its reader writes in five minutes."""

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

import setting_up
from tests.manual.conftest import KEYS
from tests.manual.on_a_server import CLIENT, EVALUATIONS, EXAMPLE, OWN_TOOL, READY
from tests.manual.pages import Command, commands
from tests.manual.shown import Shown
from tests.manual.typist import typed_in
from tests.scripts.model_server import model_server
from tests.scripts.test_run import Started

TESTING = setting_up.ROOT / "docs" / "testing.md"


def beginning(words: str) -> Command:
    """Return the one command of the manual that begins so."""
    (found,) = [command for command in commands() if command.words.startswith(words)]
    return found


def shell(text: str, folder: Path, served: Started, **more: str) -> subprocess.CompletedProcess[str]:
    """Run it in bash, where a reader of the page has named the server and the keys."""
    environ = {
        "PATH": f"{folder / 'programs'}:{setting_up.VENV / 'bin'}:{os.environ['PATH']}",
        "HOME": os.environ.get("HOME", ""),
        "U": served.url(),
        "KEY": KEYS["SWITCHBOARD_DEMO_KEY"],
        "OWNER": KEYS["SWITCHBOARD_DEMO_OWNER_TOKEN"],
    }
    line = ["bash", "-eu", "-c", text]
    return subprocess.run(line, cwd=folder, env={**environ, **more}, capture_output=True, text=True, timeout=300)


@pytest.mark.process
@pytest.mark.requirement("004-760")
def test_an_owner_makes_a_tool_as_the_page_does(served: Started, folder: Path) -> None:
    """The secret that it names is missing, and that is told as a finding."""
    done = shell(beginning(OWN_TOOL).text, folder, served)
    made = json.loads(done.stdout)
    assert made["tool"]["label"] == "Order status"
    assert "orders" in json.dumps(made["findings"])


@pytest.mark.process
@pytest.mark.requirement("004-760")
def test_whoever_is_told_to_ask_whether_it_can_serve_is_answered(served: Started, folder: Path) -> None:
    """With the address of a server in place of one's own."""
    asked = beginning(READY).text.replace("https://YOUR_ADDRESS", served.url())
    assert json.loads(shell(asked, folder, served).stdout)["status"] == "ready"


@pytest.mark.process
@pytest.mark.requirement("004-760")
def test_another_vendors_model_answers_with_our_tools(served: Started, folder: Path) -> None:
    """The one line of the page, before a model that says what it was told."""
    with model_server([("get_policies", {"topic": "cancellation"})], "Our policy: {told}") as model:
        settings = {"OPENAI_BASE_URL": f"{model.url}/v1", "OPENAI_API_KEY": "none"}
        done = shell(beginning(EXAMPLE).text, folder, served, **settings)
    assert (done.returncode, model.asked) == (0, "May I cancel today?"), done.stderr
    assert "24 hours" in done.stdout


@pytest.mark.process
@pytest.mark.requirement("004-760")
def test_a_client_is_made_from_the_description(served: Started, folder: Path) -> None:
    """By the generator of the page, which is pinned among the packages of the tests and not installed once more."""
    programs = folder / "programs"
    programs.mkdir()
    (programs / "pip").write_text('#!/bin/sh\necho "$@" > pip.txt\n')
    (programs / "pip").chmod(0o755)
    # Formatting what was made takes longer than making it; a busy machine takes longer than five seconds to describe.
    (folder / "config.yaml").write_text("post_hooks: []\nhttp_timeout: 120\n")
    text = beginning(CLIENT).text.replace("https://api.example.com", served.url()).rstrip() + " --config config.yaml"
    done = shell(text, folder, served)
    assert done.returncode == 0, done.stdout + done.stderr
    verb, package = (folder / "pip.txt").read_text().split()
    assert (verb, package in (setting_up.ROOT / "tests/requirements.in").read_text()) == ("install", True)
    made = next((folder / "switchboard_client").glob("*/client.py"))
    assert "class AuthenticatedClient" in made.read_text()


@pytest.mark.process
@pytest.mark.requirement("004-760")
def test_a_first_scenario_comes_to_what_the_page_shows(tmp_path: Path) -> None:
    """It passes as it is written; with another time in the call it says what is not so, and why."""
    scenario = TESTING.read_text().partition("```yaml\n")[2].partition("```")[0]
    shown = {found.words: found for found in commands((TESTING,))}
    place = tmp_path / "mine"
    place.mkdir()
    (place / "scripts").symlink_to(setting_up.ROOT / "scripts")
    for words, called in zip(EVALUATIONS, ("2026-12-04T14:00:00", "2026-12-04T15:00:00"), strict=True):
        (place / "friday.yaml").write_text(scenario.replace("2026-12-04T14:00:00", called))
        # Beside a single scenario further processes only take time to begin.
        (answer,) = typed_in(place, [[*shlex.split(words), "--jobs", "1"]])
        differs = Shown().differs(shown[words].printed, answer["out"])
        assert not differs, f"{words}\n{answer['out']}\n{differs}"
