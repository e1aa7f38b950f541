"""The page that shows what has been sent: for whoever tries things out and has no phone in the game."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from html import escape
from typing import Any

_REFRESH_S = 3
# Looked for in what is escaped already, so that nothing in it can end the attribute.
_LINK = re.compile(r"https?://[^\s<>]+")
_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: light-dark(#5f6368, #9aa0a6); }
:root { --accent: light-dark(#0b57d0, #8ab4f8); }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
p.soft, td.soft, th { color: var(--soft); }
table { border-collapse: collapse; width: 100%; }
th { font-weight: 600; font-size: .85rem; text-align: left; }
th, td { border-bottom: 1px solid var(--line); padding: .45rem .6rem .45rem 0; vertical-align: top; }
td.text { overflow-wrap: anywhere; white-space: pre-wrap; }
td.status { color: var(--accent); white-space: nowrap; }
a { color: var(--accent); }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.scroll { overflow-x: auto; }
"""


def page(
    texts: Sequence[Mapping[str, Any]],
    calls: Sequence[Mapping[str, Any]],
    events: Sequence[Mapping[str, Any]] | None = None,
    mails: Sequence[Mapping[str, str]] | None = None,
) -> str:
    """Return the page as HTML.

    Args:
        texts: The newest first, as Twilio shows them.
        calls: Likewise; `twiml` is what a phone call was last told to do.
        events: The calendar's entries with `title`, `start` and `end`, where there is a calendar.
        mails: The e-mails with `date`, `to`, `subject` and `text`, the newest first, where there is a mail server.
    """
    sections = [
        _table("Text messages", ("When", "To", "Text", "Status"), [_text(text) for text in texts], "No texts yet."),
        _table("Phone calls", ("When", "From", "Doing", "Status"), [_call(call) for call in calls], "No calls yet."),
    ]
    if mails is not None:
        heads = ("When", "To", "Subject", "Text")
        sections.insert(1, _table("E-mails", heads, [_mail(mail) for mail in mails], "No e-mails yet."))
    if events is not None:
        rows = [[_cell("start", "number", e), _cell("end", "number", e), _cell("title", "text", e)] for e in events]
        sections.append(_table("Calendar", ("From", "Until", "What"), rows, "Nothing is booked yet."))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="refresh" content="{_REFRESH_S}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Stand-ins</title><style>{_STYLE}</style></head><body><h1>Stand-ins</h1>"
        '<p class="soft">What Switchboard has sent. Nothing here has left this computer.</p>'
        f"{''.join(sections)}</body></html>"
    )


def _table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], nothing: str) -> str:
    if not rows:
        return f'<h2>{title}</h2><p class="soft">{nothing}</p>'
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return (
        f'<h2>{title}</h2><div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _text(text: Mapping[str, Any]) -> list[str]:
    names = (("date_created", "soft number"), ("to", "number"), ("body", "text"), ("status", "status"))
    return [_cell(name, kind, text) for name, kind in names]


def _mail(mail: Mapping[str, str]) -> list[str]:
    names = (("date", "soft number"), ("to", "number"), ("subject", "text"), ("text", "text"))
    return [_cell(name, kind, mail) for name, kind in names]


def _call(call: Mapping[str, Any]) -> list[str]:
    names = (("date_created", "soft number"), ("from", "number"), ("twiml", "text"), ("status", "status"))
    return [_cell(name, kind, call) for name, kind in names]


def _cell(name: str, kind: str, row: Mapping[str, Any]) -> str:
    text = str(row.get(name) or "")
    shown = escape(_clock(text) if text and name in ("date", "date_created") else text)
    if kind == "text":
        shown = _LINK.sub(r'<a href="\g<0>" rel="noreferrer noopener">\g<0></a>', shown)
    return f'<td class="{kind}">{shown}</td>'


def _clock(text: str) -> str:
    """Return the local time of day of a date as e-mails write it."""
    return f"{parsedate_to_datetime(text).astimezone():%H:%M:%S}"
