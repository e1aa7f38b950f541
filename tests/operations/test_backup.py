"""A backup brings everything back: as it was, into an empty place, and over nobody else's documents."""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations import backing_up
from switchboard.admin.maintenance import backup, retrying_store
from switchboard.admin.maintenance.backup_lines import BadLine, read_line, to_line
from switchboard.contract.store import Create, Delete, GeoPoint, Reference, Set, Unavailable, Vector
from switchboard.state.memory.store import MemoryStore
from switchboard.state.stored import is_identical
from tests.each import each
from tests.operations.premises import (
    BUSINESS,
    CANARY,
    EVERYTHING,
    KEY,
    OTHER,
    PATHS,
    Premises,
    lines_of,
    open_premises,
)

pytestmark = pytest.mark.usefixtures("patience")

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
BY_HAND = replace(EVERYTHING, version=1)
"""Of lines that were written here, without sums."""
FOR_ONE = replace(BY_HAND, business_id=BUSINESS)
WITHIN = PATHS.within(BUSINESS)

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.binary(),
    st.datetimes(timezones=st.just(UTC)),
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=3).map(lambda v: Vector(tuple(v))),
    st.builds(GeoPoint, st.floats(-90, 90), st.floats(-180, 180)),
    st.sampled_from([Reference("agents/anna"), Reference("projects/p/databases/d/documents/agents/anna")]),
)
marks = ["$time", "$bytes", "$vector", "$point", "$ref", "$number", "$map", "$new", "a.b"]
names = st.one_of(st.sampled_from(marks), st.text(max_size=5))
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(names, inner, max_size=3)),
    max_leaves=8,
)


@given(st.dictionaries(names, values, max_size=4))
def test_every_value_comes_back_as_it_was(data: dict[str, Any]):
    """In value and in type: 1 is not 1.0, bytes are not text, a time is no string."""
    path, read = read_line(to_line("c/d", data))
    assert path == "c/d"
    assert is_identical(read, data)


@given(st.text())
def test_what_is_no_line_of_a_backup_is_refused(text: str):
    """Whatever it is."""
    with pytest.raises(BadLine):
        read_line(text)


@each(
    "value",
    [
        "1e400",
        "-1e400",
        "NaN",
        "Infinity",
        '{"$time":"0001-01-01T00:00:00+05:00"}',
        '{"$time":"9999-12-31T23:59:59-05:00"}',
        '{"$time":"2026-01-01T00:00:00"}',
        '{"$point":[1]}',
        '{"$point":["1","2"]}',
        '{"$ref":1}',
        '{"$vector":[1,1e999]}',
        '{"$anew":"what a later version writes"}',
    ],
)
def test_a_line_that_says_what_no_store_has_kept_is_refused(value: str):
    """Taken for something near it, it would come back as something else than it was."""
    with pytest.raises(BadLine):
        read_line(f'{{"path":"c/d","data":{{"v":{value}}}}}')


def test_a_time_with_an_offset_is_read_as_the_same_moment():
    """Whoever edits the file."""
    _, data = read_line('{"path":"c/d","data":{"at":{"$time":"2026-11-22T13:00:00+01:00"}}}')
    assert data == {"at": NOW} and data["at"].tzinfo is UTC


async def test_after_a_wipe_everything_works_again(premises: Premises):
    """A booking made before is found, the key opens, the encrypted Twilio token still proves a webhook."""
    store = premises.store
    booked = [d for d in await premises.documents(BUSINESS) if d.path.split("/")[-2] == "bookings"]
    mine = next(d for d in booked if d.data["customerPhone"] == CANARY.number)
    lines = await lines_of(store)
    before = {d.path: d.data for d in await premises.documents()}
    for path in before:
        await store.commit([Delete(path)])
    assert await premises.documents() == []
    done = await backup.restore(store, PATHS, EVERYTHING, lambda: backup.documents_in(EVERYTHING, lines))
    assert done.new == len(before) == len(lines) - 1
    after = {d.path: d.data for d in await premises.documents()}
    assert is_identical(after, before)
    copy = MemoryStore()
    await backup.restore(copy, PATHS, EVERYTHING, lambda: backup.documents_in(EVERYTHING, lines))
    async with open_premises(copy, furnished=False) as again:
        facts = {"sessionId": "after", "turn": 1}
        verified = await again.use(CANARY, "verify_caller", {}, **facts)
        assert verified["ok"], verified
        found = await again.use(CANARY, "lookup_appointment", {}, **facts)
        assert found["ok"], found
        assert mine.id in {row["bookingId"] for row in found["data"]["appointments"]}
        assert (await again.client.get(f"/tools/definitions?businessId={BUSINESS}&channel=phone")).status_code == 200
        assert await again.rings(CANARY, "When are you open?")


