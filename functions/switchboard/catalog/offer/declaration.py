"""A tool as the house's own conversations declare it: without what their prompt says, and what only a check needs.

Every request carries every declaration. Vendors whose prompt is not ours are declared everything (`Offer.declared`).
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from switchboard.catalog.definitions.interpolation import interpolate
from switchboard.catalog.definitions.tool import Tool
from switchboard.contract.business.business import Business
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.json import JsonObject
from switchboard.formats.schema.memo import once_per_schema

USUAL_TOPICS: Final = (
    "Usual topics: cancellation, reschedule, late arrival, deposits, refunds, pricing, hours, location, parking."
)
DONE: Final = "Something is booked, sent or otherwise done only if a result says so, such as booked: true."
"""Said once for all tools, where their declarations do not say it each."""
# Whole sentences only: a rule that an owner has written around a variable is a rule.
_IN_THE_PROMPT = re.compile(
    r"(?:^| )(?:"
    r"Services: \{\{ ?business\.services ?\}\}\."
    r"|Times are local time in \{\{ ?business\.timezone ?\}\}\."
    rf"|{re.escape(USUAL_TOPICS)}"
    r"|Do not promise when \w{1,20} will call back\."
    r"|(?:It is|They are) \w{1,20} only if the result says \w{1,20}: true\."
    r")(?= |$)"
)
_WHERE = re.compile(r" (?:at|from) \{\{ ?business\.name ?\}\}(?=[ .,:;])")
_NAME = re.compile(r"\{\{ ?business\.name ?\}\}")
# Whoever fills an argument writes more than the one and less than the other without being told.
_AT_LEAST, _NO_LONGER_THAN = 3, 40


def told_briefly(tool: Tool, told: Definition, business: Business | None) -> Definition:
    """Return what a conversation of the house declares of a tool; what is left out is checked, or stands in the prompt.

    Args:
        tool: The tool.
        told: Its definition in the words of this business.
        business: None when it could not be read: then its prompt says nothing of it.
    """
    words = told.description
    if tool.built is not None and business is not None:
        whole = tool.declared.description
        brief = _NAME.sub("the business", _WHERE.sub("", _IN_THE_PROMPT.sub("", whole).strip()))
        # Words that are not those of the definition alone are left as they are.
        if brief != whole and interpolate(whole, business) == words:
            words = interpolate(brief, business)
    return replace(told, description=words or told.description, parameters=unchecked(told.parameters))


@once_per_schema
def unchecked(parameters: JsonObject) -> JsonObject:
    """Return a schema without the limits that no sensible argument comes near, and without what it says of strangers.

    Every call is checked against the whole; what a model can heed stays, such as bounds of numbers, words and formats.
    """
    return _without_limits(parameters)


def _without_limits(schema: Mapping[str, Any]) -> JsonObject:
    kept = {keyword: inner for keyword, inner in schema.items() if not _is_only_checked(keyword, inner, schema)}
    # Further in, as under `not` or in one of several branches, a limit may be what tells values apart.
    if isinstance(kept.get("properties"), Mapping):
        kept["properties"] = {name: _inner(child) for name, child in kept["properties"].items()}
    if "items" in kept:
        kept["items"] = _inner(kept["items"])
    return kept


def _inner(schema: Any) -> Any:
    return _without_limits(schema) if isinstance(schema, Mapping) else schema


def _is_only_checked(keyword: str, value: Any, schema: Mapping[str, Any]) -> bool:
    if keyword == "additionalProperties":
        return value is False and "properties" in schema and "patternProperties" not in schema
    if keyword == "maxLength":
        return isinstance(value, int) and value >= _NO_LONGER_THAN
    return keyword == "minLength" and isinstance(value, int) and value <= _AT_LEAST
