"""What businesses keep secret: unreadable in the store, bound to its place, readable through every rotation."""

import asyncio
import base64
import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Store
from switchboard.contract.store import Query, Set
from switchboard.integrations.secrets.kms import LocalKeyKeeper
from switchboard.integrations.secrets.sealed_secrets import Revealed, SealedSecrets
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths

CANARY = "canary-7f3a91-refresh-token"
PATHS = FirestorePaths()
KEEPER = LocalKeyKeeper(b"k" * 32)


@pytest.fixture(params=["memory", pytest.param("firestore", marks=pytest.mark.emulator)])
def store(request: pytest.FixtureRequest) -> Store:
    """Each store in turn, empty."""
    return MemoryStore() if request.param == "memory" else request.getfixturevalue("firestore")


@pytest.fixture
def secrets(store: Store) -> SealedSecrets:
    """Secrets over that store."""
    return SealedSecrets(store, PATHS, KEEPER)


async def stored(store: Store, business_id: str) -> dict[str, dict[str, Any]]:
    """Return the documents of a business's secrets."""
    return {d.id: d.data for d in await store.query(Query(PATHS.within(business_id).collection("secrets")))}


async def failure(secrets: SealedSecrets, *place: str) -> ErrorType:
    """Return what kind of failure revealing ends in."""
    with pytest.raises(ToolError) as caught:
        await secrets.reveal(*place)  # type: ignore[arg-type]
    assert CANARY not in repr(caught.value) + str(vars(caught.value))
    return caught.value.type


@pytest.mark.requirement("001-28", "002-127")
async def test_what_is_kept_can_be_revealed_and_stands_nowhere_in_clear(store: Store, secrets: SealedSecrets):
    """Nor does it show where the documents or the value itself are printed."""
    await secrets.keep("salon", "google_calendar", "refreshToken", CANARY)
    found = await secrets.reveal("salon", "google_calendar", "refreshToken")
    assert found == CANARY
    assert f"Bearer {found}" == f"Bearer {CANARY}"
    assert CANARY not in f"{found!r} {[found]} { ({'token': found}) } {secrets!r} {vars(secrets)}"
    written = await stored(store, "salon")
    assert CANARY.encode() not in repr(written).encode()
    assert set(written["google_calendar"]["fields"]["refreshToken"]) == {"keyVersion", "nonce", "text"}


async def test_what_was_never_kept_is_none(secrets: SealedSecrets):
    """Neither an unknown business nor an unknown field is a failure."""
    assert await secrets.reveal("nobody", "twilio", "authToken") is None
    await secrets.keep("salon", "twilio", "authToken", CANARY)
    assert await secrets.reveal("salon", "twilio", "accountSid") is None


async def test_fields_are_kept_side_by_side_replaced_and_forgotten_together(secrets: SealedSecrets):
    """A toolkit's secrets leave when the toolkit does; another's stay."""
    for place in (("twilio", "authToken"), ("twilio", "accountSid"), ("smtp", "password")):
        await secrets.keep("salon", *place, "first")
    await secrets.keep("salon", "twilio", "authToken", "second")
    assert await secrets.reveal("salon", "twilio", "authToken") == "second"
    assert await secrets.reveal("salon", "twilio", "accountSid") == "first"
    await secrets.forget("salon", "twilio")
    assert await secrets.reveal("salon", "twilio", "authToken") is None
    assert await secrets.reveal("salon", "smtp", "password") == "first"
    await secrets.forget("salon", "twilio")


async def test_a_secret_takes_anothers_place_only_where_that_one_is_still_kept(store: Store, secrets: SealedSecrets):
    """What was connected or forgotten since stays so, and since when it is kept stays, too."""
    place = ("salon", "google_calendar", "refreshToken")
    assert not await secrets.replace(*place, "second", instead_of="first")
    assert await secrets.reveal(*place) is None
    await secrets.keep(*place, "first")
    since = await secrets.kept_since(*place[:2])
    assert await secrets.replace(*place, "second", instead_of="first")
    assert not await secrets.replace(*place, "third", instead_of="first")
    assert await secrets.reveal(*place) == "second"
    assert await secrets.kept_since(*place[:2]) == since


