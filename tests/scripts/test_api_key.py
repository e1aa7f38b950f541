"""The command scripts/api_key, as owners run it."""

import re
import runpy
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import setting_up
from switchboard.contract.store import Set, Unavailable
from switchboard.state.memory.store import MemoryStore
from tests.admin.small_seeds import PATHS, WatchedStore

API_KEY = setting_up.ROOT / "scripts" / "api_key"


@pytest.fixture
async def run(monkeypatch, capsys):
    """Runs the command's main in this process on one store in memory; returns exit code, stdout and stderr."""
    main = runpy.run_path(str(API_KEY))["main"]
    store = WatchedStore(MemoryStore())
    await store.inner.commit([Set(PATHS.within(id).business, {}) for id in ("salon", "plumber")])
    main.__globals__["open_store"] = lambda target: store
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1")

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", [str(API_KEY), *arguments])
        # A thread of its own, where the command can run a loop of its own.
        with ThreadPoolExecutor() as threads:
            code = threads.submit(main).result()
        return code, *capsys.readouterr()

    run.store = store
    return run


def test_a_key_is_shown_once_and_alone_on_stdout(run):
    """It can be piped to where it is needed; what a person should know goes to stderr."""
    code, out, err = run("create", "salon", "--name", "web", "--scope", "tools:read", "--expires-days", "90")
    assert code == 0
    assert re.fullmatch(r"sb_[A-Za-z0-9_-]{43}\n", out)
    assert re.fullmatch(r"key_\w{12} for salon: tools:read, until \d{4}-\d\d-\d\d\.", err.splitlines()[0])
    assert "cannot be shown again" in err
    assert out.strip() not in run("list", "salon")[1]


def test_keys_are_listed_in_a_table(run):
    """Name, scopes and whether it works stand in columns."""
    assert run("list", "salon")[1] == "salon has no keys\n"
    run("create", "salon", "--name", "web", "--expires-days", "1")
    head, row = run("list", "salon")[1].splitlines()
    assert head.split() == ["ID", "NAME", "SCOPES", "CREATED", "STATE"]
    assert re.fullmatch(
        r"key_\w{12}  web   tools:read tools:execute  \d{4}-\d\d-\d\d  works until \d{4}-\d\d-\d\d", row
    )


@pytest.mark.requirement("004-772")
def test_who_would_be_let_in_no_more_is_told_before_a_key_is_revoked(run):
    """And nothing is changed; an id that is none is refused as when it is revoked."""
    run("create", "salon", "--name", "web")
    key_id = run("list", "salon")[1].splitlines()[1].split()[0]
    code, out, _ = run("revoke", "salon", key_id, "--dry-run")
    assert (code, out.splitlines()[1:]) == (0, ["nothing was changed"])
    assert out.startswith("salon would lose its key web (whoever comes with it is let in no more, and gets no tools)")
    assert " works" in run("list", "salon")[1]
    assert run("revoke", "salon", "key_1", "--dry-run")[0] == 1
    run("revoke", "salon", key_id)
    assert run("revoke", "salon", key_id, "--dry-run")[1].startswith(f"{key_id} of salon lets nobody in as it is")


def test_a_key_is_revoked_by_its_id(run):
    """The list shows it afterwards as revoked."""
    _, _, err = run("create", "salon", "--name", "web")
    key_id = err.split()[0]
    assert run("revoke", "salon", key_id)[:2] == (0, f"{key_id} of salon is revoked: refused within 10 s\n")
    assert " revoked " in run("list", "salon")[1]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["list", "saloon"], "scripts/api_key: there is no business 'saloon'; known are: plumber, salon\n"),
        (["create", "x", "--name", "web"], "scripts/api_key: there is no business 'x'; known are: plumber, salon\n"),
        (["create", "salon", "--name", " "], "scripts/api_key: a key needs a name that tells later what it was for\n"),
        (["revoke", "salon", "key_1"], "scripts/api_key: salon has no key 'key_1'; its keys are: none\n"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(run, arguments, expected):
    """It names what there is instead."""
    assert run(*arguments) == (1, "", expected)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["destroy", "salon"],
        ["create", "salon"],
        ["create", "salon", "--name", "web", "--scope", "tools:all"],
        ["create", "salon", "--name", "web", "--expires-days", "0"],
        ["create", "salon", "--name", "web", "--expires-days", "soon"],
        ["revoke", "salon"],
    ],
)
def test_a_wrong_command_line_ends_with_2(run, arguments):
    """Nothing is made of half an order."""
    with pytest.raises(SystemExit) as caught:
        run(*arguments)
    assert caught.value.code == 2
    assert run("list", "salon")[1] == "salon has no keys\n"


def test_a_store_that_does_not_answer_is_one_sentence(run):
    """No traceback, and no key that may not be there."""
    run.store.kill_at, run.store.failure = 1, lambda: Unavailable("hangs")
    code, out, err = run("create", "salon", "--name", "web")
    assert (code, out, err) == (1, "", "scripts/api_key: the store refused or did not answer: hangs\n")


def test_no_firestore_at_all_is_said_in_one_sentence(run, monkeypatch):
    """The sentence names both remedies."""
    for name in ("FIRESTORE_EMULATOR_HOST", "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "K_SERVICE"):
        monkeypatch.delenv(name, raising=False)
    code, out, err = run("list", "salon")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "FIRESTORE_EMULATOR_HOST" in err and "--project" in err


def test_an_account_is_let_in_without_a_key(run):
    """Nothing secret is printed, and it is listed and revoked as a key is."""
    email = "till@my-project.iam.gserviceaccount.com"
    code, out, err = run("create", "salon", "--name", "till", "--service-account", email)
    assert (code, err) == (0, "")
    assert re.fullmatch(rf"(key_\w{{12}}) lets {email} in for salon: tools:read, tools:execute\.\n", out)
    assert f"till ({email})" in run("list", "salon")[1]
    again = run("create", "salon", "--name", "till", "--service-account", email.upper())
    assert again[0] == 1 and "is entered already" in again[2]
    assert run("revoke", "salon", out.split()[0])[0] == 0
    assert run("create", "salon", "--name", "till", "--service-account", email)[0] == 0


def test_a_subject_is_its_issuers(run, monkeypatch):
    """Named on the command line, or the one that the deployment trusts."""
    monkeypatch.delenv("SWITCHBOARD_MCP_ISSUER", raising=False)
    wanted = ("create", "salon", "--name", "bot", "--subject", "client-7")
    code, out, err = run(*wanted)
    assert (code, out) == (1, "") and "--issuer" in err
    assert run(*wanted, "--issuer", "https://one.example.com")[0] == 0
    monkeypatch.setenv("SWITCHBOARD_MCP_ISSUER", "https://two.example.com")
    assert run(*wanted)[0::2] == (0, "")
    assert run("list", "salon")[1].count("bot (client-7)") == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("--service-account", "ana@example.com"),
        ("--subject", " x", "--issuer", "https://one.example.com"),
        ("--subject", "x", "--issuer", "https://one.example.com", "--scope", "owner"),
    ],
)
def test_an_account_that_cannot_be_is_not_entered(run, arguments):
    """One sentence, and nothing is made."""
    code, out, err = run("create", "salon", "--name", "till", *arguments)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert run("list", "salon")[1] == "salon has no keys\n"
