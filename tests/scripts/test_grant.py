"""The command scripts/grant, as whoever looks after a deployment runs it, on a stand-in for Identity Platform."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

import granting
import setting_up
from stand_ins.identity_platform import IdentityPlatformStandIn
from stand_ins.loopback import serving
from switchboard.admin.roles import Role
from switchboard.contract.store import Set
from switchboard.state.memory import MemoryStore
from switchboard.state.paths import FirestorePaths

MARIA, TYPED_IN = "maria@example.com", "typed-in@example.com"
PROJECT = "demo-switchboard"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def platform() -> IdentityPlatformStandIn:
    """A project to which two people have signed in, one with an address that nobody has verified."""
    found = IdentityPlatformStandIn(PROJECT)
    found.accounts = {
        "u-1": {"localId": "u-1", "email": MARIA, "emailVerified": True, "validSince": "0"},
        "u-2": {"localId": "u-2", "email": TYPED_IN, "emailVerified": False, "validSince": "0"},
    }
    return found


@pytest.fixture
async def run(
    platform: IdentityPlatformStandIn, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Run]:
    """Runs the command beside a store that holds two businesses; returns exit code, stdout and stderr."""
    store = MemoryStore()
    await store.commit([Set(FirestorePaths().within(id).business, {}) for id in ("salon", "plumber")])
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1")
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", PROJECT)
    with serving(platform.app) as url:
        monkeypatch.setenv("FIREBASE_AUTH_EMULATOR_HOST", url.removeprefix("http://"))

        def run(*arguments: str) -> tuple[int, str, str]:
            # A thread of its own, where the command can run a loop of its own.
            with ThreadPoolExecutor() as threads:
                code = threads.submit(granting.main, arguments, lambda target: store).result()
            return code, *capsys.readouterr()

        yield run


def claims(platform: IdentityPlatformStandIn, id: str = "u-1") -> object:
    return json.loads(platform.accounts[id].get("customAttributes", "{}"))


def test_a_role_is_given_beside_what_was_there(run, platform):
    """Other businesses and claims that are none of ours stay."""
    platform.accounts["u-1"]["customAttributes"] = json.dumps({"team": 7, "roles": {"plumber": "viewer"}})
    assert run(MARIA, "salon", "owner") == (0, f"{MARIA} is now owner in salon (was nothing)\n", "")
    assert claims(platform) == {"team": 7, "roles": {"plumber": "viewer", "salon": "owner"}}
    assert platform.accounts["u-1"]["validSince"] == "0"


def test_a_role_taken_away_also_ends_their_sign_ins(run, platform):
    """Otherwise the token they have would go on opening the business for writing."""
    run(MARIA, "salon", "owner")
    assert run(MARIA, "salon", "--revoke")[1] == f"{MARIA} is now nothing in salon (was owner)\n"
    assert claims(platform) == {}
    assert int(platform.accounts["u-1"]["validSince"]) > 0


@pytest.mark.parametrize(
    ("before", "after", "ends"), [("owner", "viewer", True), ("viewer", "editor", False), ("editor", "editor", False)]
)
def test_only_a_smaller_role_ends_sign_ins(run, platform, before, after, ends):
    """Nobody is signed out for being given more."""
    run(MARIA, "salon", before)
    run(MARIA, "salon", after)
    assert claims(platform) == {"roles": {"salon": after}}
    assert (platform.accounts["u-1"]["validSince"] != "0") == ends


def test_a_platform_admin_comes_and_goes(run, platform):
    """Their roles in businesses are another matter."""
    run(MARIA, "salon", "viewer")
    assert run(MARIA, "--platform-admin")[0] == 0
    assert claims(platform) == {"roles": {"salon": "viewer"}, "platformAdmin": True}
    assert run(MARIA, "--platform-admin", "--revoke")[0] == 0
    assert claims(platform) == {"roles": {"salon": "viewer"}}


def test_a_dry_run_tells_and_changes_nothing(run, platform):
    """In the words of what would be."""
    assert run(MARIA, "salon", "owner", "--dry-run")[1] == f"{MARIA} would be owner in salon (was nothing)\n"
    assert claims(platform) == {}
    assert "update" not in platform.asked


def test_roles_are_listed_for_one_and_for_all(run, platform, monkeypatch):
    """Sorted, whoever has none left out, over as many pages as there are."""
    monkeypatch.setattr("accounts._A_PAGE", 1)
    assert run("--list")[1] == "nobody has a role\n"
    run(MARIA, "salon", "owner")
    run("u-2", "--platform-admin")
    assert run("--list")[1] == f"{MARIA}  salon  owner\n{TYPED_IN}  *  platform admin\n"
    assert run(MARIA, "--list")[1] == f"{MARIA}  salon  owner\n"
    assert platform.asked[-3:] == ["batchGet", "batchGet", "lookup"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("nobody@example.com", "salon", "owner"), "let them sign in once"),
        ((TYPED_IN, "salon", "owner"), "was never verified; if you are sure, name the account: u-2"),
        ((MARIA, "saloon", "owner"), "there is no business 'saloon'"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(run, platform, arguments, sentence):
    """And nothing is."""
    code, out, error = run(*arguments)
    assert (code, out) == (1, "")
    assert sentence in error
    assert "update" not in platform.asked


def test_more_than_firebase_keeps_is_refused_before_it_does(run, platform):
    """It would answer with a word."""
    many = {f"business-with-a-long-name-{n}": "viewer" for n in range(30)}
    platform.accounts["u-1"]["customAttributes"] = json.dumps({"roles": many})
    assert "too many roles" in run(MARIA, "salon", "owner")[2]
    assert claims(platform) == {"roles": many}


def test_an_identity_platform_that_does_not_answer_is_told(run, platform):
    """With its own reason."""
    platform.is_away = True
    assert "Identity Platform refuses: BACKEND_ERROR" in run(MARIA, "salon", "owner")[2]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        (MARIA,),
        (MARIA, "salon"),
        (MARIA, "salon", "king"),
        (MARIA, "salon", "owner", "--revoke"),
        (MARIA, "salon", "owner", "--platform-admin"),
        (MARIA, "salon", "owner", "--list"),
    ],
)
def test_a_command_line_that_says_too_little_or_too_much_is_refused(run, platform, arguments):
    """Nothing is guessed where roles are given."""
    with pytest.raises(SystemExit) as ended:
        run(*arguments)
    assert ended.value.code == 2
    assert platform.asked == []


def test_the_roles_it_gives_are_those_the_server_reads():
    """A role that nobody knows would open nothing."""
    assert set(granting.ROLES) == set(Role) - {Role.PLATFORM}


def test_it_starts_as_a_program():
    """It tells how it is used."""
    done = subprocess.run(
        [sys.executable, setting_up.ROOT / "scripts" / "grant", "--help"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0
    assert "scripts/grant maria@example.com demo-salon owner" in done.stdout
