"""The command scripts/deploy, run as people run it, in front of programs that stand in for gcloud and firebase."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

import main as electrician
from configuration import LOCAL_ONLY, read_configuration
from deploying.background import PASSES
from deploying.pins import problems
from deploying.plan import PARTS
from deploying.serving_parts import described
from deploying.settings import OPEN, OWN, SECRET
from tests.architecture.house import ROOT
from tests.deploy.index_need import declared

DEPLOY = ROOT / "scripts" / "deploy"
KMS = "projects/my-project/locations/us-central1/keyRings/r/cryptoKeys/k"
FAKE = f"""#!{sys.executable}
import json, os, re, sys
words = [os.path.basename(sys.argv[0]), *sys.argv[1:]]
with open(os.environ["FAKE_LOG"], "a") as log:
    log.write(json.dumps(words) + "\\n")
line = " ".join(words)
if re.search(os.environ.get("FAKE_FAILS") or "(?!)", line):
    sys.exit("it cannot be done")
if "auth list" in line:
    print(os.environ.get("FAKE_ACCOUNT", "somebody@example.com"))
if "versions access" in line:
    print("the-task-token")
"""


@dataclass
class Deployment:
    """The command, and what it had run."""

    folder: Path
    environ: dict[str, str]

    def run(self, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        """Run it on my-project unless another is named, and return what it said."""
        named = () if "--project" in arguments else ("--project", "my-project")
        command = [sys.executable, str(DEPLOY), *named, *arguments]
        return subprocess.run(command, env={**self.environ, **environ}, capture_output=True, text=True)

    def ran(self) -> list[str]:
        """Return the command lines of gcloud and firebase, in order, without the look at who is signed in."""
        log = self.folder / "log"
        lines = [" ".join(json.loads(line)) for line in log.read_text().splitlines()] if log.exists() else []
        return [line for line in lines if not line.startswith("gcloud auth")]


@pytest.fixture
def deployment(tmp_path: Path) -> Deployment:
    """A shell in which gcloud and firebase only write down how they are called."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("gcloud", "firebase"):
        (programs / name).write_text(FAKE)
        (programs / name).chmod(0o755)
    environ = {"PATH": f"{programs}:/usr/bin:/bin", "FAKE_LOG": str(tmp_path / "log"), "SWITCHBOARD_KMS_KEY": KMS}
    return Deployment(tmp_path, environ)


def commands(text: str) -> list[str]:
    """Return what a dry run would type, without reasons."""
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def options(line: str) -> Mapping[str, str]:
    """Return the options of a command line that have values."""
    return dict(word[2:].split("=", 1) for word in shlex.split(line) if word.startswith("--") and "=" in word)


def of_functions(text: str) -> dict[str, Mapping[str, str]]:
    """Return the options that each function is deployed with, by its entry point."""
    found = [options(line) for line in commands(text) if line.startswith("gcloud functions deploy")]
    return {given["entry-point"]: given for given in found}


def test_a_dry_run_shows_every_part_in_order_with_reasons_and_runs_nothing(deployment: Deployment) -> None:
    done = deployment.run("--dry-run")
    assert done.returncode == 0, done.stderr
    told = re.findall(r"^# (\w+): (.+)$", done.stdout, re.MULTILINE)
    in_order = list(dict.fromkeys(part for part, _ in told))
    assert in_order == [part for part in PARTS if part in in_order]
    # Dashboards are what scripts/dashboards holds.
    assert set(PARTS) - set(in_order) <= {"dashboards"}
    assert all(len(reason) > 20 for _, reason in told)
    assert deployment.ran() == []


