"""Pushing the files of seeds/ into a store."""

import json
from contextlib import suppress
from datetime import timedelta

import pytest

from operations import seeding
from switchboard.admin.definitions.definition_set import CannotPublish
from switchboard.admin.evals.gate import PublishGate, RedTests
from switchboard.contract.store import Create, Delete, Query, Set, Unavailable, Update
from switchboard.desk.calendars.grid import slot_id, steps_between
from switchboard.state.memory.store import MemoryStore
from tests.admin.evals.playing_as import PlayedAs, minimal
from tests.admin.small_seeds import (
    BUSINESS,
    COLLECTIONS,
    NOW,
    PATHS,
    Killed,
    WatchedStore,
    all_documents,
    definition,
    look_away,
    write_business,
    write_seeds,
    write_tools,
)
from tests.cpu_time import taking_less_than

SALON = PATHS.within("salon")
EVERYTHING = (
    PATHS.definitions,
    PATHS.prompt_templates,
    PATHS.businesses,
    "config",
    *(SALON.collection(name) for name in (*COLLECTIONS, "slots")),
)


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    """Let a run that was not answered try again at once."""
    monkeypatch.setattr(seeding, "PAUSE_S", 0.0)


@pytest.fixture
def memory():
    """An empty store in memory."""
    return MemoryStore()


