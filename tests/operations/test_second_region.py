"""A second region with a database of its own: what goes on there once it was brought over, and what does not.

Two projects on one emulator stand for the two databases; docs/operations.md, "A second region", says the same in words.
"""

import re
import uuid
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from twilio.request_validator import RequestValidator

import setting_up
from running import emulator
from stand_ins.loopback import serving
from stand_ins.twilio.account import Account
from stand_ins.twilio.app import TwilioStandIn
from switchboard.admin.maintenance.retrying_store import RetryingStore
from switchboard.app.container import build
from switchboard.app.evaluation.connection import Connection
from switchboard.app.settings import read_configuration
from switchboard.contract import policy
from switchboard.contract.ports import Store
from switchboard.contract.store import Query, Write, WriteResult
from switchboard.state.firestore.store import FirestoreStore
from tests.leisure import limited
from tests.manual.typist import typed_in
from tests.open_days import next_tuesday
from tests.operations.premises import (
    BUSINESS,
    CANARY,
    ENVIRONMENT,
    LINE,
    PATHS,
    PUBLIC_URL,
    TOKEN,
    Premises,
    open_premises,
)

pytestmark = [pytest.mark.usefixtures("patience"), pytest.mark.process, pytest.mark.requirement("004-762")]

DOCUMENT = setting_up.ROOT / "docs" / "operations.md"
WISH = {
    "service": "Haircut",
    "start_time": f"{next_tuesday()}T16:00:00",
    "customer_name": CANARY.name,
    "with_person": "Marcus",
}
FIRST, SECOND = "first", "second"


class Regions:
    """Two databases, and the commands of the page that bring one into the other."""

    def __init__(self, host: str, project: str, folder: Path) -> None:
        self._host, self._folder = host, folder
        self.projects = {name: f"{project}-{name}" for name in (FIRST, SECOND)}
        for name in self.projects.values():
            emulator.clear(host, name)
        self.stores = {
            name: RetryingStore(FirestoreStore(project, None, host)) for name, project in self.projects.items()
        }
        (folder / "scripts").symlink_to(setting_up.ROOT / "scripts")

    def bring(self, chapter: str = "### A second region", heading: str = "Bring it over") -> list[tuple[int, str]]:
        """Type what the page has under a heading; return how each command ended, and what it printed."""
        text = DOCUMENT.read_text().partition(chapter)[2].partition(f"**{heading}")[2]
        block = text.partition("```sh\n")[2].partition("```")[0]
        lines = [line.partition("  #")[0].split() for line in block.splitlines() if line.startswith("scripts/")]
        named = {"FIRST-PROJECT": self.projects[FIRST], "SECOND-PROJECT": self.projects[SECOND]}
        words = [[named.get(word, word) for word in line] for line in lines]
        environ = {"FIRESTORE_EMULATOR_HOST": self._host, "PATH": "/usr/bin:/bin"}
        return [(answer["code"], answer["out"]) for answer in typed_in(self._folder, words, environ)]

    async def close(self) -> None:
        for store in self.stores.values():
            await store.close()


@pytest.fixture
async def regions(emulator_host: str, worker_project: str, tmp_path: Path) -> AsyncIterator[Regions]:
    """The demo businesses in the first database, and nothing in the second."""
    found = Regions(emulator_host, f"{worker_project}-regions", tmp_path)
    yield found
    await found.close()


async def booked(premises: Premises, call: str) -> dict[str, Any]:
    """Book the same wish in the same delivery, wherever it arrives."""
    return await premises.use(CANARY, "book_appointment", WISH, sessionId="s1", turn=2, callId=call)


async def bookings(store: Store) -> list[str]:
    """Return the appointments that were made under the wish's name."""
    found = await store.query(Query(PATHS.within(BUSINESS).collection("bookings")))
    return [document.path for document in found if document.data.get("customerName") == CANARY.name]


async def test_a_delivery_that_was_answered_in_one_region_is_known_in_the_other(regions: Regions) -> None:
    """Its answer is the stored one, the key is let in, and there is one appointment."""
    async with open_premises(regions.stores[FIRST]) as first:
        done = await booked(first, "c1")
    assert done["ok"], done
    assert [code for code, _ in regions.bring()] == [0, 0, 0]
    async with open_premises(regions.stores[SECOND], furnished=False) as second:
        assert (await second.client.get("/ready")).status_code == 200
        again = await booked(second, "c1")
    assert (again["data"]["bookingId"], again["meta"]["replayed"]) == (done["data"]["bookingId"], True)
    assert len(await bookings(regions.stores[SECOND])) == 1


