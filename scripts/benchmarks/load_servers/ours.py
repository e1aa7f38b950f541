"""Our server to be loaded, a program of its own: look-ups and one action, for so many businesses; prints its port.

ours.py <businesses> <definitions> [<host:port of an emulator> <project>]
LOAD_UPSTREAM is the address of an MCP server whose tools `look_up` and `note` each business has connected.
"""

from __future__ import annotations

import os
import sys
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

SCRIPTS = Path(__file__).resolve().parents[2]
sys.path[:1] = [str(SCRIPTS), str(SCRIPTS.parent / "functions")]

from switchboard.app.container import Container
from switchboard.app.settings import read_configuration

if TYPE_CHECKING:
    from switchboard.catalog.offer.catalog import Catalog

KEY = "sb_load"
UPSTREAM = os.environ.get("LOAD_UPSTREAM", "")
_WRITES_AT_ONCE = 400


class PlantedHouse(Container):
    """The real house, over planted definitions."""

    def __init__(self, configuration: Any, definitions: int) -> None:
        super().__init__(configuration)
        self._wanted = definitions

    @cached_property
    def catalog(self) -> Catalog:
        """The planted tools."""
        from benchmarks.dispatch import look_up_later
        from benchmarks.planted import note
        from switchboard.catalog.definitions.definitions import Definitions
        from switchboard.catalog.definitions.registry import BuiltTool, Registry
        from switchboard.catalog.definitions.signature import read_signature
        from switchboard.catalog.offer.catalog import Catalog
        from switchboard.catalog.tenant_tools.sessions import SessionLocks
        from switchboard.contract.definitions.definition import read_definition

        built = {}
        for name, document in self._documents().items():
            handler = note if name == "note" else look_up_later
            signature, problems = read_signature(handler)
            assert not problems, problems
            path = f"{handler.__module__}:{handler.__name__}"
            built[name] = BuiltTool(read_definition(name, document), "", "", {}, signature, path)
        definitions = Definitions(self.store, self.paths, Registry("1.0.00000000", built), self.clock)
        sessions = SessionLocks(self.store, self.paths, definitions, self.clock)
        return Catalog(self.store, self.paths, definitions, sessions, self.clock, self.breakers.circuits_of)

    def _documents(self) -> dict[str, Any]:
        from benchmarks.planted import DOCUMENT, NOTE

        own = {f"tool_{number:04}": DOCUMENT for number in range(self._wanted)}
        # Behind a gateway the note is the upstream's; a tool of ours of that name would be called instead.
        return own if UPSTREAM else own | {"note": NOTE}

    async def furnish(self, businesses: int) -> None:
        """Write down definitions, businesses, and a key for each: `sb_load` and the business's number.

        A store that holds them already, since the server was killed and started again, is left as it is.
        """
        from switchboard.admin.credentials.api_keys import create_key
        from switchboard.contract.store import Set

        if (await self.store.get(self.paths.within(business_name(businesses - 1)).business)) is not None:
            return
        writes = [Set(self.paths.definition(name), document) for name, document in self._documents().items()]
        for number in range(businesses):
            path = self.paths.within(business_name(number)).business
            writes.append(Set(path, {"name": "Salon", "timezone": "Europe/Vienna"}))
            if UPSTREAM:
                writes += self._connected(business_name(number))
        for first in range(0, len(writes), _WRITES_AT_ONCE):
            await self.store.commit(writes[first : first + _WRITES_AT_ONCE])
        for number in range(businesses):
            await create_key(self.store, self.paths, business_name(number), "load", text=f"{KEY}_{number:06}")

    def _connected(self, business_id: str) -> list[Any]:
        """Return the writes by which a business has the tools of an MCP server, and an agent who uses them."""
        from benchmarks.planted import DOCUMENT, NOTE
        from switchboard.contract.store import Set

        within = self.paths.within(business_id)
        writes = [Set(within.document("agents", "echo"), {"name": "Echo", "isDefault": True})]
        for name, document, reads in (("look_up", DOCUMENT, True), ("note", NOTE, False)):
            config = {
                "type": "mcp_tool",
                "label": name,
                "name": name,
                "description": document["description"],
                "server": {"name": "load", "url": UPSTREAM},
                "tool": name,
                "inputSchema": document["parameters"],
                "annotations": {"readOnlyHint": reads},
            }
            tool = {"name": name, "label": name, "type": "mcp_tool", "configMetadata": config, "attachToAgent": True}
            writes.append(Set(within.document("tools", f"t_{name}"), tool | {"description": document["description"]}))
            attached = {"agentId": "echo", "toolId": f"t_{name}"}
            writes.append(Set(within.document("agentTools", f"echo~t_{name}"), attached))
        return writes


def business_name(number: int) -> str:
    """Return the id of a business."""
    return f"business-{number:06}"


async def serve(businesses: int, definitions: int, emulator: str = "", project: str = "") -> None:
    """Serve until the process is ended."""
    from running import listening
    from running.serving import Serving
    from switchboard.contract import policy

    environment = {"SWITCHBOARD_EMBEDDINGS": "none"}
    if UPSTREAM:
        environment |= {"SWITCHBOARD_EGRESS_STAND_INS": urlsplit(UPSTREAM).netloc}
    if emulator:
        environment |= {"FIRESTORE_EMULATOR_HOST": emulator, "GOOGLE_CLOUD_PROJECT": project}
    house = PlantedHouse(read_configuration(environment), definitions)
    usual = policy.STORE_READ_S, policy.STORE_WRITE_S, policy.STORE_FIRST_CALL_S
    # Furnishing need not hurry as a call does.
    policy.STORE_READ_S = policy.STORE_WRITE_S = policy.STORE_FIRST_CALL_S = 20.0
    await house.furnish(businesses)
    await house.catalog.definitions.current()
    policy.STORE_READ_S, policy.STORE_WRITE_S, policy.STORE_FIRST_CALL_S = usual
    with listening.listen(0, "no option") as listener:
        server = Serving(house.app, listener)
        await server.begin()
        print(listener.getsockname()[1], flush=True)
        await server.ended()


if __name__ == "__main__":
    import uvloop

    uvloop.run(serve(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]))
