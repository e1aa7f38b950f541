"""The command line of scripts/run; standard library only."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from urllib.parse import urlsplit

from command_line import STORES, CommandLine
from running import trades

VARIABLES = """variables:
  SWITCHBOARD_DEMO_KEY          demo-salon's API key, random without it
  SWITCHBOARD_DEMO_TWILIO_TOKEN the auth token of the demo businesses' Twilio account, random without it
  SWITCHBOARD_TWILIO_BASE_URL   another stand-in for Twilio than the one that is started
  SWITCHBOARD_GOOGLE_BASE_URL   another stand-in for Google than the one that is started
  SWITCHBOARD_MICROSOFT_BASE_URL  likewise for Microsoft
  SWITCHBOARD_SMTP_STAND_IN     another mail server of this machine, as host:port, than the one that is started
  SWITCHBOARD_SECRETS_KEY       what encrypts secrets (made and kept without it where the data lasts)
  FIRESTORE_EMULATOR_HOST       an emulator that runs already, as host:port
  GOOGLE_CLOUD_PROJECT          the project whose data it is (needed for --store firestore)
  FIRESTORE_DATABASE            a database other than the default one

With --store firestore nothing is seeded, no key is made and nothing stands in for anybody: scripts/seed and
scripts/api_key do the first two."""


@dataclass(frozen=True)
class Options:
    """What the person asked for.

    Attributes:
        store: One of `STORES`.
        port: Of the server; 0 for any free one, here and below.
        admin_port: Of the admin pages; None without them.
        public_url: Where vendors reach the server; None where nobody said.
        stand_ins: Whether something stands in for the vendors and for a mail server.
        stand_in_port: Of the page that shows what they were given; None for the usual one, or another if it is taken.
        templates: Businesses of other trades that are served beside the demo's, as `seeds/templates` has them.
    """

    store: str
    port: int
    admin_port: int | None
    public_url: str | None
    stand_ins: bool = True
    stand_in_port: int | None = None
    templates: tuple[str, ...] = ()


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
    line.add_argument("--no-stand-ins", action="store_true", help="run without stand-ins for vendors and mail")
    line.add_argument(
        "--stand-in-port",
        type=_port,
        metavar="NUMBER",
        help="of the page that shows texts, e-mails, calls and calendar entries (8090, or another if that is taken)",
    )
    line.add_argument(
        "--template",
        action="append",
        default=[],
        choices=trades.names(),
        metavar="NAME",
        help=f"also serve this one of seeds/templates; repeatable ({', '.join(trades.names())})",
    )
    options = line.parse_args(arguments)
    if options.template and options.store == "firestore":
        line.error("--template is for trying things out; scripts/seed --seeds pushes a folder of your own")
    ports = {"--port": options.port}
    if not options.no_admin:
        ports["--admin-port"] = options.admin_port
    if options.stand_in_port is not None and not options.no_stand_ins:
        ports["--stand-in-port"] = options.stand_in_port
    for one, other in combinations(ports, 2):
        if ports[one] and ports[one] == ports[other]:
            line.error(f"{one} and {other} are both {ports[one]}; choose two")
    return Options(
        options.store,
        options.port,
        None if options.no_admin else options.admin_port,
        options.public_url,
        stand_ins=not options.no_stand_ins,
        stand_in_port=ports.get("--stand-in-port"),
        templates=tuple(dict.fromkeys(options.template)),
    )


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"{text!r} is not a port number (0 to 65535, 0 for any free one)")
    return int(text)


def _url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise argparse.ArgumentTypeError(f"{text!r} is not an address such as https://switchboard.example.com")
    return text.rstrip("/")
