"""Reads what actions can be configured with; kept for a while, since it changes with new versions alone."""

from typing import Any

from cachetools import TTLCache

from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock
from switchboard.contract.python.dataclass import dataclass
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
        props = self._kept.get((key, version))
        if props is None:
            action = (await self._transport.read("actions", key, query={"version": version})).get("data")
            props = read_props(action.get("configurable_props") if isinstance(action, dict) else None)
            if not props:
                raise failure(ErrorType.TRANSIENT, f"the component {key} comes without fields")
            self._kept[key, version] = props
        return props

    async def reloaded(self, body: JsonObject, props: tuple[Prop, ...]) -> Reloaded:
        """Return the fields that there are with these values; they depend on the account too, and are not kept.

        Raises:
            ToolError: As for every request; VALIDATION where the values lead to no fields.
        """
        answer = await self._transport.read("actions", "props", body=body)
        reloaded_props: Any = answer.get("dynamic_props") or answer.get("dynamicProps")
        if not isinstance(reloaded_props, dict) or not reloaded_props.get("id"):
            raise failure(ErrorType.VALIDATION, "no dynamic props")
        more = reloaded_props.get("configurable_props") or reloaded_props.get("configurableProps")
        new = {prop.name: prop for prop in (*props, *read_props(more))}
        return Reloaded(tuple(new.values()), str(reloaded_props["id"]))
