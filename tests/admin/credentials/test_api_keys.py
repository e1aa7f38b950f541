"""Making, listing and revoking API keys."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from switchboard.admin.credentials.api_keys import create_key, list_keys, revoke_key
from switchboard.contract.credential import Scope, key_hash, read_credential
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Delete, Missing, Set
from tests.admin.small_seeds import PATHS, WatchedStore
from tests.each import each

LATER = datetime(2999, 1, 1, tzinfo=UTC)


@pytest.fixture
async def shops(store):
    """A store with two businesses."""
    await store.commit([Set(PATHS.within(id).business, {"name": id}) for id in ("salon", "plumber")])
    return store


async def stored(store, business_id, key_id):
    return (await store.get(PATHS.within(business_id).document("apiKeys", key_id))).data


async def refusal(doing):
    with pytest.raises(ToolError) as caught:
        await doing
    return caught.value


async def test_a_new_key_is_long_random_and_kept_only_as_its_hash(shops):
    """The text is returned once; what is stored recognises it and cannot be turned back into it."""
    one, other = [await create_key(shops, PATHS, "salon", "  till   2 ") for _ in range(2)]
    assert re.fullmatch(r"sb_[A-Za-z0-9_-]{43}", one.text)
    assert one.text != other.text
    assert one.text not in repr(one)
    document = await stored(shops, "salon", one.id)
    assert one.text not in repr(document)
    assert document.pop("createdAt").tzinfo is not None
    assert document == {
        "hash": key_hash(one.text),
        "name": "till 2",
        "scopes": ["tools:read", "tools:execute"],
        "expiresAt": None,
        "revokedAt": None,
    }


async def test_a_key_is_accepted_with_its_scopes_until_it_expires(shops):
    """What admin writes is what `contract.credential` reads."""
    key = await create_key(shops, PATHS, "salon", "web", scopes=[Scope.READ], expires_at=LATER)
    document = await stored(shops, "salon", key.id)
    credential = read_credential("salon", key.id, document, LATER - timedelta(seconds=1))
    assert credential.scopes == {"tools:read"}
    assert read_credential("salon", key.id, document, LATER) is None


async def test_keys_are_listed_without_their_text_or_hash(shops):
    """The list tells what each key is for and whether it works, the oldest first, and only of its business."""
    texts = [(await create_key(shops, PATHS, "salon", name, expires_at=LATER)).text for name in ("b", "a")]
    await create_key(shops, PATHS, "plumber", "other")
    keys = await list_keys(shops, PATHS, "salon")
    assert [(key.name, key.scopes, key.expires_at) for key in keys] == [
        ("b", ("tools:read", "tools:execute"), LATER),
        ("a", ("tools:read", "tools:execute"), LATER),
    ]
    assert all(key.created_at and key.works_at(LATER - timedelta(days=1)) and not key.works_at(LATER) for key in keys)
    assert not any(secret in repr(keys) for text in texts for secret in (text, key_hash(text)))


async def test_a_revoked_key_is_refused_and_stays_listed(shops):
    """Revoking is final, and again changes nothing."""
    key = await create_key(shops, PATHS, "salon", "web")
    await revoke_key(shops, PATHS, "salon", key.id)
    document = await stored(shops, "salon", key.id)
    assert read_credential("salon", key.id, document, datetime.now(UTC)) is None
    watched = WatchedStore(shops)
    await revoke_key(watched, PATHS, "salon", key.id)
    assert watched.commits == 0
    (listed,) = await list_keys(shops, PATHS, "salon")
    assert listed.revoked_at == document["revokedAt"]
    assert not listed.works_at(datetime.now(UTC))


async def test_a_given_text_is_the_same_key_every_time(shops):
    """The demo's key can be made at every start without piling up."""
    one, again = [await create_key(shops, PATHS, "salon", "demo", text="demo-key") for _ in range(2)]
    assert one == again
    assert one.text == "demo-key"
    assert len(await list_keys(shops, PATHS, "salon")) == 1


