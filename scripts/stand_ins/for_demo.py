"""The stand-ins as a run with the demo businesses has them: every vendor's and a mail server in one process.

One page shows what reached callers and calendars. As a program: `python -m stand_ins.for_demo --port 8090
--google-port 8091 --microsoft-port 8094 --vapi-port 8092 --pipedream-port 8093 --mail-port 1025`, in `scripts/`; the
token of the Twilio account stands in SWITCHBOARD_DEMO_TWILIO_TOKEN, where no list of processes shows it. It listens on
127.0.0.1 alone.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from running.listening import listen
from stand_ins.google_calendar import GoogleCalendarStandIn
from stand_ins.loopback import serve, serving
from stand_ins.mail_server import MailStandIn
from stand_ins.microsoft_graph import MicrosoftGraphStandIn
from stand_ins.pipedream.app import PipedreamStandIn
from stand_ins.twilio.account import Account
from stand_ins.twilio.app import TwilioStandIn
from stand_ins.vapi.app import VapiStandIn

TOKEN = "SWITCHBOARD_DEMO_TWILIO_TOKEN"
BUSINESSES = Path(__file__).parents[2] / "seeds" / "businesses"
TEMPLATES = BUSINESSES.parent / "templates"


def demo_account(token: str, *folders: Path) -> Account:
    """Return the one Twilio account that the demo businesses and the templates share, with their numbers."""
    paths = [path for folder in folders or (BUSINESSES, TEMPLATES) for path in sorted(folder.glob("*/business.json"))]
    documents = [json.loads(path.read_text()) for path in paths]
    connected = [document for document in documents if document["integrations"].get("twilio")]
    (sid,) = {document["integrations"]["twilio"]["accountSid"] for document in connected}
    return Account(sid=sid, token=token, numbers={document["twilioNumber"] for document in connected})


def events_of(google: GoogleCalendarStandIn, microsoft: MicrosoftGraphStandIn) -> list[Mapping[str, Any]]:
    """Return what stands in the vendors' calendars, in order of time, as rows of `title`, `start` and `end`."""
    events = [event for book in google.books.values() for event in list(book.events.values())]
    rows = [
        {"title": event.get("summary", ""), "start": _when(event["start"]), "end": _when(event["end"])}
        for event in events
        if event.get("status") != "cancelled"
    ]
    rows += [
        {"title": event.get("subject") or "", "start": event["start"].isoformat(), "end": event["end"].isoformat()}
        for folder in microsoft.folders.values()
        for event in list(folder.events.values())
    ]
    return sorted(rows, key=lambda row: row["start"])


def _when(moment: Mapping[str, str]) -> str:
    return moment.get("dateTime") or moment.get("date") or ""


def main() -> None:
    """Serve until told to stop."""
    line = argparse.ArgumentParser(description="Local stand-ins for the vendors of the demo businesses.")
    line.add_argument("--port", type=int, required=True, help="of Twilio and of the page")
    for vendor in ("google", "microsoft", "vapi", "pipedream", "mail"):
        line.add_argument(f"--{vendor}-port", type=int, required=True)
    line.add_argument("--inherited", action="store_true", help="the numbers are file descriptors that listen already")
    chosen = line.parse_args()

    def listener(number: int, option: str) -> socket.socket:
        return socket.socket(fileno=number) if chosen.inherited else listen(number, option)

    google, microsoft = GoogleCalendarStandIn(), MicrosoftGraphStandIn()

    async def events() -> Sequence[Mapping[str, Any]]:
        return events_of(google, microsoft)

    vapi, pipedream, mail = VapiStandIn(), PipedreamStandIn(), MailStandIn()
    twilio = TwilioStandIn(demo_account(os.environ[TOKEN]), events, mail.newest)
    with (
        mail.serving(listener(chosen.mail_port, "--mail-port")),
        serving(google.app, listener(chosen.google_port, "--google-port")),
        serving(microsoft.app, listener(chosen.microsoft_port, "--microsoft-port")),
        serving(vapi.app, listener(chosen.vapi_port, "--vapi-port")),
        serving(pipedream.app, listener(chosen.pipedream_port, "--pipedream-port")),
    ):
        serve(twilio.app, listener(chosen.port, "--port"))


if __name__ == "__main__":
    main()