async def test_one_business_is_backed_up_without_the_others(premises: Premises):
    """Its own document and all below it."""
    paths = {read_line(line)[0] for line in (await lines_of(premises.store, BUSINESS))[:-1]}
    assert paths == {d.path for d in await premises.documents() if d.path.startswith(PATHS.within(BUSINESS).business)}
    assert not any(OTHER in path for path in paths)


async def test_a_restoration_that_was_interrupted_is_simply_repeated():
    """What is there already as it should be counts as done."""
    async with open_premises(MemoryStore()) as premises:
        lines = await lines_of(premises.store)
    target = MemoryStore()
    documents = list(backup.documents_in(EVERYTHING, lines))
    await target.commit([Create(path, data) for path, data in documents[:70]])
    found = await backup.compare(target, PATHS, EVERYTHING, lambda: backup.documents_in(EVERYTHING, lines))
    assert (found.same, found.new, found.kept, found.foreign) == (70, len(documents) - 70, 0, 0)
    await backup.restore(target, PATHS, EVERYTHING, lambda: backup.documents_in(EVERYTHING, lines))
    assert await lines_of(target) == lines


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["x"], "line 2"),
        ([], "not finished"),
        ([to_line("config/tools", {})], "not finished"),
        (['{"end": 1}'], "says otherwise"),
        ([to_line("config/tools", {}), "{", '{"end": 1}'], "line 3"),
        ([to_line("config/tools", {}), '{"end": 1}', "\n", to_line("config/more", {})], "line 5"),
    ],
)
async def test_a_backup_that_is_not_whole_is_refused(lines: list[str], why: str):
    """With the line at which it breaks."""
    with pytest.raises(backup.CannotRestore, match=why):
        await backup.compare(MemoryStore(), PATHS, EVERYTHING, lambda: backup.documents_in(BY_HAND, lines))


@pytest.mark.parametrize(
    "path",
    [
        PATHS.within(OTHER).business,
        PATHS.within(OTHER).document("apiKeys", "k"),
        f"{PATHS.within(BUSINESS).business}-2/faqs/f",
        "config/tools",
    ],
)
async def test_a_businesss_backup_writes_nowhere_else(path: str):
    """Whoever edits the file."""
    lines = [to_line(path, {"name": "x"}), '{"end": 1}']
    with pytest.raises(backup.CannotRestore, match="does not belong"):
        await backup.restore(MemoryStore(), PATHS, FOR_ONE, lambda: backup.documents_in(BY_HAND, lines))


STRANGE = [
    f"{WITHIN.business}/notes/n",
    f"{WITHIN.document('collections', 'homes')}/items/h1/photos/front",
    f"{PATHS.businesses}/deleted-long-ago/faqs/f",
    "zoo/lion",
    " begins/with-a-space",
]


async def test_everything_is_all_there_is_also_what_switchboard_does_not_know(store: Any):
    """Collections that others keep, below items and below businesses that are gone, with points and references."""
    kept = {"at": GeoPoint(52.5, 13.4), "by": [Reference("zoo/lion"), None], "n": 1}
    documents = dict.fromkeys([*STRANGE, WITHIN.business, WITHIN.document("faqs", "f1")], kept)
    await store.commit([Create(path, data) for path, data in documents.items()])
    lines = await lines_of(store)
    assert dict(backup.documents_in(EVERYTHING, lines)) == documents
    await store.commit([Delete(path) for path in documents])
    done = await backup.restore(store, PATHS, EVERYTHING, lambda: backup.documents_in(EVERYTHING, lines))
    assert (done.new, await lines_of(store)) == (len(documents), lines)
    own = {read_line(line)[0] for line in (await lines_of(store, BUSINESS))[:-1]}
    assert own == {path for path in documents if path.startswith(WITHIN.business)}