async def test_a_given_text_cannot_be_two_businesses_key(shops):
    """A credential names its business alone, so one text must not open two."""
    await create_key(shops, PATHS, "salon", "demo", text="demo-key")
    error = await refusal(create_key(shops, PATHS, "plumber", "demo", text="demo-key"))
    assert error.type is ErrorType.CONFLICT
    assert await list_keys(shops, PATHS, "plumber") == []


async def test_a_revoked_text_cannot_be_used_again(shops):
    """Who revoked a key can rely on it."""
    key = await create_key(shops, PATHS, "salon", "demo", text="demo-key")
    await revoke_key(shops, PATHS, "salon", key.id)
    error = await refusal(create_key(shops, PATHS, "salon", "demo", text="demo-key"))
    assert error.type is ErrorType.CONFLICT


@each(
    "arguments",
    [
        {"name": "  "},
        {"name": "web", "scopes": ["tools:all"]},
        {"name": "web", "scopes": []},
        {"name": "web", "text": ""},
        {"name": "web", "text": "with blank"},
        {"name": "web", "text": "schlüssel"},
    ],
)
async def test_a_key_that_cannot_be_is_refused(shops, arguments):
    """A name, a known scope and a text that fits into a header are needed."""
    assert (await refusal(create_key(shops, PATHS, "salon", **arguments))).type is ErrorType.VALIDATION
    assert await list_keys(shops, PATHS, "salon") == []


@each("business_id", ["saloon", "", "../salon", "salon/apiKeys/x"])
async def test_an_unknown_business_is_refused_and_the_known_ones_are_named(shops, business_id):
    """Whoever mistypes sees what to type."""
    for doing in (
        create_key(shops, PATHS, business_id, "web"),
        list_keys(shops, PATHS, business_id),
        revoke_key(shops, PATHS, business_id, "key_1"),
    ):
        error = await refusal(doing)
        assert error.type is ErrorType.NOT_FOUND
        assert "plumber, salon" in error.message


async def test_an_unknown_key_is_refused_and_the_known_ones_are_named(shops):
    """Another business's key is unknown here."""
    own = await create_key(shops, PATHS, "salon", "web")
    other = await create_key(shops, PATHS, "plumber", "web")
    error = await refusal(revoke_key(shops, PATHS, "salon", other.id))
    assert error.type is ErrorType.NOT_FOUND
    assert own.id in error.message
    assert (await stored(shops, "plumber", other.id))["revokedAt"] is None


async def test_a_key_that_vanishes_while_it_is_revoked_is_told(memory):
    """Nobody is told that something was revoked that is not there."""
    await memory.commit([Set(PATHS.within("salon").business, {})])
    key = await create_key(memory, PATHS, "salon", "web")
    watched = WatchedStore(memory)
    watched.kill_at, watched.failure = 1, lambda: Missing("gone")
    assert (await refusal(revoke_key(watched, PATHS, "salon", key.id))).type is ErrorType.NOT_FOUND


async def test_many_businesses_are_not_all_named(memory):
    """The sentence stays readable."""
    error = await refusal(list_keys(memory, PATHS, "x"))
    assert error.message.endswith("known are: none yet")
    await memory.commit([Set(PATHS.within(f"b{n:02}").business, {}) for n in range(25)])
    error = await refusal(list_keys(memory, PATHS, "x"))
    assert error.message.endswith("b18, b19, ...")
    await memory.commit([Delete(PATHS.within(f"b{n:02}").business) for n in range(5, 25)])
    assert (await refusal(list_keys(memory, PATHS, "x"))).message.endswith("b03, b04")


async def test_a_business_whose_id_no_path_carries_gets_no_key(shops):
    """A key is recognised by where it stands, and would be taken for another business's there."""
    await shops.commit([Set(PATHS.within("two words").business, {"name": "Two"})])
    assert (await refusal(create_key(shops, PATHS, "two words", "till"))).type is ErrorType.VALIDATION
