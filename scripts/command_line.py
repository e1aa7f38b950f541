"""What our commands' command lines have in common; standard library only."""

from __future__ import annotations

import argparse
import atexit
import os
import select
import signal
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

from disk_trouble import refusal, told

WRONG_USAGE = 2
SIGN_IN = (
    "there are no Google credentials here; run `gcloud auth application-default login`, or point "
    "GOOGLE_APPLICATION_CREDENTIALS at a key file"
)
STORES = ("auto", "memory", "emulator", "firestore")
# What a carrier says of the number that is shown, as Twilio passes it on.
ATTESTATIONS = {"A": "TN-Validation-Passed-A", "B": "TN-Validation-Passed-B", "C": "TN-Validation-Passed-C"}


class Problem(Exception):
    """Something that keeps a command from doing its work; the text is one sentence with the remedy."""


def store_trouble(error: Exception, place: str = "the store", again: str = "") -> str:
    """Return what to tell of a store that did not do what it was asked: why, and what would help.

    Args:
        error: What the store said.
        place: Which store it is.
        again: What trying again does, where that is of use.
    """
    if "DefaultCredentialsError" in str(error):
        return SIGN_IN
    return ". ".join(filter(None, (f"{place} refused or did not answer: {error}", again)))


def file_to_write(text: str) -> Path:
    """Return the place of a file that an option names, once it is sure that one can be written there.

    For `type=`: what comes at the end of long work is refused before that begins.

    Raises:
        argparse.ArgumentTypeError: None can, and what would help.
    """
    path = Path(text)
    if not text or (sentence := refusal(path)):
        raise argparse.ArgumentTypeError(sentence if text else "the name of the file is empty")
    return path


class CommandLine(argparse.ArgumentParser):
    """A parser that says what is wrong in one sentence, and takes no abbreviated options.

    A program that has read its command line with it ends without a word when nobody reads its output any more.
    """

    def __init__(self, prog: str, description: str, epilog: str = "") -> None:
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:
        """Return the options, or end the program with a sentence."""
        _end_with_the_reader()
        return super().parse_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Print the sentence and end with 2."""
        self.exit(WRONG_USAGE, f"{self.prog}: {message}; see {self.prog} --help\n")


@cache
def _end_with_the_reader() -> None:
    """Have this program end as others do once whoever reads its output has seen enough (`... | head -1`)."""
    usual = sys.excepthook

    def end(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        # A connection that breaks raises the same error, and that is worth telling.
        if issubclass(kind, BrokenPipeError) and _is_unread():
            _end_as_unread()
        if isinstance(error, OSError) and (sentence := told(error)):
            # What the machine refuses is nobody's mistake here: where it was refused helps nobody.
            print(f"{Path(sys.argv[0]).name}: {sentence}", file=sys.stderr)
            return
        usual(kind, error, trace)

    sys.excepthook = end
    atexit.register(_write_the_rest)


def _write_the_rest() -> None:
    # Python would do it later, and complain.
    if sys.stdout and not sys.stdout.closed:
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            _end_as_unread()


def _is_unread() -> bool:
    waiting = select.poll()
    waiting.register(1, 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in waiting.poll(0))


def _end_as_unread() -> None:
    # Not by SIGPIPE's usual effect from the start: it would also end a program one of whose connections breaks.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGPIPE)
