"""The command scripts/grant, as whoever looks after a deployment runs it, on a stand-in for Identity Platform."""

import asyncio
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from firebase_admin import _http_client

import setting_up
from operations import granting
from stand_ins.identity_platform import IdentityPlatformStandIn
from stand_ins.loopback import serving
from switchboard.admin.access.roles import Role
from switchboard.admin.audit.entry import AuditEntry, read_entry
from switchboard.contract.store import Query, Set, Unavailable, Write, WriteResult
from switchboard.state.memory.store import MemoryStore
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


class Books(MemoryStore):
    """A store that takes so many commits, and then does not answer any more."""

    def __init__(self) -> None:
        super().__init__()
        self.takes = 1_000

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        self.takes -= 1
        if self.takes < 0:
            raise Unavailable("no answer")
        return await super().commit(writes)

    def audit(self, business_id: str = "salon") -> list[AuditEntry]:
        """Return what a business's audit says, the oldest first."""
        found = asyncio.run(self.query(Query(FirestorePaths().within(business_id).collection("audit"))))
        return sorted((read_entry(document) for document in found), key=lambda entry: entry.at)


@pytest.fixture
def books() -> Books:
    """Two businesses."""
    found = Books()
    found.takes += 1
    asyncio.run(found.commit([Set(FirestorePaths().within(id).business, {}) for id in ("salon", "plumber")]))
    return found


