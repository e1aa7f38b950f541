"""The key that secrets are kept with can be turned: all moves, nothing is lost, what does not open is named."""

import asyncio
from collections import Counter
from typing import Any

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Delete, Set
from switchboard.integrations.secrets.data_keys import KEYS_DOCUMENT
from switchboard.integrations.secrets.key_rotation import UNKNOWN_KEY, KeyRotation
from switchboard.integrations.secrets.kms import LocalKeyKeeper, WrappedKey
from switchboard.integrations.secrets.sealed_secrets import SealedSecrets
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths

PATHS = FirestorePaths()
OLD, NEW = b"o" * 32, b"n" * 32
BOTH, OLD_ALONE, NEW_ALONE = LocalKeyKeeper(NEW, OLD), LocalKeyKeeper(OLD), LocalKeyKeeper(NEW)
BUSINESSES = [f"b{number:03}" for number in range(120)]


class Nameless(LocalKeyKeeper):
    """A keeper whose wrappings do not say what wrapped them, as those of Cloud KMS."""

    version = "1"

    wraps_with = ""

    async def newest(self) -> str:
        """Return the version that wraps now."""
        return self.version

    async def wrap(self, key: bytes) -> WrappedKey:
        """Wrap with that version, or, where it has not got about yet, with the one before."""
        return WrappedKey((await super().wrap(key)).value, self.wraps_with or self.version)

    def wrapped_by(self, wrapped: bytes) -> str:
        """Return nothing."""
        return ""


@pytest.fixture
async def store() -> MemoryStore:
    """More than a page of businesses, each with a secret under the old key; one keeps none."""
    found = MemoryStore()
    secrets = SealedSecrets(found, PATHS, OLD_ALONE)
    for id in BUSINESSES:
        await found.commit([Set(PATHS.within(id).business, {"name": id})])
        await secrets.keep(id, "twilio", "authToken", f"token of {id}")
    await found.commit([Set(PATHS.within("empty").business, {"name": "empty"})])
    return found


async def revealed(store: MemoryStore, keeper: LocalKeyKeeper) -> list[str]:
    """Return which businesses' secrets open with a keeper, and are right."""
    secrets, good = SealedSecrets(store, PATHS, keeper), []
    for id in BUSINESSES:
        try:
            if await secrets.reveal(id, "twilio", "authToken") == f"token of {id}":
                good.append(id)
        except ToolError:
            continue
    return good


async def test_everything_moves_to_the_newest_key_and_the_old_one_can_go(store: MemoryStore) -> None:
    """Before, all hangs on the old one; afterwards nothing does."""
    rotation = KeyRotation(store, PATHS, BOTH)
    before = await rotation.counted()
    assert (before.businesses, before.on_older, before.unopened) == (len(BUSINESSES), len(BUSINESSES), {})
    done = await rotation.rotate()
    assert (done.moved, done.on_older) == (len(BUSINESSES), 0)
    assert done.secrets == Counter({await BOTH.newest(): len(BUSINESSES)})
    assert await revealed(store, NEW_ALONE) == BUSINESSES
    again = await rotation.rotate()
    assert (again.moved, again.businesses) == (0, len(BUSINESSES))


@pytest.mark.requirement("004-833")
async def test_secrets_below_a_business_whose_document_is_missing_are_counted_and_moved() -> None:
    """As after a deletion that was broken off, or an import by hand: the old key must not be retired before them."""
    store = MemoryStore()
    secrets = SealedSecrets(store, PATHS, OLD_ALONE)
    await store.commit([Set(PATHS.within("known").business, {"name": "known"})])
    for id in ("a-missing", "known", "z-missing"):
        # More documents than fit on a page: one business is still one.
        for number in range(120):
            await secrets.keep(id, f"toolkit{number}", "key", f"{number} of {id}")
    rotation = KeyRotation(store, PATHS, BOTH)
    before = await rotation.counted()
    assert (before.businesses, before.on_older, before.opened) == (3, 360, 3)
    assert (await rotation.counted(2)).businesses == 2
    done = await rotation.rotate()
    assert (done.moved, done.on_older, done.businesses) == (360, 0, 3)
    alone = SealedSecrets(store, PATHS, NEW_ALONE)
    assert await alone.reveal("z-missing", "toolkit119", "key") == "119 of z-missing"


@pytest.mark.requirement("004-833")
async def test_secrets_without_their_data_keys_are_named_as_lost(store: MemoryStore) -> None:
    """Nothing opens them, whichever key is kept; what is left of one that was taken away is nobody's loss."""
    await store.commit([Delete(f"{PATHS.within('b007').business}/secrets/{KEYS_DOCUMENT}")])
    await store.commit([Set(f"{PATHS.within('empty').business}/secrets/twilio", {"fields": {}})])
    for count in (await KeyRotation(store, PATHS, BOTH).counted(), await KeyRotation(store, PATHS, BOTH).rotate()):
        assert count.unopened == {"b007": "its data keys are not there any more"}
        assert count.businesses == len(BUSINESSES)


