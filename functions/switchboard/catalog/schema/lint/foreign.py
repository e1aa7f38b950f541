"""Tools as others write them: what is right there, and written otherwise here, is told and no error."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from switchboard.catalog.schema.lint.rules import LintFinding, LintSeverity
from switchboard.contract.business.names import slug
from switchboard.contract.definitions.definition import TOOL_NAME
from switchboard.contract.json import JsonObject

PARAMETERS = ("parameters", "inputSchema", "input_schema", "parametersJsonSchema")
"""Where the schema of what may be passed stands: here and at OpenAI, at MCP, at Anthropic, at Gemini."""

_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LONGEST = 40


def is_of_another_vendor(document: Any) -> bool:
    """Tell whether a document is a tool in the form of OpenAI, Anthropic, Gemini or MCP, and not one of ours."""
    if not isinstance(document, Mapping):
        return False
    if isinstance(document.get("function"), Mapping) or document.get("type") == "function":
        return True
    if any(name in document for name in PARAMETERS[1:]):
        return True
    schema = document.get("parameters")
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    # Gemini's own writing of types.
    return isinstance(kind, str) and kind.isupper()


def adopted(name: str, fields: JsonObject) -> Iterator[LintFinding]:
    """Let a foreign tool's fields be such as are read here, and yield a warning for each that was not.

    Args:
        name: As it is called there.
        fields: The fields; changed in place.
    """
    if not TOOL_NAME.fullmatch(name):
        fields["name"] = _own_name(name)
        text = f"{name[:80]!r} would be called {fields['name']} here: names are small letters, digits and _"
        yield LintFinding("foreign-name", LintSeverity.WARNING, name, "name", text)
    description = fields.get("description")
    if not isinstance(description, str) or not description.strip():
        title = fields.get("title")
        fields["description"] = title if isinstance(title, str) and title.strip() else name or "A tool."
        text = "is missing; say what the tool does and when it is to be called, or a model goes by the name alone"
        yield LintFinding("no-description", LintSeverity.WARNING, name, "description", text)


def _own_name(name: str) -> str:
    words = slug(_CAPITAL.sub("_", name), "_")[:_LONGEST].strip("_")
    return words if TOOL_NAME.fullmatch(words) else f"tool_{words}"[:_LONGEST].strip("_")