async def test_what_was_kept_secret_opens_there_under_the_same_key(regions: Regions) -> None:
    """So that the phone network's webhooks are let in at the second region's own address."""
    async with open_premises(regions.stores[FIRST]):
        pass
    regions.bring()
    elsewhere = "https://second.example.com"
    house = build(read_configuration(ENVIRONMENT | {"SWITCHBOARD_PUBLIC_URL": elsewhere}), regions.stores[SECOND])
    async with open_premises(regions.stores[SECOND], furnished=False, house=house) as second:
        assert await rung(second, elsewhere) == 200
        # Signed for the first region's address, it is somebody else's.
        assert await rung(second, PUBLIC_URL) == 403


async def rung(premises: Premises, url: str) -> int:
    """Let the phone network ring there; returns the status."""
    fields = {"CallSid": f"CA{uuid.uuid4().hex}", "From": CANARY.number, "To": LINE}
    fields["AccountSid"] = "AC0d1e0000000000000000000000005a10"
    signature = RequestValidator(TOKEN).compute_signature(f"{url}/phone/incoming", fields)
    headers = {"X-Twilio-Signature": signature}
    return (await premises.client.post("/phone/incoming", data=fields, headers=headers)).status_code


class Lost(Connection):
    """The first region's connection: the admission of a call is its last commit that is answered."""

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        """Write, and answer nothing from then on."""
        results = await super().commit(writes)
        self.is_frozen = any(write.path.endswith("/calls/c1") for write in writes)
        return results


class Later:
    """A clock at which nobody works on a call any more that was begun before."""

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(minutes=1)

    def monotonic(self) -> float:
        return datetime.now(UTC).timestamp()


async def test_an_action_that_was_begun_when_the_region_went_away_is_done_in_the_other_once(
    regions: Regions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the first pass there, after it was brought over; a second pass finds nothing to do."""
    async with open_premises(regions.stores[FIRST]):
        pass
    async with open_premises(Lost(regions.stores[FIRST]), furnished=False) as dying:
        answer = await booked(dying, "c1")
    assert (answer["ok"], answer["error"]["type"]) == (False, "TRANSIENT")
    assert await bookings(regions.stores[FIRST]) == []
    regions.bring()
    # A busy machine may answer later than a call could wait; the first region's answered nothing on purpose.
    for limit in ("STORE_READ_S", "STORE_WRITE_S", "STORE_FIRST_CALL_S"):
        monkeypatch.setattr(policy, limit, 30.0)
    limited(monkeypatch)
    house = build(read_configuration(ENVIRONMENT), regions.stores[SECOND])
    house.__dict__["clock"] = Later()
    async with open_premises(regions.stores[SECOND], furnished=False, house=house):
        for _ in range(2):
            await house.passes["reap"](None)
            await house.passes["bookings"](None)
    row = await regions.stores[SECOND].get(PATHS.within(BUSINESS).call("s1", "c1"))
    assert (row and row.data["state"], len(await bookings(regions.stores[SECOND]))) == ("finished", 1)


async def test_what_is_delivered_to_both_regions_is_done_in_both(regions: Regions) -> None:
    """Nothing is replicated: a wish is granted once in a database, so deliveries go to one region at a time.

    What was done apart is not joined by an import: it is refused, and with `--merge` the second region keeps its own.
    """
    async with open_premises(regions.stores[FIRST]) as first:
        pass
    regions.bring()
    async with open_premises(regions.stores[FIRST], furnished=False) as first:
        here = await booked(first, "c1")
    async with open_premises(regions.stores[SECOND], furnished=False) as second:
        there = await booked(second, "c1")
    assert (here["ok"], there["ok"], "replayed" in there["meta"]) == (True, True, False)
    assert [len(await bookings(store)) for store in regions.stores.values()] == [1, 1]
    (_, exported), (code, refused), _ = regions.bring()
    assert (code, bool(re.search(r"--merge", refused))) == (1, True), (exported, refused)


async def test_passes_over_the_same_waiting_text_in_both_regions_send_it_twice(regions: Regions) -> None:
    """Each database has its own leader of passes: one region's have to be stopped before the other's begin."""
    said = {"caller_name": CANARY.name, "callback_phone": CANARY.number, "message": "About my xylotomic wig."}
    async with open_premises(regions.stores[FIRST]) as first:
        assert (await first.use(CANARY, "take_message", said))["ok"]
    regions.bring()
    account = Account(sid="AC0d1e0000000000000000000000005a10", token=TOKEN, numbers={LINE})
    with serving(TwilioStandIn(account).app) as url:
        for name, sent in ((FIRST, 1), (SECOND, 2)):
            house = build(read_configuration(ENVIRONMENT | {"SWITCHBOARD_TWILIO_BASE_URL": url}), regions.stores[name])
            house.__dict__["clock"] = Later()
            async with open_premises(regions.stores[name], furnished=False, house=house):
                for _ in range(2):
                    await house.passes["outbox"](None)
            assert len([text for text in account.texts.values() if "xylotomic" in text["body"]]) == sent
