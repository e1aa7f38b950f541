"""Whether the tools have to be built again: by what people change, not by what an interpreter leaves behind."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from operations import built_tools

LONG_AGO, LATER = 1_700_000_000, 1_800_000_000
Change = Callable[[Path], object]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two tools, a prompt and a template, built an hour after the last of them was written."""
    files = {
        "tools/__init__.py": "",
        **{
            f"tools/{tool}/{file}": ""
            for tool in ("greet", "order")
            for file in ("schema.json", "guide.md", "handler.py")
        },
        "prompts/system.md": "",
        "templates/salon/business.json": "{}",
        "templates/salon/services.json": "[]",
    }
    handlers = [{"handlerPath": f"switchboard.tools.{tool}.handler:execute"} for tool in ("greet", "order")]
    files |= {"registry.json": json.dumps({"tools": handlers}), "templates.json": "{}"}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for path in tmp_path.rglob("*"):
        os.utime(path, (LONG_AGO, LONG_AGO))
    os.utime(tmp_path / "registry.json", (LONG_AGO + 3600, LONG_AGO + 3600))
    places = {"TOOLS": "tools", "PROMPTS": "prompts", "TEMPLATES": "templates"}
    places |= {"ARTIFACT": "registry.json", "JOINED_TEMPLATES": "templates.json"}
    for constant, name in places.items():
        monkeypatch.setattr(built_tools, constant, tmp_path / name)
    return tmp_path


def compiled(checkout: Path) -> None:
    """Leave bytecode beside what was compiled, as any process may that nobody told not to."""
    for folder in (checkout / "tools", checkout / "tools/greet"):
        (folder / "__pycache__").mkdir()
        (folder / "__pycache__" / "handler.cpython-311.pyc").write_text("")


def copied_with_its_times(checkout: Path) -> None:
    """Add a tool whose files are older than what was built."""
    shutil.copytree(checkout / "tools/greet", checkout / "tools/part")


def edited(name: str) -> Change:
    """Return a change of one file."""
    return lambda checkout: os.utime(checkout / name, (LATER, LATER))


@pytest.mark.requirement("001-86")
@pytest.mark.parametrize("leave", [lambda checkout: None, compiled], ids=["nothing", "bytecode"])
def test_what_nobody_changed_is_not_built_again(checkout: Path, leave: Change) -> None:
    leave(checkout)
    assert not built_tools.are_stale()


@pytest.mark.requirement("001-86")
@pytest.mark.parametrize(
    "change",
    [
        edited("tools/greet/guide.md"),
        copied_with_its_times,
        lambda checkout: shutil.rmtree(checkout / "tools/order"),
        edited("prompts/system.md"),
        lambda checkout: (checkout / "prompts/system.md").unlink(),
        edited("templates/salon/services.json"),
        lambda checkout: (checkout / "templates/salon/services.json").unlink(),
        lambda checkout: (checkout / "registry.json").unlink(),
    ],
    ids=[
        "guide",
        "tool-added",
        "tool-removed",
        "prompt",
        "prompt-removed",
        "template",
        "template-removed",
        "never-built",
    ],
)
def test_what_somebody_changed_is_built_again(checkout: Path, change: Change) -> None:
    compiled(checkout)
    change(checkout)
    assert built_tools.are_stale()
