"""One server for all pages, as their readers start it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import setting_up
from tests.scripts.test_run import Runs, Started

USUAL_URL = "http://127.0.0.1:8080"
KEYS = {
    "SWITCHBOARD_DEMO_KEY": "sb_demo",
    "SWITCHBOARD_DEMO_OWNER_TOKEN": "sb_owner",
    "SWITCHBOARD_DEMO_TWILIO_TOKEN": "demo",
}


@pytest.fixture(scope="package")
def served() -> Iterator[Started]:
    """A server with the demo businesses in memory, and the keys that README names."""
    setting_up.ensure(Path("requirements.txt"))
    started = Runs()
    yield started.start("--store", "memory", "--port", "0", "--no-admin", "--stand-in-port", "0", **KEYS)
    started.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder in which a page's commands find the house's scripts, and write only beside them."""
    for name in ("scripts", "functions", "seeds", "admin_ui", "tests", "pyproject.toml", ".venv"):
        (tmp_path / name).symlink_to(setting_up.ROOT / name)
    return tmp_path
