"""The command scripts/deploy, run as people run it, in front of programs that stand in for gcloud and firebase."""

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from benchmarks import scale
from deploying.background import PASSES
from deploying.pins import problems
from deploying.plan import PARTS
from deploying.serving_parts import described
from deploying.settings import OPEN, OWN, SECRET, RelaySize
from switchboard.app.asgi import FUNCTIONS
from switchboard.app.container import build
from switchboard.app.settings import LOCAL_ONLY, read_configuration
from tests.architecture.house import ROOT
from tests.deploy.index_need import declared
from tests.deploy.shell import Deployment, commands, options

# Asks for a key, as most of those that others run do.
OTHERS = {"OPENAI_BASE_URL": "https://eu.api.openai.com/v1"}
NOT_SIGNED_IN = {
    "FAKE_PRINTS": json.dumps({"projects:list": "Failed to authenticate, have you run firebase login?"}),
    "FAKE_FAILS": "projects:list",
}
COLLECTOR = {"OTEL_EXPORTER_OTLP_ENDPOINT": "https://collector.example.com"}


def of_functions(text: str) -> dict[str, Mapping[str, str]]:
    """Return the options that each function is deployed with, by its entry point."""
    found = [options(line) for line in commands(text) if line.startswith("gcloud functions deploy")]
    return {given["entry-point"]: given for given in found}


@pytest.mark.process
def test_a_dry_run_shows_every_part_in_order_with_reasons_and_runs_nothing(deployment: Deployment) -> None:
    done = deployment.run("--dry-run")
    assert done.returncode == 0, done.stderr
    told = re.findall(r"^# (\w+): (.+)$", done.stdout, re.MULTILINE)
    in_order = list(dict.fromkeys(part for part, _ in told))
    assert in_order == [part for part in PARTS if part in in_order]
    assert set(PARTS) == set(in_order)
    assert all(len(reason) > 20 for _, reason in told)
    assert deployment.ran() == []


