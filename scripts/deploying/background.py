"""What goes on behind the calls: the queue, the scheduler, and what people watch."""

from __future__ import annotations

from collections.abc import Iterator

import setting_up
from deploying.settings import QUEUE, TASK_TOKEN, Settings
from deploying.step import FromSecret, Step

PASSES = {
    "reap": "calls whose instance died are brought to their ends",
    "queued": "accepted calls are carried out, also where the queue was not reached",
    "bookings": "bookings that were begun are finished",
    "outbox": "texts and e-mails that wait are sent",
    "reindex": "businesses' texts that were changed are indexed again",
}
"""The passes of background work (`POST /tasks/<name>`)."""

DASHBOARDS = setting_up.ROOT / "scripts" / "dashboards"


def queue(settings: Settings) -> Iterator[Step]:
    """Yield the queue of accepted calls."""
    named = (QUEUE, f"--location={settings.region}", f"--project={settings.project}")
    limits = (
        *("--max-attempts=20", "--min-backoff=1s", "--max-backoff=60s", "--max-retry-duration=3600s"),
        *("--max-dispatches-per-second=50", "--max-concurrent-dispatches=20", "--quiet"),
    )
    yield Step(
        "queue",
        "it asks for calls that were accepted and are carried out later, and asks again until they are",
        ("gcloud", "tasks", "queues", "update", *named, *limits),
        probe=("gcloud", "tasks", "queues", "describe", *named),
        otherwise=("gcloud", "tasks", "queues", "create", *named, *limits),
    )


def scheduler(settings: Settings) -> Iterator[Step]:
    """Yield a job a minute for every pass: instances that are stopped between requests do nothing by themselves."""
    project = f"--project={settings.project}"
    token = FromSecret(
        "Authorization=Bearer ",
        ("gcloud", "secrets", "versions", "access", "latest", f"--secret={TASK_TOKEN}", project),
    )
    for name, why in PASSES.items():
        named = (f"switchboard-{name}", f"--location={settings.region}", project)
        asked = (
            *("--schedule=* * * * *", "--time-zone=Etc/UTC", f"--uri={settings.public_url}/tasks/{name}"),
            *("--http-method=POST", "--attempt-deadline=60s", "--max-retry-attempts=0", "--quiet"),
        )
        yield Step(
            "scheduler",
            f"every minute: {why}",
            ("gcloud", "scheduler", "jobs", "update", "http", *named, *asked, "--update-headers", token),
            probe=("gcloud", "scheduler", "jobs", "describe", *named),
            otherwise=("gcloud", "scheduler", "jobs", "create", "http", *named, *asked, "--headers", token),
        )


def dashboards(settings: Settings) -> Iterator[Step]:
    """Yield the dashboards of scripts/dashboards, each under its file's name."""
    project = f"--project={settings.project}"
    for path in sorted(DASHBOARDS.glob("*.json")):
        config = f"--config-from-file={path.relative_to(setting_up.ROOT).as_posix()}"
        name = f"projects/{settings.project}/dashboards/{path.stem}"
        yield Step(
            "dashboards",
            f"what {path.stem} shows is watched when something is wrong",
            ("gcloud", "monitoring", "dashboards", "update", name, config, project, "--quiet"),
            probe=("gcloud", "monitoring", "dashboards", "describe", name, project),
            otherwise=("gcloud", "monitoring", "dashboards", "create", config, project, "--quiet"),
        )
