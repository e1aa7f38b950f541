"""Who asks this deployment for background work: the queue that it fills, and the account that Google shows."""

import re
from collections.abc import Mapping

_QUEUE_NAME = re.compile(r"projects/[^/\s]+/locations/[^/\s]+/queues/[^/\s]+")
_ACCOUNT = re.compile(r"[a-z0-9-]+@[a-z0-9.-]+\.gserviceaccount\.com")


def task_queue(environ: Mapping[str, str], wrong: type[Exception]) -> str | None:
    """Return the full name of the Cloud Tasks queue; None where there is none.

    Raises:
        wrong: It is no such name, or there is nothing that its tasks could show, or nowhere that they could ask.
    """
    name = environ.get("SWITCHBOARD_TASK_QUEUE") or None
    if name is not None and not _QUEUE_NAME.fullmatch(name):
        raise wrong(f"SWITCHBOARD_TASK_QUEUE is {name!r}; write projects/<project>/locations/<region>/queues/<queue>.")
    if name is not None and not (environ.get("SWITCHBOARD_TASK_ACCOUNT") or environ.get("SWITCHBOARD_TASK_TOKEN")):
        raise wrong(
            "SWITCHBOARD_TASK_ACCOUNT is not set; the task queue shows that service account's token when it asks for "
            "work. SWITCHBOARD_TASK_TOKEN does instead."
        )
    if name is not None and not environ.get("SWITCHBOARD_PUBLIC_URL"):
        raise wrong("SWITCHBOARD_PUBLIC_URL is not set; the task queue asks for work there.")
    return name


def task_account(environ: Mapping[str, str], wrong: type[Exception]) -> str:
    """Return the e-mail address of the service account that has background work done; empty where there is none.

    Raises:
        wrong: It is none of a service account, or there is no address that its tokens could be made for.
    """
    value = environ.get("SWITCHBOARD_TASK_ACCOUNT") or ""
    if value and not _ACCOUNT.fullmatch(value):
        raise wrong(
            f"SWITCHBOARD_TASK_ACCOUNT is {value!r}; write a service account's e-mail address, such as "
            "switchboard-tasks@my-project.iam.gserviceaccount.com."
        )
    if value and not environ.get("SWITCHBOARD_PUBLIC_URL"):
        raise wrong("SWITCHBOARD_PUBLIC_URL is not set; tokens of SWITCHBOARD_TASK_ACCOUNT are made for it.")
    return value
