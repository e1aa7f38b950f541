"""README, "Five minutes": its commands are run as they stand, in order, and answer what is printed below them."""

import re
import subprocess
from collections.abc import Iterator

import pytest

import setting_up
from tests.scripts.test_run import Runs, Started

README = setting_up.ROOT / "README.md"
USUAL_URL = "http://127.0.0.1:8080"
KEYS = {
    "SWITCHBOARD_DEMO_KEY": "sb_demo",
    "SWITCHBOARD_DEMO_OWNER_TOKEN": "sb_owner",
    "SWITCHBOARD_DEMO_TWILIO_TOKEN": "demo",
}
# What differs from run to run: the day, its offset from UTC, and ids.
VARYING = re.compile(
    r"\d{4}-\d\d-\d\d|[-+]\d\d:\d\d\b|\b(bk|txt)_\w*|(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,[A-Z][a-z]+\d{1,2}"
)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.S | re.M)


def examples() -> Iterator[tuple[str, str]]:
    """Yield each command of the section that uses the server, and what is printed below it, if anything is."""
    section = README.read_text().partition("## Five minutes")[2].partition("**Talk to it.**")[0]
    blocks = [found.groups() for found in BLOCK.finditer(section)]
    # The first starts the server and shows its banner.
    for at, (kind, text) in enumerate(blocks[2:], 2):
        if kind == "sh":
            printed = blocks[at + 1] if at + 1 < len(blocks) else ("sh", "")
            yield text, printed[1] if printed[0] == "" else ""


def plain(text: str) -> str:
    """Return a text without blanks, and without what differs from run to run."""
    return VARYING.sub("~", "".join(text.split()))


@pytest.fixture(scope="module")
def run() -> Iterator[Started]:
    """A server with the demo businesses in memory, and the keys that the section names."""
    started = Runs()
    yield started.start("--store", "memory", "--port", "0", "--no-admin", "--stand-in-port", "0", **KEYS)
    started.close()


@pytest.mark.process
@pytest.mark.requirement("004-126")
def test_the_examples_answer_what_is_printed_below_them(run: Started, tmp_path):
    """Piece by piece between the "…", in order; one shell runs them all, as one reader would."""
    told = list(examples())
    assert len(told) >= 7
    mark = "== next =="
    script = f"\necho '{mark}'\n".join(command for command, _ in told)
    script = script.replace(USUAL_URL, run.url())
    done = subprocess.run(["bash", "-eu", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    for (command, printed), answer in zip(told, done.stdout.split(mark), strict=True):
        found, at = plain(answer), 0
        for piece in filter(None, plain(printed).split("…")):
            # Commas around an omission belong to what is left out.
            where = found.find(piece.strip(","), at)
            assert where >= 0, f"{command}\nanswers\n{answer}\nwhich has no (further)\n{piece}"
            at = where + len(piece.strip(","))
