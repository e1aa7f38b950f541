"""`scripts/new_business`: a business of its trade's template from the command line, and what is left to do for it."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from operations import opening
from switchboard.contract.ports import Store
from switchboard.contract.store import Query
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths

WISH = ("Birch Lane Hair", "--template", "salon-en", "--timezone", "America/Chicago")
BUSINESS = FirestorePaths().within("birch-lane-hair").business

pytestmark = pytest.mark.requirement("004-680")


class Lasting(MemoryStore):
    """A store that one command after another looks at."""

    async def close(self) -> None:
        """Keep everything."""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run the command over one store; returns its code, output and errors."""
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1")
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "demo-opening")
    store: Store = Lasting()

    def ran(*arguments: str) -> tuple[int, str, str]:
        code = opening.main(arguments, lambda configuration: store)
        output = capsys.readouterr()
        return code, output.out, output.err

    ran.store = store  # type: ignore[attr-defined]
    return ran


def stored(run: Any) -> dict[str, Any]:
    """Return all documents, by path."""
    return {document.path: document.data for document in asyncio.run(run.store.query(Query("", group=True)))}


def test_the_templates_are_listed_with_what_can_be_booked(run):
    """By trade and language."""
    code, output, _ = run("--templates")
    assert (code, len(output.splitlines())) == (0, 12)
    assert "salon-en       hair salon (en, America/New_York): Haircut, Color" in output


def test_a_business_is_made_once_and_its_key_is_printed_once(run):
    """A second time it stands there already, and nothing is changed."""
    code, output, _ = run(*WISH, "--transfer-to", "+13125550120")
    assert code == 0
    (line,) = (line for line in output.splitlines() if line.startswith("its first API key"))
    key = line.rpartition(" ")[2]
    assert key.startswith("sb_") and key not in repr(stored(run))
    assert "[ ] Somebody of the business can sign in: Give them a role: scripts/grant" in output
    document = stored(run)[BUSINESS]
    assert (document["timezone"], document["name"]) == ("America/Chicago", "Birch Lane Hair")
    before = stored(run)
    code, output, errors = run(*WISH)
    assert (code, output) == (1, "")
    assert errors == (
        "scripts/new_business: There is a business 'birch-lane-hair' already; choose another businessId.\n"
    )
    assert stored(run) == before


def test_a_dry_run_makes_nothing(run):
    """And tells what would be."""
    code, output, _ = run(*WISH, "--dry-run")
    assert (code, stored(run)) == (0, {})
    assert output.startswith("nothing was made: birch-lane-hair would be, of salon-en, with 1 agents,")


def test_what_is_left_is_told_of_any_business(run):
    """By what is stored; of one that is not there it is said so."""
    run(*WISH)
    code, output, _ = run("--checklist", "birch-lane-hair")
    assert code == 0 and "[x] Appointments are kept in a calendar" in output and "[ ] A call was tried" in output
    assert run("--checklist", "nobody")[::2] == (1, "scripts/new_business: there is no business 'nobody'\n")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--template", "saloon-en"), "did you mean salon-en"),
        (("--timezone", "America/Chicgo"), "America/Chicago"),
        (("--number", "312 555 0110"), "--number must be written as +15185550100"),
        (("--id", "a/b"), "--id must be letters, digits"),
    ],
)
def test_what_is_wrong_is_told_by_its_option(run, options, says):
    """In one line each, and nothing was made."""
    code, output, errors = run(*WISH, *options)
    assert (code, output, stored(run)) == (1, "", {})
    assert says in errors and "Traceback" not in errors


@pytest.mark.parametrize("arguments", [(), ("X",), ("X", "--templates"), ("--templates", "--checklist", "x")])
def test_what_is_asked_for_has_to_be_clear(run, arguments):
    """One sentence says how."""
    with pytest.raises(SystemExit) as ended:
        run(*arguments)
    assert ended.value.code == 2