@pytest.fixture(params=["memory", pytest.param("firestore", marks=pytest.mark.emulator)])
def store(request):
    """Each store in turn."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def seeds(tmp_path):
    """A small folder of seeds."""
    return write_seeds(tmp_path / "seeds")


async def push(store, seeds, **options):
    """Seed, and return the summary with the lines that were shown."""
    lines = []
    summary = await seeding.seed(store, PATHS, seeds, out=lines.append, **({"now": NOW} | options))
    return summary, lines


async def snapshot(store):
    return await all_documents(store, *EVERYTHING)


def edit(path, **fields):
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


@pytest.mark.requirement("004-19")
async def test_everything_is_pushed_at_once(store, seeds):
    """Definitions, templates, businesses and what is below them stand where the design says (seed 004)."""
    summary, _ = await push(store, seeds)
    assert (summary.new, summary.changed, summary.removed, summary.is_pushed) == (9, 0, 0, True)
    found = await snapshot(store)
    assert found[PATHS.definition("end_call")] == definition("end_call")
    assert found[PATHS.tool_pointer]["names"] == ["end_call", "get_policies"]
    assert found[PATHS.prompt_template("system")]["text"] == "You are Echo of {{business.name}}.\n"
    business = found[SALON.business]
    assert {name: business[name] for name in BUSINESS} == BUSINESS
    for name in ("policies", "faqs", "knowledge", "callers"):
        for key, document in COLLECTIONS[name].items():
            stored = found[SALON.document(name, key)]
            assert {field: stored[field] for field in document} == document
            assert stored["updatedAt"].tzinfo is not None


async def test_a_booking_is_entered_with_its_time_claimed(store, seeds):
    """It is an ordinary booking on the next open day, and nobody else can have its time."""
    await push(store, seeds)
    found = await all_documents(store, SALON.collection("bookings"), SALON.collection("slots"))
    (booking,) = (d for path, d in found.items() if "/bookings/" in path)
    assert (booking["start"].isoformat(), booking["service"]) == ("2026-11-24T14:30:00+00:00", "Haircut")
    steps = steps_between(booking["start"], booking["end"])
    assert {path for path in found if "/slots/" in path} == {SALON.document("slots", slot_id(step)) for step in steps}


async def test_the_second_run_has_nothing_to_do_and_writes_nothing(store, seeds):
    """Not even a time changes."""
    await push(store, seeds)
    before = await snapshot(store)
    watched = WatchedStore(store)
    summary, lines = await push(watched, seeds)
    assert (watched.commits, lines, summary.writes) == (0, [], 0)
    assert str(summary) == "nothing to do: 9 documents are as the files have them"
    assert await snapshot(store) == before


async def test_on_another_day_there_is_nothing_to_do_either(store, seeds):
    """A booking that was entered relative to one day is not entered again relative to the next."""
    await push(store, seeds)
    watched = WatchedStore(store)
    for days in (1, 30):
        summary, _ = await push(watched, seeds, now=NOW + timedelta(days=days))
        assert summary.writes == 0
    assert watched.commits == 0


async def test_a_change_is_shown_and_only_it_is_written(store, seeds):
    """The listing names document, field, old and new value; what is equal is neither shown nor written."""
    await push(store, seeds)
    write_tools(seeds, definition("end_call", "Hangs up."), definition("get_policies"))
    write_business(seeds, business={"ai": {"tone": "calm", "language": "en"}})
    (seeds / "prompts/system.md").write_text("You are Echo.\n")
    watched = WatchedStore(store)
    summary, lines = await push(watched, seeds)
    assert lines == [
        "config/tools/definitions",
        "  ~ end_call",
        '      description: "Does something." → "Hangs up."',
        "config/prompts/templates",
        "  ~ system",
        '      text: "You are Echo of {{business.name}}.\\n" → "You are Echo.\\n"',
        "businesses",
        "  ~ salon",
        '      ai.tone: "warm" → "calm"',
        "[0/3] config/tools/definitions: saved 1 version, not visible yet",
        "[1/3] config/tools/definitions: switched to revision 2",
        "[2/3] config/prompts/templates",
        "[3/3] businesses",
    ]
    assert str(summary) == "pushed: 0 new, 3 changed, 0 removed, 6 unchanged; tools are at revision 2"
    # Behind the template of a prompt stands the note that it changed.
    assert [type(w) for w in watched.writes] == [Create, Create, Set, Update, Update, Create, Update]
    assert (await push(store, seeds))[0].writes == 0


async def test_a_dry_run_shows_the_same_and_writes_nothing(store, seeds):
    """What --dry-run shows is what a run then shows."""
    watched = WatchedStore(store)
    summary, lines = await push(watched, seeds, dry_run=True)
    assert (watched.commits, summary.is_pushed, summary.new) == (0, False, 9)
    assert str(summary) == "nothing was written: 9 new, 0 changed, 0 removed, 0 unchanged"
    _, pushed = await push(store, seeds)
    assert pushed[: len(lines)] == lines
    assert pushed[len(lines)].startswith("[")


async def test_who_does_not_agree_writes_nothing(memory, seeds):
    """The question comes after the listing and knows how many documents it is about."""
    lines, asked = [], []

    def disagree(summary):
        asked.append((summary.writes, lines[0]))
        return False

    summary = await seeding.seed(memory, PATHS, seeds, now=NOW, out=lines.append, agree=disagree)
    assert not summary.is_pushed
    assert asked == [(9, "config/tools/definitions")]
    assert await snapshot(memory) == {}


async def test_nobody_is_asked_about_nothing(memory, seeds):
    """Where nothing would be written there is nothing to agree to."""
    await push(memory, seeds)
    await push(memory, seeds, agree=lambda _: pytest.fail("asked"))


async def test_what_is_in_no_file_stays_unless_pruned(store, seeds):
    """Without --prune it is named; with it, definitions and documents of seeded collections go."""
    await push(store, seeds)
    write_tools(seeds, definition("end_call"))
    write_business(seeds, faqs={})
    before = await snapshot(store)
    summary, lines = await push(store, seeds)
    assert lines == [
        "config/tools/definitions",
        "  - get_policies  would be removed (only with --prune)",
        "businesses/salon/faqs",
        "  - parking  would be removed (only with --prune)",
    ]
    assert str(summary) == "nothing to do: 7 documents are as the files have them; 2 in no file"
    assert await snapshot(store) == before
    summary, lines = await push(store, seeds, prune=True)
    assert "  - parking  will be removed" in lines
    assert str(summary) == "pushed: 0 new, 0 changed, 2 removed, 7 unchanged; tools are at revision 2"
    after = await snapshot(store)
    assert before.keys() - after.keys() == {PATHS.definition("get_policies"), SALON.document("faqs", "parking")}
    assert after[PATHS.tool_pointer]["names"] == ["end_call"]


@pytest.mark.requirement("004-911")
async def test_what_businesses_try_of_a_tool_goes_on_until_its_file_changes(store, seeds):
    """Pushing the same files ends no trial; a changed one ends that of its tool, which is said and noted."""
    await push(store, seeds)
    since = "2026-11-20T10:00:00.000Z"
    tried = {"businesses": ["salon"], "document": definition("end_call", "Ends it."), "since": since}
    await store.commit([Update(PATHS.definition("end_call"), {"canary": tried})])
    trial = PATHS.definition_version("end_call", f"canary:{since}")
    await store.commit([Create(trial, {"tool": "end_call", "endedAt": None, "ended": None})])
    edit(seeds / "tools" / "get_policies.json", description="Tells the policies.")
    summary, _ = await push(store, seeds, prune=True)
    assert (summary.changed, summary.revision) == (1, 2)
    assert (await store.get(PATHS.definition("end_call"))).data["canary"] == tried
    assert (await store.get(trial)).data["endedAt"] is None
    edit(seeds / "tools" / "end_call.json", description="Ends the call.")
    _, lines = await push(store, seeds)
    assert any("the trial of end_call is over" in line for line in lines)
    assert "canary" not in (await store.get(PATHS.definition("end_call"))).data
    noted = (await store.get(trial)).data
    assert (noted["endedAt"], noted["ended"]) == (NOW, "the files of seeds/ were pushed")


async def test_a_push_without_pruning_keeps_what_is_in_no_file(store, seeds):
    """A tool that is in no file stays in the set while another changes, and the pointer goes on naming it."""
    await push(store, seeds)
    write_tools(seeds, definition("end_call", "Hangs up."))
    summary, _ = await push(store, seeds)
    assert (summary.changed, summary.left) == (1, 1)
    assert (await store.get(PATHS.definition("get_policies"))).data == definition("get_policies")
    assert (await store.get(PATHS.tool_pointer)).data["names"] == ["end_call", "get_policies"]


async def test_pruning_never_touches_daily_work_or_what_the_seeds_do_not_know(store, seeds):
    """Bookings, callers, keys, sessions, collections without a file and other businesses stay."""
    await push(store, seeds)
    kept = [
        SALON.document("bookings", "bk_made_by_phone"),
        SALON.document("callers", "ben"),
        SALON.document("apiKeys", "key_1"),
        SALON.document("sessions", "s1"),
        SALON.call("s1", "c1"),
        SALON.document("agents", "own"),
        SALON.document("secrets", "x"),
        PATHS.within("other").business,
        PATHS.within("other").document("faqs", "own"),
    ]
    await store.commit([Set(path, {"a": 1}) for path in kept])
    write_business(seeds, callers={}, bookings={})
    before = await snapshot(store)
    summary, _ = await push(store, seeds, prune=True)
    assert summary.writes == 0
    assert all(await store.get_many(kept))
    assert await snapshot(store) == before


async def test_what_the_system_keeps_in_a_document_survives(store, seeds):
    """A connected calendar, a vector, a flagged caller and a cancelled booking are not undone by pushing."""
    await push(store, seeds)
    (booking,) = await store.query(Query(SALON.collection("bookings")))
    google = {"isConnected": True, "calendarId": "primary"}
    await store.commit(
        [
            Update(SALON.business, {"integrations.googleCalendar": google, "twilioAccount": "x"}),
            Update(SALON.document("knowledge", "team"), {"vector": [0.5]}),
            Update(SALON.document("callers", "anna"), {"name": "Anna B.", "flagged": True}),
            Update(booking.path, {"status": "cancelled"}),
        ]
    )
    changed = {"integrations": {"builtinCalendar": {"isConnected": True, "maxDaysAhead": 30}}}
    write_business(seeds, business=changed, knowledge={"team": {"title": "The team", "content": "Rosa."}})
    before = await snapshot(store)
    summary, _ = await push(store, seeds, prune=True)
    assert summary.changed == 2
    after = await snapshot(store)
    assert after[SALON.business]["integrations"] == {"googleCalendar": google, **changed["integrations"]}
    assert after[SALON.business]["twilioAccount"] == "x"
    assert after[SALON.document("knowledge", "team")]["vector"] == [0.5]
    assert {p: d for p, d in before.items() if "/callers/" in p or "/bookings/" in p}.items() <= after.items()


async def test_a_time_that_somebody_booked_moves_the_seeded_booking(memory, seeds):
    """A real booking is never pushed aside."""
    await push(memory, seeds, only=["businesses"])
    write_business(seeds, bookings=COLLECTIONS["bookings"] | {"rival": COLLECTIONS["bookings"]["cut"]})
    _, lines = await push(memory, seeds, only=["businesses"])
    assert lines[-1] == "[1/1] businesses/salon/bookings: rival on Wed 2026-11-25 09:30"


async def test_a_booking_that_somebody_else_seeds_in_the_same_moment_is_there_once(memory, seeds):
    """Of two runs at once, the second finds the booking made and looks for no other time."""
    await push(memory, seeds)
    own = [SALON.collection("bookings"), SALON.collection("slots")]
    await memory.commit([Delete(path) for path in await all_documents(memory, *own)])
    watched = WatchedStore(memory)

    async def rival():
        watched.watch = look_away
        await push(memory, seeds)

    watched.watch = rival
    _, lines = await push(watched, seeds)
    assert lines[-1] == "[1/1] businesses/salon/bookings: cut on Tue 2026-11-24 09:30"
    assert len(await memory.query(Query(own[0]))) == 1


async def test_a_booking_without_any_free_time_is_left_out(memory, seeds):
    """It is said, and everything else is pushed."""
    write_business(seeds, bookings={"late": COLLECTIONS["bookings"]["cut"] | {"at": "22:00"}})
    summary, lines = await push(memory, seeds)
    assert lines[-1] == "[9/9] businesses/salon/bookings: late found no free time and was left out"
    assert summary.is_pushed


@pytest.mark.parametrize("part", seeding.PARTS)
async def test_one_part_can_be_pushed_alone(memory, seeds, part):
    """--only reads and writes that part; a mistake in another does not matter to it."""
    collections = {"tools": ["config", PATHS.definitions], "prompts": [PATHS.prompt_templates]}
    broken = {
        "tools": "prompts/system.md",
        "prompts": "businesses/salon/faqs.json",
        "businesses": "tools/end_call.json",
    }
    (seeds / broken[part]).write_text("")
    await push(memory, seeds, only=[part])
    found = await snapshot(memory)
    assert found
    if part in collections:
        assert {path.rpartition("/")[0] for path in found} == set(collections[part])
    else:
        assert all(path.startswith("businesses/") for path in found)


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("tools/end_call.json", '{\n "name": end_call\n}', "seeds/tools/end_call.json:2:10: Expecting value"),
        ("tools/end_call.json", "{}", "seeds/tools/end_call.json: category: is missing; every definition needs it"),
        ("tools/End.json", json.dumps(definition("End")), "seeds/tools/End.json: name: 'End' is not a tool name"),
        ("tools/other.json", json.dumps(definition("end_call")), "seeds/tools/other.json: name: 'end_call' differs"),
        ("tools/notes.txt", "x", "seeds/tools/notes.txt: is not a .json file"),
        (
            "tools/end_call.json",
            json.dumps(definition("end_call", kind="magic")),
            "seeds/tools/end_call.json: kind: 'magic' is not a kind; use one of retrieval, action, utility",
        ),
        (
            "tools/end_call.json",
            json.dumps(definition("end_call", say={"en": {"running": "x"}}, examples=[[1]])),
            "seeds/tools/end_call.json: examples: an array cannot stand directly in an array",
        ),
        ("prompts/system.md", " \n", "seeds/prompts/system.md: needs an id as its name, and a text"),
        ("prompts/my prompt.md", "Hi", "seeds/prompts/my prompt.md: needs an id as its name, and a text"),
        ("businesses/salon/faqs.json", "[", "seeds/businesses/salon/faqs.json:1:2: Expecting value"),
        (
            "businesses/salon/business.json",
            json.dumps(BUSINESS | {"timezone": "Nowhere"}),
            "seeds/businesses/salon/business.json: timezone: 'Nowhere' is not an IANA zone such as Europe/Berlin",
        ),
        (
            "businesses/salon/business.json",
            json.dumps({"timezonee" if name == "timezone" else name: value for name, value in BUSINESS.items()}),
            "seeds/businesses/salon/business.json: 'timezonee' is read by nothing. Did you mean timezone?",
        ),
        (
            "businesses/salon/business.json",
            json.dumps(BUSINESS | {"enabledTools": ["book_apointment"], "features": {"recrods": True}}),
            "seeds/businesses/salon/business.json: There is no built-in tool 'book_apointment'. Did you mean book_app",
        ),
    ],
)
async def test_one_bad_file_and_nothing_is_written(memory, seeds, file, text, expected):
    """All files are checked before anything is read from the store or written to it."""
    (seeds / file).write_text(text)
    watched = WatchedStore(memory)
    with pytest.raises(seeding.BadSeeds) as caught:
        await push(watched, seeds)
    assert any(problem.startswith(expected) for problem in caught.value.problems), caught.value.problems
    assert watched.commits == 0


@pytest.mark.requirement("004-748")
async def test_a_number_of_two_businesses_is_refused_in_the_files_and_beside_the_store(memory, seeds):
    """It belongs to one alone; whoever gives it up in the same push does not keep it from the other."""
    folder = seeds / "businesses"
    number = {"twilioNumber": "+15185550100"}
    (folder / "salon/business.json").write_text(json.dumps(BUSINESS | number))
    (folder / "other").mkdir()
    (folder / "other/business.json").write_text(json.dumps(BUSINESS | number))
    with pytest.raises(seeding.BadSeeds, match=r"salon/business.json: twilioNumber: .* is the number of other already"):
        await push(memory, seeds)
    (folder / "other/business.json").write_text(json.dumps(BUSINESS))
    await memory.commit([Create(PATHS.within("elsewhere").business, BUSINESS | number)])
    before = await snapshot(memory)
    with pytest.raises(seeding.BadSeeds, match="is the number of elsewhere in the store already"):
        await push(memory, seeds)
    assert await snapshot(memory) == before
    await memory.commit([Delete(PATHS.within("elsewhere").business)])
    await push(memory, seeds)
    (folder / "salon/business.json").write_text(json.dumps(BUSINESS))
    (folder / "other/business.json").write_text(json.dumps(BUSINESS | number))
    await push(memory, seeds)
    assert (await memory.get(PATHS.within("other").business)).data["twilioNumber"] == "+15185550100"


async def test_all_mistakes_are_told_at_once(memory, seeds):
    """Nobody corrects one file after the other just to learn of the next."""
    for file in ("tools/end_call.json", "prompts/system.md", "businesses/salon/faqs.json"):
        (seeds / file).write_text("")
    with pytest.raises(seeding.BadSeeds) as caught:
        await push(memory, seeds)
    assert len(caught.value.problems) == 3


@pytest.mark.parametrize("folder", ["tools", "prompts"])
async def test_an_empty_folder_is_a_mistake_and_no_wish_to_have_nothing(memory, seeds, folder):
    """With --prune it would take every tool away from everybody."""
    await push(memory, seeds)
    before = await snapshot(memory)
    for file in (seeds / folder).iterdir():
        file.unlink()
    with pytest.raises(seeding.BadSeeds, match=f"seeds/{folder}: holds no"):
        await push(memory, seeds, prune=True)
    assert await snapshot(memory) == before


async def test_more_than_400_definitions_are_refused(memory, seeds):
    """The sentence says how many a set can hold, and nothing is written."""
    write_tools(seeds, *(definition(f"tool_{n}") for n in range(401)))
    with pytest.raises(CannotPublish, match="400 at most"):
        await push(memory, seeds)
    assert await snapshot(memory) == {}


async def test_a_definition_with_an_array_in_an_array_is_pushed_once(store, seeds):
    """It is stored as text and still counts as equal the next time; a change in it is shown by its field."""
    schema = {"type": "object", "properties": {"pair": {"type": "array", "examples": [[1, 2]]}}}
    write_tools(seeds, definition("end_call") | {"parameters": schema})
    await push(store, seeds)
    assert json.loads((await store.get(PATHS.definition("end_call"))).data["parameters"]) == schema
    assert (await push(store, seeds))[0].writes == 0
    schema["properties"]["pair"]["examples"] = [[1, 3]]
    write_tools(seeds, definition("end_call") | {"parameters": schema})
    _, lines = await push(store, seeds)
    assert "      parameters.properties.pair.examples[0][1]: 2 → 3" in lines


async def test_who_seeds_meanwhile_is_not_overwritten(store, seeds, tmp_path):
    """Two at once: the one who looked first and switches last is refused, and what it leaves is the other's set."""
    watched = WatchedStore(store)
    other = write_seeds(tmp_path / "other" / "seeds")
    write_tools(other, definition("transfer_call"))

    async def rival():
        watched.watch = look_away
        await push(store, other)

    watched.watch = rival
    with pytest.raises(CannotPublish, match="somebody else"):
        await push(watched, seeds)
    found = await snapshot(store)
    assert found[PATHS.tool_pointer]["names"] == ["transfer_call"]
    assert [path for path in found if path.startswith(PATHS.definitions)] == [PATHS.definition("transfer_call")]


