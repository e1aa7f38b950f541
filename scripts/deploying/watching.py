"""What people watch: the dashboards and alerts of scripts/monitoring.

Google gives both their names. Each is found again by what its file says of it, and so changed instead of made twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import setting_up
from deploying.settings import Settings
from deploying.step import FromOutput, Joined, Kept, Step

MONITORING = setting_up.ROOT / "scripts" / "monitoring"
UPTIME = "switchboard-can-serve"
"""What the uptime check is called, and what the ids of it and of the relay's, which the alert goes by, begin with."""
RELAY_UPTIME = f"{UPTIME}-relay"
RELAY_READY = "/ready"
"""Where the relay, which serves every function in one process, says whether it can."""
ALERT_LABEL = "alert"
"""The user label by which an alert policy is found; its value is the file's name without `.json`."""


def dashboards(settings: Settings) -> Iterator[Step]:
    """Yield the dashboards, each found by the title that it has."""
    # No --limit anywhere: gcloud counts before it filters, and would find the first of all or nothing.
    project = f"--project={settings.project}"
    command = ("gcloud", "monitoring", "dashboards")
    for path in sorted(MONITORING.glob("*.json")):
        title = json.loads(path.read_text())["displayName"]
        listed = (*command, "list", f'--filter=displayName="{title}"', project)
        name = FromOutput("", (*listed, "--format=value(name)"), may_be_empty=True)
        etag = FromOutput("", (*listed, "--format=value(etag)"))
        # A change is refused that does not say which version it changes.
        changed = FromOutput("--config=", ("python3", "scripts/deploying/with_etag.py", _place(path), etag))
        yield Step(
            "dashboards",
            f"what {path.stem} shows is watched when something is wrong{_until_measured(settings, 'mostly empty')}",
            (*command, "update", name, changed, project, "--quiet"),
            probe=("test", "-n", name),
            otherwise=(*command, "create", f"--config-from-file={_place(path)}", project, "--quiet"),
        )


def uptime(settings: Settings) -> Iterator[Step]:
    """Yield the checks that ask from outside, every minute, whether this can serve; an alert tells when it cannot.

    The functions are one thing, and the relay, which phone calls and pages' streams hang on, another: it has settings
    and instances of its own.
    """
    address = urlsplit(settings.ready_url)
    why = f"{settings.ready_url} says every minute whether calls can be carried, and if not, why"
    yield _check(settings, UPTIME, Joined((address.netloc,)), address.path, why)
    host = settings.relay_host
    if any(isinstance(part, Kept) for part in host.parts):
        yield settings.number_found_out("uptime", "the relay's own address is made of it")
    why = (
        f"the relay says so for itself at its {RELAY_READY}: set up wrongly, it ends phone calls while functions serve"
    )
    yield _check(settings, RELAY_UPTIME, host, RELAY_READY, why)


def _check(settings: Settings, title: str, host: Joined, path: str, why: str) -> Step:
    project, command = f"--project={settings.project}", ("gcloud", "monitoring", "uptime")
    listed = (*command, "list-configs", f'--filter=displayName="{title}"', project)
    name = FromOutput("", (*listed, "--format=value(name)"), may_be_empty=True)
    asked = (f"--path={path}", "--period=1", "--timeout=10")
    resource = Joined(("--resource-labels=host=", *host.parts, f",project_id={settings.project}"))
    return Step(
        "uptime",
        why,
        (*command, "update", name, *asked, project, "--quiet"),
        probe=("test", "-n", name),
        otherwise=(
            *(*command, "create", title, "--resource-type=uptime-url", resource, "--protocol=https"),
            *(*asked, project, "--quiet"),
        ),
    )


def alerts(settings: Settings) -> Iterator[Step]:
    """Yield the alert policies; whom they tell stays as it is where nobody is named."""
    project = f"--project={settings.project}"
    # Not every gcloud that is in use has it outside of alpha.
    command = ("gcloud", "alpha", "monitoring", "policies")
    text = ",".join(settings.alert_channels)
    for path in sorted((MONITORING / "alerts").glob("*.json")):
        title = json.loads(path.read_text())["displayName"]
        ours = f"userLabels.app=switchboard AND userLabels.{ALERT_LABEL}={path.stem}"
        listed = (*command, "list", f"--filter={ours}", project)
        name = FromOutput("", (*listed, "--format=value(name)"), may_be_empty=True)
        # What a change leaves out is gone afterwards.
        as_before = FromOutput(
            "--set-notification-channels=", (*listed, "--format=value(notificationChannels.list())"), may_be_empty=True
        )
        content = f"--policy-from-file={_place(path)}"
        begin = (f"--notification-channels={text}",) if text else ()
        yield Step(
            "alerts",
            f"somebody is told: {title}{'' if _is_google_s(path) else _until_measured(settings, 'silent')}",
            (
                *(*command, "update", name, content),
                f"--set-notification-channels={text}" if text else as_before,
                *(project, "--quiet"),
            ),
            probe=("test", "-n", name),
            otherwise=(*command, "create", content, *begin, project, "--quiet"),
            remedy="if gcloud has no alpha commands, gcloud components install alpha",
        )


def _until_measured(settings: Settings, how: str) -> str:
    if "OTEL_EXPORTER_OTLP_ENDPOINT" in settings.variables:
        return ""
    return f"; {how} until OTEL_EXPORTER_OTLP_ENDPOINT names a collector"


def _is_google_s(path: Path) -> bool:
    """Tell whether an alert asks for what Google measures by itself, which needs no collector."""
    text = path.read_text()
    return "run_googleapis_com:" in text or "monitoring_googleapis_com:" in text


def _place(path: Path) -> str:
    return path.relative_to(setting_up.ROOT).as_posix()
