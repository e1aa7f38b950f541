"""Reads what actions can be configured with; kept for a while, since it changes with new versions alone."""

from dataclasses import dataclass
from typing import Any

from cachetools import TTLCache

from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock
from switchboard.integrations.pipedream.component import Prop, read_props
from switchboard.integrations.pipedream.failures import failure
from switchboard.integrations.pipedream.transport import PipedreamTransport

KEPT_S = 3_600.0
_COMPONENTS = 1_000


@dataclass(frozen=True, slots=True)
class Reloaded:
    """The fields of an action once some of its values are known.

    Attributes:
        props: All of them.
        id: Under which Pipedream knows them; it goes with the run.
    """

    props: tuple[Prop, ...]
    id: str


class Components:
    """The fields of actions."""

    def __init__(self, transport: PipedreamTransport, clock: Clock) -> None:
        """Ask by `transport`; `clock` ages what was read."""
        self._transport = transport
        self._kept: TTLCache[tuple[str, str], tuple[Prop, ...]] = TTLCache(_COMPONENTS, KEPT_S, timer=clock.monotonic)

    async def props(self, key: str, version: str) -> tuple[Prop, ...]:
        """Return the fields of an action; `version` may be empty for its latest.

        Raises:
            ToolError: PERMANENT, there is no such action; otherwise as for every request.
        """
        kept = self._kept.get((key, version))
        if kept is None:
            found = (await self._transport.read("actions", key, query={"version": version})).get("data")
            kept = read_props(found.get("configurable_props") if isinstance(found, dict) else None)
            if not kept:
                raise failure(ErrorType.TRANSIENT, f"the component {key} comes without fields")
            self._kept[key, version] = kept
        return kept

    async def reloaded(self, body: JsonObject, props: tuple[Prop, ...]) -> Reloaded:
        """Return the fields that there are with these values; they depend on the account too, and are not kept.

        Raises:
            ToolError: As for every request; VALIDATION where the values lead to no fields.
        """
        answer = await self._transport.read("actions", "props", body=body)
        found: Any = answer.get("dynamic_props") or answer.get("dynamicProps")
        if not isinstance(found, dict) or not found.get("id"):
            raise failure(ErrorType.VALIDATION, "no dynamic props")
        more = found.get("configurable_props") or found.get("configurableProps")
        new = {prop.name: prop for prop in (*props, *read_props(more))}
        return Reloaded(tuple(new.values()), str(found["id"]))
