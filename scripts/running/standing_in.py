"""What stands in for the vendors beside a run on this machine; standard library only.

One child process serves them all, and a page that shows the texts, e-mails, phone calls and calendar entries they were
given.
"""

from __future__ import annotations

import http.client
import socket
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
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
    # Theirs from now on: a port that is only known to be free may be another's before they listen.
    with ExitStack() as handed_over:
        listeners = {TWILIO: _on_usual_port() if port is None else listening.listen(port, "--stand-in-port")}
        listeners |= {name: listening.listen(0, "") for name in (GOOGLE, MICROSOFT, VAPI, PIPEDREAM, MAIL)}
        for listener in listeners.values():
            handed_over.enter_context(listener)
        places = {name: f"{listening.HOST}:{listener.getsockname()[1]}" for name, listener in listeners.items()}
        child = _start([listener.fileno() for listener in listeners.values()], {**environ, TOKEN: token})
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


def _on_usual_port() -> socket.socket:
    try:
        return listening.listen(USUAL_PORT, "--stand-in-port")
    except Problem:
        return listening.listen(0, "--stand-in-port")


def _start(listeners: Sequence[int], environ: Mapping[str, str]) -> ChildProcess:
    flags = ("port", "google-port", "microsoft-port", "vapi-port", "pipedream-port", "mail-port")
    told = (f"--{flag}={number}" for flag, number in zip(flags, listeners, strict=True))
    command = (sys.executable, "-m", "stand_ins.for_demo", "--inherited", *told)
    return child_process.start(command, environ, setting_up.ROOT / "scripts", listeners)


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
