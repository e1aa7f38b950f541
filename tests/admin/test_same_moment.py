"""Two owners who change one thing in the same moment, before two servers: every change that has a revision."""

import asyncio
from collections.abc import Sequence

import httpx2 as httpx
import pytest

from switchboard.contract.store import Write, WriteResult
from switchboard.state.memory.store import MemoryStore
from tests.admin.owners_office import OWN
from tests.admin.test_every_write import WRITES, Making, Ready, on_record
from tests.admin.whole_house import SMS, Owner, opened, opened_beside

SECRETS, TOOLS = f"/api/{OWN}/secrets", f"/api/{OWN}/tools"


def a_secret(body: object, kept: object) -> Making:
    """Return what enters a secret, or with None removes it, after another value of it was entered."""

    async def ready(owner: Owner) -> Ready:
        if kept is not None:
            assert (await owner.send("PUT", f"{SECRETS}/orders_key", kept)).status_code == 200
        rows = (await owner.done("GET", SECRETS))["secrets"]
        return Ready(f"{SECRETS}/orders_key", body, "secret", "orders_key", rows[0]["revision"] if rows else "none")

    return ready


def a_tool(body: object) -> Making:
    """Return what changes a tool, or with None deletes it."""

    async def ready(owner: Owner) -> Ready:
        made = (await owner.done("POST", TOOLS, SMS))["tool"]
        return Ready(f"{TOOLS}/{made['id']}", body, "tool", made["id"], await owner.revision(f"{TOOLS}/{made['id']}"))

    return ready


BELOW_API: dict[tuple[str, str], Making] = {
    ("PUT", "/api/{business_id}/secrets/{name}"): a_secret({"value": "s3cret-of-today"}, {"value": "s3cret-of-old"}),
    ("DELETE", "/api/{business_id}/secrets/{name}"): a_secret(None, {"value": "s3cret-of-old"}),
    ("PATCH", "/api/{business_id}/tools/{tool_id}"): a_tool({"text": "Come to 50 Maple Street."}),
    ("PUT", "/api/{business_id}/tools/{tool_id}"): a_tool({**SMS, "text": "Come to 50 Maple Street."}),
    ("DELETE", "/api/{business_id}/tools/{tool_id}"): a_tool(None),
}
"""What stands below `/api` and changes what it is based on; what attaches a tool leaves the tool as it is."""
CHANGES = {**WRITES, **BELOW_API}


class Crossing(MemoryStore):
    """A store before which two meet who write in the same moment: both have read before either is written."""

    def __init__(self) -> None:
        super().__init__()
        self.is_met, self._here = asyncio.Event(), -2

    def meet(self) -> None:
        """Let whoever writes next wait for another one."""
        self._here = 0

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        """Write, once another one wants to."""
        if self._here >= 0:
            self._here += 1
            if self._here == 2:
                self.is_met.set()
            await self.is_met.wait()
        return await super().commit(writes)


@pytest.mark.requirement("004-970")
@pytest.mark.parametrize("route", CHANGES, ids=" ".join)
async def test_of_two_who_change_one_thing_in_the_same_moment_one_is_told_so(route: tuple[str, str]):
    """Both have read the same, and neither what the other one writes: the store decides, and one entry tells of it."""
    store = Crossing()
    async with opened(store) as owner, opened_beside(store) as other:
        ready = await CHANGES[route](owner)
        if not ready.revision:
            return
        before = await on_record(owner)
        store.meet()

        async def change(who: Owner) -> httpx.Response:
            answer = await who.send(route[0], ready.path, ready.body, ready.revision)
            store.is_met.set()
            return answer

        answers = await asyncio.gather(change(owner), change(other))
        first, second = sorted(answers, key=lambda answer: answer.status_code)
        assert first.status_code in (200, 201), first.text
        made = [answer.headers["audit-entry"] for answer in answers if "audit-entry" in answer.headers]
        # Of appointments the same wish, done once, is told as such; whatever else is wished is refused.
        is_repeated = sum(answer.json().get("repeated") is True for answer in answers) == 1
        assert second.status_code in (404, 409, 412) or is_repeated, second.text
        assert (await on_record(owner)).keys() - before.keys() == set(made) and len(made) == 1
