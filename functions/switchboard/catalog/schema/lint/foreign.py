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

_OF_ANYBODY = frozenset({"name", "description", "parameters", "strict", "response", "responseJsonSchema", "behavior"})
"""What a function says at OpenAI and Gemini, and nothing that only a definition of ours says."""
_NO_VENDORS = frozenset({"function", "custom", "object", "array", "string", "number", "integer", "boolean", "null"})
"""What stands as `type` in a function that somebody has written, or in a schema."""
_BY_ITS_KEY = frozenset(
    {"googleSearch", "googleSearchRetrieval", "codeExecution", "urlContext", "googleMaps", "fileSearch", "computerUse"}
    | {"google_search", "google_search_retrieval", "code_execution", "url_context", "google_maps", "file_search"}
    | {"computer_use", "enterpriseWebSearch", "enterprise_web_search"}
)
"""Gemini's own tools, each of which stands in a request under its name."""
_CARRIED_OUT_BY_APPS = re.compile(
    r"(?:bash|text_editor|computer|memory|local_shell|shell|apply_patch|computerUse)(?![a-z])"
)

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
    if isinstance(document.get("name"), str) and document.keys() <= _OF_ANYBODY:
        # Ours say at least of what kind they are.
        return True
    schema = document.get("parameters")
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    # Gemini's own writing of types.
    return isinstance(kind, str) and kind.isupper()


def vendor_tool(document: Any) -> LintFinding | None:
    """Return the note on a tool that is a vendor's own, such as a web search; None where it is none.

    A request names it (Anthropic's and OpenAI's by their `type`, Gemini's by a key) and says no more than its settings.
    """
    if not isinstance(document, Mapping) or "function" in document or any(name in document for name in PARAMETERS):
        return None
    kind = document.get("type")
    if len(document) == 1 and next(iter(document)) in _BY_ITS_KEY:
        kind = next(iter(document))
    elif not isinstance(kind, str) or "kind" in document or kind.lower() in _NO_VENDORS:
        return None
    name = document.get("name")
    by_whom = "whoever calls the model carries it out" if _CARRIED_OUT_BY_APPS.match(kind) else "the vendor runs it"
    text = f"{kind[:80]!r} is a tool of the vendor's own: {by_whom}, and there is nothing here to look at"
    return LintFinding("vendor-tool", LintSeverity.HINT, name if isinstance(name, str) and name else kind, "type", text)


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