async def test_long_texts_with_accents_are_written_in_commits_that_a_store_takes(store: Any, monkeypatch: Any):
    """What counts is what is sent: a letter with an accent takes twice as much as one without."""
    texts = {WITHIN.document("knowledge", f"k{i}"): {"text": "ü" * 450_000} for i in range(5)}
    lines = [*(to_line(path, data) for path, data in texts.items()), json.dumps({"end": len(texts)})]
    commit, sizes = store.commit, []

    async def watched(writes: Any) -> Any:
        sizes.append(sum(len(write.data["text"].encode()) for write in writes))
        return await commit(writes)

    monkeypatch.setattr(store, "commit", watched)
    assert (await backup.restore(store, PATHS, EVERYTHING, lambda: backup.documents_in(BY_HAND, lines))).new == len(
        texts
    )
    assert max(sizes) < 3_000_000 < sum(sizes)


@each(
    ("path", "data"),
    [
        ("config/tools", {"list": [[1]]}),
        ("config/tools", {"n": 2**63}),
        ("config/tools", {"text": "x" * 1_100_000}),
        ("config/tools", {"__name__": 1}),
        ("config/tools", {"at": {"$point": [91, 0]}}),
        ("config/tools", {"half": "\ud800"}),
        ("config", {}),
        ("config/__tools__", {}),
        ("config//tools", {}),
    ],
)
async def test_a_document_that_no_store_takes_is_named_and_trying_again_is_not_advised(path: str, data: Any):
    """Those in front of it are written, and count as there when the file has been corrected."""
    store, good = MemoryStore(), [to_line(f"config/a{i}", {}) for i in range(60)]
    lines = [*good, json.dumps({"path": path, "data": data}), '{"end": 61}']
    with pytest.raises(backup.CannotRestore) as refused:
        await backup.restore(store, PATHS, EVERYTHING, lambda: backup.documents_in(BY_HAND, lines))
    assert path[:7] in str(refused.value)
    assert "again" not in str(refused.value).replace("import again", "")
    found = await backup.compare(store, PATHS, EVERYTHING, lambda: backup.documents_in(BY_HAND, [*good, '{"end": 60}']))
    assert (found.kept, found.foreign) == (0, 0)


class Command:
    """scripts/backup over a store in memory."""

    def __init__(self, store: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.store, self._capsys = store, capsys
        monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "demo-backup")
        monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1")

    def __call__(self, *arguments: Any) -> tuple[int, str]:
        code = backing_up.main([str(a) for a in arguments], lambda _: self.store)
        out, err = self._capsys.readouterr()
        return code, out + err


@pytest.fixture
def salon() -> MemoryStore:
    """A few documents of two businesses."""
    store = MemoryStore()
    writes = [
        Create(PATHS.within(b).document("faqs", f"f{i}"), {"n": i, "at": NOW, "text": "Füße"})
        for b in (BUSINESS, OTHER)
        for i in range(5)
    ]
    for business_id in (BUSINESS, OTHER):
        writes.append(Create(PATHS.within(business_id).business, {"name": business_id, "timezone": "Europe/Vienna"}))
    asyncio.run(store.commit(writes))
    return store


def test_a_file_is_written_and_read_back(salon, tmp_path: Path, monkeypatch, capsys):
    """Readable by its owner alone; a dry run writes nothing."""
    command, file = Command(salon, monkeypatch, capsys), tmp_path / "all.jsonl"
    assert command("export", file, "--dry-run") == (0, "nothing was written: 12 documents would be\n")
    assert not file.exists()
    assert command("export", file)[0] == 0
    assert file.stat().st_mode & 0o777 == 0o600
    command.store = MemoryStore()
    assert command("import", file, "--dry-run")[1].startswith("nothing was written; ")
    assert command("import", file)[1].startswith("12 documents were written")
    assert command("import", file)[1].startswith("0 documents were written, 12 were there already")


