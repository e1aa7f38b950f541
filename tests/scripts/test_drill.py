"""`scripts/drill` breaks things and tells what came of it; how long that took is not asserted on shared machines."""

import ast
import asyncio
import base64
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

import setting_up
from command_line import Problem
from drills import canaries, drilling, injection, kill_deeds
from drills.calendar_trial import KINDS
from drills.drilled_calendars import CALENDARS
from drills.emulate import server as emulate
from drills.emulate.account import seed
from drills.injection_goals import WORDINGS, goals
from drills.injection_places import PLACES
from drills.killing import carried_out
from drills.result import Check, Effort, Result, Skipped
from drills.rows import ROWS
from drills.trial import Trial
from running import emulator
from stand_ins import caldav_server, google_calendar_faults, microsoft_graph_faults
from tests.each import each
from tests.scripts.process_tree import descendants_of, stat

DRILL = setting_up.ROOT / "scripts" / "drill"
COMMAND = (sys.executable, str(DRILL))
GONE_WITHIN_S = 120.0
NO_REGISTRY = """echo "npm error code ECONNREFUSED
npm error syscall connect
npm error request to the registry failed" >&2
exit 1"""


def drill(*arguments, **settings):
    """Run the command as a person would; returns exit code, stdout and stderr."""
    done = subprocess.run([*COMMAND, *arguments], env={**os.environ, **settings}, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def rows(text):
    """Return the cells of the rows that say whether they are as expected, by the first of them."""
    lines = [line for line in text.splitlines() if line.endswith(("as expected", "DIFFERS"))]
    return {cells[0]: cells[1:] for cells in (re.split(r" {2,}", line.strip()) for line in lines)}


@pytest.fixture
def installed_emulator(missing_part: Callable[[str], NoReturn]) -> None:
    """An emulator that can be started, since these drills stop theirs."""
    if not emulator.find():
        missing_part(emulator.why_missing())


# Those that need a store to be restarted or shared; the others bring all they need along.
OVER_EMULATOR = ("deliveries", "kill", "frozen", "restarts", "hostile", "codes", "texts", "calendar", "restore")
IN_MEMORY = tuple(name for name in drilling.DRILLS if name not in OVER_EMULATOR)
# Every step with every recovery once: 7 x 5 in the built-in calendar, 13 x 5 in Google's.
BUILT_IN_KILLS, GOOGLE_KILLS = 35, 65


@pytest.fixture(scope="module")
def against_emulate(emulator_host: str, missing_part: Callable[[str], NoReturn]) -> str:
    """What the drills print that run against emulate, which npm brings."""
    code, out, err = drill("--against", "emulate", "--smoke", FIRESTORE_EMULATOR_HOST=emulator_host)
    missing = re.search(r"^\w+: skipped: (no node.*|npm cannot.*)$", out, re.M)
    if missing:
        missing_part(missing[1])
    return came_to_its_end(drilling.AGAINST["emulate"], code, out, err)


@pytest.fixture(scope="module")
def in_memory() -> str:
    """What the drills that need no emulator print, as small as they can be."""
    return smoked(*IN_MEMORY)


@pytest.fixture(scope="module")
def over_emulator(emulator_host: str, missing_part: Callable[[str], NoReturn]) -> str:
    """What the others print."""
    if not emulator.find():
        missing_part(emulator.why_missing())
    return smoked(*(name for name in OVER_EMULATOR if name != "kill"), FIRESTORE_EMULATOR_HOST=emulator_host)


def smoked(*names: str, **settings: str) -> str:
    """Carry drills out; each comes to its end, and only times are other than expected on a machine that is busy."""
    return came_to_its_end(names, *drill(*names, "--smoke", **settings))


def came_to_its_end(names: Sequence[str], code: int, out: str, err: str) -> str:
    """Hold what drills have printed against that."""
    assert err == ""
    found = rows(out)
    assert set(names) <= found.keys()
    late = {name for name, cells in found.items() if "≤" in cells[0]}
    differing = {name for name, cells in found.items() if cells[-1] == "DIFFERS"}
    # A drill's own row says so as well when one of its times does.
    assert differing - late <= set(names), out
    assert not differing or differing & late, out
    assert not re.search(r"broke down|cannot be carried out|skipped", out), out
    assert code == bool(differing)
    return out


@pytest.mark.heavy
def test_every_drill_that_needs_no_emulator_comes_to_its_end(in_memory):
    """So that none is found broken on the day it is needed."""
    assert set(IN_MEMORY) <= rows(in_memory).keys()


@pytest.mark.heavy
def test_every_drill_over_the_emulator_comes_to_its_end(over_emulator):
    """Those that restart, freeze and share it; the one that kills servers has a test of its own."""
    assert set(OVER_EMULATOR) - {"kill"} <= rows(over_emulator).keys()


@pytest.mark.heavy
@pytest.mark.requirement("004-837")
def test_deletions_that_are_killed_half_way_are_gone_on_with_and_leave_nothing(over_emulator):
    """Of a business, and of a caller of whom thousands of documents are kept; the drill itself says what is left."""
    for row in (
        "a deletion killed half way is finished by the same command",
        "that of a caller as well, and the business",
    ):
        assert re.search(rf"^  {row}.* 0 left +0 left +as expected$", over_emulator, re.M), row
    for whom in ("a business", "a caller"):
        assert re.search(rf"^  Deletion of {whom}: killed at [1-9]", over_emulator, re.M), whom


@pytest.mark.heavy
def test_servers_killed_at_every_step_lose_nothing_and_do_nothing_twice(emulator_host):
    """A hundred, each by a real SIGKILL; in projects of their own, which are empty again afterwards.

    Held against what the drill expects itself, but for times, which a busy machine makes a matter of luck.
    """
    code, out, err = drill("kill", "--quick", FIRESTORE_EMULATOR_HOST=emulator_host)
    assert err == ""
    title = re.search(r"^kill: (\d+) times kill -9 .*\n +expected +seen$", out, re.M)
    assert title and int(title[1]) >= BUILT_IN_KILLS
    found = rows(out)
    assert found["kill"][:2] == ["0 lost, 0 twice, 0 stuck", f"0 lost, 0 twice, 0 stuck of {title[1]} kills"]
    # In Google's calendar a booking is killed at each of its steps as well, and stands there once or not at all.
    assert int(found["Google: servers killed where they were to be"][0]) == GOOGLE_KILLS
    one_each = found["Google: confirmed bookings with one entry each"]
    assert one_each[1] == one_each[0]
    late = {name for name, cells in found.items() if "≤" in cells[0]}
    differing = {name for name, cells in found.items() if cells[-1] == "DIFFERS"} - {"kill"}
    assert differing <= late, out
    assert code == bool(differing)
    assert max(map(len, out.splitlines())) <= 100


@pytest.mark.heavy
def test_crowds_pass_no_limit_of_codes_and_texts(over_emulator):
    """However many guess a code, five guesses are looked at; however many texts are wished for, few are sent."""
    found = rows(over_emulator)
    assert found["tries that were evaluated"][:2] == ["10", "10"]
    assert found["right codes after five wrong guesses that counted"][:2] == ["0", "0"]
    assert found["sent twice"][:2] == ["0", "0"]


@pytest.mark.heavy
@pytest.mark.requirement("004-774", "004-775")
def test_what_was_killed_half_way_is_brought_back_and_deleted_to_the_end(over_emulator):
    """A backup and a business of thousands of documents, by the commands that people run."""
    found = rows(over_emulator)
    for what in ("an import killed half way is gone on with", "the database holds just what the backup does"):
        assert found[what][:2] == ["yes", "yes"]
    assert found["a deletion killed half way is finished by the same command"][:2] == ["0 left", "0 left"]


@pytest.mark.heavy
def test_a_calendar_that_fails_or_is_taken_away_leaves_true_answers_and_nothing_else(over_emulator):
    """A revoked permission is asked about once by twenty; after each fault, entries and bookings are the same."""
    found = rows(over_emulator)
    for case in ("a token in use", "no token yet"):
        assert int(found[f"{case}: calls to Google"][1].partition(":")[0]) <= 2
        assert found[f"{case}: needsReauth written"][:2] == ["once", "1 x"]
        assert found[f"{case}: calendar tools in the next turn"][:2] == ["none", "none"]
    assert found["answers at odds with what was done"][:2] == ["0", "0"]
    assert found["entries beside the confirmed bookings'"][:2] == ["0 left behind", "0 left behind"]


@pytest.mark.heavy
@each(("vendor", "title"), [("microsoft", "Microsoft"), ("caldav", "CalDAV")])
def test_other_calendars_are_drilled_as_googles_is(emulator_host: str, vendor: str, title: str):
    """By the same servers, with faults in the vendor's own words; CalDAV's server is one that others wrote."""
    code, out, err = drill("calendar", "--smoke", "--calendar", vendor, FIRESTORE_EMULATOR_HOST=emulator_host)
    # How many of a fault's calls still end well depends on how busy the machine is; what is true of all does not.
    assert code in (0, 1) and not err and not re.search(r"broke down|cannot be carried out|skipped", out), out
    found = rows(out)
    for case in ("a token in use", "no token yet"):
        calls = int(found[f"{case}: calls to {title}"][1].partition(":")[0])
        assert calls <= CALENDARS[vendor].most_calls
        assert found[f"{case}: needsReauth written"][:2] == ["once", "1 x"]
        assert found[f"{case}: calendar tools in the next turn"][:2] == ["none", "none"]
    assert found["confirmed bookings without their one entry"][:2] == ["0", "0"]
    assert found["answers at odds with what was done"][:2] == ["0", "0"]
    assert found["entries beside the confirmed bookings'"][:2] == ["0 left behind", "0 left behind"]


def test_every_outside_calendar_that_can_be_drilled_can_be_chosen():
    """And has a word for how each fault of its stand-in ends."""
    assert set(drilling.OUTSIDE) == set(CALENDARS) == set(KINDS)
    assert set(KINDS["google"].ends) == set(google_calendar_faults.MODES)
    # A 404 for an event that is there is no trouble of Graph's.
    assert set(KINDS["microsoft"].ends) == set(microsoft_graph_faults.MODES) - {"404"}
    assert set(KINDS["caldav"].ends) == set(caldav_server.MODES)


@pytest.mark.heavy
def test_a_caller_on_the_phone_is_told_the_truth_while_the_store_is_away(over_emulator):
    """Twilio gets TwiML from every webhook, whatever the store does."""
    found = rows(over_emulator)
    for outage in ("frozen", "2 s slow", "gone"):
        for path in ("/phone/incoming", "/phone/turn"):
            mine = [cells for name, cells in found.items() if name.startswith(f"{outage}: row 8: {path}")]
            assert len(mine) == 3
            assert [cells[1] for cells in mine if "≤" not in cells[0]] == ["none", "none"]


@pytest.mark.heavy
def test_forgeries_schemas_and_an_obedient_model_get_nowhere(in_memory):
    """Over real sockets, without an emulator: what was signed counts once, and what a model says decides nothing."""
    found = rows(in_memory)
    assert found["row 1: messages of as many spoken turns"][:2] == ["3", "3"]
    assert found["rows 30, 31: forged and old requests let in"][:2] == ["0", "0"]
    assert found["rows 24, 28: connections that all of it made"][:2] == ["0", "0"]
    assert found["tools that the model called as it was told"][0] == "> 0"
    assert found["injection"][:2] == ["0 forbidden effects", "0 forbidden effects"]


@pytest.mark.heavy
@pytest.mark.requirement("004-60", "004-61", "004-62", "004-63")
def test_strangers_get_nothing_beyond_the_table_and_known_callers_are_served(in_memory):
    """Over HTTP: bookings, events, messages, answers, voice sessions and texts of whoever is not verified."""
    found = rows(in_memory)
    assert found["open bookings of one visit"][:2] == ["≤ 3", "3"]
    assert found["events of visitors who are not verified"][:2] == ["0", "0"]
    assert found["codes to the number on file, of 1"][:2] == ["1", "1"]
    assert found["visits of 10 other addresses behind them"][:2] == ["10", "10"]
    assert found["strangers"][:2] == ["0 beyond the table", "0 beyond the table"]


@pytest.mark.heavy
@pytest.mark.requirement("004-100", "004-103")
def test_nobody_gets_anything_but_what_the_matrix_of_identity_says(in_memory):
    """On six channels, by number, facts and code: looked up, told, listed, and what could be changed."""
    found = rows(in_memory)
    for channel in ("executed", "relay", "gather", "portal", "browser_voice", "mcp"):
        assert found[f"{channel}: deeds with other data than the matrix says"][:2] == ["0", "0"]
    assert found["identity"][:2] == ["0 beyond the matrix", "0 beyond the matrix"]


@pytest.mark.heavy
def test_failing_texts_and_a_jumping_clock_leave_true_answers(in_memory):
    """However Twilio fails, nobody gets a text twice; whatever time it is, a call has one effect."""
    found = rows(in_memory)
    assert found["sent twice, though asked for three times"][:2] == ["0", "0"]
    assert found["told at odds with what was done"][:2] == ["0", "0"]
    assert found["row 36: bookings of as many calls"][:2] == ["12", "12"]


@pytest.mark.heavy
@pytest.mark.requirement("004-481")
def test_servers_that_others_wrote_are_spoken_to_as_our_own_stand_ins_are(against_emulate):
    """Their texts, calls, webhooks, consents and calendars; and what they cannot show is said."""
    found = rows(against_emulate)
    assert found["a text: answer-lost"][1] in ("unknown, 1 in the end", "sent, 1 in the end")
    assert found["webhook /phone/incoming, another token"][:2] == ["403", "403"]
    assert found["people's events, by free/busy"][:2] == found["people's events, by the list of events"][:2]
    assert found["revoked: needsReauth written"][:2] == ["once", "1 x"]
    assert against_emulate.count("Left out: ") == len(drilling.AGAINST["emulate"])
    assert "--smoke --seed 1 --against emulate\n" in against_emulate


@pytest.mark.heavy
@pytest.mark.requirement("004-480")
def test_a_booking_whose_entry_gets_another_id_leaves_nothing_in_the_calendar(against_emulate):
    """As emulate does it: callers hear a plain no."""
    found = rows(against_emulate)
    assert found["bookings whose entry's id is not kept"][:2] == ["PERMANENT", "PERMANENT"]
    assert found["entries beside people's after that"][:2] == ["0", "0"]


@pytest.fixture
def emulate_not_brought_yet() -> Iterator[None]:
    """Let npm be asked for emulate anew, and afterwards again."""
    emulate._installed.cache_clear()
    yield
    emulate._installed.cache_clear()


@pytest.mark.process
@pytest.mark.usefixtures("emulate_not_brought_yet")
@each(
    ("programs", "reason"),
    [
        ({}, r"no node and npm on PATH: apt-get install nodejs npm"),
        ({"node": "", "npm": NO_REGISTRY}, r"npm cannot bring emulate [\d.]+, .*: request to the registry failed"),
    ],
)
def test_without_emulate_a_drill_against_it_is_skipped_with_a_sentence(
    tmp_path, monkeypatch, capsys, programs: Mapping[str, str], reason: str
):
    """Nothing counts as different then."""
    for name, value in nowhere(tmp_path).items():
        monkeypatch.setenv(name, value)
    for name, text in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    assert drilling.main(drilling.read_options(["--against", "emulate"])) == 0
    out, err = capsys.readouterr()
    assert err == ""
    for name in drilling.AGAINST["emulate"]:
        assert re.search(rf"^{name}: skipped: {reason}$", out, re.M), out


@pytest.mark.heavy
@pytest.mark.process
def test_emulate_listens_on_this_machine_alone(missing_part: Callable[[str], NoReturn]):
    """By itself it would listen on every network."""
    try:
        with emulate.emulating("twilio", seed()) as url:
            port = int(url.rpartition(":")[2])
            socket.create_connection(("127.0.0.1", port), 5).close()
            with pytest.raises(OSError):
                socket.create_connection(("127.0.0.2", port), 5)
    except Skipped as reason:
        missing_part(str(reason))


def test_an_instruction_is_tried_in_every_wording_at_every_place():
    """As many as were promised; of fewer, each goal, wording and place comes as often as any other, by the seed."""
    known = goals({"anna": "bk_a", "grace": "bk_g", "later": "2027-01-04T18:00:00"})
    assert (len(known), len(WORDINGS), len(PLACES)) == (33, 14, 10)
    assert len(injection._trials(Effort("full", 1), known)) == 33 * 14 * 10
    some = injection._trials(Effort("quick", 1), known)
    assert some == injection._trials(Effort("quick", 1), known) != injection._trials(Effort("quick", 2), known)
    for of in (lambda t: t.goal.name, lambda t: t.wording, lambda t: t.place):
        counts = Counter(map(of, some)).values()
        assert max(counts) - min(counts) <= 1


def test_every_row_of_the_plan_names_what_shows_it(capsys):
    """A drill, or a test that there is; `--list` prints the table without breaking anything."""
    assert list(ROWS) == list(range(1, 46))
    for row in ROWS.values():
        assert row.drills or row.tests
        assert set(row.drills) <= set(drilling.DRILLS)
        for test in row.tests:
            path, *names = test.split("::")
            inside = ast.parse((setting_up.ROOT / "tests" / path).read_text()).body
            for name in names:
                found = [node for node in inside if getattr(node, "name", "") == name]
                assert found, test
                inside = getattr(found[0], "body", [])
    assert drilling.main(drilling.read_options(["--list"])) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert max(map(len, out.splitlines())) <= 100
    assert re.search(
        r"^ +42 +a vendor that only fails\n +tests/pipeline/limits/test_breaker.py\n +TestOpening\n", out, re.M
    )


def test_what_a_drill_says_of_a_row_stands_in_the_table():
    """So that the table is what the drills print."""
    labelled = 0
    for file in (setting_up.ROOT / "scripts" / "drills").glob("*.py"):
        name = file.stem.partition("_")[0]
        for numbers in re.findall(r"\brows? (\d+(?:, \d+)*):", file.read_text()):
            for number in map(int, numbers.split(", ")):
                labelled += 1
                assert name in ROWS[number].drills, (file.name, number)
    assert labelled > 40


async def test_a_trial_whose_server_was_not_killed_is_tried_once_more():
    """With another call, at another time; one that fails again is told as it is."""
    tried = []

    async def carry_out(trial: Trial) -> None:
        tried.append((trial.number, trial.start.minute))
        trial.killed = int(trial.number in (1, 3))

    done, check = await carried_out(trials(1, 2, 3), carry_out, 60)
    assert sorted(tried) == [(1, 0), (2, 0), (3, 0), (5_002, 15)]
    assert [(trial.number, trial.killed) for trial in done] == [(1, 1), (3, 1), (5_002, 0)]
    assert (check.expected, check.seen, check.is_met) == ("3", "3", True)


async def test_trials_that_were_carried_out_count_when_the_time_is_over():
    """Those that have begun come to their end, and the table says that there should have been more."""
    over = asyncio.Event()

    async def carry_out(trial: Trial) -> None:
        await over.wait()
        trial.killed = 1

    carrying = asyncio.create_task(carried_out(trials(*range(50)), carry_out, 0.2))
    await asyncio.sleep(0.3)
    over.set()
    done, check = await carrying
    assert 0 < len(done) < 50
    assert (check.expected, check.seen, check.is_met) == ("50", f"{len(done)}; time was over", False)


def trials(*numbers: int) -> list[Trial]:
    at = datetime(2027, 1, 4, tzinfo=UTC)
    return [Trial(number, "after admission", "redelivery", at, ("claim", True)) for number in numbers]


def test_a_mark_in_the_log_would_be_found():
    """The drill that looks for secrets knows them in clear, in hexadecimal digits and in base64."""
    marked = canaries.Canaries()
    secret = marked.kept["vapi", "apiKey"]
    for text in (secret, secret.encode().hex(), base64.b64encode(secret.encode()).decode()):
        assert list(marked.found_in(f"something {text} something")) == ["vapi.apiKey"]
    assert not list(marked.found_in(canaries.KEY[:-1]))


@pytest.mark.heavy
@pytest.mark.emulator
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked for in /proc")
@pytest.mark.usefixtures("installed_emulator")
def test_a_drill_that_is_killed_leaves_nothing_running():
    """Not even an emulator that it had just frozen."""
    process = subprocess.Popen([*COMMAND, "frozen", "--smoke"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    descendants = {}
    try:
        deadline = time.monotonic() + 300
        while not any(state == "T" for state, _ in descendants.values()):
            assert process.poll() is None and time.monotonic() < deadline
            descendants = dict(descendants_of(process.pid))
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert len(descendants) >= 4  # a guard and an emulator, a guard and servers
    deadline = time.monotonic() + GONE_WITHIN_S
    while left := [pid for pid, (_, began) in descendants.items() if (now := stat(pid)) and now[2] == began]:
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


def test_without_an_emulator_a_drill_is_skipped_with_a_sentence(tmp_path, monkeypatch, capsys):
    """It says what to install, and nothing counts as different."""
    for name, value in nowhere(tmp_path).items():
        monkeypatch.setenv(name, value)
    assert drilling.main(drilling.read_options(OVER_EMULATOR)) == 0
    out, err = capsys.readouterr()
    assert err == ""
    for name in OVER_EMULATOR:
        assert re.search(rf"^{name}: skipped: no Firestore emulator .*apt-get install", out, re.M)


def nowhere(folder: Path) -> dict[str, str]:
    return {
        "PATH": str(folder),
        "HOME": str(folder),
        "FIREBASE_EMULATORS_PATH": str(folder),
        "FIRESTORE_EMULATOR_HOST": "",
    }


@pytest.mark.process
def test_a_wrong_name_ends_the_command_before_anything_is_broken():
    """As a shell sees it."""
    code, out, err = drill("kil")
    assert (code, out, err.count("\n")) == (2, "", 1)


@each(
    ("arguments", "named"),
    [
        (["kil"], "there is no drill 'kil'; choose from deliveries, kill, frozen, restarts"),
        (["--seed", "-1"], "--seed"),
        (["--seed", "x"], "'x' is not a seed; write a whole number"),
        (["--trials", "0"], "'0' is no number of trials; write a whole number from 1 to 6400"),
        (["--trials", "6401"], "'6401' is no number of trials"),
        (["--trials", "9" * 5_000], f"'{'9' * 40}' is no number of trials"),
        (["--quick", "--full"], "--full: not allowed with argument --quick"),
        (["--slow"], "--slow"),
        (["--against", "nothing"], "--against"),
        (["kill", "--against", "emulate"], "'kill' does not run against emulate; choose from texts, calendar, twilio"),
        (["--trials", "5", "--against", "emulate"], "--trials is for the drill kill"),
        (["--calendar", "outlook"], "--calendar"),
        (["calendar", "--against", "emulate", "--calendar", "microsoft"], "--calendar is for our own stand-ins"),
    ],
)
def test_wrong_usage_is_one_sentence(capsys, arguments, named):
    """Nothing is broken then."""
    with pytest.raises(SystemExit) as ended:
        drilling.read_options(arguments)
    out, err = capsys.readouterr()
    assert (ended.value.code, out) == (2, "")
    assert named in err
    assert err.count("\n") == 1


def test_as_many_deeds_as_can_be_asked_for_have_a_caller_and_a_time_each():
    """None is mistaken for another's."""
    asked = drilling.read_options(["--trials", f"00{drilling.MOST_TRIALS}"]).trials
    found = kill_deeds.trials(Effort("quick", 1, asked))
    assert len(found) == drilling.MOST_TRIALS == len({trial.phone for trial in found})
    assert {len(trial.phone) for trial in found} == {len("+15182001000")}
    assert len({time for trial in found for time in (trial.start, trial.other)}) == 2 * len(found)


def planted(monkeypatch, name: str, drill: Callable[[Effort], Any]) -> None:
    monkeypatch.setitem(sys.modules, f"drills.{name}", SimpleNamespace(drill=drill))


@pytest.mark.parametrize(("seen", "verdict", "code"), [("1", "as expected", 0), ("2", "DIFFERS", 1)])
def test_a_difference_is_told_and_fails(monkeypatch, capsys, seen, verdict, code):
    """Whoever runs it in CI can rely on the exit code; a row without an expectation never fails."""
    checks = (Check("bookings", "1", seen, seen == "1"), Check("waited", "", "2 s"))
    asked = []
    result = Result("kill: a planted drill", "one booking", f"{seen} bookings", checks, ("A note.",))
    planted(monkeypatch, "kill", lambda effort: asked.append(effort) or result)
    assert drilling.main(drilling.read_options(["kill", "--full", "--seed", "7"])) == code
    out = capsys.readouterr().out
    assert asked == [Effort("full", 7)]
    assert "--full --seed 7" in out
    assert re.search(rf"^  bookings +1 +{seen} +{verdict}\n  waited +2 s\n  A note\.$", out, re.M)
    assert re.search(rf"^ +expected +seen +took\n  kill  one booking  {seen} bookings  0 s +{verdict}$", out, re.M)
    assert ("DIFFERS: kill" in out) is (code == 1)


def test_long_notes_are_broken_where_a_terminal_ends(monkeypatch, capsys):
    """Nothing printed is wider than a hundred columns, and nothing of it is left out."""
    note = "Never final: " + "a word and another " * 20
    planted(monkeypatch, "kill", lambda effort: Result("kill: long", "", "", (Check("a", "1", "1", True),), (note,)))
    drilling.main(drilling.read_options(["kill"]))
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 100
    assert note.split() == out.partition("as expected")[2].partition("\n\n")[0].split()


def test_a_drill_that_cannot_be_carried_out_does_not_keep_others_from_it(monkeypatch, capsys):
    """It says why, and counts as different; one that is skipped does not."""

    def fail(effort: Effort) -> Result:
        raise Problem("no server.")

    def skip(effort: Effort) -> Result:
        raise Skipped("no emulator.")

    planted(monkeypatch, "kill", fail)
    planted(monkeypatch, "frozen", skip)
    planted(monkeypatch, "hostile", lambda effort: Result("hostile: fine", "1", "1", (Check("all", "1", "1", True),)))
    assert drilling.main(drilling.read_options(["kill", "frozen", "hostile"])) == 1
    out = capsys.readouterr().out
    assert "kill: cannot be carried out: no server." in out
    assert "frozen: skipped: no emulator." in out
    assert "hostile: fine" in out
    ends = [re.split(r" {2,}", line.strip()) for line in out.partition("took")[2].splitlines()[1:4]]
    assert ends == [
        ["kill", "cannot be carried out", "0 s", "DIFFERS"],
        ["frozen", "skipped", "0 s"],
        ["hostile", "1", "1", "0 s", "as expected"],
    ]
    assert "DIFFERS: kill\n" in out


@pytest.mark.heavy
@pytest.mark.requirement("004-145")
def test_adversarial_texts_are_answered_while_health_is_asked(in_memory):
    """Every text is taken, and so is the question beside it; how quickly is for the drill itself to show."""
    seen = rows(in_memory)["texts that were taken and answered"]
    assert seen[0] == seen[1] != "0"
