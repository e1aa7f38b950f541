"""`scripts/run`: one command runs everything, tells how to use it, and leaves nothing behind."""

import base64
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

import setting_up
from command_line import Problem
from running import emulator, secrets_key, standing_in, store_choice
from running import run as running
from running.options import read_options
from switchboard.contract.store import Query
from switchboard.integrations.secrets.kms import LocalKeyKeeper
from switchboard.integrations.secrets.sealed_secrets import SealedSecrets
from switchboard.state.firestore.store import FirestoreStore
from switchboard.state.paths import FirestorePaths
from tests.each import each

RUN = setting_up.ROOT / "scripts" / "run"
KEY = "a-key-that-a-test-chose"
LAST_LINE = "Ctrl-C stops everything."
# A machine with nothing else to do takes three seconds, and one for the end.
READY_WITHIN_S = 300.0
STOPPED_WITHIN_S = 60.0
# What the machine of whoever runs the tests may have set, and a run would listen to.
SETTINGS = (
    *store_choice.DEMO_VALUES,
    store_choice.EMULATOR_HOST,
    *store_choice.PROJECTS,
    "FIRESTORE_DATABASE",
    standing_in.TWILIO,
    standing_in.GOOGLE,
    standing_in.MICROSOFT,
    standing_in.MAIL,
    *standing_in.GOOGLE_CLIENT,
    *standing_in.MICROSOFT_CLIENT,
    secrets_key.VARIABLE,
    "SWITCHBOARD_PUBLIC_URL",
)
QUIET = ("--no-admin", "--no-stand-ins")
TOKEN = "a-token-that-a-test-chose"


