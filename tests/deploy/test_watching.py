"""Dashboards and alerts: every file of scripts/monitoring is deployed, and none is made twice."""

import json
import re
import shlex
from typing import Any

import httpx2 as httpx
import pytest

from deploying import watching
from deploying.with_etag import with_etag
from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.state.memory.store import MemoryStore
from tests.architecture.house import ROOT
from tests.deploy.shell import Deployment, commands
from tests.leaving_store import LeavingStore

PARTS = ("--only", "dashboards,alerts")
FILES = sorted(path.relative_to(ROOT).as_posix() for path in watching.MONITORING.rglob("*") if path.is_file())
OWN_RELAY = "switchboard-relay-123456789012.us-central1.run.app"
NAME, CHANNELS = "projects/my-project/anything/17", "projects/my-project/notificationChannels/1"
THERE = {
    r" list .*value\(name\)": NAME,
    r" list .*value\(etag\)": "e1",
    r" list .*value\(notificationChannels": CHANNELS,
}


def made_and_changed(lines: list[str]) -> tuple[list[str], list[str]]:
    """Return which lines make something, and which change it."""
    made = [line for line in lines if re.search(r"(dashboards|policies) create ", line)]
    return made, [line for line in lines if re.search(r"(dashboards|policies) update ", line)]


@pytest.mark.process
def test_every_file_of_the_monitoring_is_deployed(deployment: Deployment) -> None:
    """A file that is put there and that no command sends watches nothing."""
    made, changed = made_and_changed(commands(deployment.run("--dry-run", *PARTS).stdout))
    assert len(FILES) == len(made) == len(changed) > 10
    for file in FILES:
        assert sum(bool(re.search(rf"{re.escape(file)}\b", line)) for line in made) == 1, file
        assert sum(bool(re.search(rf"{re.escape(file)}\b", line)) for line in changed) == 1, file


def test_each_alert_has_a_label_that_it_is_found_by_and_asks_for_no_metric_to_be_there_yet() -> None:
    """On a fresh project nothing was measured so far."""
    for file in (path for path in FILES if "/alerts/" in path):
        policy = json.loads((ROOT / file).read_text())
        assert policy["userLabels"] == {"app": "switchboard", watching.ALERT_LABEL: file.split("/")[-1][:-5]}
        for condition in policy["conditions"]:
            assert condition["conditionPrometheusQueryLanguage"]["disableMetricValidation"] is True


@pytest.mark.process
def test_what_is_not_there_yet_is_made(deployment: Deployment) -> None:
    done = deployment.run(*PARTS)
    assert done.returncode == 0, done.stderr
    made, changed = made_and_changed(deployment.ran())
    assert (len(made), changed) == (len(FILES), [])


@pytest.mark.process
def test_what_is_there_already_is_changed_under_the_name_that_google_gave_it(deployment: Deployment) -> None:
    """A dashboard as the change of the version that was read; an alert keeps telling those whom it told."""
    done = deployment.run(*PARTS, FAKE_PRINTS=json.dumps(THERE))
    assert done.returncode == 0, done.stderr
    made, changed = made_and_changed(deployment.ran())
    assert (made, len(changed)) == ([], len(FILES))
    assert all(f" update {NAME} " in line for line in changed)
    for line in changed:
        is_alert = "policies update" in line
        assert (f"--set-notification-channels={CHANNELS} " in line) == is_alert
        assert ('"etag": "e1"' in line) != is_alert


@pytest.mark.process
def test_of_several_that_were_copied_the_first_is_changed(deployment: Deployment) -> None:
    deployment.run(*PARTS, FAKE_PRINTS=json.dumps(THERE | {r" list .*value\(name\)": f"{NAME}\n{NAME}8"}))
    assert all(f" update {NAME} " in line for line in made_and_changed(deployment.ran())[1])


@pytest.mark.process
def test_where_google_cannot_be_asked_what_is_there_nothing_is_made(deployment: Deployment) -> None:
    done = deployment.run(*PARTS, FAKE_FAILS="dashboards list")
    assert done.returncode == 1
    assert "what is there already cannot be read: gcloud monitoring dashboards list" in done.stderr
    assert made_and_changed(deployment.ran()) == ([], [])


@pytest.mark.process
@pytest.mark.parametrize("prints", [{}, THERE])
def test_whom_alerts_tell_can_be_named(deployment: Deployment, prints: dict[str, str]) -> None:
    given = ("--alert-channels", "11, projects/my-project/notificationChannels/12", "--only", "alerts")
    deployment.run(*given, FAKE_PRINTS=json.dumps(prints))
    made, changed = made_and_changed(deployment.ran())
    told = "notification-channels=11,projects/my-project/notificationChannels/12"
    assert all(f"-{told} " in line for line in made + changed) and made + changed


@pytest.mark.process
def test_a_dry_run_shows_how_names_are_found(deployment: Deployment) -> None:
    shown = deployment.run("--dry-run", *PARTS).stdout
    assert 'if test -n "$(gcloud monitoring dashboards list' in shown
    # It would be counted before it is filtered.
    assert "--limit" not in shown
    for line in commands(shown):
        shlex.split(line)


def test_an_etag_is_added_to_what_a_file_says() -> None:
    path = watching.MONITORING / "dashboard.json"
    assert json.loads(with_etag(path, "e1")) == json.loads(path.read_text()) | {"etag": "e1"}


