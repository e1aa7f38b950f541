"""One module per model dialect: declare (definition → vendor), parse (vendor → call), render (response → vendor)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from switchboard.contract.call import ToolCall
from switchboard.contract.definition import Definition
from switchboard.contract.json import JsonObject
from switchboard.contract.response import ToolResponse
from switchboard.formats import gemini, openai


@dataclass(frozen=True, slots=True)
class Format:
    """The functions of one dialect.

    Attributes:
        declare: One definition in the vendor's words.
        declare_all: Declarations as they stand under `tools` in a request.
        lowerings: What `declare` could not say.
        parse: One call of the vendor's, as ours.
        render: Our answer to a call id and name, as the vendor's.
    """

    declare: Callable[[Definition], JsonObject]
    declare_all: Callable[[Sequence[JsonObject]], list[JsonObject]]
    lowerings: Callable[[Definition], tuple[str, ...]]
    parse: Callable[[Any], ToolCall]
    render: Callable[[str, str, ToolResponse], JsonObject]


FORMATS: dict[str, Format] = {
    "openai": Format(openai.declare, openai.declare_all, openai.lowerings, openai.parse, openai.render),
    "gemini": Format(gemini.declare, gemini.declare_all, gemini.lowerings, gemini.parse, gemini.render),
    "gemini_json": Format(gemini.declare_json, gemini.declare_all, gemini.lowerings_json, gemini.parse, gemini.render),
}
"""The dialects by the name under which `GET /tools/definitions?format=` knows them (design §6)."""
