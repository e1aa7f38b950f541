"""README, "Five minutes": its commands are run as they stand, in order, and answer what is printed below them."""

import os
import re
import subprocess
from pathlib import Path

import pytest

import setting_up
from tests.manual.conftest import KEYS, USUAL_URL
from tests.manual.pages import Command, commands
from tests.manual.shown import Shown
from tests.open_days import next_tuesday
from tests.scripts.test_run import Started

README = setting_up.ROOT / "README.md"
START = "SWITCHBOARD_DEMO_KEY=sb_demo "
MARK = "== next =="


def section() -> list[Command]:
    """Return the blocks of the section: how the server is started, and what is asked of it then."""
    text = README.read_text()
    first, last = (text.partition(title)[0].count("\n") for title in ("## Five minutes", "## Where to go"))
    return [found for found in commands((README,)) if first < found.line < last and "\n" in found.text]


@pytest.mark.process
def test_what_a_start_prints_is_shown(served: Started) -> None:
    """With the ports that are the usual ones; the admin page, which is not started here, has its line as well."""
    (start,) = [found for found in section() if found.text.startswith(START)]
    assert {f"{name}={value}" for name, value in KEYS.items()} <= set(start.text.split())
    printed = served.said.replace(served.url(), USUAL_URL).replace(served.url("texts, calls"), "http://127.0.0.1:8090")
    shown, pages = re.subn(
        r"^  admin pages    http://127.0.0.1:8501  \(there in a few seconds\)\n", "", start.printed, flags=re.M
    )
    assert (pages, Shown().differs(shown, printed)) == (1, "")


@pytest.mark.process
@pytest.mark.requirement("004-126")
def test_the_examples_answer_what_is_printed_below_them(served: Started, folder: Path) -> None:
    """From the first character to the last, but for what is marked; one shell runs them all, as one reader would."""
    asked = [found for found in section() if not found.text.startswith(START)]
    assert len(asked) == 9
    script = f"\necho '{MARK}'\n".join(found.text for found in asked).replace(USUAL_URL, served.url())
    script = script.replace("scripts/simulate_call ", f"scripts/simulate_call --url {served.url()} ")
    environ = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "")}
    line = ["bash", "-eu", "-c", script]
    done = subprocess.run(line, cwd=folder, env=environ, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    page = Shown({"day": next_tuesday().isoformat()})
    for found, answer in zip(asked, done.stdout.split(MARK), strict=True):
        differs = page.differs(found.printed or "…", answer)
        assert not differs, f"{found.place}\nanswers\n{answer}\n{differs}"