async def test_a_secret_that_is_entered_meanwhile_is_not_lost(store: MemoryStore) -> None:
    """Calls and owners go on while the key is turned, and another run may be under way."""
    secrets = SealedSecrets(store, PATHS, BOTH)

    async def entered() -> None:
        for id in BUSINESSES:
            await secrets.keep(id, "email", "password", "p")
            await asyncio.sleep(0)

    await asyncio.gather(*(KeyRotation(store, PATHS, BOTH).rotate() for _ in range(2)), entered())
    count = await KeyRotation(store, PATHS, NEW_ALONE).counted()
    assert (count.on_older, count.unopened, count.secrets.total()) == (0, {}, 2 * len(BUSINESSES))


async def test_what_the_keys_do_not_open_is_named_and_left_as_it_is(store: MemoryStore) -> None:
    """Its key may be found again."""
    done = await KeyRotation(store, PATHS, NEW_ALONE).rotate()
    assert list(done.unopened) == BUSINESSES and done.moved == 0
    assert "SWITCHBOARD_SECRETS_KEY does not hold" in done.unopened["b000"]
    assert await revealed(store, OLD_ALONE) == BUSINESSES


async def test_looking_at_a_few_is_enough_for_a_start(store: MemoryStore) -> None:
    """A start does not wait for ten thousand."""
    assert (await KeyRotation(store, PATHS, BOTH).counted(7)).businesses == 7


async def test_keys_of_a_keeper_that_names_none_are_moved_once_for_each_version() -> None:
    """As in Cloud KMS, which alone knows what has wrapped something: it is noted beside what was moved."""
    store, keeper = MemoryStore(), Nameless(NEW)
    await store.commit([Set(PATHS.within("salon").business, {"name": "salon"})])
    await SealedSecrets(store, PATHS, keeper).keep("salon", "twilio", "authToken", "t")
    rotation = KeyRotation(store, PATHS, keeper)
    assert (await rotation.counted()).secrets == Counter({UNKNOWN_KEY: 1})
    assert [(await rotation.rotate()).moved for _ in range(2)] == [1, 0]
    keeper.version = "2"
    assert [(await rotation.rotate()).moved for _ in range(2)] == [1, 0]


async def test_what_an_older_version_still_wraps_is_not_taken_for_moved() -> None:
    """Cloud KMS takes up to hours until every part of it wraps with another version; who retires the old one waits."""
    store, keeper = MemoryStore(), Nameless(NEW)
    await store.commit([Set(PATHS.within("salon").business, {"name": "salon"})])
    await SealedSecrets(store, PATHS, keeper).keep("salon", "twilio", "authToken", "t")
    keeper.version, keeper.wraps_with = "2", "1"
    count = await KeyRotation(store, PATHS, keeper).rotate()
    assert (count.moved, count.on_older, count.secrets) == (0, 1, Counter({"1": 1}))
    keeper.wraps_with = ""
    count = await KeyRotation(store, PATHS, keeper).rotate()
    assert (count.moved, count.on_older, count.secrets) == (1, 0, Counter({"2": 1}))


async def test_a_keeper_that_does_not_answer_ends_the_run_with_nothing_lost(store: MemoryStore) -> None:
    """The next run goes on."""

    class Away(LocalKeyKeeper):
        left = 30

        async def wrap(self, key: bytes) -> WrappedKey:
            self.left -= 1
            if self.left < 0:
                raise ToolError(ErrorType.TRANSIENT, "away")
            return await super().wrap(key)

    with pytest.raises(ToolError):
        await KeyRotation(store, PATHS, Away(NEW, OLD)).rotate()
    assert await revealed(store, BOTH) == BUSINESSES
    left = (await KeyRotation(store, PATHS, BOTH).counted()).on_older
    assert 0 < left < len(BUSINESSES)
    assert (await KeyRotation(store, PATHS, BOTH).rotate()).moved == left


async def test_after_a_lost_key_an_owner_enters_a_secret_anew(store: MemoryStore) -> None:
    """It works at once; what else hung on the lost key is named, and opens again should the key be found."""
    secrets = SealedSecrets(store, PATHS, NEW_ALONE)
    await secrets.keep("b000", "email", "password", "p")
    assert await secrets.reveal("b000", "email", "password") == "p"
    assert await secrets.unopened("b000") == ["twilio.authToken"]
    await secrets.keep("b000", "twilio", "authToken", "entered anew")
    assert await secrets.unopened("b000") == []
    assert await SealedSecrets(store, PATHS, BOTH).reveal("b000", "twilio", "authToken") == "entered anew"
    assert await SealedSecrets(store, PATHS, BOTH).unopened("b001") == []


async def test_a_keeper_that_is_away_begins_no_other_key(store: MemoryStore) -> None:
    """Nobody loses a secret because Cloud KMS did not answer for a moment."""

    class Away(LocalKeyKeeper):
        async def unwrap(self, wrapped: bytes) -> bytes:
            raise ToolError(ErrorType.TRANSIENT, "away")

    with pytest.raises(ToolError) as caught:
        await SealedSecrets(store, PATHS, Away(NEW)).keep("b000", "email", "password", "p")
    assert caught.value.type is ErrorType.TRANSIENT
    keys: Any = await store.get(PATHS.within("b000").document("secrets", "~keys"))
    assert list(keys.data["wrapped"]) == ["1"]