def test_a_database_with_other_peoples_collections_is_told_of(salon, tmp_path: Path, monkeypatch, capsys):
    """They are in the file; whoever shares a database knows then whose data it holds."""
    asyncio.run(salon.commit([Create(path, {}) for path in STRANGE]))
    command = Command(salon, monkeypatch, capsys)
    told = "none of Switchboard's: 1 in  begins, 1 in notes, 1 in photos, 1 in zoo"
    assert told in command("export", tmp_path / "x.jsonl", "--dry-run")[1]
    assert told in command("export", tmp_path / "all.jsonl")[1]
    half = b"".join((tmp_path / "all.jsonl").read_bytes().splitlines(keepends=True)[:-3])
    (tmp_path / "again.jsonl.part").write_bytes(half)
    assert told in command("export", tmp_path / "again.jsonl")[1]


def test_a_file_that_was_opened_in_an_editor_is_still_a_backup(salon, tmp_path: Path, monkeypatch, capsys):
    """One on Windows puts a mark in front and changes the ends of lines."""
    command, file = Command(salon, monkeypatch, capsys), tmp_path / "all.jsonl"
    command("export", file)
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n") + b"\r\n")
    command.store = MemoryStore()
    assert command("import", file) == (0, "12 documents were written, 0 were there already\n")


@pytest.mark.parametrize("begins", [b"\x1f\x8b\x08\x00\xff\xfe", b"", b"x\n", b"[]\n", b"{}"])
@pytest.mark.parametrize("is_damaged", [False, True])
def test_a_file_that_is_none_or_is_damaged_is_told_in_a_sentence(
    salon, tmp_path: Path, monkeypatch, capsys, begins: bytes, is_damaged: bool
):
    """And nothing is written."""
    command, file = Command(salon, monkeypatch, capsys), tmp_path / "all.jsonl"
    command("export", file)
    whole = file.read_bytes()
    file.write_bytes(whole[:400] + b"\xff" + whole[400:] if is_damaged else begins)
    command.store = MemoryStore()
    code, said = command("import", file)
    assert (code, said.startswith("scripts/backup: "), said.count("\n")) == (1, True, 1)
    assert asyncio.run(command.store.get(PATHS.within(BUSINESS).business)) is None


def test_a_line_that_the_store_refuses_is_named_by_the_command(salon, tmp_path: Path, monkeypatch, capsys):
    """Running it again would not help, so that is not said."""
    command, file = Command(salon, monkeypatch, capsys), tmp_path / "all.jsonl"
    command("export", file)
    text = file.read_text().replace('"n":3', '"n":[[3]]', 1)
    file.write_text(text)
    command.store = MemoryStore()
    code, said = command("import", file, "--edited")
    assert (code, "faqs/f3" in said, "Run it again" in said) == (1, True, False)


def test_an_export_that_found_nothing_leaves_nothing_that_the_next_one_stumbles_over(
    salon, tmp_path: Path, monkeypatch, capsys
):
    """Also of one that was stopped before its first document nothing has to be removed by hand."""
    command, file = Command(salon, monkeypatch, capsys), tmp_path / "salon.jsonl"
    code, said = command("export", file, "--business", "slaon")
    assert (code, "nothing to export of slaon" in said, list(tmp_path.iterdir())) == (1, True, [])
    assert command("export", file)[0] == 0
    (tmp_path / "next.jsonl.part").write_bytes(file.read_bytes().splitlines(keepends=True)[0])
    assert command("export", tmp_path / "next.jsonl", "--business", BUSINESS)[0] == 0
    assert len((tmp_path / "next.jsonl").read_text().splitlines()) > 3


