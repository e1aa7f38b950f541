"""One module per model dialect: declare (definition → vendor), parse (vendor → call), render (response → vendor)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from switchboard.contract.call import ToolCall
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.response import ToolResponse
from switchboard.formats import anthropic, gemini, gemini_live, livekit, mcp, openai, realtime, responses, tool_call
from switchboard.formats.schema.spelling import SpellingRule, as_told, spelled
from switchboard.formats.vapi import tools


@dataclass(frozen=True, slots=True)
class Format:
    """The functions of one dialect.

    Attributes:
        declare: One definition in the vendor's words; its schema is prepared once and not to be changed.
        declare_all: Declarations as they stand under `tools` in a request.
        lowerings: What `declare` could not say, one sentence each; a linter shows them.
        parse: One call of the vendor's, as ours; tool and arguments are still called as the model was told.
        render: Our answer to a call id and name, as the vendor's.
        restore: A parsed call with the arguments that the definition speaks of.
        told_name: A tool's name as the vendor is told it.
    """

    declare: Callable[[Definition], JsonObject]
    declare_all: Callable[[Sequence[JsonObject]], list[JsonObject]]
    lowerings: Callable[[Definition], tuple[str, ...]]
    parse: Callable[[Any], ToolCall]
    render: Callable[[str, str, ToolResponse], JsonObject]
    restore: Callable[[Definition, ToolCall], ToolCall] = as_told
    told_name: Callable[[str], str] = str

    def read(self, vendor: Any, offered: Mapping[str, Definition]) -> ToolCall:
        """Read one call of the vendor's in the house's own names.

        Args:
            vendor: As `parse` takes it.
            offered: The definitions that were declared, by name; a call of any other tool stays as it is.

        Raises:
            Refused: It cannot be read.
        """
        call = self.parse(vendor)
        definition = offered.get(call.name)
        if definition is None:
            definition = next((d for d in offered.values() if self.told_name(d.name) == call.name), None)
        if definition is None:
            return call
        return replace(self.restore(definition, call), name=definition.name)


def _spelled_by(rule: SpellingRule) -> Callable[[str], str]:
    return lambda name: spelled(name, rule)


_OPENAI = Format(
    openai.declare,
    openai.declare_all,
    openai.lowerings,
    openai.parse,
    openai.render,
    told_name=_spelled_by(openai.TOOL_NAMES),
)
_RESPONSES = replace(_OPENAI, declare=responses.declare, parse=responses.parse, render=responses.render)
_GEMINI = Format(
    gemini.declare,
    gemini.declare_all,
    gemini.lowerings,
    gemini.parse,
    gemini.render,
    gemini.restore,
    _spelled_by(gemini.TOOL_NAMES),
)

FORMATS: dict[str, Format] = {
    "openai": _OPENAI,
    "openai_strict": replace(
        _OPENAI,
        declare=openai.declare_strict,
        lowerings=openai.lowerings_strict,
        restore=openai.restore_strict,
    ),
    "openai_responses": _RESPONSES,
    "openai_responses_strict": replace(
        _RESPONSES,
        declare=responses.declare_strict,
        lowerings=openai.lowerings_strict,
        restore=openai.restore_strict,
    ),
    "openai_realtime": replace(_OPENAI, declare=realtime.declare, parse=realtime.parse, render=realtime.render),
    "gemini": _GEMINI,
    "gemini_json": replace(_GEMINI, declare=gemini.declare_json, lowerings=gemini.lowerings_json),
    "gemini_live": replace(_GEMINI, declare=gemini_live.declare, parse=gemini_live.parse, render=gemini_live.render),
    "anthropic": Format(
        anthropic.declare,
        anthropic.declare_all,
        anthropic.lowerings,
        anthropic.parse,
        anthropic.render,
        anthropic.restore,
        _spelled_by(anthropic.TOOL_NAMES),
    ),
    "vapi": Format(
        tools.declare,
        tools.declare_all,
        tools.lowerings,
        tools.parse,
        tools.render,
        tools.restore,
        _spelled_by(openai.TOOL_NAMES),
    ),
    "livekit": Format(
        livekit.declare,
        livekit.declare_all,
        livekit.lowerings,
        livekit.parse,
        livekit.render,
        livekit.restore,
        _spelled_by(openai.TOOL_NAMES),
    ),
    "mcp": Format(
        mcp.declare, mcp.declare_all, mcp.lowerings, mcp.parse, mcp.render, told_name=_spelled_by(mcp.TOOL_NAMES)
    ),
    "tool_call": Format(
        tool_call.declare, tool_call.declare_all, tool_call.lowerings, tool_call.parse, tool_call.render
    ),
}
"""The dialects by the name under which `GET /tools/definitions?format=` knows them."""
