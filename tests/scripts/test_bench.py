"""`scripts/bench` measures and tells; nothing here asserts a time, since the machine that tests run on is shared."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

import setting_up
from benchmarks import durable, loading, measuring
from benchmarks.figure import Effort, Figure, Line
from command_line import Problem
from tests.each import each

BENCH = setting_up.ROOT / "scripts" / "bench"
OVER_EMULATOR = ("round_trips", "one_slot", "retrieval", "pages")


def bench(*arguments, **settings):
    """Run the command as a person would; returns exit code, stdout and stderr."""
    environment = {name: value for name, value in os.environ.items() if name != "FIRESTORE_EMULATOR_HOST"}
    done = subprocess.run(
        [sys.executable, str(BENCH), *arguments], env={**environment, **settings}, capture_output=True, text=True
    )
    return done.returncode, done.stdout, done.stderr


def row(table, name):
    """Return the cells of one row, without the empty ones."""
    (line,) = [line for line in table.splitlines() if line.startswith(f"  {name}")]
    return re.split(r" {2,}", line.strip())


@pytest.fixture(scope="module")
def in_memory() -> str:
    """What figures print that need no emulator."""
    code, out, err = bench("listing", "dispatch", "--quick")
    assert (code in (0, 1), err) == (True, "")
    return out


@pytest.fixture(scope="module")
def over_emulator(emulator_host) -> str:
    """What those over the emulator print; each brings its own data into a project of its own."""
    code, out, err = bench(*OVER_EMULATOR, "--quick", FIRESTORE_EMULATOR_HOST=emulator_host)
    assert (code in (0, 1), err) == (True, "")
    return out


def told(out, figure):
    """Return the lines of one figure."""
    (found,) = [part for part in out.split("\n\n") if part.startswith(f"{figure}: ")]
    return found.splitlines()


@pytest.mark.heavy
@each("figure", ["listing", "dispatch"])
def test_a_figure_prints_the_machine_and_its_table(in_memory, figure):
    """Ours, the yard-stick and their ratio stand in columns."""
    assert re.match(r"Python 3\.\d+\.\d+\S*, \d+ cores, .*\n\n", in_memory)
    title, heading, *rows = told(in_memory, figure)
    assert title.startswith(f"{figure}: ")
    assert re.match(r" +ours +\S.* +ratio \(min to max\)", heading)
    assert re.search(r" [\d.]+ (µs|ms) +[\d.]+ (µs|ms) +[\d.]+ \([\d.]+ to [\d.]+\)", rows[0])


@pytest.mark.heavy
def test_listing_counts_what_the_store_is_asked(in_memory):
    """A listing from a warm cache reads nothing, whoever else lists at the same time."""
    assert row(in_memory, "store reads of") == ["store reads of 4,000 listings", "0", "0", "met"]


@pytest.mark.heavy
def test_a_cold_start_loads_no_sdk_that_it_does_not_need(tmp_path):
    """Neither a model's, Twilio's, Google's API client nor Firebase's; also without an emulator there is a figure."""
    nowhere = dict.fromkeys(("PATH", "HOME", "FIREBASE_EMULATORS_PATH"), str(tmp_path))
    code, out, err = bench("cold", "--quick", "--detail", **nowhere)
    # On a busy machine an import may well hold the loop up, and the watch says so.
    told = [line for line in err.splitlines() if "a step held the event loop up" not in line]
    assert (code in (0, 1), told) == (True, [])
    assert row(out, "SDKs loaded without need")[1:] == ["none", "none", "met"]
    assert row(out, "memory, SDK loaded, CPU")[-1] in ("met", "NOT met")
    # Which of them are the dearest is the machine's to say.
    imported = out.partition("imports of ours that the bare function lacks: ")[2]
    assert int(imported.partition(" modules")[0]) > 100
    assert re.search(r"\d+\.\d ms +\d+\.\d ms  \w+(\.\w+)*$", imported, re.M)


@pytest.mark.heavy
@each(
    ("figure", "first_row"),
    [
        ("round_trips", "store round trips of search_knowledge, warm"),
        ("one_slot", "Google's calendar: entries"),
        ("retrieval", "get_business_services"),
        ("pages", "overview, 7 days"),
    ],
)
def test_a_figure_over_the_emulator_prints_its_table(over_emulator, figure, first_row):
    """Whether its targets are met is another matter."""
    assert told(over_emulator, figure)
    assert row(over_emulator, first_row)[-1] in ("met", "NOT met")


def test_without_an_emulator_a_figure_is_skipped_with_a_sentence(tmp_path, monkeypatch, capsys):
    """It says what to install, and nothing counts as missed."""
    for name in ("PATH", "HOME", "FIREBASE_EMULATORS_PATH"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.delenv("FIRESTORE_EMULATOR_HOST", raising=False)
    assert measuring.main(measuring.read_options([*OVER_EMULATOR, "--quick"])) == 0
    out, err = capsys.readouterr()
    assert err == ""
    for figure in OVER_EMULATOR:
        assert re.search(rf"^{figure}: skipped: no Firestore emulator .*apt-get install", out, re.M)


@pytest.mark.heavy
def test_a_load_is_answered_counted_and_checked():
    """The generator counts only what it was to be answered; whatever else comes is told, and no figure."""
    with loading.server(loading.ours()) as server:
        order = loading.order(server.port, 2, 0.5)
        found = server.load(order)
        assert found.answered > 0
        assert found.refused == 0
        assert 0 < found.p50_ms <= found.p99_ms
        assert found.server_cpu_s > 0
        with pytest.raises(Problem, match="are wrong"):
            server.load(replace(order, expected="never", name="other"))
        wrong_key = {"Authorization": "Bearer sb_nobody"}
        with pytest.raises(Problem, match="401"):
            server.load(replace(order, headers=wrong_key, name="third"))


def test_load_measures_servers_under_load_instead():
    """The usual figures are left out then; both can be named."""
    assert measuring.read_options(["--load"]).figures == list(measuring.LOAD)
    assert measuring.read_options([]).figures == list(measuring.FIGURES)
    assert measuring.read_options(["scale", "listing"]).figures == ["scale", "listing"]


@pytest.mark.process
def test_a_wrong_figure_ends_the_command_before_anything_is_measured():
    """As a shell sees it."""
    code, out, err = bench("lisitng")
    assert (code, out, err.count("\n")) == (2, "", 1)


@each(
    ("arguments", "named"),
    [
        (["lisitng"], "there is no figure 'lisitng'; choose from listing, formats, tenant_tools"),
        (["--rounds", "0"], "'0' is not a number of rounds"),
        (["--minutes", "0"], "'0' is not a number of minutes"),
        (["--minutes", "soon"], "'soon' is not a number of minutes"),
        (["--slow"], "--slow"),
    ],
)
def test_wrong_usage_is_one_sentence(capsys, arguments, named):
    """Nothing is measured then."""
    with pytest.raises(SystemExit) as ended:
        measuring.read_options(arguments)
    out, err = capsys.readouterr()
    assert (ended.value.code, out) == (2, "")
    assert named in err
    assert err.count("\n") == 1


TABLE = """
listing: a planted figure
        ours  stick  ratio (min to max)   target
  time  2 µs  1 µs   2.00 (1.00 to 3.00)  ≤ 3     {}
  size  7
  A note.
