"""A backup brings everything back: as it was, into an empty place, and over nobody else's documents."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import backing_up
from switchboard.admin import backup, patient_store
from switchboard.admin.backup_lines import BadLine, read_line, to_line
from switchboard.contract.store import Create, Delete, Set, Unavailable, Vector
from switchboard.state.memory import MemoryStore
from switchboard.state.value import is_identical
from tests.operations.premises import BUSINESS, CANARY, KEY, OTHER, PATHS, Premises, lines_of, open_premises

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
EVERYTHING = backup.heading(None, NOW)

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.binary(),
    st.datetimes(timezones=st.just(UTC)),
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=3).map(lambda v: Vector(tuple(v))),
)
names = st.one_of(st.sampled_from(["$time", "$bytes", "$vector", "$number", "$map", "a.b"]), st.text(max_size=5))
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
    done = await backup.restore(store, PATHS, EVERYTHING, lambda: backup.documents_in(lines))
    assert done.new == len(before) == len(lines) - 1
    after = {d.path: d.data for d in await premises.documents()}
    assert is_identical(after, before)
    copy = MemoryStore()
    await backup.restore(copy, PATHS, EVERYTHING, lambda: backup.documents_in(lines))
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
    documents = list(backup.documents_in(lines))
    await target.commit([Create(path, data) for path, data in documents[:70]])
    found = await backup.compare(target, PATHS, EVERYTHING, lambda: backup.documents_in(lines))
    assert (found.same, found.new, found.kept, found.foreign) == (70, len(documents) - 70, 0, 0)
    await backup.restore(target, PATHS, EVERYTHING, lambda: backup.documents_in(lines))
    assert await lines_of(target) == lines


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["x"], "line 2"),
        ([], "not finished"),
        ([to_line("config/tools", {})], "not finished"),
        ([backup.end_line(1)], "says otherwise"),
        ([to_line("config/tools", {}), "{", backup.end_line(1)], "line 3"),
    ],
)
async def test_a_backup_that_is_not_whole_is_refused(lines: list[str], why: str):
    """With the line at which it breaks."""
    with pytest.raises(backup.CannotRestore, match=why):
        await backup.compare(MemoryStore(), PATHS, EVERYTHING, lambda: backup.documents_in(lines))


@pytest.mark.parametrize(
    "path",
    [
        PATHS.within(OTHER).business,
        PATHS.within(OTHER).document("apiKeys", "k"),
        "config/tools",
        f"{PATHS.within(BUSINESS).business}/elsewhere/x",
    ],
)
async def test_a_businesss_backup_writes_nowhere_else(path: str):
    """Whoever edits the file."""
    lines = [to_line(path, {"name": "x"}), backup.end_line(1)]
    with pytest.raises(backup.CannotRestore, match="does not belong"):
        await backup.restore(MemoryStore(), PATHS, backup.heading(BUSINESS, NOW), lambda: backup.documents_in(lines))


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
    import asyncio

    store = MemoryStore()
    writes = [
        Create(PATHS.within(b).document("faqs", f"f{i}"), {"n": i, "at": NOW})
        for b in (BUSINESS, OTHER)
        for i in range(5)
    ]
    asyncio.run(store.commit([*writes, *(Create(PATHS.within(b).business, {"name": b}) for b in (BUSINESS, OTHER))]))
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


def test_an_import_into_a_place_that_is_in_use_needs_a_word(salon, tmp_path: Path, monkeypatch, capsys):
    """And what stands there otherwise stays even then."""
    import asyncio

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


@pytest.mark.parametrize("cut", [0, 1, 40, 130, 333, 700])
def test_an_export_that_was_killed_goes_on_behind_its_last_whole_line(salon, tmp_path, monkeypatch, capsys, cut: int):
    """Wherever it was cut; the result is the same file, but for when it was begun."""
    command = Command(salon, monkeypatch, capsys)
    command("export", tmp_path / "whole.jsonl")
    whole = (tmp_path / "whole.jsonl").read_bytes()
    (tmp_path / "cut.jsonl.part").write_bytes(whole[:cut])
    code, said = command("export", tmp_path / "cut.jsonl")
    assert code == 0, said
    assert (tmp_path / "cut.jsonl").read_bytes().splitlines()[1:] == whole.splitlines()[1:]
    assert not (tmp_path / "cut.jsonl.part").exists()


def test_a_store_that_does_not_answer_leaves_a_part_to_go_on_from(salon, tmp_path, monkeypatch, capsys):
    """And says so."""
    command, query, asked = Command(salon, monkeypatch, capsys), salon.query, []

    async def failing(asked_for):
        asked.append(asked_for)
        if asked_for.collection == "faqs" and len(asked) < 60:
            raise Unavailable("gone")
        return await query(asked_for)

    monkeypatch.setattr(salon, "query", failing)
    monkeypatch.setattr(patient_store, "PAUSE_S", 0)
    code, said = command("export", tmp_path)
    assert (code, "Run it again" in said) == (1, True)
    asked.extend([None] * 60)
    assert command("export", tmp_path)[0] == 0
    assert len(list(tmp_path.iterdir())) == 1
    assert KEY not in next(tmp_path.iterdir()).read_text()
