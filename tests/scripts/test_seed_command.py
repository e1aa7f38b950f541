"""The command scripts/seed, as people and machines run it."""

import asyncio
import io
import os
import runpy
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import setting_up
from switchboard.contract.store import Query
from switchboard.state.firestore.store import FirestoreStore
from switchboard.state.memory.store import MemoryStore
from tests.admin.small_seeds import (
    COLLECTIONS,
    PATHS,
    all_documents,
    definition,
    write_business,
    write_seeds,
    write_tools,
)

SEED = setting_up.ROOT / "scripts" / "seed"
# The script under the python that runs the tests, whatever else is installed where.
UNDER_THIS_PYTHON = (
    "import runpy, sys, setting_up; setting_up.enter = lambda _: None; "
    "sys.argv.pop(0); runpy.run_path(sys.argv[0], run_name='__main__')"
)


@pytest.fixture
def seeds(tmp_path):
    """A small folder of seeds."""
    return write_seeds(tmp_path / "seeds")


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def run(monkeypatch, capsys, seeds):
    """Runs the command's main in this process on one store in memory; returns exit code, stdout and stderr."""
    main = runpy.run_path(str(SEED))["main"]
    store = MemoryStore()
    main.__globals__["open_store"] = lambda target: store
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1")
    for name in ("GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "FIRESTORE_DATABASE", "K_SERVICE"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", [str(SEED), "--seeds", str(seeds), *arguments])
        # A thread of its own, where the command can run a loop of its own.
        with ThreadPoolExecutor() as threads:
            code = threads.submit(main).result()
        return code, *capsys.readouterr()

    run.store = store
    return run


def test_a_run_ends_with_what_it_did(run):
    """First everything is new, then there is nothing to do; both end well, with the time it took."""
    code, out, err = run()
    assert (code, err) == (0, "")
    assert out.splitlines()[-1].startswith(
        "pushed: 9 new, 0 changed, 0 removed, 0 unchanged; tools are at revision 1 ("
    )
    code, out, err = run()
    assert (code, err) == (0, "")
    assert out.startswith("nothing to do: 9 documents are as the files have them (")
    assert out.count("\n") == 1


def test_a_dry_run_ends_well_and_writes_nothing(run):
    """Looking is always possible."""
    code, out, _ = run("--dry-run")
    assert code == 0
    assert "\nnothing was written: 9 new, " in out
    assert run("--dry-run")[1].splitlines()[:-1] == out.splitlines()[:-1]


def test_bad_files_end_it_with_their_places(run, seeds):
    """Each problem stands in a line of its own on stderr, and nothing was written."""
    (seeds / "tools/end_call.json").write_text("{\n  'name': 1\n}")
    code, out, err = run()
    assert (code, out) == (1, "")
    assert err.splitlines() == [
        "seeds/tools/end_call.json:2:3: Expecting property name enclosed in double quotes",
        "Nothing was written; correct these files and run it again.",
    ]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "scripts/seed: my-shop may be a real project: add --yes to push to it, or --dry-run to look\n"),
        (["--dry-run"], ""),
        (["--yes"], ""),
        (["--project", "demo-shop"], ""),
    ],
)
def test_a_real_project_needs_a_yes(run, monkeypatch, arguments, expected):
    """Without an emulator only projects named demo- are written to without being confirmed."""
    monkeypatch.delenv("FIRESTORE_EMULATOR_HOST")
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "my-shop")
    code, _, err = run(*arguments)
    assert (code, err) == (1 if expected else 0, expected)


def test_no_firestore_at_all_is_said_in_one_sentence(run, monkeypatch):
    """The sentence names both remedies."""
    monkeypatch.delenv("FIRESTORE_EMULATOR_HOST")
    code, out, err = run()
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "FIRESTORE_EMULATOR_HOST" in err and "--project" in err


@pytest.mark.parametrize(
    ("answer", "arguments", "code"),
    [("y", [], 0), ("Yes ", [], 0), ("n", [], 1), ("", [], 1), (None, ["--yes"], 0), (None, ["--dry-run"], 0)],
)
def test_a_person_is_asked(run, monkeypatch, answer, arguments, code):
    """At a terminal only a yes writes; --yes and --dry-run ask nothing."""
    questions = []

    def ask(question):
        questions.append(question)
        return answer

    monkeypatch.setattr("builtins.input", ask)
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert run(*arguments)[0] == code
    assert questions == (
        [] if answer is None else ["Write 9 documents to demo-switchboard in the emulator at 127.0.0.1:1? [y/N] "]
    )
    is_written = in_its_own_thread(run.store.get(PATHS.tool_pointer)) is not None
    assert is_written == (code == 0 and arguments != ["--dry-run"])