async def test_of_many_that_replace_the_same_secret_one_does(secrets: SealedSecrets):
    """Each was given another one by the vendor, and only one of those can be kept."""
    place = ("salon", "google_calendar", "refreshToken")
    await secrets.keep(*place, "first")
    later = [f"later-{number}" for number in range(5)]
    done = await asyncio.gather(*(secrets.replace(*place, value, instead_of="first") for value in later))
    assert done.count(True) == 1
    assert await secrets.reveal(*place) == later[done.index(True)]


async def test_the_same_secret_never_looks_the_same(store: Store, secrets: SealedSecrets):
    """Two businesses with one password cannot be told from the store."""
    seen = set()
    for business in ("a", "b", "a"):
        await secrets.keep(business, "smtp", "password", CANARY)
        seen.add((await stored(store, business))["smtp"]["fields"]["password"]["text"])
    assert len(seen) == 3


async def test_a_secret_opens_only_in_its_own_place(store: Store, secrets: SealedSecrets):
    """Moved to another field, toolkit or business it does not, whoever can write to the store."""
    await secrets.keep("a", "twilio", "authToken", CANARY)
    await secrets.keep("b", "twilio", "authToken", "another")
    sealed = (await stored(store, "a"))["twilio"]["fields"]["authToken"]
    for business, toolkit, field in (
        ("a", "twilio", "other"),
        ("a", "smtp", "authToken"),
        ("b", "twilio", "authToken"),
    ):
        path = PATHS.within(business).document("secrets", toolkit)
        await store.commit([Set(path, {"fields": {field: sealed}})])
        assert await failure(secrets, business, toolkit, field) is ErrorType.AUTH


async def test_a_business_cannot_be_given_anothers_keys_and_secrets_together(store: Store, secrets: SealedSecrets):
    """Whole documents copied across do not open either."""
    await secrets.keep("a", "twilio", "authToken", CANARY)
    within = PATHS.within("b")
    await store.commit([Set(within.document("secrets", id), d) for id, d in (await stored(store, "a")).items()])
    assert await failure(secrets, "b", "twilio", "authToken") is ErrorType.PERMANENT


@pytest.mark.parametrize(
    "damage",
    [
        {"text": b""},
        {"text": b"x" * 60},
        {"nonce": b""},
        {"nonce": None},
        {"keyVersion": 2},
        {"keyVersion": None},
        {"keyVersion": "1"},
    ],
)
async def test_damage_is_told_and_nothing_is_made_of_it(store: Store, secrets: SealedSecrets, damage: Any):
    """The owner connects again; no guess is returned."""
    await secrets.keep("a", "twilio", "authToken", CANARY)
    path = PATHS.within("a").document("secrets", "twilio")
    await store.commit([Set(path, {"fields": {"authToken": damage}}, merge=True)])
    assert await failure(secrets, "a", "twilio", "authToken") is ErrorType.AUTH


async def test_rotation_keeps_old_secrets_readable_until_they_are_written_anew(store: Store, secrets: SealedSecrets):
    """And what is kept from then on uses the new key."""
    await secrets.keep("a", "twilio", "authToken", CANARY)
    assert await secrets.rotate("a") == 2
    assert await secrets.rotate("a") == 3
    await secrets.keep("a", "twilio", "accountSid", "AC1")
    fields = (await stored(store, "a"))["twilio"]["fields"]
    assert {name: sealed["keyVersion"] for name, sealed in fields.items()} == {"authToken": 1, "accountSid": 3}
    fresh = SealedSecrets(store, PATHS, KEEPER)
    assert await fresh.reveal("a", "twilio", "authToken") == CANARY
    await fresh.keep("a", "twilio", "authToken", CANARY)
    assert (await stored(store, "a"))["twilio"]["fields"]["authToken"]["keyVersion"] == 3