def test_an_empty_id_of_a_business_is_not_everybody(salon, tmp_path: Path, monkeypatch, capsys):
    """As a script hands it on whose variable was never set."""
    command = Command(salon, monkeypatch, capsys)
    with pytest.raises(SystemExit):
        command("export", tmp_path / "salon.jsonl", "--business", "")
    assert "leave it out for everything" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_an_export_goes_on_with_the_same_database_only(salon, tmp_path: Path, monkeypatch, capsys):
    """Half of one and half of another would be a backup of neither."""
    command = Command(salon, monkeypatch, capsys)
    command("export", tmp_path / "whole.jsonl")
    half = b"".join((tmp_path / "whole.jsonl").read_bytes().splitlines(keepends=True)[:4])
    (tmp_path / "all.jsonl.part").write_bytes(half)
    for other in (["--project", "demo-another"], ["--database", "second"], ["--business", BUSINESS]):
        code, said = command("export", tmp_path / "all.jsonl", *other)
        assert (code, "begun for something else" in said) == (1, True)
    assert (tmp_path / "all.jsonl.part").read_bytes() == half
    assert command("export", tmp_path / "all.jsonl")[0] == 0


def test_an_import_into_a_place_that_is_in_use_needs_a_word(salon, tmp_path: Path, monkeypatch, capsys):
    """And what stands there otherwise stays even then."""
    command, file = Command(salon, monkeypatch, capsys), tmp_path / "all.jsonl"
    command("export", file)
    command.store = other = MemoryStore()
    changed, foreign = PATHS.within(BUSINESS).document("faqs", "f0"), PATHS.within(BUSINESS).document("faqs", "new")
    asyncio.run(other.commit([Set(changed, {"n": 9}), Set(foreign, {})]))
    code, said = command("import", file)
    assert (code, "--merge" in said, changed in said) == (1, True, True)
    assert asyncio.run(other.get(PATHS.within(OTHER).business)) is None
    assert command("import", file, "--merge")[0] == 0
    assert asyncio.run(other.get(changed)).data == {"n": 9}
    assert asyncio.run(other.get(PATHS.within(OTHER).business)) is not None


@pytest.mark.parametrize("cut", [0, 1, 40, 130, 150, 333, *range(700, 708)])
def test_an_export_that_was_killed_goes_on_behind_its_last_whole_line(salon, tmp_path, monkeypatch, capsys, cut: int):
    """Wherever it was cut; the result is the same file, but for when it was begun."""
    command = Command(salon, monkeypatch, capsys)
    command("export", tmp_path / "whole.jsonl")
    whole = (tmp_path / "whole.jsonl").read_bytes()
    (tmp_path / "cut.jsonl.part").write_bytes(whole[:cut])
    code, said = command("export", tmp_path / "cut.jsonl")
    assert code == 0, said
    assert (tmp_path / "cut.jsonl").read_bytes().splitlines()[1:-1] == whole.splitlines()[1:-1]
    assert command("verify", tmp_path / "cut.jsonl")[0] == 0
    assert not (tmp_path / "cut.jsonl.part").exists()


