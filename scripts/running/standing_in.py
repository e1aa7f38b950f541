"""What stands in for the vendors beside a run on this machine; standard library only.

One child process serves them all, and a page that shows the texts, e-mails, phone calls and calendar entries they were
given.
"""

from __future__ import annotations

import http.client
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import child_process
import setting_up
from child_process import ChildProcess
from command_line import Problem
from running import listening

USUAL_PORT = 8090
READY_WITHIN_S = 20.0
POLL_EVERY_S = 0.02
TOKEN = "SWITCHBOARD_DEMO_TWILIO_TOKEN"
TWILIO, GOOGLE = "SWITCHBOARD_TWILIO_BASE_URL", "SWITCHBOARD_GOOGLE_BASE_URL"
MICROSOFT = "SWITCHBOARD_MICROSOFT_BASE_URL"
VAPI, PIPEDREAM = "SWITCHBOARD_VAPI_BASE_URL", "SWITCHBOARD_PIPEDREAM_BASE_URL"
# Not HTTP, and named as `host:port`.
MAIL = "SWITCHBOARD_SMTP_STAND_IN"
# As the stand-ins know us.
PIPEDREAM_CLIENT = {
    "SWITCHBOARD_PIPEDREAM_CLIENT_ID": "stand-in-client",
    "SWITCHBOARD_PIPEDREAM_CLIENT_SECRET": "stand-in-secret",
    "SWITCHBOARD_PIPEDREAM_PROJECT_ID": "proj_standin",
}
VAPI_KEY = "stand-in-private-key"
GOOGLE_CLIENT = {
    "SWITCHBOARD_GOOGLE_CLIENT_ID": "stand-in-client",
    "SWITCHBOARD_GOOGLE_CLIENT_SECRET": "stand-in-secret",
}
MICROSOFT_CLIENT = {
    "SWITCHBOARD_MICROSOFT_CLIENT_ID": "stand-in-client",
    "SWITCHBOARD_MICROSOFT_CLIENT_SECRET": "stand-in-secret",
}


@dataclass(frozen=True)
class StandIns:
    """The stand-ins of one run, started.

    Attributes:
        url: The page that shows what they were given.
        urls: Where each of them is that speaks HTTP, by the variable that names it.
        environ: What the server has to be told, to find those that the person named none instead of.
    """

    url: str
    urls: Mapping[str, str]
    environ: Mapping[str, str] = field(repr=False)
    child: ChildProcess = field(repr=False)

    def wait_until_ready(self) -> None:
        """Return once all answer.

        Raises:
            Problem: They do not; carries what they said.
        """
        deadline = time.monotonic() + READY_WITHIN_S
        while not all(map(_answers, self.urls.values())):
            if self.child.guard.poll() is not None or time.monotonic() > deadline:
                end = self.child.tail()
                raise Problem(
                    f"the stand-ins do not start, and --no-stand-ins does without; the end of their log:\n{end}"
                )
            time.sleep(POLL_EVERY_S)


def require_possible(port: int | None) -> None:
    """Make sure that a port that somebody chose can be had.

    Raises:
        Problem: It is taken.
    """
    if port is not None:
        listening.require_free(port, "--stand-in-port")


@contextmanager
def beside(port: int | None, token: str, environ: Mapping[str, str]) -> Iterator[StandIns | None]:
    """Start the stand-ins, without waiting for them; they end with the block.

    Args:
        port: Of the page; None for the usual one, or any other while somebody has that.
        token: The auth token of the demo businesses' Twilio account.
        environ: What the person has set; where it names other stand-ins for all, none are started.
    """
    ours = [name for name in (TWILIO, GOOGLE, MICROSOFT, VAPI, PIPEDREAM, MAIL) if not environ.get(name)]
    if not ours:
        yield None
        return
    at = _usual_or_free() if port is None else listening.require_free(port, "--stand-in-port")
    ports = {TWILIO: at, **{name: _free() for name in (GOOGLE, MICROSOFT, VAPI, PIPEDREAM, MAIL)}}
    vendors = ("google", "microsoft", "vapi", "pipedream", "mail")
    flags = zip(("port", *(f"{vendor}-port" for vendor in vendors)), ports.values(), strict=True)
    command = (sys.executable, "-m", "stand_ins.for_demo", *(f"--{flag}={number}" for flag, number in flags))
    child = child_process.start(command, {**environ, TOKEN: token}, setting_up.ROOT / "scripts")
    places = {name: f"{listening.HOST}:{number}" for name, number in ports.items()}
    urls = {name: f"http://{place}" for name, place in places.items() if name != MAIL}
    by_name = {name: urls.get(name, places[name]) for name in ours}
    clients = ((GOOGLE, GOOGLE_CLIENT), (MICROSOFT, MICROSOFT_CLIENT), (PIPEDREAM, PIPEDREAM_CLIENT))
    for name, client in clients:
        if name in ours and not any(environ.get(key) for key in client):
            by_name |= client
    try:
        yield StandIns(urls[TWILIO], urls, by_name, child)
    finally:
        child.stop()


def _usual_or_free() -> int:
    try:
        return listening.require_free(USUAL_PORT, "--stand-in-port")
    except Problem:
        return _free()


def _free() -> int:
    return listening.require_free(0, "--stand-in-port")


def _answers(url: str) -> bool:
    # http.client and not urllib: a proxy from the environment must not come between
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=2)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
