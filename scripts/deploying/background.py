"""What goes on behind the calls: the queue and the scheduler."""

from __future__ import annotations

from collections.abc import Iterator

from deploying.settings import QUEUE, Settings
from deploying.step import Step

PASSES = {
    "reap": "calls whose instance died are brought to their ends",
    "queued": "accepted calls are carried out, also where the queue was not reached",
    "bookings": "bookings that were begun are finished",
    "outbox": "texts and e-mails that wait are sent",
    "reindex": "businesses' texts that were changed are indexed again",
    "silent": "chats and talks of which nothing is heard any more are ended",
    "deletions": "what is being deleted of callers and businesses of whom much is kept is finished",
    "months": "what businesses have used is summed up by months",
    "questions": "what callers asked in vain is counted",
    "trials": "how drafts do that some businesses try is counted, before the calls of it are gone",
    "evals": "the calls that businesses made tests are played with what is published now",
    "callers": "what records of callers are found by is stored beside what was typed into them",
}
"""The passes of background work (`POST /tasks/<name>`)."""
# What has a day's time, for every business or at all, or a night's: a pass goes on where the one before has stopped.
_SELDOM = {
    "callers": ("every hour", "7 * * * *"),
    "trials": ("every hour", "17 * * * *"),
    "evals": ("every two minutes at night", "*/2 1-5 * * *"),
}
_OFTEN = ("every minute", "* * * * *")


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
    """Yield a job a minute for most passes: instances that are stopped between requests do nothing by themselves."""
    project = f"--project={settings.project}"
    # Google makes a token of the account for each request, so that none lies in the job.
    shown = (f"--oidc-service-account-email={settings.task_account}", f"--oidc-token-audience={settings.public_url}")
    for name, why in PASSES.items():
        often, schedule = _SELDOM.get(name, _OFTEN)
        named = (f"switchboard-{name}", f"--location={settings.region}", project)
        asked = (
            *(f"--schedule={schedule}", "--time-zone=Etc/UTC", f"--uri={settings.public_url}/tasks/{name}"),
            *("--http-method=POST", "--attempt-deadline=60s", "--max-retry-attempts=0", *shown, "--quiet"),
        )
        yield Step(
            "scheduler",
            f"{often}: {why}",
            # Jobs that were made before have a token in clear, which would be shown instead.
            ("gcloud", "scheduler", "jobs", "update", "http", *named, *asked, "--remove-headers=Authorization"),
            probe=("gcloud", "scheduler", "jobs", "describe", *named),
            otherwise=("gcloud", "scheduler", "jobs", "create", "http", *named, *asked),
        )