@pytest.mark.parametrize("damage", [b"\xff\xfe", b"{"])
def test_an_export_goes_on_in_front_of_a_line_that_was_damaged(salon, tmp_path, monkeypatch, capsys, damage: bytes):
    """What stands behind it is written anew."""
    command = Command(salon, monkeypatch, capsys)
    command("export", tmp_path / "whole.jsonl")
    lines = (tmp_path / "whole.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "hurt.jsonl.part").write_bytes(b"".join([*lines[:4], damage + lines[4], *lines[5:8]]))
    code, said = command("export", tmp_path / "hurt.jsonl")
    assert (code, "going on behind 3 documents" in said) == (0, True)
    assert (tmp_path / "hurt.jsonl").read_bytes().splitlines()[1:-1] == [line.rstrip(b"\n") for line in lines[1:-1]]
    assert command("verify", tmp_path / "hurt.jsonl")[0] == 0


def _changed(lines: list[bytes]) -> list[bytes]:
    return [line.replace(b'"n":3', b'"n":4') for line in lines]


def _unsealed(lines: list[bytes]) -> list[bytes]:
    return [re.sub(rb',"sum":"[0-9a-f]{16}"}$', b"}", line.rstrip()) + b"\n" for line in lines]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (_changed, "is not what was written"),
        (lambda lines: [*lines[:5], lines[5].replace(b'"path":"', b'"path":"config/'), *lines[6:]], "is not what was"),
        (_unsealed, "is not what was written"),
        (lambda lines: [*lines[:3], lines[4], lines[3], *lines[5:]], "changed places"),
        (lambda lines: [*lines[:3], lines[3], lines[3], *lines[5:]], "changed places"),
        (lambda lines: [lines[0].replace(b'"at": "2', b'"at": "3'), *lines[1:]], "changed places"),
        (lambda lines: [*lines[:-1], re.sub(rb'"sum": "..', b'"sum": "xy', lines[-1])], "changed places"),
        (lambda lines: [*lines[:-1], b'{"end" 12}\n'], "cannot be read"),
    ],
)
def test_a_backup_that_has_changed_since_is_refused_like_a_torn_one(
    salon, tmp_path, monkeypatch, capsys, change: Callable[[list[bytes]], list[bytes]], why: str
):
    """One changed value, two lines that have changed places: nothing is written, and `verify` says the same."""
    command, file = Command(salon, monkeypatch, capsys), tmp_path / "all.jsonl"
    command("export", file)
    assert command("verify", file)[1].endswith(": 12 documents, each line and the whole are what was written\n")
    file.write_bytes(b"".join(change(file.read_bytes().splitlines(keepends=True))))
    command.store = MemoryStore()
    for what in ("verify", "import"):
        code, told = command(what, file)
        assert (code, why in told) == (1, True), told
    assert asyncio.run(command.store.get(PATHS.within(BUSINESS).business)) is None


def test_a_line_that_was_changed_on_purpose_is_taken_with_a_word(salon, tmp_path, monkeypatch, capsys):
    command, file = Command(salon, monkeypatch, capsys), tmp_path / "all.jsonl"
    command("export", file)
    file.write_bytes(file.read_bytes().replace(b'"n":3', b'"n":4'))
    command.store = MemoryStore()
    assert command("import", file, "--edited")[1].startswith("12 documents were written")
    assert asyncio.run(command.store.get(WITHIN.document("faqs", "f3"))).data["n"] == 4


def test_what_was_restored_is_held_against_the_backup(salon, tmp_path, monkeypatch, capsys):
    """Document by document: what is missing, otherwise or beside it is told."""
    command, file = Command(salon, monkeypatch, capsys), tmp_path / "all.jsonl"
    command("export", file)
    command.store = MemoryStore()
    command("import", file)
    assert command("verify", file, "--stored")[1].endswith("; the database holds just that\n")
    asyncio.run(command.store.commit([Set(WITHIN.document("faqs", "f3"), {"n": 5}), Set("zoo/lion", {})]))
    asyncio.run(command.store.commit([Delete(WITHIN.document("faqs", "f4"))]))
    code, told = command("verify", file, "--stored")
    assert code == 1
    assert "1 are missing there, 1 stand there otherwise and 1 are not in the backup (" in told


@pytest.mark.requirement("004-776")
def test_each_document_is_read_once_to_hold_everything_against_the_backup(salon, tmp_path, monkeypatch, capsys):
    """What else is there is counted; what is compiled of others counts for nothing."""
    command, file = Command(salon, monkeypatch, capsys), tmp_path / "all.jsonl"
    command("export", file)
    command.store = store = MemoryStore()
    command("import", file)
    asyncio.run(store.commit([Set("config/tools/compiled/definitions", {}), Set(WITHIN.compiled, {})]))
    read, get_many, query = list[str](), store.get_many, store.query

    async def noting(paths):
        read.extend(paths)
        return await get_many(paths)

    async def only_compiled(asked):
        assert asked.collection == "compiled"
        return await query(asked)

    monkeypatch.setattr(store, "get_many", noting)
    monkeypatch.setattr(store, "query", only_compiled)
    code, told = command("verify", file, "--stored")
    assert (code, told.endswith("; the database holds just that\n")) == (0, True)
    assert len(read) == len(set(read)) == 12