@pytest.fixture
def run(
    platform: IdentityPlatformStandIn,
    books: Books,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Iterator[Run]:
    """Runs the command beside a store that holds two businesses; returns exit code, stdout and stderr."""
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1")
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", PROJECT)
    monkeypatch.setenv("LOGNAME", "olivia")
    # The SDK asks again where nobody answers, at once here.
    monkeypatch.setattr(_http_client.DEFAULT_RETRY_CONFIG, "backoff_factor", 0)
    with serving(platform.app) as url:
        monkeypatch.setenv("FIREBASE_AUTH_EMULATOR_HOST", url.removeprefix("http://"))

        def run(*arguments: str) -> tuple[int, str, str]:
            # A thread of its own, where the command can run a loop of its own.
            with ThreadPoolExecutor() as threads:
                code = threads.submit(granting.main, arguments, lambda target: books).result()
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
    monkeypatch.setattr("operations.accounts._A_PAGE", 1)
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
        (("nobody@", "salon", "owner"), "let them sign in once"),
        (("u" * 200, "salon", "owner"), "let them sign in once"),
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
        (MARIA, "salon", "owner", "--was", "owner"),
        (MARIA, "salon", "owner", "--was", "platform"),
        (MARIA, "salon", "owner", "--was", "viewer", "--dry-run"),
        (MARIA, "--platform-admin", "--was", "editor"),
        (MARIA, "salon", "--revoke", "--was", "nothing"),
        (MARIA, "--list", "--was", "owner"),
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


@pytest.mark.process
def test_it_starts_as_a_program():
    """It tells how it is used."""
    done = subprocess.run(
        [sys.executable, setting_up.ROOT / "scripts" / "grant", "--help"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0
    assert "scripts/grant maria@example.com demo-salon owner" in done.stdout


def said(entry: AuditEntry) -> tuple[Any, ...]:
    """Return what an entry tells: deed, account, and role before and after."""
    sides = [side.get("account", {}) for side in (entry.before, entry.after)]
    (name,) = {side["name"] for side in sides if side}
    return (entry.deed, name, *(side.get("role") for side in sides))


def repeated(error: str) -> list[str]:
    """Return the arguments of the command that a sentence tells to run."""
    found = re.search(r"have it say so with: scripts/grant (.*)", error)
    assert found is not None, error
    return shlex.split(found[1])


def test_the_business_is_told_who_was_given_what_by_whom(run, books):
    """Given, changed and taken away: three entries, of the account, by whoever is signed in at this computer."""
    for arguments in (("viewer",), ("owner",), ("--revoke",)):
        assert run(MARIA, "salon", *arguments)[0] == 0
    entries = books.audit()
    assert [said(entry) for entry in entries] == [
        ("created", MARIA, None, "viewer"),
        ("changed", MARIA, "viewer", "owner"),
        ("deleted", MARIA, "owner", None),
    ]
    for entry in entries:
        assert (entry.kind, entry.document) == ("role", "u-1")
        assert entry.who == {"id": "operator:olivia", "name": "olivia, by scripts/grant", "role": "platform"}
    assert books.audit("plumber") == []


def test_every_business_is_told_of_a_platform_admin(run, books, monkeypatch):
    """Since each of them is concerned, over as many pages as there are."""
    monkeypatch.setattr("switchboard.admin.access.known_business._AT_ONCE", 1)
    run(MARIA, "--platform-admin")
    run(MARIA, "--platform-admin", "--revoke")
    for id in ("salon", "plumber"):
        entries = books.audit(id)
        assert [said(entry) for entry in entries] == [
            ("created", MARIA, None, "platform"),
            ("deleted", MARIA, "platform", None),
        ]
        assert {entry.kind for entry in entries} == {"platformRole"}


def test_nothing_is_told_that_did_not_happen(run, platform, books):
    """Neither of a dry run, nor of what was so before, nor of what Identity Platform did not do."""
    run(MARIA, "salon", "owner", "--dry-run")
    run(MARIA, "salon", "--revoke")
    platform.is_away = True
    assert run(MARIA, "salon", "owner")[0] == 1
    platform.is_away = False
    assert books.audit() == []
    run(MARIA, "salon", "owner")
    assert run(MARIA, "salon", "owner")[1] == f"nothing to do: {MARIA} is owner in salon\n"
    assert len(books.audit()) == 1


def test_a_role_in_a_business_that_is_gone_is_taken_away_all_the_same(run, platform, books):
    """And no audit begins where there is no business."""
    platform.accounts["u-1"]["customAttributes"] = json.dumps({"roles": {"closed": "owner"}})
    assert run(MARIA, "closed", "--revoke")[0] == 0
    assert claims(platform) == {}
    assert books.audit("closed") == []


@pytest.mark.parametrize(
    "arguments",
    [("salon", "owner"), ("salon", "owner", "--project", PROJECT), ("salon", "--revoke"), ("--platform-admin",)],
)
def test_an_audit_that_could_not_be_written_is_told_later_by_the_command_that_is_named(run, platform, books, arguments):
    """The role is given at once; the named command changes none, and says the same once, however often it is run."""
    if "--platform-admin" not in arguments:
        run(MARIA, "salon", "viewer")
    known = len(books.audit())
    books.takes = 0
    code, out, error = run(MARIA, *arguments)
    assert (code, "is now" in out, "does not say so" in error) == (1, True, True)
    given = claims(platform)
    assert len(books.audit()) == known
    books.takes, again = 1_000, repeated(error)
    for _ in range(3):
        assert run(*again)[0] == 0
    assert claims(platform) == given
    (entry,) = books.audit()[known:]
    before = None if "--platform-admin" in arguments else "viewer"
    after = {"salon": None if "--revoke" in arguments else "owner"}.get(arguments[0], "platform")
    assert said(entry)[2:] == (before, after)


def test_a_telling_that_broke_off_half_way_goes_on_where_it_did(run, books):
    """Each business is told once."""
    books.takes = 1
    _, _, error = run(MARIA, "--platform-admin")
    assert sorted(len(books.audit(id)) for id in ("salon", "plumber")) == [0, 1]
    books.takes = 1_000
    run(*repeated(error))
    assert [len(books.audit(id)) for id in ("salon", "plumber")] == [1, 1]


def test_a_command_that_was_killed_before_it_told_is_found_out_by_running_it_again(run, platform, books):
    """It says what the audit does not, and how to have it said; it does not make up what was there before."""
    platform.accounts["u-1"]["customAttributes"] = json.dumps({"roles": {"salon": "owner"}})
    code, out, _ = run(MARIA, "salon", "owner")
    assert (code, out.splitlines()[0]) == (0, f"nothing to do: {MARIA} is owner in salon")
    assert books.audit() == []
    again = repeated(out)
    assert again[-2:] == ["--was", "nothing"]
    run(*again)
    assert [said(entry) for entry in books.audit()] == [("created", MARIA, None, "owner")]
    assert run(MARIA, "salon", "owner")[1].count("\n") == 1


def test_the_audit_is_told_of_nothing_but_what_now_holds(run, books):
    """A named command that is run too late is refused, with what is so instead."""
    run(MARIA, "salon", "viewer")
    code, _, error = run(MARIA, "salon", "owner", "--was", "viewer")
    assert (code, "is viewer in salon, and not owner" in error) == (1, True)
    assert len(books.audit()) == 1