async def test_after_rotation_the_keepers_old_key_can_be_retired(store: Store, secrets: SealedSecrets):
    """The new keeper knows both, rotates, and then the old one may go; before that it may not."""
    old, new = b"k" * 32, b"n" * 32
    await secrets.keep("a", "twilio", "authToken", CANARY)
    assert await failure(SealedSecrets(store, PATHS, LocalKeyKeeper(new)), "a", "twilio", "authToken") is (
        ErrorType.PERMANENT
    )
    await SealedSecrets(store, PATHS, LocalKeyKeeper(new, old)).rotate("a")
    assert await SealedSecrets(store, PATHS, LocalKeyKeeper(new)).reveal("a", "twilio", "authToken") == CANARY


async def test_first_secrets_kept_at_once_share_one_key(store: Store):
    """On as many instances as there are: a second first key would make the other's secrets unreadable."""
    instances = [SealedSecrets(store, PATHS, KEEPER) for _ in range(10)]
    await asyncio.gather(*(s.keep("a", "twilio", f"field{n}", CANARY) for n, s in enumerate(instances)))
    for number in range(10):
        assert await SealedSecrets(store, PATHS, KEEPER).reveal("a", "twilio", f"field{number}") == CANARY


async def test_rotations_at_once_do_not_lose_a_key(store: Store, secrets: SealedSecrets):
    """One of them wins; the others are told, and everything stays readable."""
    await secrets.keep("a", "twilio", "authToken", CANARY)
    ended = await asyncio.gather(*(secrets.rotate("a") for _ in range(5)), return_exceptions=True)
    won = [e for e in ended if isinstance(e, int)]
    assert won
    assert all(e.type is ErrorType.CONFLICT for e in ended if isinstance(e, ToolError))
    assert sorted((await stored(store, "a"))["~keys"]["wrapped"]) == [str(n) for n in range(1, max(won) + 1)]
    assert await secrets.reveal("a", "twilio", "authToken") == CANARY


async def test_the_keeper_is_asked_once_for_many_reads(store: Store):
    """It may be a network away."""

    class Counting(LocalKeyKeeper):
        asked = 0

        async def unwrap(self, wrapped: bytes) -> bytes:
            self.asked += 1
            return await super().unwrap(wrapped)

    keeper = Counting(b"k" * 32)
    secrets = SealedSecrets(store, PATHS, keeper)
    await secrets.keep("a", "twilio", "authToken", CANARY)
    for _ in range(20):
        await secrets.reveal("a", "twilio", "authToken")
    assert keeper.asked == 1


@pytest.mark.parametrize("name", ["", "~keys", "a.b", "a/b", "1st", "x" * 65])
async def test_places_have_plain_names(secrets: SealedSecrets, name: str):
    """What a toolkit is called cannot reach the keys, or another document."""
    with pytest.raises(ValueError, match="letters"):
        await secrets.keep("a", name, "field", CANARY)
    with pytest.raises(ValueError, match="letters"):
        await secrets.reveal("a", "toolkit", name)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(business=st.text(min_size=1, max_size=30), value=st.text(max_size=200))
async def test_any_text_of_any_business_comes_back(secrets: SealedSecrets, business: str, value: str):
    """Whatever its characters."""
    await secrets.keep(business, "toolkit", "field", value)
    assert await secrets.reveal(business, "toolkit", "field") == value


def test_a_revealed_secret_stays_hidden_in_copies():
    """A record that holds one does not print it."""
    assert repr(copy.deepcopy([Revealed(CANARY)])) == "['[secret]']"


@pytest.mark.parametrize("text", ["", "short", base64.b64encode(b"k" * 31).decode(), "k" * 44 + "!", "*"])
def test_a_key_that_is_none_is_refused(text: str):
    """When the house is built, not when the first secret is needed."""
    with pytest.raises(ValueError, match="keeps secrets"):
        LocalKeyKeeper.from_text(text)


async def test_keys_are_read_from_text_the_newest_first():
    """With commas between them."""
    old, new = b"o" * 32, b"n" * 32
    both = LocalKeyKeeper.from_text(", ".join(base64.b64encode(key).decode() for key in (new, old)))
    assert await both.unwrap((await LocalKeyKeeper(old).wrap(b"data key")).value) == b"data key"
    assert await LocalKeyKeeper(new).unwrap((await both.wrap(b"data key")).value) == b"data key"
    assert "nnnn" not in repr(both) and "oooo" not in repr(both)