def checks(lines: list[str]) -> dict[str, tuple[str, str]]:
    """Return host and path of each uptime check that is made, by its name."""
    made = [line for line in lines if " uptime create " in line]
    named = {line: re.findall(r"(--[a-z-]+)=(\S+)", line) for line in made}
    return {
        line.split(" uptime create ")[1].split()[0]: (
            dict(given)["--resource-labels"].removeprefix("host=").partition(",")[0],
            dict(given)["--path"],
        )
        for line, given in named.items()
    }


@pytest.mark.process
@pytest.mark.requirement("004-832")
@pytest.mark.parametrize(
    ("settings", "functions", "relay"),
    [
        ({}, ("my-project.web.app", "/ready"), OWN_RELAY),
        (
            {"SWITCHBOARD_PUBLIC_URL": "https://us-central1-my-project.cloudfunctions.net"},
            ("us-central1-my-project.cloudfunctions.net", "/healthz/ready"),
            OWN_RELAY,
        ),
        (
            {"SWITCHBOARD_RELAY_URL": "wss://relay.example.com/phone/relay"},
            ("my-project.web.app", "/ready"),
            "relay.example.com",
        ),
        # One address for both would say of the functions what is asked of the relay.
        (
            {
                "SWITCHBOARD_PUBLIC_URL": "https://calls.example.com",
                "SWITCHBOARD_RELAY_URL": "wss://calls.example.com/phone/relay",
            },
            ("calls.example.com", "/ready"),
            OWN_RELAY,
        ),
        ({"SWITCHBOARD_STREAM_URL": "https://streams.example.com"}, ("my-project.web.app", "/ready"), OWN_RELAY),
    ],
)
async def test_functions_and_relay_are_each_asked_where_they_say_whether_they_can_serve(
    deployment: Deployment, settings: dict[str, str], functions: tuple[str, str], relay: str
) -> None:
    """Either may be set up wrongly by itself; and what is asked for is there, at both."""
    done = deployment.run("--only", "uptime", **settings)
    assert done.returncode == 0, done.stderr
    found = checks(deployment.ran())
    assert found == {watching.UPTIME: functions, watching.RELAY_UPTIME: (relay, watching.RELAY_READY)}
    house = build(read_configuration({}), MemoryStore())
    # Hosting leads to the function, and functions' own address takes its name off; the relay serves everything.
    assert await status(house.function("healthz"), functions[1].removeprefix("/healthz")) == 200
    assert await status(house.app, watching.RELAY_READY) == 200
    shown = commands(deployment.run("--dry-run", "--only", "uptime", **settings).stdout)
    assert len([line for line in shown if " uptime update " in line]) == 2


async def status(app: Any, path: str) -> int:
    """Return the status with which a path is answered."""
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://test") as client:
        return (await client.get(path)).status_code


@pytest.mark.requirement("004-832")
def test_the_alert_goes_by_both_checks() -> None:
    """By how their ids begin, which Google makes of their names."""
    policy = json.loads((watching.MONITORING / "alerts" / "cannot-serve.json").read_text())
    [condition] = policy["conditions"]
    [pattern] = re.findall(r'check_id=~"([^"]*)"', condition["conditionPrometheusQueryLanguage"]["query"])
    for name in (watching.UPTIME, watching.RELAY_UPTIME):
        assert re.fullmatch(pattern, f"{name}-Xy12_z") and name in policy["documentation"]["content"] + watching.UPTIME
    # One check that fails is told, whatever the other says.
    assert "avg by (check_id)" in condition["conditionPrometheusQueryLanguage"]["query"]


@pytest.mark.process
@pytest.mark.requirement("004-832")
async def test_cloud_run_asks_the_relay_where_it_says_that_it_lives(deployment: Deployment) -> None:
    """Both probes; an outage of Firestore, in which it cannot serve, ends no instance and no phone call."""
    [line] = [one for one in commands(deployment.run("--dry-run", "--only", "relay").stdout) if " run deploy " in one]
    probes = dict(re.findall(r"--(startup|liveness)-probe=httpGet\.path=([^,\s]+)", line))
    store = LeavingStore()
    house = build(read_configuration({}), store)
    assert probes.keys() == {"startup", "liveness"}
    for path in probes.values():
        assert await status(house.app, path) == 200
    store.is_away = True
    assert await status(house.app, watching.RELAY_READY) == 503
    for path in probes.values():
        assert await status(house.app, path) == 200


@pytest.mark.process
def test_what_needs_a_collector_says_so_where_there_is_none(deployment: Deployment) -> None:
    """Somebody who has put up alerts believes that they will be woken."""
    without = re.findall("^# (.*)", deployment.run("--dry-run", *PARTS).stdout, re.MULTILINE)
    told = {reason for reason in without if "until OTEL_EXPORTER_OTLP_ENDPOINT names a collector" in reason}
    needless = {reason for reason in without if reason.startswith(("dashboards: ", "alerts: "))} - told
    assert needless == {
        "alerts: somebody is told: Nothing can be served",
        "alerts: somebody is told: Requests end in errors of ours",
        "alerts: somebody is told: Nobody asks for background work",
    }
    collector = {"OTEL_EXPORTER_OTLP_ENDPOINT": "https://collector.example.com"}
    assert "names a collector" not in deployment.run("--dry-run", *PARTS, **collector).stdout