async def test_a_pointer_that_is_wrong_is_put_right(memory, seeds):
    """Definitions that were edited back by hand are equal, and the pointer is corrected with a new revision."""
    await push(memory, seeds)
    await memory.commit([Update(PATHS.tool_pointer, {"names": []})])
    summary, lines = await push(memory, seeds)
    assert lines[1] == "  ~ (the pointer config/tools)"
    assert summary.revision == 2
    assert (await push(memory, seeds))[0].writes == 0
    await memory.commit([Delete(PATHS.tool_pointer)])
    await push(memory, seeds)
    assert (await memory.get(PATHS.tool_pointer)).data["names"] == ["end_call", "get_policies"]


@pytest.mark.parametrize("kill_after", [False, True], ids=["before", "after"])
async def test_killed_at_any_commit_readers_see_whole_sets_and_the_next_run_completes(store, seeds, kill_after):
    """Stopped before or after each of its commits in turn, a run leaves the old set or the new one, never a mixture."""
    await push(store, seeds)
    old = await all_documents(store, PATHS.definitions)
    write_tools(seeds, definition("end_call", "Hangs up."), definition("send_sms"))
    write_business(
        seeds, business={"name": "New name"}, faqs=COLLECTIONS["faqs"] | {"new": COLLECTIONS["faqs"]["parking"]}
    )
    (seeds / "prompts/system.md").write_text("New.\n")
    new = {
        PATHS.definition(name): json.loads((seeds / f"tools/{name}.json").read_text())
        for name in ("end_call", "send_sms")
    }
    watched = WatchedStore(store)
    seen = []

    async def look():
        seen.append(await all_documents(store, PATHS.definitions))

    watched.watch = look
    kills = 0
    summary = None
    while summary is None or summary.writes:
        # Each run gets one commit further than the one before: it is stopped after its first, or before its second.
        watched.commits, watched.kill_at, watched.kill_after = 0, 1 if kill_after else 2, kill_after
        try:
            summary, _ = await push(watched, seeds, prune=True)
        except Killed:
            kills += 1
    assert kills >= 4
    assert old in seen and new in seen
    assert all(found in (old, new) for found in seen)
    assert (await store.get(SALON.business)).data["name"] == "New name"