def in_its_own_thread(coroutine):
    """Run a coroutine in a thread of its own, since the tests' loop is not ours to stop."""
    with ThreadPoolExecutor() as threads:
        return threads.submit(asyncio.run, coroutine).result()


def test_a_terminal_is_shown_colors_and_a_file_is_not(run, monkeypatch):
    """The sign of what is new is green where somebody looks, unless NO_COLOR asks for none."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\033" not in run("--dry-run")[1]
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    run("--dry-run")
    assert "  \033[32m+\033[0m system\n" in screen.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "stdout", screen := Terminal())
    run("--dry-run")
    assert "  + system\n" in screen.getvalue()


def test_a_part_can_be_chosen_and_a_wrong_one_is_named(run):
    """--only may be repeated; what is no part ends it with 2 before anything happens."""
    assert "3 new" in run("--only", "tools", "--only", "prompts")[1]
    with pytest.raises(SystemExit) as caught:
        run("--only", "everything")
    assert caught.value.code == 2


def test_too_many_definitions_are_one_sentence(run, seeds):
    """No traceback ends a run that was refused."""
    write_tools(seeds, *(definition(f"tool_{n}") for n in range(401)))
    code, _, err = run()
    assert (code, err) == (1, "scripts/seed: 401 definitions are too many: a set holds 400 at most\n")


async def spawn(seeds, *arguments):
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", UNDER_THIS_PYTHON, str(SEED), "--seeds", str(seeds), *arguments),
        cwd=setting_up.ROOT,
        env={**os.environ, "PYTHONPATH": str(SEED.parent)},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )


async def finish(seeds, *arguments):
    process = await spawn(seeds, *arguments)
    out, _ = await process.communicate()
    return process.returncode, out.decode()


@pytest.mark.process
async def test_a_store_that_is_not_there_is_one_sentence(seeds, monkeypatch):
    """Where nothing listens, the run says where it looked and ends soon (no emulator needed)."""
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1")
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "demo-nowhere")
    code, out = await finish(seeds)
    assert code == 1
    assert "Traceback" not in out
    assert "demo-nowhere in the emulator at 127.0.0.1:1 refused or did not answer" in out


async def test_killed_with_kill_9_a_run_leaves_a_whole_set_and_the_next_completes(
    seeds, emulator_host, emulator_project, patience
):
    """Whatever line it has just printed, readers of the emulator meet the old set or the new one."""
    store = FirestoreStore(emulator_project, emulator_host=emulator_host)
    assert (await finish(seeds))[0] == 0
    old = await all_documents(store, PATHS.definitions)
    write_tools(seeds, *(definition(f"tool_{n}", "New.") for n in range(40)))
    write_business(seeds, faqs={f"faq-{n}": COLLECTIONS["faqs"]["parking"] for n in range(200)})
    new = {PATHS.definition(f"tool_{n}"): definition(f"tool_{n}", "New.") for n in range(40)}
    seen, reading = [], True

    async def read():
        while reading:
            found = await all_documents(store, PATHS.definitions)
            seen.append("old" if found == old else "new" if found == new else found)

    reader = asyncio.create_task(read())
    killed = 0
    try:
        for moment in ("config/tools/definitions", "saved 40 versions", "switched to", "salon/faqs"):
            process = await spawn(seeds, "--prune")
            async for line in process.stdout:
                if moment in line.decode():
                    process.send_signal(signal.SIGKILL)
                    break
            killed += await process.wait() == -signal.SIGKILL
        code, out = await finish(seeds, "--prune")
        assert code == 0, out
        assert await all_documents(store, PATHS.definitions) == new
        assert len(await store.query(Query(PATHS.within("salon").collection("faqs")))) == 200
    finally:
        reading = False
        await reader
        await store.close()
    # A quick machine may be done before the signal comes; readers are what this is about.
    assert killed
    assert set(seen) == {"old", "new"}
