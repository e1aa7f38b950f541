"""The drills' own server, run as a program: a process that has built a house already, and a fork of it per server.

server.py <path of a Unix socket>

Who connects sends one line of JSON (`Settings`) and is answered with one: process id and port of a server of its own.
That server lives as long as the connection does. A fork takes a tenth of what a house takes that has to import all
this, which is what makes hundreds of killed servers affordable; gRPC is not in use before the fork, as it must not be.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

SCRIPTS = Path(__file__).resolve().parents[1]
_WARM_WITHIN_S = 30.0


@dataclass(frozen=True)
class Settings:
    """How one server is to be.

    Attributes:
        emulator: host:port of its store.
        project: The emulator's project.
        policy: Limits of `contract/policy.py` that are to be different, by name.
        reaper_s: How often it finishes what dead servers left; None for never.
        crash: The step at which it dies, and whether before or after that.
        google_url: The stand-in for Google that it asks; empty for none. Likewise Microsoft's.
        caldav: `host:port` of the CalDAV server on this machine that it may ask; empty for none.
        booking_lease_s: How long whoever works on a booking in an outside calendar has it to himself, where it is
            not as usual.
        twilio_url: The stand-in for Twilio that it asks; empty for none.
        egress: `host:port` of the server on this machine that owners' requests may reach; empty for none.
    """

    emulator: str
    project: str
    policy: Mapping[str, float] = field(default_factory=dict)
    reaper_s: float | None = None
    crash: tuple[str, bool] | None = None
    google_url: str = ""
    microsoft_url: str = ""
    caldav: str = ""
    booking_lease_s: float | None = None
    twilio_url: str = ""
    egress: str = ""


def main() -> None:
    """Fork a server for everyone who asks, until ended."""
    sys.path[:1] = [str(SCRIPTS), str(SCRIPTS.parent / "functions")]
    _build_once()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the dead are nobody's concern here
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen(64)
    while True:
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            _be_server(connection)
        connection.close()


def _build_once() -> None:
    """Build a house over the store in memory, and drop it: what any house imports and compiles stays."""
    import uvloop  # noqa: F401

    import switchboard.integrations.caldav.calendars
    import switchboard.integrations.google_calendar.calendars
    import switchboard.integrations.microsoft_calendar.calendars
    import switchboard.integrations.secrets.sealed_secrets
    import switchboard.state.firestore.client  # noqa: F401
    from running import (
        log_line,
        serving,  # noqa: F401
    )
    from switchboard.app.container import build
    from switchboard.state.memory.store import MemoryStore

    log_line.show(personal=True)
    house = build(_configuration(Settings("nowhere:1", "demo-nothing")), MemoryStore())
    assert house.app and house.passes
    # The forks share these objects for as long as nobody counts them anew.
    gc.collect()
    gc.freeze()


def _be_server(connection: socket.socket) -> None:
    import uvloop

    try:
        line = connection.makefile("rb").readline()
        if line:
            values = json.loads(line)
            crash = values.pop("crash", None)
            uvloop.run(_serve(connection, Settings(**values, crash=tuple(crash) if crash else None)))
    finally:
        # Not sys.exit: what the first process registered for its end is not ours to do.
        os._exit(1)


async def _serve(connection: socket.socket, settings: Settings) -> None:
    from running import listening
    from running.serving import Serving
    from switchboard.app.clients import open_store
    from switchboard.app.container import build
    from switchboard.contract import policy
    from switchboard.desk.bookings import booking_records
    from switchboard.pipeline.execution.pass_lead import PassLead
    from switchboard.pipeline.execution.reaper import reap

    for name, value in settings.policy.items():
        assert hasattr(policy, name), name
        setattr(policy, name, value)
    if settings.booking_lease_s is not None:
        booking_records.LEASE = timedelta(seconds=settings.booking_lease_s)
    configuration = _configuration(settings)
    store = open_store(configuration)
    house = build(configuration, _doomed(store, connection, settings.crash) if settings.crash else store)
    if settings.google_url or settings.microsoft_url or settings.caldav:
        await house.calendars.warm()
        if settings.crash:
            house.__dict__["calendars"] = _doomed_calendars(house.calendars, connection, settings.crash)
    deadline = time.monotonic() + _WARM_WITHIN_S
    while (await house.catalog.definitions.current()).source != "firestore" and time.monotonic() < deadline:
        await asyncio.sleep(0.05)
    with listening.listen(0, "no option") as listener:
        await Serving(house.app, listener).begin()
        _tell(connection, {"pid": os.getpid(), "port": listener.getsockname()[1]})
        reaping = None
        if every_s := settings.reaper_s:
            reaping = asyncio.create_task(reap(house.passes, every_s, PassLead(house.store, house.paths, every_s)))
        # Nothing more is sent to us: what can be read is the end.
        await asyncio.get_running_loop().sock_recv(_unblocked(connection), 1)
        del reaping
        os._exit(0)


def _configuration(settings: Settings) -> Any:
    from drills.premises import PUBLIC_URL, SECRETS_KEY
    from stand_ins import google_calendar, microsoft_graph
    from switchboard.app.settings import Configuration
    from switchboard.integrations.vendor import VendorSettings

    configuration = Configuration(
        "emulator", settings.project, None, settings.emulator, public_url=PUBLIC_URL, secrets_key=SECRETS_KEY
    )
    vendors = {"twilio": VendorSettings(base_url=settings.twilio_url or None)}
    for name, url, vendor in (
        ("google", settings.google_url, google_calendar),
        ("microsoft", settings.microsoft_url, microsoft_graph),
    ):
        if url:
            client = {"CLIENT_ID": vendor.CLIENT_ID, "CLIENT_SECRET": vendor.CLIENT_SECRET}
            vendors[name] = VendorSettings(base_url=url, values=client)
    stand_ins = tuple(filter(None, (settings.egress, settings.caldav)))
    return replace(configuration, vendors=vendors, egress_stand_ins=stand_ins)


def _doomed(store: Any, connection: socket.socket, crash: tuple[str, bool]) -> Any:
    from drills.crashing_store import CrashingStore

    return CrashingStore(store, *crash, lambda: _die(connection))


def _doomed_calendars(calendars: Any, connection: socket.socket, crash: tuple[str, bool]) -> Any:
    from drills.crashing_calendars import CrashingCalendars

    return CrashingCalendars(calendars, *crash, lambda: _die(connection))


def _die(connection: socket.socket) -> None:
    _tell(connection, {"killed": True})
    os.kill(os.getpid(), signal.SIGKILL)


def _unblocked(connection: socket.socket) -> socket.socket:
    connection.setblocking(False)
    return connection


def _tell(connection: socket.socket, values: Mapping[str, Any]) -> None:
    connection.sendall(json.dumps(values).encode() + b"\n")


if __name__ == "__main__":
    main()