async def test_a_first_run_that_is_killed_after_every_commit_is_completed(store, seeds):
    """From an empty store, through a kill at every single commit, to exactly what an undisturbed run makes."""
    undisturbed = MemoryStore()
    await push(undisturbed, seeds)
    watched = WatchedStore(store)
    summary = None
    while summary is None or summary.writes:
        watched.commits, watched.kill_at, watched.kill_after = 0, 1, True
        with suppress(Killed):
            summary, _ = await push(watched, seeds)
    assert (await snapshot(store)).keys() == (await snapshot(undisturbed)).keys()


@pytest.mark.parametrize("kill_after", [False, True], ids=["not done", "done"])
async def test_a_missing_answer_is_made_up_for(seeds, kill_after):
    """Whether the unanswered commit was done or not, the run looks again and completes by itself."""
    undisturbed = MemoryStore()
    counted = WatchedStore(undisturbed)
    await push(counted, seeds)
    for kill_at in range(1, counted.commits + 1):
        store = MemoryStore()
        watched = WatchedStore(store)
        watched.kill_at, watched.kill_after, watched.failure = kill_at, kill_after, lambda: Unavailable("hangs")
        summary, _ = await push(watched, seeds)
        assert summary.is_pushed
        assert (await snapshot(store)).keys() == (await snapshot(undisturbed)).keys()
        assert (await push(store, seeds))[0].writes == 0


