"""Which of our tools an assistant at Vapi has: its whole `model` goes back, compared before and looked at after.

Vapi replaces a `model` as a whole and has no versions of it, so that of two who change one
assistant in the same moment the first is overwritten. What should be there is ours to say and stands in the store:
whoever writes last looks again at both, so that all of them end at what the store says.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from switchboard.contract.definitions.voice_platform import VoicePlatform
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

log = logging.getLogger(__name__)

_ATTEMPTS = 8
_PAUSE_S = 0.1


@dataclass(frozen=True, slots=True)
class WantedIds:
    """Vapi's ids of our tools that an assistant should have, in order, and of those that it must not have."""

    present: tuple[str, ...] = ()
    absent: frozenset[str] = frozenset()


Wanted: TypeAlias = Callable[[], Awaitable[WantedIds]]
"""Reads from the store what should be there at this moment."""


async def settle(platform: VoicePlatform, assistant_id: str, tools_wanted: Wanted) -> bool:
    """Bring an assistant's tools in line; ids of tools that are not ours, and all else of its model, stay.

    Returns:
        False where there is no such assistant.

    Raises:
        ToolError: CONFLICT, a version of one of the tools is pinned there, or it has no model; TRANSIENT, others keep
            changing it; whatever Vapi refuses with.
    """
    seen: set[str] = set()
    for attempt in range(_ATTEMPTS):
        ids = await tools_wanted()
        seen |= {*ids.present}
        assistant = await platform.get_assistant(assistant_id)
        if assistant is None:
            return False
        # What was wanted a moment ago and is not any more: another of us may have taken it out, and we put it back.
        gone = ids.absent | (seen - {*ids.present})
        before = model_of(assistant)
        after = _changed(assistant_id, before, ids.present, gone)
        if after == before:
            return True
        again = await platform.get_assistant(assistant_id)
        if again is None or model_of(again) != before:
            continue
        try:
            await platform.replace_model(assistant_id, after)
        except ToolError as error:
            if error.type is ErrorType.NOT_FOUND:
                return False
            if error.meta.get("reason") != "write_conflict" and not error.partial_side_effects:
                raise
            # The next look tells what became of it.
            log.warning("an assistant's tools are set again", extra={"pii.detail": error.detail})
            await asyncio.sleep(_PAUSE_S * attempt)
    raise ToolError(
        ErrorType.TRANSIENT, "This assistant is being changed too quickly at Vapi right now; try again in a moment."
    )


def has_tool(assistant: Mapping[str, Any] | None, external_id: str) -> bool:
    """Tell whether an assistant has a tool, in any version."""
    model = model_of(assistant or {})
    return external_id in tool_ids(model) or external_id in _pinned(model)


def is_pinned(assistant: Mapping[str, Any], external_id: str) -> bool:
    """Tell whether an assistant has one version of a tool for good."""
    return external_id in _pinned(model_of(assistant))


def model_of(assistant: Mapping[str, Any]) -> JsonObject:
    """Return an assistant's model with all that is in it; empty where it has none."""
    model = assistant.get("model")
    return dict(model) if isinstance(model, Mapping) else {}


def tool_ids(model: Mapping[str, Any]) -> list[str]:
    """Return the ids of the tools that a model refers to in their newest version."""
    ids = model.get("toolIds")
    return [id for id in ids if isinstance(id, str)] if isinstance(ids, list) else []


def _changed(assistant_id: str, model: JsonObject, present: tuple[str, ...], gone: frozenset[str]) -> JsonObject:
    had, pinned = tool_ids(model), _pinned(model)
    if pinned & gone:
        raise version_pinned([{"sourceType": "assistant", "sourceId": assistant_id}])
    stay = [id for id in dict.fromkeys(had) if id not in gone]
    ids = [*stay, *(id for id in present if id not in stay and id not in pinned)]
    if ids == had:
        return model
    if not model:
        raise ToolError(
            ErrorType.CONFLICT, "This assistant has no model of its own at Vapi, which tools need; choose one there."
        )
    return model | {"toolIds": ids}


def version_pinned(sources: list[JsonObject]) -> ToolError:
    """Return the conflict of a tool of which something still uses one version, in the words of Vapi's own."""
    return ToolError(
        ErrorType.CONFLICT,
        "A version of this is pinned, so that the voice platform does not let it go; nothing was done. "
        "Unpin it there first.",
        meta={"reason": "version_pinned", "vendor": {"error": "version_pinned", "pinnedBy": sources}},
    )


def _pinned(model: Mapping[str, Any]) -> frozenset[str]:
    rows = model.get("toolRefs")
    return (
        frozenset(str(row.get("toolId")) for row in rows if isinstance(row, Mapping))
        if isinstance(rows, list)
        else frozenset()
    )
