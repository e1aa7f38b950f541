"""What commands say of a Firestore that does not do what it is asked."""

from typing import Any

import pytest

from operations import backing_up, explaining, forgetting, granting, linting_tools
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Unavailable
from switchboard.state.memory.store import MemoryStore

NOBODY = (
    "DefaultCredentialsError: Your default credentials were not found. To set up ..., see https://cloud.google.com/."
)
COMMANDS = {
    "backup": (backing_up, ["export", "salon.jsonl"]),
    "forget": (forgetting, ["caller", "demo-salon", "+15185550161"]),
    "explain": (explaining, ["demo-salon", "s1"]),
    "lint_tools": (linting_tools, ["--business", "demo-salon"]),
}


class Failing(MemoryStore):
    """A store that cannot be asked anything."""

    why = NOBODY

    async def get(self, path: str) -> Any:
        raise Unavailable(self.why)

    async def query(self, query: Any) -> Any:
        raise Unavailable(self.why)


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run a command over a store that fails."""
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "my-project")
    monkeypatch.delenv("FIRESTORE_EMULATOR_HOST", raising=False)
    monkeypatch.chdir(tmp_path)
    for module in (backing_up, forgetting):
        monkeypatch.setattr(module, "RetryingStore", lambda store: store)

    def run(name: str, why: str) -> str:
        module, arguments = COMMANDS[name]
        store = Failing()
        store.why = why
        assert module.main(arguments, lambda target: store) == 1
        return capsys.readouterr().err

    return run


@pytest.mark.parametrize("name", COMMANDS)
def test_somebody_who_is_not_signed_in_is_told_how_to_sign_in(run, name):
    """Trying again, or reading a page, is no advice."""
    said = run(name, NOBODY).splitlines()[-1]
    assert said == (
        f"scripts/{name}: there are no Google credentials here; run `gcloud auth application-default login`, or point "
        "GOOGLE_APPLICATION_CREDENTIALS at a key file"
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_a_store_that_hangs_is_told_as_that(run, name):
    assert "the store refused or did not answer: hangs" in run(name, "hangs")


def test_roles_cannot_be_listed_without_signing_in(monkeypatch, capsys):
    """Identity Platform asks for the same credentials."""
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "my-project")

    async def unusable(*_: Any) -> None:
        raise ToolError(ErrorType.PERMANENT, "It is not set up.", detail="this deployment has no Google credentials")

    monkeypatch.setattr(granting, "_list", unusable)
    assert granting.main(["--list"]) == 1
    assert "gcloud auth application-default login" in capsys.readouterr().err
