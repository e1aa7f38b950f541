"""The command line of scripts/run; standard library only."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from command_line import STORES, CommandLine

VARIABLES = """variables:
  SWITCHBOARD_DEMO_KEY    demo-salon's API key, random without it
  FIRESTORE_EMULATOR_HOST an emulator that runs already, as host:port
  GOOGLE_CLOUD_PROJECT    the project whose data it is (needed for --store firestore)
  FIRESTORE_DATABASE      a database other than the default one

With --store firestore nothing is seeded and no key is made: scripts/seed and scripts/api_key do that."""


@dataclass(frozen=True)
class Options:
    """What the person asked for; `admin_port` is None without admin pages."""

    store: str
    port: int
    admin_port: int | None
    public_url: str | None


def read_options(arguments: Sequence[str]) -> Options:
    """Return the options, or end the program with a sentence."""
    line = CommandLine("scripts/run", "Run Switchboard on this machine with two demo businesses.", VARIABLES)
    line.add_argument(
        "--store", choices=STORES, default="auto", help="where data is kept (auto: emulator, else memory)"
    )
    line.add_argument("--port", type=_port, default=8080, metavar="NUMBER", help="of the server (8080)")
    line.add_argument("--admin-port", type=_port, default=8501, metavar="NUMBER", help="of the admin pages (8501)")
    line.add_argument("--no-admin", action="store_true", help="run without the admin pages")
    line.add_argument("--public-url", type=_url, metavar="URL", help="where vendors reach this server from outside")
    found = line.parse_args(arguments)
    if found.port and found.port == found.admin_port and not found.no_admin:
        line.error(f"--port and --admin-port are both {found.port}; choose two")
    return Options(found.store, found.port, None if found.no_admin else found.admin_port, found.public_url)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"{text!r} is not a port number (0 to 65535, 0 for any free one)")
    return int(text)


def _url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise argparse.ArgumentTypeError(f"{text!r} is not an address such as https://switchboard.example.com")
    return text.rstrip("/")
