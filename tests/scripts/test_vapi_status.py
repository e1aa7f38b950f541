"""The command scripts/vapi_status, as whoever runs a deployment uses it: look first, repair when told to."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from operations import comparing_vapi
from switchboard.app.clients import Clients
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.vapi.accounts import VapiAccounts
from tests.admin.conftest import house, memory  # noqa: F401 - fixtures
from tests.admin.owners_office import OWN
from tests.admin.tool_house import PUBLIC_URL, ToolHouse
from tests.desk.front_desk import WatchedStore

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(
    house: ToolHouse,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    """Runs the command over the house's store and stand-in; returns exit code, stdout and stderr."""
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1")
    monkeypatch.setenv("SWITCHBOARD_PUBLIC_URL", PUBLIC_URL)

    def outside(target: Any) -> Clients:
        found = Clients(target, house.store)
        http = HttpSession()
        own = {"http": http, "secrets": house.secrets, "voice_platforms": VapiAccounts(http, house.secrets, house.url)}
        found.__dict__.update(own)
        return found

    def run(*arguments: str) -> tuple[int, str, str]:
        # A thread of its own, where the command can run a loop of its own.
        with ThreadPoolExecutor() as threads:
            code = threads.submit(comparing_vapi.main, arguments, outside).result()
        out, err = capsys.readouterr()
        return code, out, err

    return run


async def test_what_is_not_in_line_is_shown_and_then_repaired(house: ToolHouse, run: Run):  # noqa: F811
    """Looking changes nothing; the exit code tells what was found."""
    tool = await house.make()
    await house.attach(tool)
    assert run(OWN) == (0, f"{OWN}: 1 tool for Vapi, all in line\n", "")
    del house.theirs[tool["externalToolId"]]
    code, out, _ = run(OWN)
    assert (code, out.splitlines()[0]) == (3, "  missing           Vapi does not have order_status.")
    assert house.theirs == {}
    code, out, _ = run(OWN, "--json")
    assert (code, json.loads(out)["findings"][0]["deviation"]) == (3, "missing")
    code, out, _ = run(OWN, "--repair")
    assert (code, len(house.theirs)) == (0, 1)
    assert out.splitlines()[0].startswith("  repaired  missing") and out.endswith("all in line\n")


async def test_what_stands_in_the_way_is_one_sentence(house: ToolHouse, run: Run):  # noqa: F811
    """A business that is not there, an account that is not connected, and one that refuses."""
    assert run("nobody") == (1, "", "scripts/vapi_status: There is no such business.\n")
    await house.set_up(isConnected=False)
    assert run(OWN) == (0, f"{OWN} has no account with Vapi\n", "")
    await house.set_up(isConnected=True)
    house.fault("401")
    code, out, err = run(OWN)
    assert (code, out) == (1, "") and "connected again" in err
    watched = WatchedStore(house.store)
    watched.fail("get")
    house.store = watched
    code, _, err = run(OWN)
    assert (code, err) == (1, "scripts/vapi_status: the store refused or did not answer: get hangs\n")