def test_what_a_dry_run_shows_is_a_shell_script(deployment: Deployment) -> None:
    done = deployment.run("--dry-run")
    checked = subprocess.run(["bash", "-n"], input=done.stdout, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr


def test_a_run_runs_what_the_dry_run_shows(deployment: Deployment) -> None:
    parts = "rules,indexes,ttl,functions,relay,hosting"
    shown = [" ".join(shlex.split(line)) for line in commands(deployment.run("--dry-run", "--only", parts).stdout)]
    done = deployment.run("--only", parts)
    assert done.returncode == 0, done.stderr
    assert deployment.ran() == shown
    assert "https://my-project.web.app/healthz" in done.stdout


def test_every_function_is_deployed_as_asgi_with_its_size_and_its_secrets_by_reference(deployment: Deployment) -> None:
    done = deployment.run("--dry-run", "--only", "functions", "--region", "europe-west1")
    found = of_functions(done.stdout)
    assert set(found) == set(electrician.FUNCTIONS)
    for given in found.values():
        assert given["runtime"] == "python311"
        assert given["region"] == "europe-west1"
        assert given["source"] == "functions"
        assert {"memory", "cpu", "concurrency", "min-instances", "max-instances", "timeout"} <= given.keys()
        assert "FUNCTION_USE_ASGI=true" in given["set-env-vars"]
        assert "GOOGLE_CLOUD_PROJECT=my-project" in given["set-env-vars"]
        assert given["set-secrets"].split(",")[0] == "SWITCHBOARD_SIGNING_KEY=SWITCHBOARD_SIGNING_KEY:latest"


def test_callers_who_wait_find_an_instance_waiting(deployment: Deployment) -> None:
    found = of_functions(deployment.run("--dry-run", "--only", "functions").stdout)
    assert {name for name, given in found.items() if given["min-instances"] != "0"} == {"tools", "phone", "portal"}


def test_the_websocket_has_a_service_of_its_own_from_the_same_source(deployment: Deployment) -> None:
    (line,) = commands(deployment.run("--dry-run", "--only", "relay").stdout)
    given = options(line)
    assert line.startswith("gcloud run deploy ")
    assert (given["source"], given["timeout"]) == ("functions", "3600")
    assert given["set-build-env-vars"] == "GOOGLE_PYTHON_VERSION=3.11.x"
    procfile = (ROOT / "functions" / "Procfile").read_text()
    assert procfile.startswith("web: ") and "uvicorn main:app" in procfile and "$PORT" in procfile


def test_a_secret_s_value_is_neither_asked_for_nor_handed_on(deployment: Deployment) -> None:
    """Whatever lies in the environment of the person who deploys, functions get references."""
    values = dict.fromkeys(SECRET, "c2VjcmV0LWNhbmFyeS1zZWNyZXQtY2FuYXJ5LTAxMjM=")
    done = deployment.run("--dry-run", **values, SWITCHBOARD_MODEL="openai:gpt-5")
    assert done.returncode == 0, done.stderr
    assert "c2VjcmV0" not in done.stdout + done.stderr
    assert "OPENAI_API_KEY=OPENAI_API_KEY:latest" in done.stdout


@pytest.mark.parametrize(
    ("environ", "secret", "is_wanted"),
    [
        ({}, "OPENAI_API_KEY", False),
        ({"SWITCHBOARD_EMBEDDINGS": "openai:text-embedding-3-small"}, "OPENAI_API_KEY", True),
        ({"SWITCHBOARD_MODEL": "openai:own", "OPENAI_BASE_URL": "https://llm.example.com/v1"}, "OPENAI_API_KEY", False),
        ({"SWITCHBOARD_VOICES": "openai:gpt-realtime,gemini:live"}, "GEMINI_API_KEY", True),
        ({"SWITCHBOARD_GOOGLE_CLIENT_ID": "id"}, "SWITCHBOARD_GOOGLE_CLIENT_SECRET", True),
        (
            {"SWITCHBOARD_PIPEDREAM_CLIENT_ID": "id", "SWITCHBOARD_PIPEDREAM_PROJECT_ID": "p"},
            "SWITCHBOARD_PIPEDREAM_CLIENT_SECRET",
            True,
        ),
        ({}, "SWITCHBOARD_SECRETS_KEY", False),
        ({"SWITCHBOARD_KMS_KEY": ""}, "SWITCHBOARD_SECRETS_KEY", True),
    ],
)
def test_only_secrets_that_are_used_are_asked_for(
    deployment: Deployment, environ: dict[str, str], secret: str, is_wanted: bool
) -> None:
    done = deployment.run("--dry-run", "--only", "secrets,functions", **environ)
    assert done.returncode == 0, done.stderr
    assert (f"{secret}={secret}:latest" in done.stdout, f"--secret={secret} " in done.stdout) == (is_wanted, is_wanted)


def test_the_task_token_reaches_the_scheduler_and_no_output(deployment: Deployment) -> None:
    done = deployment.run("--only", "scheduler", FAKE_FAILS="jobs describe")
    created = [line for line in deployment.ran() if "jobs create" in line]
    assert len(created) == len(PASSES)
    assert all(line.endswith("--headers Authorization=Bearer the-task-token") for line in created)
    assert "the-task-token" not in done.stdout + done.stderr
    assert "https://my-project.web.app/tasks/reap" in created[0]


def test_what_is_there_already_is_changed_and_not_made_again(deployment: Deployment) -> None:
    deployment.run("--only", "queue,scheduler,database,account")
    made = [line for line in deployment.ran() if " create " in line]
    assert made == []
    assert sum(" update " in line for line in deployment.ran()) == 1 + len(PASSES)


def test_what_is_not_there_yet_is_made(deployment: Deployment) -> None:
    deployment.run("--only", "queue,database,account", FAKE_FAILS=" describe ")
    made = [line for line in deployment.ran() if " create " in line]
    assert [line.split()[1:3] for line in made] == [
        ["iam", "service-accounts"],
        ["firestore", "databases"],
        ["tasks", "queues"],
    ]


def test_every_pass_of_background_work_has_its_job() -> None:
    house = electrician.build(read_configuration({}))
    assert set(PASSES) == set(house.passes)


def test_every_kind_of_document_that_ends_has_its_policy(deployment: Deployment) -> None:
    lines = commands(deployment.run("--dry-run", "--only", "ttl").stdout)
    assert {options(line)["collection-group"] for line in lines} == {o.collection for o in declared()[1] if o.is_ttl}
    assert all("--enable-ttl" in line and " expireAt " in line for line in lines)


def test_every_variable_of_the_configuration_is_handed_on_or_kept_back_on_purpose() -> None:
    """A variable that configuration.py has gained is set openly, comes from a secret, or is for local running only."""
    text = (ROOT / "functions" / "configuration.py").read_text()
    read = set(re.findall(r'"((?:SWITCHBOARD|FIRESTORE|FIREBASE|GOOGLE|OPENAI|GEMINI)_[A-Z_]*[A-Z])"', text))
    stand_ins = {name for name in read if name.endswith("_BASE_URL") and name.startswith("SWITCHBOARD_")}
    local = {*LOCAL_ONLY, *stand_ins, "FIREBASE_AUTH_EMULATOR_HOST", "FIRESTORE_EMULATOR_HOST"}
    local |= {"SWITCHBOARD_EGRESS_STAND_INS"}
    assert read - local - {*OPEN, *SECRET, *OWN} == set()


@pytest.mark.parametrize(
    ("arguments", "environ", "sentence"),
    [
        (["--project", ""], {}, "which project?"),
        (["--project", "My Project"], {}, "is no project id"),
        (["--project", "demo-salon"], {}, "emulator"),
        (["--region", "Frankfurt"], {}, "is no region"),
        ([], {"SWITCHBOARD_MODEL": "claude"}, "SWITCHBOARD_MODEL"),
        ([], {"SWITCHBOARD_KMS_KEY": "k"}, "SWITCHBOARD_KMS_KEY"),
        ([], {"SWITCHBOARD_PUBLIC_URL": "http://example.com"}, "SWITCHBOARD_PUBLIC_URL"),
        ([], {"SWITCHBOARD_VOICES": "a|b"}, "SWITCHBOARD_VOICES"),
        ([], {"FIRESTORE_DATABASE": "other"}, "FIRESTORE_DATABASE"),
        ([], {"FAKE_ACCOUNT": ""}, "gcloud auth login"),
        (["--only", "secrets"], {"FAKE_FAILS": "secret=SWITCHBOARD_SIGNING_KEY"}, "openssl rand -base64 48 | gcloud"),
        (["--only", "rules"], {"FAKE_FAILS": "firebase deploy"}, "rules failed with exit code 1"),
        (["--only", "scheduler"], {"FAKE_FAILS": "versions access"}, "a secret cannot be read"),
    ],
)
def test_what_is_missing_is_one_sentence_and_nothing_behind_it_is_run(
    deployment: Deployment, arguments: list[str], environ: dict[str, str], sentence: str
) -> None:
    done = deployment.run(*arguments, **environ)
    assert done.returncode == 1
    assert sentence in done.stderr
    assert done.stderr.count("scripts/deploy: ") == 1
    assert "Traceback" not in done.stderr
    assert not [line for line in deployment.ran() if line.startswith("gcloud functions deploy")]


def test_a_program_that_is_not_there_is_named_with_where_to_get_it(deployment: Deployment) -> None:
    (deployment.folder / "programs" / "firebase").unlink()
    done = deployment.run("--only", "rules", PATH=str(deployment.folder / "programs"))
    assert (
        done.stderr
        == "scripts/deploy: firebase is not on PATH; install the Firebase CLI (npm install -g firebase-tools).\n"
    )


def test_an_unknown_part_is_refused_with_those_there_are(deployment: Deployment) -> None:
    done = deployment.run("--only", "functoins")
    assert done.returncode == 2
    assert "choose from tools, lock," in done.stderr


def test_a_package_without_pin_or_hash_is_found(tmp_path: Path) -> None:
    asked, pinned = tmp_path / "requirements.in", tmp_path / "requirements.txt"
    asked.write_text(
        "# what we need\nstarlette  # serves\njsonschema-rs==0.60.3\nMock.Firestore==0.11.0\n-r other.in\n"
    )
    assert problems(asked) == ["requirements.txt is missing"]
    pinned.write_text(
        "starlette==1.10.0 \\\n    --hash=sha256:aa\n"
        "jsonschema-rs==0.60.3 \\\n    --hash=sha256:bb \\\n    --hash=sha256:cc\n"
        "mock-firestore==0.11.0 ; python_version < '4' \\\n    --hash=sha256:dd\n"
    )
    assert problems(asked) == []
    pinned.write_text("starlette==1.10.0\njsonschema-rs==0.59.0 \\\n    --hash=sha256:bb\n")
    assert problems(asked) == [
        "starlette has no hash in requirements.txt",
        "jsonschema-rs 0.60.3 is asked for and 0.59.0 is pinned in requirements.txt",
        "mock-firestore is asked for and not pinned in requirements.txt",
    ]


def test_the_command_needs_nothing_installed() -> None:
    """It runs under whatever python3 somebody has: -I -S keeps every installed package away."""
    code = f"import sys; sys.path.insert(0, {str(ROOT / 'scripts')!r}); import deploying.plan, deploying.carrying_out"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_functions_are_described_once_for_the_firebase_cli_and_for_us() -> None:
    assert {function.entry_point for function in described()} == set(electrician.FUNCTIONS)
    assert all(function.id == function.entry_point.replace("_", "-") for function in described())