@dataclass
class Started:
    """A run that was started: its process, and what it said before it was ready."""

    process: subprocess.Popen[str]
    said: str = ""
    errors: str = ""

    def url(self, row: str = "health") -> str:
        found = re.search(rf"^  {row} +(http://127\.0\.0\.1:\d+)", self.said, re.M)
        assert found, self.said
        return found[1]

    def request(self, method: str, path: str, body: Any = None, key: str = KEY) -> tuple[int, Any]:
        connection = http.client.HTTPConnection(self.url().removeprefix("http://"), timeout=20)
        try:
            connection.request(method, path, json.dumps(body) if body else None, {"Authorization": f"Bearer {key}"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def answered(self, method: str, path: str, body: Any = None, key: str = KEY) -> tuple[int, Any]:
        """Ask until the answer tells of the store: on a busy machine, one in time for a caller comes later."""
        answers = list[tuple[int, Any]]()

        def tells_of_the_store() -> bool:
            answers.append(self.request(method, path, body, key))
            status, answer = answers[-1]
            # Built-in tools are offered as long as nothing was read, also to whom nobody can check.
            return answer.get("source") != "fallback" and not (status == 503 and answer["error"]["retryable"])

        wait_until(tells_of_the_store, STOPPED_WITHIN_S)
        return answers[-1]

    def execute(self, name: str, args: dict[str, Any], **context: Any) -> Any:
        body = {"businessId": "demo-salon", "name": name, "args": args, "context": {"channel": "phone", **context}}
        status, envelope = self.answered("POST", "/tools/execute", body)
        assert status == 200, envelope
        return envelope

    def curl(self) -> str:
        """The command that the banner offers for copying."""
        found = re.search(r"^curl .*?[^\\]$", self.said, re.S | re.M)
        assert found, self.said
        return found[0]

    def carry_out_curl(self) -> Any:
        """Do as the banner offers, once more where the answer says so, and return the answer."""
        answers = list[Any]()

        def is_answered() -> bool:
            done = subprocess.run(["bash", "-c", self.curl()], capture_output=True, text=True, timeout=30)
            answers.append(json.loads(done.stdout))
            return not (answers[-1].get("error") or {}).get("retryable")

        wait_until(is_answered, STOPPED_WITHIN_S)
        return answers[-1]

    def processes(self) -> set[int]:
        """It and everything below it, whatever the process group."""
        rows = [line.split() for line in _ps("pid=,ppid=").splitlines()]
        found, new = set(), {self.process.pid}
        while new:
            found |= new
            new = {int(pid) for pid, parent in rows if int(parent) in new} - found
        return found

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        rest, self.errors = self.process.communicate(timeout=STOPPED_WITHIN_S)
        self.said += rest
        return self.process.returncode


@dataclass
class Runs:
    """Starts runs, and ends those that a test leaves running."""

    started: list[Started] = field(default_factory=list)

    def start(self, *arguments: str, **settings: str) -> Started:
        """Start a run that is expected to become ready, and return it then."""
        process = _popen(*arguments, **settings)
        run = Started(process)
        self.started.append(run)
        assert process.stdout
        for line in process.stdout:
            run.said += line
            if line.startswith(LAST_LINE):
                return run
        _, errors = process.communicate(timeout=STOPPED_WITHIN_S)
        pytest.fail(f"ended before it was ready: {errors}")

    def close(self) -> None:
        for run in self.started:
            run.process.kill()
            run.process.communicate()


def _popen(*arguments: str, **settings: str) -> subprocess.Popen[str]:
    environment = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    # What searching by meaning loads takes a second of a processor; nothing here is about it.
    environment["SWITCHBOARD_EMBEDDINGS"] = "none"
    return subprocess.Popen(
        [sys.executable, str(RUN), *arguments],
        env={**environment, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def refusal(*arguments: str, **settings: str) -> tuple[int, str]:
    """Start a run that is expected not to start, and return its exit code and its complaint."""
    process = _popen(*arguments, **settings)
    said, complaint = process.communicate(timeout=READY_WITHIN_S)
    assert said == ""
    return process.returncode, complaint


def _ps(columns: str) -> str:
    return subprocess.run(["ps", "-A", "-o", columns], capture_output=True, text=True, check=True).stdout


def still_there(processes: set[int]) -> set[int]:
    """Those that run; one that only waits for its parent to notice its end does not."""
    rows = [line.split() for line in _ps("pid=,stat=").splitlines()]
    return {int(pid) for pid, state in rows if int(pid) in processes and not state.startswith("Z")}


def wait_until(is_so: Callable[[], Any], within_s: float) -> Any:
    deadline = time.monotonic() + within_s
    while not (found := is_so()):
        assert time.monotonic() < deadline, "it did not come to be"
        time.sleep(0.02)
    return found


def shown(url: str) -> str:
    with urllib.request.urlopen(url, timeout=20) as answer:
        return str(answer.read().decode())


def answers(url: str) -> bool:
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=5)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


@pytest.fixture(scope="module", autouse=True)
def is_set_up() -> None:
    """Set-up has nothing left to do, and so nothing to tell, in any of these runs."""
    setting_up.ensure(Path("requirements.txt"))


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where runs keep what outlives them: nobody's own, in a test."""
    folder = tmp_path / "state"
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    return folder


@pytest.fixture
def runs() -> Iterator[Runs]:
    started = Runs()
    yield started
    started.close()


@pytest.fixture(scope="module")
def run() -> Iterator[Started]:
    """A run with the memory store, shared by the tests that only look at it."""
    started = Runs()
    ports = ("--port", "0", "--admin-port", "0", "--stand-in-port", "0")
    memory = ("--store", "memory", *ports, "--public-url", "https://sb.example.com/")
    yield started.start(*memory, SWITCHBOARD_DEMO_KEY=KEY, SWITCHBOARD_DEMO_TWILIO_TOKEN=TOKEN)
    started.close()


@pytest.mark.process
def test_it_serves_when_it_says_so(run):
    """The banner comes when GET /healthz answers, and the demo key lets in."""
    status, health = run.request("GET", "/healthz")
    assert (status, health["status"], health["store"]) == (200, "ok", "memory")
    status, listing = run.answered("GET", "/tools/definitions?businessId=demo-salon&channel=phone")
    assert status == 200
    assert {"check_availability", "book_appointment"} <= {tool["name"] for tool in listing["tools"]}
    assert run.execute("get_policies", {"topic": "cancellation"})["data"]["policies"]


@pytest.mark.process
@pytest.mark.requirement("000-356")
def test_a_call_leaves_a_line_in_the_terminal(runs):
    """Who, what, how long, how it ended; nobody's words."""
    ports = ("--port", "0", "--no-admin", "--no-stand-ins")
    run = runs.start("--store", "memory", *ports, SWITCHBOARD_DEMO_KEY=KEY)
    run.execute("get_policies", {"topic": "cancellation of Ada"})
    run.end()
    (line,) = [line for line in run.errors.splitlines() if "tool call" in line]
    assert "tool=get_policies business=demo-salon" in line and "channel=phone" in line and "outcome=done" in line
    assert "Ada" not in run.errors


@pytest.mark.process
def test_another_key_is_refused(run):
    """What fixes the demo key leaves no other one open."""
    status, _ = run.answered("GET", "/tools/definitions?businessId=demo-salon&channel=phone", key="another")
    assert status == 401


@pytest.mark.process
def test_the_printed_command_executes_a_tool(run):
    """The curl can be copied as it is, and finds free times on an open day."""
    done = subprocess.run(["bash", "-c", run.curl()], capture_output=True, text=True, timeout=30)
    envelope = json.loads(done.stdout)
    assert (envelope["ok"], envelope["data"]["available"]) == (True, True)
    assert envelope["data"]["openTimes"]


@pytest.mark.process
def test_a_sample_call_goes_as_it_says_under_another_public_address(run):
    """At any hour: a newcomer need not wait for the demo business to open; `test_calls.py` plays all of them."""
    script = str(setting_up.ROOT / "scripts" / "calls" / "haircut.txt")
    command = [sys.executable, str(setting_up.ROOT / "scripts" / "simulate_call"), script, "--token", TOKEN]
    where = ["--url", run.url("health").removesuffix("/healthz"), "--public-url", "https://sb.example.com"]
    done = subprocess.run([*command, *where], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


@pytest.mark.process
def test_it_tells_the_store_the_key_and_the_public_url(run):
    """Which store and why, the key and the token in use, the address as given, and where to see texts."""
    rows = dict(re.findall(r"^  (\S+(?: \S+)?) {2,}(.+)$", run.said, re.M))
    assert rows["store"] == "memory (as --store says); its data ends with this run"
    assert rows["API key"] == f"{KEY}  (for demo-salon)"
    assert rows["public URL"] == "https://sb.example.com"
    assert rows["Twilio token"] == f"{TOKEN}  (of the demo businesses' account)"
    assert rows["texts, calls"].startswith("http://127.0.0.1:")


@pytest.mark.process
def test_the_platform_key_lets_drafts_and_publishing_be_tried(run):
    """What is of all businesses is no owner's; whoever runs the demo is whoever runs all of it."""
    rows = dict(re.findall(r"^  (\S+(?: \S+)?) {2,}(\S+)", run.said, re.M))
    status, body = run.answered("GET", "/admin/definitions/get_faqs", key=rows["platform key"])
    assert status == 200 and body["mayEdit"] is True
    status, body = run.answered("GET", "/admin/definitions/get_faqs", key=rows["owner token"])
    assert status == 200 and body["mayEdit"] is False


@pytest.mark.process
def test_what_is_sent_is_seen_on_a_page(run):
    """A text sent from the demo businesses' account with the printed token stands on the page that is printed."""
    account = json.loads((setting_up.ROOT / "seeds/businesses/demo-salon/business.json").read_text())
    sid, number = account["integrations"]["twilio"]["accountSid"], account["twilioNumber"]
    credentials = base64.b64encode(f"{sid}:{TOKEN}".encode()).decode()
    form = urlencode({"To": "+15185550161", "From": number, "Body": "See you on Tuesday!"})
    headers = {"Authorization": f"Basic {credentials}", "Content-Type": "application/x-www-form-urlencoded"}
    connection = http.client.HTTPConnection(run.url("texts, calls").removeprefix("http://"), timeout=20)
    connection.request("POST", f"/2010-04-01/Accounts/{sid}/Messages.json", form, headers)
    answer = connection.getresponse()
    assert answer.status == 201, answer.read()
    answer.read()
    connection.request("GET", "/")
    page = connection.getresponse().read().decode()
    connection.close()
    assert "See you on Tuesday!" in page
    assert "Calendar" in page


@pytest.mark.process
@pytest.mark.requirement("001-88")
def test_an_email_that_is_sent_is_seen_on_that_page_too(run):
    """After the caller's yes, through the server that was started beside the run."""
    wish = {"to": "anna@example.com", "subject": "How to find us", "body": "Between bakery and bookshop."}
    asked = run.execute("send_email", wish, sessionId="mail", turn=1, callId="m1")["meta"]["readBack"]
    context = {"channel": "phone", "sessionId": "mail", "turn": 2, "callId": "m2"}
    heard = {"businessId": "demo-salon", "context": context, "heard": {"text": "Yes."}, "asked": asked}
    assert run.request("POST", "/tools/heard", heard)[1]["verdict"] == "approved"
    assert run.execute("send_email", wish, sessionId="mail", turn=2, callId="m3")["data"]["sent"] is True
    page = shown(run.url("texts, calls"))
    assert "anna@example.com" in page and "Between bakery and bookshop." in page


@pytest.mark.process
@pytest.mark.requirement("001-88")
def test_a_message_of_a_simulated_call_is_seen_there_as_it_reaches_the_owner(run):
    """`scripts/calls/message.txt`, and the e-mail that brings it."""
    script = str(setting_up.ROOT / "scripts" / "calls" / "message.txt")
    command = [sys.executable, str(setting_up.ROOT / "scripts" / "simulate_call"), script, "--token", TOKEN]
    command += ["--stand-ins", run.url("texts, calls")]
    where = ["--url", run.url("health").removesuffix("/healthz"), "--public-url", "https://sb.example.com"]
    done = subprocess.run([*command, *where], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
    wait_until(lambda: "rosa@maplestreethair.example" in shown(run.url("texts, calls")), READY_WITHIN_S)
    assert "about the wedding party in May" in shown(run.url("texts, calls"))


@pytest.mark.process
def test_it_listens_to_this_machine_only(run):
    """Neither the server nor the admin pages nor the stand-ins can be reached from outside."""
    for row in ("health", "admin pages", "texts, calls"):
        port = int(run.url(row).rpartition(":")[2])
        with socket.socket() as other:
            other.bind(("127.0.0.2", port))  # would be taken if somebody listened on every address


@pytest.mark.process
def test_the_admin_pages_come_up(run):
    """They answer a little after the banner that names them."""
    wait_until(lambda: answers(run.url("admin pages")), READY_WITHIN_S)


@pytest.mark.process
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL], ids=lambda number: number.name)
def test_nothing_is_left_behind(runs, number):
    """However it ends, the admin pages and the stand-ins end with it."""
    run = runs.start("--store", "memory", "--port", "0", "--admin-port", "0", "--stand-in-port", "0")
    processes = wait_until(lambda: len(run.processes()) >= 5 and run.processes(), READY_WITHIN_S)
    code = run.end(number)
    assert code == (-signal.SIGKILL if number is signal.SIGKILL else 0)
    wait_until(lambda: not still_there(processes), STOPPED_WITHIN_S)
    # That a step took long is true of a busy machine, and is told.
    assert [line for line in run.errors.splitlines() if "loop_watch" not in line] == []


@pytest.mark.process
def test_it_can_be_stopped_before_it_is_ready(runs):
    """A stop while it waits for a store ends it without a traceback."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        host = f"127.0.0.1:{silent.getsockname()[1]}"
        process = _popen("--port", "0", "--no-admin", "--stand-in-port", "0", FIRESTORE_EMULATOR_HOST=host)
        with silent.accept()[0]:
            process.send_signal(signal.SIGTERM)
            said, complaint = process.communicate(timeout=STOPPED_WITHIN_S)
    assert (process.returncode, said, complaint.strip()) == (130, "", "stopped before it was ready")


@pytest.mark.process
def test_without_admin_pages_and_stand_ins_there_are_none(runs):
    """--no-admin and --no-stand-ins leave one process."""
    run = runs.start("--store", "memory", "--port", "0", "--no-admin", "--no-stand-ins")
    assert "admin pages" not in run.said
    assert "texts, calls" not in run.said
    assert run.processes() == {run.process.pid}


@pytest.mark.process
def test_a_random_key_differs_from_run_to_run(runs):
    """Without SWITCHBOARD_DEMO_KEY the printed key is the one that works, and nobody can know it beforehand."""
    keys = set()
    for _ in range(2):
        run = runs.start("--store", "memory", "--port", "0", "--no-admin", "--no-stand-ins")
        found = re.search(r"API key +(\S+)", run.said)
        assert found
        assert run.answered("GET", "/tools/definitions?businessId=demo-salon&channel=portal", key=found[1])[0] == 200
        keys.add(found[1])
    assert len(keys) == 2


@each("option", ["--port", "--admin-port", "--stand-in-port"])
def test_a_taken_port_is_told_at_once(option):
    """One sentence names the port and the option that chooses another."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        free = {"--port": "0", "--admin-port": "0", option: port}
        options = read_options(["--store", "memory", *(word for pair in free.items() for word in pair)])
        with pytest.raises(Problem) as problem:
            running.require_possible(options, {})
    assert str(problem.value) == f"port {port} is taken; choose another with {option} <number>."


@each(
    ("arguments", "named"),
    [
        (["--prot", "8080"], "--prot"),
        (["--store", "disk"], "--store"),
        (["--port", "http"], "'http' is not a port number"),
        (["--port", "65536"], "'65536' is not a port number"),
        (["--port", "9000", "--admin-port", "9000"], "--admin-port"),
        (["--port", "9000", "--stand-in-port", "9000"], "--stand-in-port"),
        (["--admin-port", "9000", "--stand-in-port", "9000"], "--stand-in-port"),
        (["--stand-in-port", "x"], "'x' is not a port number"),
        (["--public-url", "example.com"], "'example.com' is not an address"),
    ],
)
def test_wrong_usage_is_one_sentence(capsys, arguments, named):
    """What was wrong, and where to read what is right."""
    with pytest.raises(SystemExit) as ended:
        read_options(arguments)
    out, complaint = capsys.readouterr()
    assert (ended.value.code, out, complaint.count("\n")) == (2, "", 1)
    assert named in complaint


@pytest.mark.process
def test_nothing_starts_where_the_command_line_is_wrong():
    """As a shell sees it."""
    code, complaint = refusal("--prot", "8080")
    assert (code, complaint.count("\n")) == (2, 1)


@each(
    ("store", "settings", "named"),
    [
        ("firestore", {}, "GOOGLE_CLOUD_PROJECT"),
        ("firestore", {"GOOGLE_CLOUD_PROJECT": "p", "SWITCHBOARD_DEMO_KEY": "k"}, "SWITCHBOARD_DEMO_KEY"),
        ("firestore", {"GOOGLE_CLOUD_PROJECT": "p", "SWITCHBOARD_DEMO_TWILIO_TOKEN": "k"}, "DEMO_TWILIO_TOKEN"),
        ("firestore", {"GOOGLE_CLOUD_PROJECT": "p", "SWITCHBOARD_DEMO_OWNER_TOKEN": "k"}, "DEMO_OWNER_TOKEN"),
        ("firestore", {"GOOGLE_CLOUD_PROJECT": "p", "FIRESTORE_EMULATOR_HOST": "127.0.0.1:1"}, "EMULATOR_HOST"),
    ],
)
def test_what_contradicts_itself_is_known_before_anything_starts(store, settings, named):
    """Each contradiction names the variable or option that cures it."""
    with pytest.raises(Problem, match=named) as problem:
        running.require_possible(read_options(["--store", store, "--port", "0", *QUIET]), settings)
    assert "\n" not in str(problem.value)


@pytest.mark.process
@pytest.mark.parametrize(
    ("store", "settings", "named"),
    [
        ("firestore", {}, "GOOGLE_CLOUD_PROJECT"),
        ("firestore", {"GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_APPLICATION_CREDENTIALS": "/nowhere"}, "credentials"),
        ("memory", {"SWITCHBOARD_DEMO_KEY": "two words"}, "SWITCHBOARD_DEMO_KEY"),
        ("memory", {"SWITCHBOARD_SECRETS_KEY": "bm8ga2V5"}, "SWITCHBOARD_SECRETS_KEY"),
        ("emulator", {"PATH": "/nowhere", "HOME": "/nowhere"}, "emulator"),
    ],
)
def test_what_cannot_work_is_one_sentence(store, settings, named):
    """Each contradiction or lack stops the start and names the variable or option that cures it."""
    code, complaint = refusal("--store", store, "--port", "0", *QUIET, **settings)
    assert code == 1
    assert named in complaint
    assert complaint.count("\n") == 1


@pytest.mark.process
def test_without_an_emulator_it_takes_memory_and_says_why(runs, tmp_path):
    """--store auto works on any machine."""
    run = runs.start("--port", "0", "--no-admin", "--no-stand-ins", PATH=str(tmp_path), HOME=str(tmp_path))
    assert re.search(r"store +memory \(there is no Firestore emulator here", run.said)


@pytest.mark.process
def test_an_emulator_that_does_not_start_does_no_harm(runs, tmp_path):
    """--store auto falls back to memory; --store emulator shows the emulator's own complaint."""
    broken = tmp_path / emulator.PROGRAM
    broken.write_text("#!/bin/sh\necho no such luck\nexit 3\n")
    broken.chmod(0o755)
    here = {"PATH": str(tmp_path), "HOME": str(tmp_path), "FIREBASE_EMULATORS_PATH": str(tmp_path)}
    run = runs.start("--port", "0", "--no-admin", "--no-stand-ins", **here)
    assert re.search(r"store +memory \(the Firestore emulator here does not start", run.said)
    code, complaint = refusal("--store", "emulator", "--port", "0", "--no-admin", "--no-stand-ins", **here)
    assert code == 1
    assert "no such luck" in complaint


@pytest.mark.process
def test_memory_wins_over_a_named_emulator(runs):
    """--store memory is obeyed although FIRESTORE_EMULATOR_HOST is set, and the banner says so."""
    quiet = ("--no-admin", "--no-stand-ins")
    run = runs.start("--store", "memory", "--port", "0", *quiet, FIRESTORE_EMULATOR_HOST="127.0.0.1:1")
    assert "memory (--store memory wins over FIRESTORE_EMULATOR_HOST)" in run.said
    assert run.request("GET", "/healthz", key="")[1]["store"] == "memory"


async def test_a_named_emulator_keeps_bookings_and_only_the_last_key(
    runs, emulator_host, worker_project, state_folder, patience
):
    """What was booked is in the emulator, the next run finds it, and the key of the first run no longer works."""
    project = f"{worker_project}-run"
    emulator.clear(emulator_host, project)
    here = {"FIRESTORE_EMULATOR_HOST": emulator_host, "GOOGLE_CLOUD_PROJECT": project}
    quiet = ("--port", "0", "--no-admin", "--no-stand-ins")
    run = runs.start(*quiet, SWITCHBOARD_DEMO_KEY=KEY, SWITCHBOARD_DEMO_TWILIO_TOKEN=TOKEN, **here)
    assert f"Firestore emulator at {emulator_host}, named by FIRESTORE_EMULATOR_HOST" in run.said
    day = run.carry_out_curl()
    start_time = day["data"]["openTimes"][0]
    wish = {"service": "Haircut", "start_time": start_time, "customer_name": "Ada Byron"}
    booked = run.execute("book_appointment", wish, callerPhone="+15185550177")
    assert booked["ok"], booked
    assert run.end() == 0

    again = runs.start(*quiet, SWITCHBOARD_DEMO_KEY="another-key", **here)
    status, _ = again.answered("GET", "/tools/definitions?businessId=demo-salon&channel=phone")
    assert status == 401
    assert again.end() == 0
    # And back: a key that was used before is as good as any.
    last = runs.start(*quiet, SWITCHBOARD_DEMO_KEY=KEY, SWITCHBOARD_DEMO_TWILIO_TOKEN=TOKEN, **here)
    theirs = {**wish, "with_person": booked["data"]["with"]}
    assert last.execute("book_appointment", theirs, callerPhone="+15185550178")["error"]["type"] == "CONFLICT"

    store = FirestoreStore(project, None, emulator_host)
    own = FirestorePaths().within("demo-salon")
    keys = await store.query(Query(own.collection("apiKeys")))
    booking = await store.get(own.document("bookings", booked["data"]["bookingId"]))
    kept = await store.query(Query(own.collection("secrets")))
    key = (state_folder / "switchboard" / "secrets_key").read_text()
    secrets = SealedSecrets(store, FirestorePaths(), LocalKeyKeeper.from_text(key))
    tokens = {await secrets.reveal(id, "twilio", "authToken") for id in ("demo-salon", "demo-plumber")}
    await store.close()
    assert sorted(key.data["name"] for key in keys) == ["demo", "demo operator", "demo owner"]
    assert booking is not None
    assert KEY not in json.dumps(keys[0].data, default=str)
    # Encrypted at rest by a key that outlives the run, as the data does, and that nobody ever sees.
    assert tokens == {TOKEN}
    assert TOKEN not in repr(kept)
    assert not any(key in text for text in (run.said, again.said, last.said, run.errors, repr(kept)))


async def test_secrets_of_another_key_are_told_in_one_sentence(runs, emulator_host, worker_project, state_folder):
    """A key that was lost cannot be replaced in silence: the sentence names the variable."""
    project = f"{worker_project}-keys"
    emulator.clear(emulator_host, project)
    here = {"FIRESTORE_EMULATOR_HOST": emulator_host, "GOOGLE_CLOUD_PROJECT": project}
    quiet = ("--port", "0", "--no-admin", "--no-stand-ins")
    assert runs.start(*quiet, **here).end() == 0
    (state_folder / "switchboard" / "secrets_key").unlink()
    code, complaint = refusal(*quiet, **here)
    assert (code, complaint.count("\n")) == (1, 1)
    assert "SWITCHBOARD_SECRETS_KEY is not the key of what is kept" in complaint


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_an_emulator_of_its_own_ends_with_it(runs, emulator_host, number):
    """Where the machine has an emulator it is started, used, and gone soon after the end."""
    if not emulator.find():
        pytest.skip("the emulator here is somebody else's: there is none to start")
    run = runs.start("--port", "0", "--admin-port", "0", "--stand-in-port", "0")
    assert re.search(r"store +Firestore emulator at 127\.0\.0\.1:\d+, because this machine has one", run.said)
    processes = wait_until(lambda: len(run.processes()) >= 7 and run.processes(), READY_WITHIN_S)
    run.end(number)
    wait_until(lambda: not still_there(processes), STOPPED_WITHIN_S)


def test_without_its_emulator_it_stops(runs, emulator_host):
    """When the emulator that it started dies it says so and ends, instead of failing every call."""
    if not emulator.find():
        pytest.skip("the emulator here is somebody else's: there is none to start")
    run = runs.start("--store", "emulator", "--port", "0", "--no-admin", "--no-stand-ins")
    guard = min(run.processes() - {run.process.pid})
    os.killpg(guard, signal.SIGKILL)
    _, complaint = run.process.communicate(timeout=STOPPED_WITHIN_S)
    assert run.process.returncode == 1
    assert "the Firestore emulator ended" in complaint
