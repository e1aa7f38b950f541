"""From the names that a model was told back to the house's own."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from switchboard.contract.call import ToolCall
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.json import JsonObject
from switchboard.formats.schema.memo import once_per_schema
from switchboard.formats.schema.spelling import SpellingRule, argument_names, respelled, told_names


def as_told(definition: Definition, call: ToolCall) -> ToolCall:
    """Return a call as it is: for dialects that tell arguments as they are."""
    return call


def restorer(rule: SpellingRule) -> Callable[[Definition, ToolCall], ToolCall]:
    """Return what gives a call's arguments their own names again, in a dialect that has a rule for them."""

    @once_per_schema
    def meant_names(parameters: JsonObject) -> dict[str, str]:
        return {told: meant for meant, told in told_names(argument_names(parameters), rule).items()}

    def restore(definition: Definition, call: ToolCall) -> ToolCall:
        names = meant_names(definition.parameters)
        if not names:
            return call
        return rewritten(call, lambda arguments: respelled(arguments, names), only_with=list(names))

    return restore


def rewritten(call: ToolCall, rewrite: Callable[[JsonObject], JsonObject], only_with: Sequence[str]) -> ToolCall:
    """Return a call with its arguments rewritten; text is only read where it holds one of the words.

    What cannot be read stays as it is, for whoever validates it to refuse.
    """
    arguments = call.arguments
    if isinstance(arguments, str):
        if not any(word in arguments for word in only_with):
            return call
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return call
    return replace(call, arguments=rewrite(arguments)) if isinstance(arguments, dict) else call