async def test_a_store_that_never_answers_ends_the_run(memory, seeds):
    """After a few attempts the failure is passed on, so that nobody waits for ever."""

    class Silent(WatchedStore):
        async def get(self, path):
            raise Unavailable("hangs")

    lines = []
    with pytest.raises(Unavailable):
        await seeding.seed(Silent(memory), PATHS, seeds, now=NOW, out=lines.append)
    assert lines == ["no answer, trying again: hangs"] * 4


async def test_a_large_collection_is_pushed_in_parts(store, seeds):
    """More documents than fit into one commit are still all there."""
    faqs = {f"faq-{n}": COLLECTIONS["faqs"]["parking"] for n in range(120)}
    write_business(seeds, faqs=faqs)
    summary, _ = await push(store, seeds)
    assert summary.new == 8 + 120
    assert len(await store.query(Query(SALON.collection("faqs")))) == 120


async def test_seeding_memory_is_quick(memory, seeds):
    """A start of the local server does not wait for it."""
    with taking_less_than(1.0):
        await push(memory, seeds)


@pytest.mark.requirement("004-785")
async def test_tools_are_pushed_behind_the_kept_tests_that_they_turn_red(memory, seeds):
    """One that is red keeps everything from being written; named, it stands in the publication."""
    await push(memory, seeds)
    await memory.commit([Set(SALON.document("evals", "hangs-up"), {"text": minimal("salon", "hangs-up")})])
    write_tools(seeds, definition("end_call", "Hangs up."), definition("get_policies"))
    (seeds / "prompts/system.md").write_text("You are Echo.\n")
    before = await snapshot(memory)
    playing = PlayedAs(lambda test, tools: "it hangs on" if tools["end_call"]["description"] == "Hangs up." else "")
    gate = PublishGate(memory, PATHS, playing)

    def tests_first(*names):
        async def tested(now, then):
            return (await gate.require(now, then, None, names)).to_json()

        return tested

    with pytest.raises(RedTests) as refused:
        await push(memory, seeds, tests_first=tests_first())
    assert "salon/hangs-up: it hangs on" in refused.value.told("by --acknowledge")
    assert await snapshot(memory) == before
    summary, _ = await push(memory, seeds, tests_first=tests_first("salon/hangs-up"))
    assert (summary.is_pushed, summary.changed) == (True, 2)
    notes = [document.data for document in await memory.query(Query(PATHS.publications))]
    told = {"run": 1, "acknowledged": ["salon/hangs-up"], "notRun": {}, "isWhole": True}
    assert [note.get("tests") for note in notes if note["tools"]] == [None, told]
