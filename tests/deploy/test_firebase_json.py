"""firebase.json and what it names, as the Firebase CLI reads them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from deploying.site_region import in_region
from switchboard.app import asgi
from switchboard.channels.mcp.auth import WELL_KNOWN
from tests.architecture.house import ROOT

FIREBASE = json.loads((ROOT / "firebase.json").read_text())
(FUNCTIONS,) = FIREBASE["functions"]


def test_files_that_it_names_are_there() -> None:
    assert (ROOT / FUNCTIONS["source"] / "main.py").is_file()
    assert (ROOT / FIREBASE["firestore"]["rules"]).is_file()
    assert (ROOT / FIREBASE["firestore"]["indexes"]).is_file()
    assert (ROOT / FIREBASE["hosting"]["public"] / "404.html").is_file()


def test_functions_are_pinned_to_a_runtime_and_sent_by_nobody_but_the_deployment() -> None:
    assert FUNCTIONS["runtime"] == "python311"
    (build,) = FUNCTIONS["predeploy"]
    assert build == '"$PROJECT_DIR/scripts/deploying/second_set"'
    # What is built must not be left behind.
    built = Path("tool_registry.json"), Path("business_templates.json")
    assert not any(path.match(pattern) for pattern in FUNCTIONS["ignore"] for path in built)
    kept_back = (ROOT / "functions" / ".gcloudignore").read_text().splitlines()
    assert not any(path.match(pattern) for pattern in kept_back for path in built)


def test_every_function_is_reached_through_hosting_at_its_first_path_segment() -> None:
    rewrites = {rewrite["source"]: rewrite["function"]["functionId"] for rewrite in FIREBASE["hosting"]["rewrites"]}
    well_known = {f"{WELL_KNOWN}{{,/**}}": "mcp"}
    own = {f"/{name}{{,/**}}": name.replace("_", "-") for name in asgi.FUNCTIONS}
    # Cloud Run may keep what ends in z to itself.
    assert rewrites == own | well_known | dict.fromkeys(("/health", "/readyz", "/ready"), "healthz")


@pytest.mark.process
def test_the_firebase_cli_cannot_send_a_second_set_of_functions() -> None:
    """It runs this before it sends any, and stops: they would have neither the account nor the secrets of the first."""
    done = subprocess.run([ROOT / "scripts" / "deploying" / "second_set"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert "scripts/deploy alone" in done.stderr


def test_rewrites_name_the_region_of_the_functions() -> None:
    """That of functions.yaml as it stands, which emulators use; a deployment elsewhere has its own."""
    described = json.loads((ROOT / "functions" / "functions.yaml").read_text())["endpoints"]
    regions = {id: given["region"][0] for id, given in described.items()}
    rewrites = [rewrite["function"] for rewrite in FIREBASE["hosting"]["rewrites"]]
    assert all(rewrite["region"] == regions[rewrite["functionId"]] for rewrite in rewrites)
    elsewhere = json.loads(in_region((ROOT / "firebase.json").read_text(), "europe-west1"))
    assert {rewrite["function"]["region"] for rewrite in elsewhere["hosting"]["rewrites"]} == {"europe-west1"}
    assert elsewhere["hosting"]["public"] == FIREBASE["hosting"]["public"]


@pytest.mark.process
def test_a_site_is_sent_with_the_region_s_rewrites_and_leaves_no_file(tmp_path: Path) -> None:
    """The command is given a configuration beside firebase.json, from where its paths count."""
    look = tmp_path / "firebase"
    seen = tmp_path / "seen"
    look.write_text(
        f'#!/bin/sh\nfor last; do :; done\ncat "${{last#--config=}}"\necho "${{last#--config=}}" > {seen}\nexit 3\n'
    )
    look.chmod(0o755)
    program = ROOT / "scripts" / "deploying" / "site_region.py"
    done = subprocess.run([sys.executable, program, "europe-west1", look, "deploy"], capture_output=True, text=True)
    assert done.returncode == 3 and '"region": "europe-west1"' in done.stdout, done.stderr
    sent = ROOT / seen.read_text().strip()
    assert sent.parent == ROOT and sent.match(".firebase-*.json") and not sent.exists()


def test_what_a_deployment_leaves_that_is_killed_is_not_committed() -> None:
    """It lies beside firebase.json for as long as the command runs."""
    assert ".firebase-*.json" in (ROOT / ".gitignore").read_text().splitlines()


def test_emulators_listen_on_this_machine_alone_and_in_each_other_s_way_never() -> None:
    emulators = {name: e for name, e in FIREBASE["emulators"].items() if isinstance(e, dict) and "port" in e}
    assert set(emulators) == {"auth", "firestore", "functions", "hosting"}
    assert {emulator["host"] for emulator in emulators.values()} == {"127.0.0.1"}
    assert len({emulator["port"] for emulator in emulators.values()}) == len(emulators)


def test_the_firebase_cli_has_functions_served_as_asgi() -> None:
    """It hands the variables of functions/.env on to emulators and deployments, and none of functions.yaml's."""
    assert (ROOT / "functions" / ".env").read_text().splitlines() == ["FUNCTION_USE_ASGI=true"]


@pytest.mark.process
def test_functions_framework_serves_every_entry_point_as_asgi() -> None:
    """An entry point is plain `async def`: the framework awaits it, and answers with the app that it returns."""
    code = (
        "import sys; sys.path.insert(0, '.'); import asyncio, httpx\n"
        "from functions_framework.aio import create_asgi_app\n"
        "async def ask(name):\n"
        "    app = create_asgi_app(name, 'main.py', 'http')\n"
        "    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url='http://f') as http:\n"
        "        print(name, (await http.get('/no-such-path')).status_code, (await http.get('/')).status_code)\n"
        "for name in sys.argv[1:]:\n"
        "    asyncio.run(ask(name))\n"
    )
    environ = {k: v for k, v in os.environ.items() if not k.startswith(("FIRESTORE_", "GOOGLE_", "SWITCHBOARD_"))}
    command = [sys.executable, "-W", "ignore", "-c", code, *asgi.FUNCTIONS]
    done = subprocess.run(command, cwd=ROOT / "functions", env=environ, capture_output=True, text=True)
    answered = [line.split() for line in done.stdout.splitlines()]
    assert [name for name, *_ in answered] == list(asgi.FUNCTIONS), done.stderr
    # Its own answers, not a failure of the framework's: what is not there is 404, or not to be had by GET.
    wrong = [line for line in answered if line[1] not in ("404", "405") or int(line[2]) >= 500]
    assert wrong == [], done.stderr