@pytest.mark.process
def test_what_a_dry_run_shows_is_a_shell_script(deployment: Deployment) -> None:
    done = deployment.run("--dry-run")
    checked = subprocess.run(["bash", "-n"], input=done.stdout, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr


@pytest.mark.process
def test_a_run_runs_what_the_dry_run_shows(deployment: Deployment) -> None:
    parts = "rules,indexes,ttl,functions,relay"
    shown = deployment.typed(deployment.run("--dry-run", "--only", parts).stdout)
    done = deployment.run("--only", parts)
    assert done.returncode == 0, done.stderr
    assert deployment.ran() == shown
    assert "https://my-project.web.app/ready\n" in done.stdout


@pytest.mark.process
@pytest.mark.parametrize(
    ("public_url", "parts", "said"),
    [
        ("https://calls.example.com/", "hosting", "Deployed: hosting. Can it serve? https://calls.example.com/ready\n"),
        # There, a function is known by its name alone.
        (
            "https://us-central1-my-project.cloudfunctions.net",
            "functions",
            "Deployed: functions. Can it serve? https://us-central1-my-project.cloudfunctions.net/healthz/ready\n",
        ),
        ("", "rules,ttl", "Deployed: rules, ttl\n"),
    ],
)
def test_a_run_ends_with_what_was_done_and_where_to_see_that_it_serves(
    deployment: Deployment, public_url: str, parts: str, said: str
) -> None:
    done = deployment.run("--only", parts, SWITCHBOARD_PUBLIC_URL=public_url)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(said)


@pytest.mark.process
def test_every_function_is_deployed_as_asgi_with_its_size_and_its_secrets_by_reference(deployment: Deployment) -> None:
    done = deployment.run("--dry-run", "--only", "functions", "--region", "europe-west1")
    found = of_functions(done.stdout)
    assert set(found) == set(FUNCTIONS)
    for given in found.values():
        assert given["runtime"] == "python311"
        assert given["region"] == "europe-west1"
        assert given["source"] == "functions"
        assert {"memory", "cpu", "concurrency", "min-instances", "max-instances", "timeout"} <= given.keys()
        assert "FUNCTION_USE_ASGI=true" in given["set-env-vars"]
        assert "GOOGLE_CLOUD_PROJECT=my-project" in given["set-env-vars"]
        versions = given["set-secrets"].split(",")
        assert versions[0] == "SWITCHBOARD_SIGNING_KEY=SWITCHBOARD_SIGNING_KEY:${SWITCHBOARD_SIGNING_KEY_VERSION}"


@pytest.mark.process
def test_callers_who_wait_find_an_instance_waiting(deployment: Deployment) -> None:
    found = of_functions(deployment.run("--dry-run", "--only", "functions").stdout)
    assert {name for name, given in found.items() if given["min-instances"] != "0"} == {"tools", "phone", "portal"}


@pytest.mark.process
def test_the_websocket_has_a_service_of_its_own_from_the_same_source(deployment: Deployment) -> None:
    *_, line = commands(deployment.run("--dry-run", "--only", "relay").stdout)
    given = options(line)
    assert line.startswith("gcloud run deploy ")
    assert (given["source"], given["timeout"]) == ("functions", "3600")
    assert given["set-build-env-vars"] == "GOOGLE_PYTHON_VERSION=3.11.x"
    procfile = (ROOT / "functions" / "Procfile").read_text()
    assert procfile.startswith("web: ") and "uvicorn main:app" in procfile and "$PORT" in procfile


@pytest.mark.process
def test_a_secret_s_value_is_neither_asked_for_nor_handed_on(deployment: Deployment) -> None:
    """Whatever lies in the environment of the person who deploys, functions get references."""
    values = dict.fromkeys(SECRET, "c2VjcmV0LWNhbmFyeS1zZWNyZXQtY2FuYXJ5LTAxMjM=")
    done = deployment.run("--dry-run", **values, SWITCHBOARD_MODEL="openai:gpt-5")
    assert done.returncode == 0, done.stderr
    assert "c2VjcmV0" not in done.stdout + done.stderr
    assert "OPENAI_API_KEY=OPENAI_API_KEY:" in done.stdout


@pytest.mark.process
@pytest.mark.requirement("004-472")
def test_what_is_deployed_names_the_version_of_each_secret_and_the_command_says_which(deployment: Deployment) -> None:
    """What is gone back to has the secrets of then, whatever was added since; every part gets the same."""
    told = deployment.run("--only", "functions,relay", FAKE_VERSION="41", SWITCHBOARD_MODEL="openai:gpt-5")
    assert told.returncode == 0, told.stderr
    deployed = [options(line)["set-secrets"] for line in deployment.ran() if "set-secrets" in line]
    assert len(deployed) == len(FUNCTIONS) + 1
    assert set(deployed) == {
        "SWITCHBOARD_SIGNING_KEY=SWITCHBOARD_SIGNING_KEY:41,OPENAI_API_KEY=OPENAI_API_KEY:41",
    }
    assert "SWITCHBOARD_SIGNING_KEY_VERSION is 41\n" in told.stdout
    asked = [line for line in deployment.ran() if "versions describe" in line]
    assert [line.split("--secret=")[1].split()[0] for line in asked] == ["SWITCHBOARD_SIGNING_KEY", "OPENAI_API_KEY"]
    assert ":latest" not in "".join(deployment.ran())


@pytest.mark.process
@pytest.mark.requirement("004-64")
def test_every_service_is_told_how_many_proxies_stand_before_it_whatever_is_set_for_all(deployment: Deployment) -> None:
    """Behind Hosting one that nobody gets past; before an address of one's own, as many as one says."""
    for public_url, functions in (("https://my-project.web.app", "1"), ("https://calls.example.com", "2")):
        environ = {"SWITCHBOARD_TRUSTED_PROXIES": "2", "SWITCHBOARD_PUBLIC_URL": public_url}
        shown = deployment.run("--dry-run", "--only", "functions,relay", **environ).stdout
        told = [options(line)["set-env-vars"].split("|") for line in commands(shown) if "set-env-vars" in line]
        counts = ["".join(v for v in given if v.startswith("SWITCHBOARD_TRUSTED_PROXIES=")) for given in told]
        expected = {"functions": functions, "run": "1"}
        services = [line.split()[1] for line in commands(shown) if "set-env-vars" in line]
        assert counts == [f"SWITCHBOARD_TRUSTED_PROXIES={expected[service]}" for service in services]


@pytest.mark.process
@pytest.mark.requirement("004-473")
@pytest.mark.parametrize(
    ("environ", "streams"),
    [
        ({}, "https://switchboard-relay-123456789012.europe-west1.run.app"),
        (
            {"SWITCHBOARD_PUBLIC_URL": "https://calls.example.com"},
            "https://switchboard-relay-123456789012.europe-west1.run.app",
        ),
        ({"SWITCHBOARD_STREAM_URL": "https://streams.example.com"}, "https://streams.example.com"),
        # Nothing stands in front of these that would hold a stream back.
        (
            {"SWITCHBOARD_PUBLIC_URL": "https://europe-west1-my-project.cloudfunctions.net"},
            "https://europe-west1-my-project.cloudfunctions.net",
        ),
    ],
)
def test_pages_stream_from_the_relay_s_own_address_and_the_command_says_which_is_which(
    deployment: Deployment, environ: dict[str, str], streams: str
) -> None:
    done = deployment.run("--only", "functions,relay", "--region", "europe-west1", **environ)
    assert done.returncode == 0, done.stderr
    given = [options(line)["set-env-vars"] for line in deployment.ran() if "set-env-vars" in line]
    assert len(given) == len(FUNCTIONS) + 1
    assert all(f"|SWITCHBOARD_STREAM_URL={streams}" in variables for variables in given)
    public_url = environ.get("SWITCHBOARD_PUBLIC_URL", "https://my-project.web.app")
    assert f"\n{public_url} is the address of " in done.stdout
    if streams != public_url:
        assert f"\n{streams} is what pages stream from; it lets pages of {public_url} in and no others." in done.stdout
    shown = deployment.run("--dry-run", "--only", "functions,relay", "--region", "europe-west1", **environ).stdout
    assert f"# {streams.replace('123456789012', '$PROJECT_NUMBER')} is " in shown
    # The service is there before any page asks it.
    deployed = [line for line in deployment.ran() if " deploy " in line]
    assert deployed[0].startswith("gcloud run deploy switchboard-relay")


@pytest.mark.process
@pytest.mark.requirement("004-472")
@pytest.mark.parametrize("environ", [{"FAKE_FAILS": "versions describe"}, {"FAKE_VERSION": ""}])
def test_nothing_is_deployed_where_a_secret_s_version_cannot_be_told(
    deployment: Deployment, environ: dict[str, str]
) -> None:
    done = deployment.run("--only", "functions", **environ)
    assert done.returncode == 1
    assert "openssl rand -base64 48 | gcloud secrets create SWITCHBOARD_SIGNING_KEY" in done.stderr
    assert not [line for line in deployment.ran() if "functions deploy" in line]


@pytest.mark.process
@pytest.mark.parametrize(
    ("environ", "secret", "is_wanted"),
    [
        ({}, "OPENAI_API_KEY", False),
        ({"SWITCHBOARD_EMBEDDINGS": "openai:text-embedding-3-small"}, "OPENAI_API_KEY", True),
        ({"SWITCHBOARD_MODEL": "openai:own", "OPENAI_BASE_URL": "https://llm.example.com/v1"}, "OPENAI_API_KEY", False),
        ({"SWITCHBOARD_MODEL": "openai:gpt-5", "OPENAI_API_KEY": "named", **OTHERS}, "OPENAI_API_KEY", True),
        ({"SWITCHBOARD_VOICES": "openai:gpt-realtime", **OTHERS}, "OPENAI_API_KEY", True),
        ({"OPENAI_API_KEY": "named", **OTHERS}, "OPENAI_API_KEY", False),
        ({"SWITCHBOARD_VOICES": "openai:gpt-realtime,gemini:live"}, "GEMINI_API_KEY", True),
        ({"SWITCHBOARD_MODEL": "anthropic:claude-x"}, "ANTHROPIC_API_KEY", True),
        ({"ANTHROPIC_API_KEY": "named", **OTHERS}, "ANTHROPIC_API_KEY", False),
        ({"SWITCHBOARD_GOOGLE_CLIENT_ID": "id"}, "SWITCHBOARD_GOOGLE_CLIENT_SECRET", True),
        ({"SWITCHBOARD_MICROSOFT_CLIENT_ID": "id"}, "SWITCHBOARD_MICROSOFT_CLIENT_SECRET", True),
        ({"SWITCHBOARD_GOOGLE_CLIENT_ID": "id"}, "SWITCHBOARD_MICROSOFT_CLIENT_SECRET", False),
        (
            {"SWITCHBOARD_PIPEDREAM_CLIENT_ID": "id", "SWITCHBOARD_PIPEDREAM_PROJECT_ID": "p"},
            "SWITCHBOARD_PIPEDREAM_CLIENT_SECRET",
            True,
        ),
        (COLLECTOR, "OTEL_EXPORTER_OTLP_HEADERS", False),
        ({"OTEL_EXPORTER_OTLP_HEADERS": "named"}, "OTEL_EXPORTER_OTLP_HEADERS", False),
        (COLLECTOR | {"OTEL_EXPORTER_OTLP_HEADERS": "named"}, "OTEL_EXPORTER_OTLP_HEADERS", True),
        ({}, "SWITCHBOARD_TASK_TOKEN", False),
        ({"SWITCHBOARD_TASK_TOKEN": "named"}, "SWITCHBOARD_TASK_TOKEN", True),
        ({}, "SWITCHBOARD_SECRETS_KEY", False),
        ({"SWITCHBOARD_KMS_KEY": ""}, "SWITCHBOARD_SECRETS_KEY", True),
    ],
)
def test_only_secrets_that_are_used_are_asked_for(
    deployment: Deployment, environ: dict[str, str], secret: str, is_wanted: bool
) -> None:
    done = deployment.run("--dry-run", "--only", "secrets,functions", **environ)
    assert done.returncode == 0, done.stderr
    assert (f"{secret}={secret}:" in done.stdout, f"--secret={secret} " in done.stdout) == (is_wanted, is_wanted)


@pytest.mark.process
@pytest.mark.requirement("004-471")
@pytest.mark.parametrize("is_there", [False, True])
def test_scheduler_shows_an_account_s_token_and_no_job_holds_one(deployment: Deployment, is_there: bool) -> None:
    """A job that was made before loses the one that it held."""
    done = deployment.run("--only", "scheduler", FAKE_FAILS="(?!)" if is_there else "jobs describe")
    assert done.returncode == 0, done.stderr
    jobs = [line for line in deployment.ran() if f"jobs {'update' if is_there else 'create'}" in line]
    assert len(jobs) == len(PASSES) and "https://my-project.web.app/tasks/reap" in jobs[0]
    for line in jobs:
        given = options(line)
        assert given["oidc-service-account-email"] == "switchboard-tasks@my-project.iam.gserviceaccount.com"
        assert given["oidc-token-audience"] == "https://my-project.web.app"
        assert given.get("remove-headers") == ("Authorization" if is_there else None)
        assert "Bearer" not in line and "headers=" not in line.replace("--remove-headers=", "")
    assert not [line for line in deployment.ran() if "secrets" in line]


@pytest.mark.process
@pytest.mark.requirement("004-471")
def test_functions_know_the_account_that_asks_for_work_and_may_have_tasks_show_it(deployment: Deployment) -> None:
    """It is one of its own, without any role."""
    shown = deployment.run("--dry-run", "--only", "account,functions,secrets").stdout
    account = "switchboard-tasks@my-project.iam.gserviceaccount.com"
    assert all(f"SWITCHBOARD_TASK_ACCOUNT={account}" in given["set-env-vars"] for given in of_functions(shown).values())
    (bound,) = [line for line in commands(shown) if f"add-iam-policy-binding {account}" in line]
    assert options(bound)["role"] == "roles/iam.serviceAccountUser"
    assert options(bound)["member"] == "serviceAccount:switchboard@my-project.iam.gserviceaccount.com"
    assert f"--member=serviceAccount:{account}" not in shown
    assert "SWITCHBOARD_TASK_TOKEN" not in shown


@pytest.mark.process
def test_what_is_there_already_is_changed_and_not_made_again(deployment: Deployment) -> None:
    deployment.run("--only", "queue,scheduler,database,account")
    made = [line for line in deployment.ran() if " create " in line]
    assert made == []
    assert sum(" update " in line for line in deployment.ran()) == 1 + len(PASSES)


@pytest.mark.process
def test_what_is_not_there_yet_is_made(deployment: Deployment) -> None:
    deployment.run("--only", "firebase,queue,database,account,hosting", FAKE_FAILS=" describe |apps:list|sites:get")
    made = [line for line in deployment.ran() if re.search("create |addfirebase", line)]
    assert [line.split()[1:3] for line in made] == [
        ["projects:addfirebase", "my-project"],
        ["iam", "service-accounts"],
        ["iam", "service-accounts"],
        ["firestore", "databases"],
        ["tasks", "queues"],
        ["hosting:sites:create", "my-project"],
    ]


@pytest.mark.process
def test_a_google_project_is_made_a_firebase_project_before_rules_and_hosting_are_sent(deployment: Deployment) -> None:
    shown = deployment.run("--dry-run").stdout
    assert " firebase.googleapis.com " in shown
    places = [
        shown.index(text) for text in ("services enable", "addfirebase", "--only=firestore:rules", "--only=hosting")
    ]
    assert places == sorted(places)
    assert shown.index("sites:create") < shown.index("--only=hosting")


@pytest.mark.process
def test_the_relay_holds_as_many_calls_as_it_is_told_to(deployment: Deployment) -> None:
    usual = options(commands(deployment.run("--dry-run", "--only", "relay").stdout)[-1])
    assert (usual["concurrency"], usual["max-instances"]) == ("250", "20")
    told = ("--relay-concurrency", "1000", "--relay-instances", "75")
    done = deployment.run("--dry-run", "--only", "relay", *told)
    large = options(commands(done.stdout)[-1])
    assert (large["concurrency"], large["max-instances"]) == ("1000", "75")
    assert "75000 calls at once" in done.stdout


def test_the_capacity_that_is_computed_is_that_of_the_relay_as_it_is_deployed() -> None:
    """The table of regions counts instances of that size."""
    assert RelaySize().concurrency == scale._CONCURRENCY
    assert f"({RelaySize().concurrency} calls each)" in (ROOT / "docs/operations.md").read_text()


@pytest.mark.process
def test_what_is_measured_says_where_it_was_measured(deployment: Deployment) -> None:
    """Cloud Monitoring refuses a metric without a location."""
    text = deployment.run("--dry-run", "--only", "functions", "--region", "europe-west1", **COLLECTOR).stdout
    for given in of_functions(text).values():
        assert (
            "OTEL_RESOURCE_ATTRIBUTES=cloud.platform=gcp_cloud_run,cloud.region=europe-west1" in given["set-env-vars"]
        )
    assert "OTEL_" not in deployment.run("--dry-run", "--only", "functions").stdout


def test_every_pass_of_background_work_has_its_job() -> None:
    house = build(read_configuration({}))
    assert {f"/{name}" for name in PASSES} == {route.path for route in house.routes("tasks")}


@pytest.mark.process
def test_every_kind_of_document_that_ends_has_its_policy(deployment: Deployment) -> None:
    lines = commands(deployment.run("--dry-run", "--only", "ttl").stdout)
    assert {options(line)["collection-group"] for line in lines} == {o.collection for o in declared()[1] if o.is_ttl}
    assert all("--enable-ttl" in line and " expireAt " in line for line in lines)


def test_every_variable_of_the_configuration_is_handed_on_or_kept_back_on_purpose() -> None:
    """A variable that the settings have gained is set openly, comes from a secret, or is for local running only."""
    text = (ROOT / "functions/switchboard/app/settings.py").read_text()
    read = set(
        re.findall(r'"((?:SWITCHBOARD|FIRESTORE|FIREBASE|GOOGLE|OPENAI|GEMINI|ANTHROPIC|OTEL)_[A-Z_]*[A-Z])"', text)
    )
    stand_ins = {name for name in read if name.endswith("_BASE_URL") and name.startswith("SWITCHBOARD_")}
    local = {*LOCAL_ONLY, *stand_ins, "FIREBASE_AUTH_EMULATOR_HOST", "FIRESTORE_EMULATOR_HOST"}
    local |= {"SWITCHBOARD_EGRESS_STAND_INS", "SWITCHBOARD_SMTP_STAND_IN"}
    assert read - local - {*OPEN, *SECRET, *OWN} == set()


@pytest.mark.process
@pytest.mark.parametrize(
    ("arguments", "environ", "sentence"),
    [
        (["--project", ""], {}, "which project?"),
        (["--project", "My Project"], {}, "is no project id"),
        (["--project", "demo-salon"], {}, "emulator"),
        (["--region", "Frankfurt"], {}, "is no region"),
        (["--region", "europe-west99"], {}, "europe-west9, me-central1"),
        (["--relay-concurrency", "1001"], {}, "--relay-concurrency is 1001; Cloud Run takes 1 to 1000"),
        (["--relay-instances", "0"], {}, "--relay-instances is 0"),
        (["--alert-channels", "ada@example.com"], {}, "is no notification channel"),
        ([], {"SWITCHBOARD_MODEL": "claude"}, "SWITCHBOARD_MODEL"),
        ([], {"SWITCHBOARD_KMS_KEY": "k"}, "SWITCHBOARD_KMS_KEY"),
        ([], {"SWITCHBOARD_PUBLIC_URL": "http://example.com"}, "SWITCHBOARD_PUBLIC_URL"),
        ([], {"SWITCHBOARD_PUBLIC_URL": "https://switch board.example.com"}, "write the https address"),
        ([], {"SWITCHBOARD_PUBLIC_URL": "https://switchboard.example.com/a b"}, "write the https address"),
        ([], {"SWITCHBOARD_VOICES": "a|b"}, "SWITCHBOARD_VOICES"),
        ([], {"FIRESTORE_DATABASE": "other"}, "FIRESTORE_DATABASE"),
        ([], {"FAKE_ACCOUNT": ""}, "gcloud auth login"),
        (["--only", "rules"], NOT_SIGNED_IN, "nobody is signed in to firebase; run firebase login."),
        (["--only", "secrets"], {"FAKE_FAILS": "secret=SWITCHBOARD_SIGNING_KEY"}, "openssl rand -base64 48 | gcloud"),
        (["--only", "rules"], {"FAKE_FAILS": "firebase deploy"}, "rules failed with exit code 1"),
        (["--only", "relay"], {"FAKE_FAILS": "run deploy"}, "--role=roles/cloudbuild.builds.builder"),
        (["--only", "scheduler"], {"FAKE_FAILS": "jobs update"}, "scheduler failed with exit code 1"),
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


@pytest.mark.process
def test_a_program_that_is_not_there_is_named_with_where_to_get_it(deployment: Deployment) -> None:
    (deployment.folder / "programs" / "firebase").unlink()
    done = deployment.run("--only", "rules", PATH=str(deployment.folder / "programs"))
    assert (
        done.stderr
        == "scripts/deploy: firebase is not on PATH; install the Firebase CLI (npm install -g firebase-tools).\n"
    )


@pytest.mark.process
@pytest.mark.parametrize("parts", ["functoins", ",", ""])
def test_an_unknown_part_or_none_is_refused_with_those_there_are(deployment: Deployment, parts: str) -> None:
    done = deployment.run("--only", parts)
    assert done.returncode == 2
    assert deployment.ran() == []
    assert "choose from tools, lock," in done.stderr


@pytest.mark.process
def test_what_a_script_hands_on_empty_is_neither_another_project_nor_nobody(deployment: Deployment) -> None:
    """Its variable was never set."""
    done = deployment.run("--project", "", "--only", "rules", GOOGLE_CLOUD_PROJECT="our-production")
    assert (done.returncode, "which project?" in done.stderr) == (1, True)
    done = deployment.run("--only", "alerts", "--alert-channels", "")
    assert (done.returncode, "--alert-channels names no channel" in done.stderr) == (2, True)
    assert deployment.ran() == []
    alone = [sys.executable, str(ROOT / "scripts" / "deploy"), "--dry-run", "--only", "rules"]
    environ = {**deployment.environ, "GOOGLE_CLOUD_PROJECT": "our-production"}
    assert "--project=our-production" in subprocess.run(alone, env=environ, capture_output=True, text=True).stdout


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


@pytest.mark.process
def test_the_command_needs_nothing_installed() -> None:
    """It runs under whatever python3 somebody has: -I -S keeps every installed package away."""
    code = f"import sys; sys.path.insert(0, {str(ROOT / 'scripts')!r}); import deploying.plan, deploying.carrying_out"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_functions_are_described_once_for_the_firebase_cli_and_for_us() -> None:
    assert {function.entry_point for function in described()} == set(FUNCTIONS)
    assert all(function.id == function.entry_point.replace("_", "-") for function in described())
