"""Run all of Switchboard on this machine: a store with the demo businesses, the server, the admin pages.

The standard library is enough to import this; what needs packages is imported once there are some.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import child_process
import setting_up
from child_process import ChildProcess
from command_line import Problem
from operations import built_tools
from running import listening, standing_in, store_choice, trades
from running.banner import Banner
from running.log_line import held_back
from running.options import Options
from running.secrets_key import VARIABLE as SECRETS_KEY
from running.secrets_key import secrets_key
from running.standing_in import StandIns
from running.store_choice import StoreChoice

if TYPE_CHECKING:
    from switchboard.app.container import Container

INTERRUPTED = 130
FUNCTIONS = setting_up.ROOT / "functions"
ADMIN_PAGE = setting_up.ROOT / "admin_ui" / "app.py"

# Flags and not the pages' own .streamlit/config.toml, because a variable in the environment would outvote that.
STREAMLIT = (
    f"--server.address={listening.HOST}",
    "--server.headless=true",
    "--server.fileWatcherType=none",
    "--browser.gatherUsageStats=false",
)

log = logging.getLogger("run")


def require_possible(options: Options, environ: Mapping[str, str]) -> None:
    """Find out, in milliseconds and changing nothing, what would keep a run from starting.

    Raises:
        Problem: A port is taken, or the store cannot be had.
    """
    listening.require_free(options.port, "--port")
    if options.admin_port is not None:
        listening.require_free(options.admin_port, "--admin-port")
    standing_in.require_possible(options.stand_in_port)
    store_choice.choose(options.store, environ)


def run(options: Options) -> int:
    """Run until told to stop; returns the exit code.

    Raises:
        Problem: It cannot start, or a part that it cannot do without ended.
    """
    started = time.monotonic()
    # Whoever ends us while we are starting gets the same tidy end as with Ctrl-C.
    for number in _stop_signals():
        signal.signal(number, signal.default_int_handler)
    try:
        with ExitStack() as running:
            listener = running.enter_context(listening.listen(options.port, "--port"))
            choice = store_choice.choose(options.store, os.environ)
            opening = running.enter_context(store_choice.opened(choice))
            token = os.environ.get(standing_in.TOKEN) or secrets.token_hex(16)
            stand_ins = None
            # A real Firestore holds real customers: whatever is done for them must not end up on this machine.
            if options.stand_ins and choice.kind != "firestore":
                stand_ins = running.enter_context(standing_in.beside(options.stand_in_port, token, os.environ))
            sys.path.append(str(FUNCTIONS))
            # The emulator takes seconds to start, and these take one.
            built_tools.build()
            _import_slow_modules(choice.kind)
            choice = opening.wait()
            release_log = running.enter_context(
                held_back(personal=choice.kind != "firestore", as_json=os.environ.get("SWITCHBOARD_LOG") == "json")
            )
            this = Run(options, choice, listener, started, release_log, stand_ins, token)
            if choice.kind == "emulator":
                opening.on_end(this.lose_store)
            return _in_event_loop(this)
    except (KeyboardInterrupt, asyncio.CancelledError):
        print("\nstopped before it was ready", file=sys.stderr)
        return INTERRUPTED


class Run:
    """One run, from an open store on: builds the house, serves it, and has the admin pages beside it."""

    def __init__(
        self,
        options: Options,
        choice: StoreChoice,
        listener: socket.socket,
        started: float,
        release_log: Callable[[], None],
        stand_ins: StandIns | None,
        twilio_token: str,
    ) -> None:
        self._options, self._choice, self._listener = options, choice, listener
        self._started, self._release_log = started, release_log
        self._stand_ins, self._twilio_token = stand_ins, twilio_token
        self._url = f"http://{listening.HOST}:{listener.getsockname()[1]}"
        self._stop: Callable[[], object] = lambda: None
        self._loss = ""
        self._owner_tokens: dict[str, str] = {}
        self._operator_tokens: dict[str, str] = {}

    def lose_store(self) -> None:
        """Stop, since nothing can be kept any more; may be called from any thread."""
        self._loss = "the Firestore emulator ended, and with it all data"
        self._stop()

    async def until_stopped(self) -> int:
        """Run until told to stop; returns the exit code."""
        from switchboard.app.container import build
        from switchboard.app.settings import ConfigurationError, read_configuration
        from switchboard.catalog.definitions.registry import RegistryError

        task = asyncio.current_task()
        assert task is not None
        _on_signals(task.cancel)
        environ = self._environ()
        try:
            house = build(read_configuration(environ))
        except (ConfigurationError, RegistryError) as error:
            raise Problem(str(error)) from None
        try:
            with ExitStack() as beside:
                await self._serve(house, beside, environ.get(SECRETS_KEY, ""))
        finally:
            self._stop = lambda: None
            await house.close()
        if self._loss:
            raise Problem(self._loss)
        print("\nstopped", flush=True)
        return 0

    def _environ(self) -> dict[str, str]:
        """Return what the house is to read: what the person has set, and what this run adds."""
        environ = dict(self._choice.environ)
        if self._options.public_url:
            environ["SWITCHBOARD_PUBLIC_URL"] = self._options.public_url
        if self._choice.kind != "firestore":
            # What vendors call and sign: on one machine that is where we listen.
            environ.setdefault("SWITCHBOARD_PUBLIC_URL", self._url)
            environ[SECRETS_KEY] = secrets_key(environ, is_lasting=not self._choice.is_new)
        if self._stand_ins:
            environ |= self._stand_ins.environ
        return environ

    async def _serve(self, house: Container, beside: ExitStack, secrets_key: str) -> None:
        from running.serving import Serving

        keys, call = await self._furnish(house, secrets_key)
        await house.open()
        if self._stand_ins:
            await asyncio.to_thread(self._stand_ins.wait_until_ready)
        serving = Serving(house.app, self._listener)
        loop = asyncio.get_running_loop()
        self._stop = lambda: loop.call_soon_threadsafe(serving.stop)
        _on_signals(serving.stop)
        await serving.begin()
        # While nobody asks yet, so that the first question is understood by its meaning as well.
        indexing = asyncio.create_task(self._index(house))
        # What has to be imported and read before the first question holds nobody up.
        indexing.add_done_callback(lambda done: None if done.cancelled() else house.loop_watch.begin())
        if not serving.should_exit:
            port = self._options.admin_port
            # Found before the banner, started after it: the pages take longer than everything else.
            port = None if port is None else listening.require_free(port, "--admin-port")
            print(self._banner(port, keys, call), flush=True)
            self._release_log()
            stand_ins = self._stand_ins
            if stand_ins:
                child = stand_ins.child
                child.on_end(lambda: None if serving.should_exit else log.error("stand-ins ended: %s", child.tail()))
            if port is not None:
                pages = start_admin_pages(port, self._url, self._operator_tokens)
                beside.callback(pages.stop)
                serving.on_stop(pages.ask_to_stop)
                pages.on_end(lambda: None if serving.should_exit else log.error("admin pages ended: %s", pages.tail()))
        await serving.ended()
        indexing.cancel()

    async def _index(self, house: Container) -> None:
        if self._choice.kind == "firestore":
            return
        from running import demo
        from switchboard.contract import policy
        from switchboard.contract.deadline import patiently
        from switchboard.contract.error import ToolError
        from switchboard.contract.store import StoreError

        for business_id in (*demo.business_ids(), *self._options.templates):
            try:
                with patiently(policy.OWNERS_READ_S):
                    await house.desk.knowledge.reindex(house.paths.within(business_id))
            except (StoreError, ToolError) as error:
                log.warning("%s is searched by words only: %s", business_id, error)

    async def _furnish(self, house: Container, secrets_key: str) -> tuple[dict[str, str], str | None]:
        if self._choice.kind == "firestore":
            # Somebody's real data: nothing is put there unasked.
            return {}, None
        from running import demo
        from switchboard.state.paths import FirestorePaths

        store, paths, now = house.store, FirestorePaths(), datetime.now(UTC)
        if left := await demo.furnish(store, paths, now):
            log.info(
                "left as it is in this store: %s; scripts/seed pushes the files of seeds/ over it", ", ".join(left)
            )
        await demo.open_portals(store, paths, self._options.public_url or self._url)
        keys = await demo.make_keys(store, paths, self._choice.environ.get("SWITCHBOARD_DEMO_KEY") or None)
        await demo.keep_twilio_token(store, paths, secrets_key, self._twilio_token)
        if house.configuration.vendor("vapi").base_url:
            await demo.connect_vapi(store, paths, secrets_key, standing_in.VAPI_KEY)
        await demo.connect_mail(store, paths, is_there=house.configuration.vendor("smtp").stand_in is not None)
        await trades.furnish(
            store,
            paths,
            self._options.templates,
            now=now,
            url=self._options.public_url or self._url,
            secrets_key=secrets_key,
            token=self._twilio_token,
        )
        owner_token = self._choice.environ.get("SWITCHBOARD_DEMO_OWNER_TOKEN") or None
        self._owner_tokens = await demo.make_owner_tokens(store, paths, owner_token)
        self._operator_tokens = await demo.make_operator_tokens(store, paths)
        return keys, await demo.first_call(store, paths, self._url, keys[demo.SALON], now)

    def _banner(self, admin_port: int | None, keys: Mapping[str, str], call: str | None) -> Banner:
        return Banner(
            url=self._url,
            admin_url=None if admin_port is None else f"http://{listening.HOST}:{admin_port}",
            public_url=self._options.public_url,
            store=self._choice.why,
            key=keys.get("demo-salon"),
            owner_token=self._owner_tokens.get("demo-salon"),
            platform_key=self._operator_tokens.get("demo-salon"),
            first_call=call,
            took_s=time.monotonic() - self._started,
            twilio_token=None if self._choice.kind == "firestore" else self._twilio_token,
            stand_ins_url=self._stand_ins and self._stand_ins.url,
        )


def start_admin_pages(port: int, url: str, keys: Mapping[str, str]) -> ChildProcess:
    """Start Streamlit on a port of 127.0.0.1; it asks nothing, sends no statistics, and talks to `url` with `keys`."""
    command = (sys.executable, "-m", "streamlit", "run", ADMIN_PAGE, *STREAMLIT, f"--server.port={port}")
    environment = {**os.environ, "SWITCHBOARD_URL": url, "SWITCHBOARD_API_KEYS": json.dumps(dict(keys))}
    return child_process.start(command, environment, setting_up.ROOT)


def _in_event_loop(this: Run) -> int:
    import uvloop

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(this.until_stopped())


def _stop_signals() -> list[signal.Signals]:
    # SIGINT even where a shell without job control had it ignored; SIGHUP not where nohup did.
    hangs_up = signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN
    return [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hangs_up else [])]


def _on_signals(tell: Callable[[], object]) -> None:
    for number in _stop_signals():
        asyncio.get_running_loop().add_signal_handler(number, tell)


def _import_slow_modules(store: str) -> None:
    from running import (
        demo,  # noqa: F401
        serving,  # noqa: F401
    )

    if store != "memory":
        import switchboard.state.firestore.client  # noqa: F401
