"""Which store a command works on: memory, the Firestore emulator, or a real Firestore.

Standard library only, so that what cannot work is said before anything is installed or started.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from command_line import Problem
from running import emulator

DEMO_VALUES = ("SWITCHBOARD_DEMO_KEY", "SWITCHBOARD_DEMO_TWILIO_TOKEN", "SWITCHBOARD_DEMO_OWNER_TOKEN")
EMULATOR_HOST = "FIRESTORE_EMULATOR_HOST"
PROJECTS = ("GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT")


@dataclass(frozen=True)
class StoreChoice:
    """What was chosen.

    Attributes:
        kind: `memory`, `emulator` or `firestore`.
        why: For people: which one, and why that one.
        environ: What `read_configuration` is to read.
        installed: The emulator that has to be started; None where none has to be.
        fallback: What will do as well if it does not start.
    """

    kind: str
    why: str
    environ: Mapping[str, str] = field(repr=False)
    installed: emulator.Emulator | None = None
    fallback: StoreChoice | None = None

    @property
    def is_new(self) -> bool:
        """Whether the store is certainly empty, because it comes to be only now."""
        return self.kind == "memory" or self.installed is not None


def choose(store_name: str, environ: Mapping[str, str]) -> StoreChoice:
    """Return the store that `--store` and the environment name together.

    Raises:
        Problem: It cannot be had here, or the two contradict each other.
    """
    named = environ.get(EMULATOR_HOST)
    if store_name == "firestore":
        return _firestore(environ)
    if store_name == "memory":
        return _memory(f"--store memory wins over {EMULATOR_HOST}" if named else "as --store says", environ)
    if named:
        return StoreChoice("emulator", f"Firestore emulator at {named}, named by {EMULATOR_HOST}", environ)
    installed = emulator.find()
    if installed is None and store_name == "emulator":
        raise Problem(f"--store emulator: {emulator.why_missing()}")
    if installed is None:
        return _memory("there is no Firestore emulator here, and --store emulator says how to get one", environ)
    unwilling = _memory("the Firestore emulator here does not start, and --store emulator shows why", environ)
    return StoreChoice(
        "emulator",
        "Firestore emulator, because this machine has one" if store_name == "auto" else "Firestore emulator",
        environ,
        installed,
        fallback=unwilling if store_name == "auto" else None,
    )


@contextmanager
def opened(choice: StoreChoice) -> Iterator[Opening]:
    """Begin to open the chosen store; what was started ends with the block."""
    started = choice.installed.start() if choice.installed else None
    try:
        yield Opening(choice, started)
    finally:
        if started:
            started.stop()


@dataclass(frozen=True)
class Opening:
    """A store that is being opened, while other work can be done."""

    choice: StoreChoice
    started: emulator.RunningEmulator | None

    def on_end(self, tell: Callable[[], object]) -> None:
        """Call `tell`, from a thread of its own, when a store that was started here ends."""
        if self.started:
            guard = self.started.guard
            threading.Thread(target=lambda: (guard.wait(), tell()), daemon=True).start()

    def wait(self) -> StoreChoice:
        """Return the choice with the environment under which the store answers.

        Raises:
            Problem: It does not answer.
        """
        choice = self.choice
        try:
            if self.started:
                self.started.wait_until_ready()
                host = self.started.host
                why = choice.why.replace("emulator", f"emulator at {host}", 1)
                choice = replace(
                    choice, why=f"{why}; its data ends with this run", environ={**choice.environ, EMULATOR_HOST: host}
                )
            elif choice.kind == "emulator":
                host = choice.environ[EMULATOR_HOST]
                emulator.wait_until_answering(host, emulator.NAMED_ANSWERS_WITHIN_S)
            elif choice.kind == "firestore":
                _require_credentials()
        except emulator.EmulatorFailed as failed:
            if choice.fallback:
                return choice.fallback
            remedy = "" if self.started else f"; start it, or unset {EMULATOR_HOST}"
            raise Problem(f"{failed}{remedy}") from None
        return choice


def _require_credentials() -> None:
    import google.auth
    from google.auth.exceptions import DefaultCredentialsError

    try:
        google.auth.default()
    except DefaultCredentialsError:
        raise Problem(
            "--store firestore: there are no Google credentials here; run `gcloud auth application-default login`, or "
            "point GOOGLE_APPLICATION_CREDENTIALS at a key file."
        ) from None


def _memory(why: str, environ: Mapping[str, str]) -> StoreChoice:
    google = (EMULATOR_HOST, *PROJECTS, "K_SERVICE")
    rest = {name: value for name, value in environ.items() if name not in google}
    return StoreChoice("memory", f"memory ({why}); its data ends with this run", rest)


def _firestore(environ: Mapping[str, str]) -> StoreChoice:
    if environ.get(EMULATOR_HOST):
        raise Problem(f"--store firestore: {EMULATOR_HOST} would lead to an emulator instead; unset it.")
    for name in DEMO_VALUES:
        if environ.get(name):
            raise Problem(f"--store firestore: {name} is for local running only; unset it.")
    project = next((environ[name] for name in PROJECTS if environ.get(name)), None)
    if not project:
        raise Problem(f"--store firestore: set {PROJECTS[0]} to the project that holds Firestore.")
    return StoreChoice("firestore", f"the real Firestore of project {project}", environ)
