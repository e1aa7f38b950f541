"""What our commands' command lines have in common; standard library only."""

from __future__ import annotations

import argparse
from typing import NoReturn

WRONG_USAGE = 2
STORES = ("auto", "memory", "emulator", "firestore")


class Problem(Exception):
    """Something that keeps a command from doing its work; the text is one sentence with the remedy."""


class CommandLine(argparse.ArgumentParser):
    """A parser that says what is wrong in one sentence, and takes no abbreviated options."""

    def __init__(self, prog: str, description: str, epilog: str = "") -> None:
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    def error(self, message: str) -> NoReturn:
        """Print the sentence and end with 2."""
        self.exit(WRONG_USAGE, f"{self.prog}: {message}; see {self.prog} --help\n")
