"""What stands in for the vendors beside a run: which of them, where, and what the server is told."""

import json
import os
import smtplib
import socket
import subprocess
import urllib.request

import pytest

import child_process
from command_line import Problem
from running import standing_in, trades
from running.standing_in import (
    GOOGLE,
    GOOGLE_CLIENT,
    MAIL,
    MICROSOFT,
    MICROSOFT_CLIENT,
    PIPEDREAM,
    PIPEDREAM_CLIENT,
    TWILIO,
    VAPI,
    beside,
)
from stand_ins import microsoft_graph
from stand_ins.for_demo import demo_account, events_of
from stand_ins.google_calendar import CLIENT_ID, CLIENT_SECRET, GoogleCalendarStandIn
from stand_ins.microsoft_graph import MicrosoftGraphStandIn

BARE = {"PATH": os.environ["PATH"]}


@pytest.fixture
def unstarted(monkeypatch):
    """Programs are not started, but what would be is written down."""
    commands = []

    class Nobody:
        def stop(self):
            pass

    def start(command, environment, folder, inherited):
        commands.append([str(word) for word in command])
        return Nobody()

    monkeypatch.setattr(child_process, "start", start)
    return commands


@pytest.mark.process
def test_all_are_served_and_the_server_is_told_where():
    """One process, a port each, ready when all answer; its token stands in no list of processes."""
    with beside(0, "a secret token", BARE) as found:
        found.wait_until_ready()
        mail = found.environ[MAIL]
        assert found.environ == {**found.urls, MAIL: mail, **GOOGLE_CLIENT, **MICROSOFT_CLIENT, **PIPEDREAM_CLIENT}
        assert set(found.urls) == {TWILIO, GOOGLE, MICROSOFT, VAPI, PIPEDREAM}
        for url in found.urls.values():
            with urllib.request.urlopen(f"{url}/healthz", timeout=10) as answer:
                assert json.loads(answer.read()) == {"ok": True}
        host, _, port = mail.partition(":")
        with smtplib.SMTP(host, int(port), "localhost", timeout=10) as client:
            client.sendmail("a@example.com", ["b@example.com"], "Subject: Hello\r\n\r\nFrom the page")
        with urllib.request.urlopen(found.url, timeout=10) as answer:
            assert "From the page" in answer.read().decode()
        processes = subprocess.run(["ps", "-A", "-o", "args"], capture_output=True, text=True, check=True).stdout
        assert "stand_ins.for_demo" in processes
        assert "a secret token" not in processes
        guard = found.child.guard
    assert guard.poll() is not None


def test_the_client_is_the_one_that_the_stand_in_knows():
    """Otherwise nobody could connect a calendar."""
    assert set(GOOGLE_CLIENT.values()) == {CLIENT_ID, CLIENT_SECRET}
    assert set(MICROSOFT_CLIENT.values()) == {microsoft_graph.CLIENT_ID, microsoft_graph.CLIENT_SECRET}


def test_a_stand_in_that_somebody_named_is_left_alone(unstarted):
    """Only the other one is told; with both named nothing is started at all."""
    elsewhere = "http://127.0.0.1:1"
    place = "127.0.0.1:1025"
    told = dict.fromkeys((TWILIO, VAPI, PIPEDREAM), elsewhere)
    with beside(0, "t", BARE | told | {MAIL: place}) as found:
        assert set(found.environ) == {GOOGLE, *GOOGLE_CLIENT, MICROSOFT, *MICROSOFT_CLIENT}
    with beside(0, "t", BARE | {GOOGLE: elsewhere, MICROSOFT: elsewhere, PIPEDREAM: elsewhere}) as found:
        assert set(found.environ) == {TWILIO, VAPI, MAIL}
    assert len(unstarted) == 2
    others = dict.fromkeys((GOOGLE, MICROSOFT, TWILIO, VAPI, PIPEDREAM), elsewhere)
    with beside(0, "t", BARE | others | {MAIL: place}) as found:
        assert found is None
    assert len(unstarted) == 2


def test_an_oauth_client_of_ones_own_is_kept(unstarted):
    """Whoever sets one means it."""
    clients = {"SWITCHBOARD_GOOGLE_CLIENT_ID": "mine", "SWITCHBOARD_MICROSOFT_CLIENT_ID": "mine"}
    with beside(0, "t", BARE | clients) as found:
        assert set(found.environ) == {TWILIO, GOOGLE, MICROSOFT, VAPI, PIPEDREAM, MAIL, *PIPEDREAM_CLIENT}


def test_the_usual_port_is_taken_where_it_is_free_and_another_where_it_is_not(unstarted, monkeypatch):
    """A second run on the same machine just works; a port that was asked for is not swapped in silence."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    monkeypatch.setattr(standing_in, "USUAL_PORT", port)
    with beside(None, "t", BARE) as found:
        assert found.url == f"http://127.0.0.1:{port}"
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
        other.listen()
        with beside(None, "t", BARE) as found:
            assert found.url != f"http://127.0.0.1:{port}"
        with pytest.raises(Problem, match="--stand-in-port"):
            standing_in.require_possible(port)


@pytest.mark.process
def test_one_that_does_not_start_is_told_with_its_own_words(monkeypatch):
    """And with the option that does without."""
    start = child_process.start
    broken = ("sh", "-c", "echo no such luck; exit 3")
    monkeypatch.setattr(child_process, "start", lambda _, *told: start(broken, *told))
    with beside(0, "t", BARE) as found, pytest.raises(Problem, match=r"--no-stand-ins(.|\n)*no such luck"):
        found.wait_until_ready()


def test_the_account_is_the_one_that_the_demo_businesses_and_the_templates_have_connected():
    """One account with a number for each."""
    account = demo_account("t")
    assert (account.token, len(account.numbers)) == ("t", 2 + len(trades.names()))
    assert {"+15185550100", "+493023125400", "+493023125711"} <= account.numbers


def test_the_page_lists_what_stands_in_the_calendars():
    """In order of time; what was deleted is gone."""
    google = GoogleCalendarStandIn()
    book = google.book("primary")
    for title, day in (("Later", 18), ("Sooner", 17), ("Deleted", 16)):
        times = {part: {"dateTime": f"2027-03-{day}T{hour}:00:00-04:00"} for part, hour in (("start", 10), ("end", 11))}
        event = book.insert({"summary": title, **times})
        if title == "Deleted":
            book.delete(event["id"], None)
    microsoft = MicrosoftGraphStandIn()
    zone = {"timeZone": "Eastern Standard Time"}
    body = {"start": zone | {"dateTime": "2027-03-19T10:00"}, "end": zone | {"dateTime": "2027-03-19T11:00"}}
    microsoft.folder().create({"subject": "Last", **body})
    rows = events_of(google, microsoft)
    assert [row["title"] for row in rows] == ["Sooner", "Later", "Last"]
    assert rows[0]["start"].startswith("2027-03-17T")
