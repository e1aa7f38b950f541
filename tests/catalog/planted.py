"""Tool folders to build: a sound one, and how to break it."""

import json
from pathlib import Path
from typing import Any

HANDLER = '''
from switchboard.contract.response import Result


async def execute(ctx, desk, *, service: str, minutes: int = 30) -> Result:
    """Return a slot."""
    return Result({"free": True})
'''
GUIDE = """# {name}

Finds a slot for a service.

## Examples

**Any haircut today?**

```json
{{"service": "Haircut", "minutes": 45}}
```
"""
SCHEMA: dict[str, Any] = {
    "category": "calendar",
    "kind": "retrieval",
    "channels": ["phone", "portal"],
    "requires": ["integration:calendar"],
    "description": "Find a slot at {{business.name}}.",
    "parameters": {
        "type": "object",
        "properties": {
            "service": {"type": "string", "minLength": 1, "description": "What for."},
            "minutes": {"type": "integer", "minimum": 15, "default": 30, "description": "How long."},
        },
        "required": ["service"],
        "additionalProperties": False,
    },
    "returns": {"type": "object", "properties": {"free": {"type": "boolean"}}},
    "say": {"en": {"running": "One moment."}},
}


def schema(**changes: Any) -> dict[str, Any]:
    """Return the sound schema with fields replaced; None removes one."""
    return {key: value for key, value in (SCHEMA | changes).items() if value is not None}


def properties(**changes: Any) -> dict[str, Any]:
    """Return the sound parameters with properties replaced or added."""
    parameters = SCHEMA["parameters"]
    return parameters | {"properties": parameters["properties"] | changes}


def plant(
    tools: Path,
    name: str,
    *,
    document: Any = None,
    guide: str | bytes | None = GUIDE,
    handler: str | None = HANDLER,
    newline: str = "\n",
) -> Path:
    """Write a tool's folder and return it; a file whose text is None, or a document that is False, is left out."""
    folder = tools / name
    folder.mkdir(parents=True)
    is_text = isinstance(document, str | bool)
    text = document if is_text else json.dumps({"name": name} | (document or SCHEMA), indent=2)
    for file, content in (("schema.json", text), ("guide.md", guide), ("handler.py", handler)):
        if isinstance(content, bytes):
            (folder / file).write_bytes(content)
        elif isinstance(content, str):
            content = content.format(name=name) if file == "guide.md" and content is GUIDE else content
            (folder / file).write_text(content, encoding="utf-8", newline=newline)
    return folder
