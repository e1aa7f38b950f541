"""Reading: single documents, many at once, and that nobody shares what is stored."""

from datetime import UTC, datetime, timedelta, timezone

from switchboard.contract.ports import Store
from switchboard.contract.store import Create, Query, Set, Update
from tests.state.reading import read

EVERY_TYPE = {
    "null": None,
    "yes": True,
    "no": False,
    "whole": 7,
    "large": -(2**63),
    "fraction": 0.1,
    "text": "Grüße 👋",
    "empty": "",
    "bytes": b"\x00\xff",
    "time": datetime(2026, 3, 29, 1, 30, 0, 123456, tzinfo=UTC),
    "list": [1, "a", None, {"in": ["a", "map"]}],
    "nothing": [],
    "map": {"deep": {"deeper": {"a-b": 1, "a.b": 2}}},
    "none": {},
}


async def test_what_was_written_is_read_back_in_the_same_types(store: Store, area: str) -> None:
    """Every type of value comes back equal and of its own type, times aware and in UTC."""
    await store.commit([Create(f"{area}/a", EVERY_TYPE)])
    document = await read(store, f"{area}/a")
    assert (document.path, document.id) == (f"{area}/a", "a")
    assert document.data == EVERY_TYPE
    for name, value in EVERY_TYPE.items():
        assert type(document.data[name]) is type(value), name
    assert document.data["time"].utcoffset() == timedelta(0)


async def test_a_time_in_another_zone_comes_back_in_utc(store: Store, area: str) -> None:
    """The moment is kept and the zone is not: it comes back in UTC."""
    berlin = datetime(2026, 7, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    await store.commit([Create(f"{area}/a", {"at": berlin, "list": [{"at": berlin}]})])
    document = await read(store, f"{area}/a")
    for at in (document.data["at"], document.data["list"][0]["at"]):
        assert at == berlin
        assert at.utcoffset() == timedelta(0)


async def test_a_missing_document_is_none(store: Store, area: str) -> None:
    """No document is an answer, also where only documents below the path exist."""
    await store.commit([Create(f"{area}/parent/below/child", {"a": 1})])
    assert await store.get(f"{area}/none") is None
    assert await store.get(f"{area}/parent") is None
    assert await store.query(Query(area)) == []


async def test_an_empty_document_exists(store: Store, area: str) -> None:
    """A document without fields is something else than no document."""
    await store.commit([Create(f"{area}/a", {}), Set(f"{area}/b", {}, merge=True)])
    found = await store.get_many([f"{area}/a", f"{area}/b", f"{area}/c"])
    assert [document.data if document else None for document in found] == [{}, {}, None]


async def test_many_documents_come_in_the_order_asked_for(store: Store, area: str) -> None:
    """Order and repetition are the caller's; what is missing is None in its place."""
    await store.commit([Create(f"{area}/{id}", {"id": id}) for id in "abc"])
    asked = ["c", "x", "a", "c", "y", "b", "x"]
    found = await store.get_many([f"{area}/{id}" for id in asked])
    assert [document.id if document else None for document in found] == ["c", None, "a", "c", None, "b", None]
    assert await store.get_many([]) == []


async def test_a_document_belongs_to_who_read_it(store: Store, area: str) -> None:
    """Changing what was read, or what was written, changes nothing that is stored, nor what others read."""
    path, written = f"{area}/a", {"map": {"list": [{"n": 1}]}}
    await store.commit([Create(path, written)])
    written["map"]["list"][0]["n"] = 2
    one, other = await store.get_many([path, path])
    assert one and other
    one.data["map"]["list"][0]["n"] = 3
    one.data["new"] = True
    (queried,) = await store.query(Query(area))
    queried.data["map"]["list"].clear()
    again = await read(store, path)
    assert again.data == other.data == {"map": {"list": [{"n": 1}]}}


async def test_ids_and_keys_may_be_any_script(store: Store, area: str) -> None:
    """Ids and field names hold blanks, punctuation and every alphabet."""
    path = f"{area}/Zoë O'Brien 東京 👩‍🔧 #1"
    data = {"Öffnung-zeiten": {"mo/di": 1, "a b": 2, "a.b": 3, "`tick`": 4, "back\\slash": 5, "'": 6, "東京": 7}}
    await store.commit([Set(path, data), Set(f"{path}/below/ü", data, merge=True)])
    await store.commit([Set(path, {"Öffnung-zeiten": {"`tick`": 8, "back\\slash": 9, "a.b": 10}}, merge=True)])
    await store.commit([Update(path, {"Öffnung-zeiten.mo/di": 11, "Öffnung-zeiten.東京": 12})])
    document = await read(store, path)
    assert document.path == path
    assert document.data == {
        "Öffnung-zeiten": {"mo/di": 11, "a b": 2, "a.b": 10, "`tick`": 8, "back\\slash": 9, "'": 6, "東京": 12}
    }
    below = await store.query(Query(f"{path}/below"))
    assert [found.id for found in below] == ["ü"]


async def test_a_document_of_any_id_is_there_or_is_not(store: Store, area: str) -> None:
    """Read alone or beside others, whatever its id looks like to those who quote or escape."""
    ids = [
        "a b",
        "a%20b",
        '"quoted"',
        "(bracketed)",
        "back\\slash",
        "`tick`",
        "two\nlines",
        "not found",
        "database",
        "ü東",
    ]
    absent = f"{area}/absent"
    for id in ids:
        path = f"{area}/{id}"
        assert await store.get(path) is None
        assert await store.get_many([path, absent]) == [None, None]
        await store.commit([Create(path, {"id": id})])
        assert (await read(store, path)).data == {"id": id}
        assert [document and document.id for document in await store.get_many([absent, path])] == [None, id]


async def test_a_document_may_be_almost_a_mebibyte(store: Store, area: str) -> None:
    """A large document survives the round trip."""
    data = {"text": "ä" * 250_000, "bytes": b"\x00" * 500_000, "list": list(range(1_000))}
    await store.commit([Create(f"{area}/big", data)])
    document = await read(store, f"{area}/big")
    assert document.data == data


async def test_documents_know_when_they_came_to_be(store: Store, area: str) -> None:
    """The create time stays, the update time moves with every change and stays with a write that changes nothing."""
    path = f"{area}/a"
    (created,) = await store.commit([Create(path, {"n": 1})])
    first = await read(store, path)
    (same,) = await store.commit([Set(path, {"n": 1})])
    (changed,) = await store.commit([Set(path, {"n": 1.0})])
    last = await read(store, path)
    assert first.create_time == first.update_time == created.update_time == same.update_time == last.create_time
    assert first.update_time.utcoffset() == timedelta(0)
    assert last.update_time == changed.update_time > first.update_time


async def test_a_warm_store_answers(store: Store, area: str) -> None:
    """Warming leaves nothing behind and may be repeated."""
    await store.warm()
    await store.warm()
    assert await store.query(Query(area)) == []