"""


def test_every_row_is_written_to_a_file_too(monkeypatch, tmp_path):
    """As it is printed, and whether it is met."""
    lines = (Line("time", "2 µs", "1 µs", "2.00", "≤ 3", True), Line("size", "7"))
    figure = Figure("listing: a planted figure", "stick", lines)
    monkeypatch.setitem(sys.modules, "benchmarks.listing", SimpleNamespace(measure=lambda effort: figure))
    file = tmp_path / "rows.json"
    assert measuring.main(measuring.read_options(["listing", "--json", str(file)])) == 0
    time = {"figure": "listing", "row": "time", "ours": "2 µs", "peer": "1 µs", "ratio": "2.00", "target": "≤ 3"}
    size = {"figure": "listing", "row": "size", "ours": "7", "peer": "", "ratio": "", "target": ""}
    assert json.loads(file.read_text())["rows"] == [time | {"met": True}, size | {"met": None}]


@pytest.mark.heavy
def test_a_recorded_call_is_done_once_however_often_its_service_is_killed(emulator_host, monkeypatch):
    """Loaded at 1 and at 32 at once, then killed; the peers, which have to be installed, are left out here."""
    monkeypatch.setattr(durable, "PEERS", ())
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", emulator_host)
    *loads, killed = durable.measure(Effort(1, quick=True)).lines
    assert [re.match(r"[\d,]+/s, CPU [\d.]+, p50 \d+ ms", load.ours) is not None for load in loads] == [True, True]
    assert killed.met, killed.ours
    assert " 0 twice, 0 lost" in killed.ours


@each(
    ("effects", "verdict", "told"),
    [
        (2, "done", "1 twice, 0 lost, 0 not known, 0 open"),
        (0, "done", "0 twice, 1 lost, 0 not known, 0 open"),
        (1, "not known", "0 twice, 0 lost, 1 not known (1 were), 0 open"),
        (1, "", "0 twice, 0 lost, 0 not known, 1 open"),
    ],
)
def test_what_became_of_calls_is_counted_by_their_effects(effects, verdict, told):
    """Whatever was answered: the file says what was done."""
    killed = durable.counted({"a-1": verdict}, ["a-1"] * effects)
    assert told in killed.text()


@pytest.mark.parametrize(("met", "verdict", "code"), [(True, "met", 0), (False, "NOT met", 1)])
def test_a_missed_target_is_told_and_fails(monkeypatch, capsys, met, verdict, code):
    """CI can rely on the exit code; a row without a target never fails."""
    lines = (Line("time", "2 µs", "1 µs", "2.00 (1.00 to 3.00)", "≤ 3", met), Line("size", "7"))
    figure = Figure("listing: a planted figure", "stick", lines, ("A note.",))
    monkeypatch.setitem(sys.modules, "benchmarks.listing", SimpleNamespace(measure=lambda effort: figure))
    assert measuring.main(measuring.read_options(["listing"])) == code
    out = capsys.readouterr().out
    assert TABLE.format(verdict) in out
    assert ("NOT met: listing" in out) is (code == 1)


def test_a_figure_that_cannot_be_measured_does_not_keep_others_from_it(monkeypatch, capsys):
    """It says why, and counts as missed."""

    def fail(effort):
        raise Problem("no server.")

    fine = Figure("cold: fine", "", (Line("time", "2 µs"),))
    monkeypatch.setitem(sys.modules, "benchmarks.listing", SimpleNamespace(measure=fail))
    monkeypatch.setitem(sys.modules, "benchmarks.cold", SimpleNamespace(measure=lambda effort: fine))
    assert measuring.main(measuring.read_options(["listing", "cold"])) == 1
    out = capsys.readouterr().out
    assert "listing: cannot be measured: no server." in out
    assert "cold: fine" in out
    assert "NOT met: listing" in out
