"""The registry is one file, read once; handlers are imported when they are first called."""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from switchboard.catalog.definitions.builder import artifact, build
from switchboard.catalog.definitions.registry import Registry, RegistryError
from tests.catalog.planted import plant


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """The artifact of two planted tools."""
    plant(tmp_path / "tools", "find_slot")
    plant(tmp_path / "tools", "book_slot")
    built = build(tmp_path / "tools", lambda _: True, lambda _: True)
    assert built.errors == ()
    path = tmp_path / "tool_registry.json"
    path.write_text(json.dumps(artifact(built, "abc", datetime(2026, 1, 2, 3, tzinfo=UTC), {"system": "Be kind."})))
    return path


@pytest.mark.requirement("003-02", "003-22", "000-31")
def test_what_was_built_is_what_is_loaded(written: Path, tmp_path: Path):
    """One read gives definitions, words, schemas and signatures."""
    registry = Registry.load(written)
    built = build(tmp_path / "tools", lambda _: True, lambda _: True)
    assert registry.tools == {tool.name: tool for tool in built.tools}
    assert list(registry.tools) == ["book_slot", "find_slot"]
    assert (registry.version, registry.git_commit, registry.built_at) == (built.version, "abc", "2026-01-02T03:00:00Z")


def test_a_missing_artifact_is_one_sentence_with_the_remedy(tmp_path: Path):
    """Design §11: what is missing stops the start with one sentence."""
    with pytest.raises(RegistryError, match=r"^tool_registry\.json is missing: run scripts/build_tools to make it\.$"):
        Registry.load(tmp_path / "tool_registry.json")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"tools": []}', '{"tools": [{}], "version": "1"}', '{"tools": 3}'])
def test_a_broken_artifact_is_one_sentence_with_the_remedy(tmp_path: Path, text: str):
    """An artifact of another version, or half of one, says what to do."""
    path = tmp_path / "tool_registry.json"
    path.write_text(text)
    with pytest.raises(RegistryError, match="run scripts/build_tools"):
        Registry.load(path)


@pytest.mark.requirement("003-92", "000-31")
def test_a_handler_is_imported_when_it_is_first_asked_for(written: Path, tmp_path: Path, monkeypatch: Any):
    """Loading imports nothing; asking twice gives the same function."""
    package = tmp_path / "planted_handlers"
    package.mkdir()
    (package / "late.py").write_text("async def execute(ctx, desk):\n    return None\n")
    monkeypatch.syspath_prepend(tmp_path)
    text = written.read_text().replace("switchboard.tools.find_slot.handler", "planted_handlers.late")
    written.write_text(text)
    registry = Registry.load(written)
    assert "planted_handlers.late" not in sys.modules
    handler = registry.handler("find_slot")
    assert handler is sys.modules["planted_handlers.late"].execute
    assert registry.handler("find_slot") is handler
    with pytest.raises(KeyError):
        registry.handler("find_slots")