@pytest.mark.requirement("004-774")
def test_an_import_says_how_far_it_is(salon, tmp_path, monkeypatch, capsys):
    command, file = Command(salon, monkeypatch, capsys), tmp_path / "all.jsonl"
    command("export", file)
    command.store = MemoryStore()
    monkeypatch.setattr(backing_up, "TOLD_EVERY", 5)
    told = command("import", file)[1]
    assert "12 documents were looked at\n" in told and "12 documents are there\n" in told


@pytest.mark.requirement("004-772")
def test_a_dry_import_names_who_would_lose_tools_by_it(salon, tmp_path, monkeypatch, capsys):
    """As by an agent that must not use one: it answers from then on."""
    command, file = Command(salon, monkeypatch, capsys), tmp_path / "all.jsonl"
    agent = {"name": "Ada", "isDefault": True, "channels": ["phone"], "tools": {"end_call": {"enabled": False}}}
    lines = [BY_HAND.to_line(), to_line(WITHIN.document("agents", "ada"), agent), '{"end": 1}']
    file.write_text("\n".join(lines))
    told = command("import", file, "--dry-run")[1]
    assert f"{BUSINESS} would lose end_call on phone (switched off for" in told and "nothing was written" in told
    assert asyncio.run(salon.get(WITHIN.document("agents", "ada"))) is None


@pytest.mark.requirement("004-748")
def test_what_is_wrong_with_a_business_that_is_brought_back_is_named(salon, tmp_path, monkeypatch, capsys):
    """It comes back as it was; whoever brings it back reads what callers would go without."""
    wrong = {"name": "Salon", "timezonee": "Europe/Vienna", "enabledTools": ["book_apointment"]}
    asyncio.run(salon.commit([Set(WITHIN.business, wrong)]))
    command, file = Command(salon, monkeypatch, capsys), tmp_path / "all.jsonl"
    command("export", file)
    command.store = MemoryStore()
    code, told = command("import", file)
    assert (code, f"businesses/{BUSINESS}: 'timezonee' is read by nothing. Did you mean timezone?\n" in told) == (
        0,
        True,
    )
    assert "There is no built-in tool 'book_apointment'. Did you mean book_appointment?\n" in told
    assert f"businesses/{OTHER}:" not in told
    kept = asyncio.run(command.store.get(WITHIN.business))
    assert kept.data == wrong


def test_a_backup_of_before_there_were_sums_is_read_and_said_to_have_none(salon, tmp_path, monkeypatch, capsys):
    command, file = Command(salon, monkeypatch, capsys), tmp_path / "all.jsonl"
    lines = [BY_HAND.to_line(), to_line("config/tools", {}), '{"end": 1}']
    file.write_text("\n".join(lines))
    assert command("verify", file)[1].endswith(": 1 documents, it is whole, and too old to have sums\n")
    command.store = MemoryStore()
    assert command("import", file)[1].startswith("1 documents were written")


def test_a_store_that_does_not_answer_leaves_a_part_to_go_on_from(salon, tmp_path, monkeypatch, capsys):
    """And says so."""
    command, query, asked = Command(salon, monkeypatch, capsys), salon.query, []

    async def failing(asked_for):
        asked.append(asked_for)
        if len(asked) < 60:
            raise Unavailable("gone")
        return await query(asked_for)

    monkeypatch.setattr(salon, "query", failing)
    monkeypatch.setattr(retrying_store, "PAUSE_S", 0)
    code, said = command("export", tmp_path)
    assert (code, "Run it again" in said) == (1, True)
    asked.extend([None] * 60)
    assert command("export", tmp_path)[0] == 0
    assert len(list(tmp_path.iterdir())) == 1
    assert KEY not in next(tmp_path.iterdir()).read_text()
