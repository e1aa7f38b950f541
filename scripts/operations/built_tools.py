"""The built tools, as other commands need them: what scripts/build_tools does, in this process and without a word."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

import setting_up
from command_line import Problem

BUILDER = setting_up.ROOT / "scripts" / "build_tools"
TOOLS = setting_up.ROOT / "functions" / "switchboard" / "tools"
PROMPTS = setting_up.ROOT / "seeds" / "prompts"
TEMPLATES = setting_up.ROOT / "seeds" / "templates"
ARTIFACT = setting_up.ROOT / "functions" / "tool_registry.json"
JOINED_TEMPLATES = setting_up.ROOT / "functions" / "business_templates.json"


def build() -> None:
    """Build the tools.

    Raises:
        Problem: They cannot be built; carries what the builder says.
    """
    spec = spec_from_loader("build_tools", SourceFileLoader("build_tools", str(BUILDER)))
    assert spec and spec.loader
    builder = module_from_spec(spec)
    spec.loader.exec_module(builder)
    output = io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(output):
        code = builder.main(setting_up.ROOT, [])
    if code != 0:
        raise Problem(f"the tools cannot be built:\n{output.getvalue().strip()}")


def are_stale() -> bool:
    """Tell whether a tool's folder, a prompt or a template changed since they were built, or they never were."""
    if not (ARTIFACT.exists() and JOINED_TEMPLATES.exists()):
        return True
    built_at = ARTIFACT.stat().st_mtime_ns
    # Folders as well: their time tells of files that were added and removed.
    told_by_time = [PROMPTS, *PROMPTS.glob("*.md"), TEMPLATES, *TEMPLATES.rglob("*")]
    # Not those of tools: theirs changes too when any process keeps beside a handler what it compiled.
    told_by_time += [path for path in TOOLS.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    if any(path.stat().st_mtime_ns > built_at for path in told_by_time):
        return True
    built = json.loads(ARTIFACT.read_text(encoding="utf-8"))["tools"]
    handlers = {f"switchboard.tools.{path.parent.name}.handler" for path in TOOLS.glob("*/handler.py")}
    return {tool["handlerPath"].partition(":")[0] for tool in built} != handlers
