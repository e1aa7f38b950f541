"""Log records as Cloud Logging reads them: one JSON object per line, on standard output.

Messages are constant, and what differs stands in fields. What may be personal (fields with a `pii` segment, and
whatever exceptions say) stands under `pii` and nowhere else, so that a sink can leave it out.
"""

import json
import logging
import os
import sys
import traceback
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final, TextIO

import orjson

from switchboard.app.plain_log import WITH_THE_DAY, lean_records
from switchboard.app.settings import ConfigurationError, log_choice
from switchboard.contract.observability.hidden import field_without_hidden, without_hidden
from switchboard.contract.observability.subject import Subjects, trace_of_work
from switchboard.contract.observability.trace import CURRENT

_OWN: Final = frozenset(logging.LogRecord("", 0, "", 0, "", (), None).__dict__) | {
    "message",
    "asctime",
    "taskName",
    "color_message",
}
_SEVERITIES: Final = ((50, "CRITICAL"), (40, "ERROR"), (30, "WARNING"), (20, "INFO"))
_FRAMES: Final = 20
_HOUSE: Final = "switchboard"
_LONGEST: Final = 4_000


class CloudLine(logging.Formatter):
    """One line per record.

    Args:
        project: The Google Cloud project that traces belong to.
        personal: Whether what may be personal is written at all.
    """

    def __init__(self, project: str, personal: bool = True) -> None:
        super().__init__()
        self._project, self._personal = project, personal

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        personal: dict[str, Any] = {}
        line: dict[str, Any] = {
            "severity": next((name for level, name in _SEVERITIES if record.levelno >= level), "DEBUG"),
            "message": self._message(record, personal),
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="microseconds"),
            "logging.googleapis.com/labels": {"logger": record.name},
            "logging.googleapis.com/sourceLocation": {
                "file": record.pathname,
                "line": str(record.lineno),
                "function": record.funcName or "",
            },
        }
        for key, value in record.__dict__.items():
            if key in _OWN:
                continue
            parts = key.split(".")
            if "pii" in parts:
                personal[".".join(part for part in parts if part != "pii") or "value"] = without_hidden(value)
            elif key not in line:
                line[key] = field_without_hidden(key, value)
        self._add_exception(line, record, personal)
        self._add_trace(line)
        if personal and self._personal:
            line["pii"] = personal
        return _as_text(line)

    def _message(self, record: logging.LogRecord, personal: dict[str, Any]) -> str:
        text = str(record.msg)
        if record.name.partition(".")[0] == _HOUSE:
            return text
        # What a library puts into its messages may be an address, and in that anything; what asyncio puts below the
        # first line is a whole task, with what its exception says.
        head, _, rest = text.partition("\n")
        if record.args or rest:
            personal["message"] = without_hidden(record.getMessage())
        return head

    def _add_exception(self, line: dict[str, Any], record: logging.LogRecord, personal: dict[str, Any]) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            return
        frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
        line["exception"] = type(error).__name__
        line["stack"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        if str(error):
            personal["exception"] = without_hidden(str(error))

    def _add_trace(self, line: dict[str, Any]) -> None:
        span, trace = CURRENT.get(), trace_of_work()
        if trace:
            line["logging.googleapis.com/trace"] = f"projects/{self._project}/traces/{trace}"
        # What goes on with somebody's call is a step of its own trace, and none of the call's.
        if span is not None and span.trace_id == trace:
            line["logging.googleapis.com/spanId"] = span.span_id
            line["logging.googleapis.com/trace_sampled"] = span.is_sampled


def server_handler(environ: Mapping[str, str] = os.environ) -> logging.Handler:
    """Return what a server writes its own lines with from its first one on.

    Most of them come before anything of ours is built. What the environment says wrongly is left to be told by that.
    """
    from uvicorn.logging import DefaultFormatter

    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(DefaultFormatter("%(asctime)s %(levelprefix)s %(message)s", WITH_THE_DAY))
    with suppress(ConfigurationError):
        kind, project, personal = log_choice(environ)
        if kind == "json":
            handler.setFormatter(CloudLine(project, personal))
    return handler


def install(project: str, personal: bool = True, stream: TextIO | None = None) -> None:
    """Write every record from now on as such a line: our own from INFO, libraries' from WARNING."""
    lean_records()
    handler = logging.StreamHandler(stream or sys.stdout)
    handler.setFormatter(CloudLine(project, personal))
    handler.addFilter(Subjects())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger(_HOUSE).setLevel(logging.INFO)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "gunicorn.error", "gunicorn.access"):
        # Servers bring handlers of their own, and lines in which addresses stand in full.
        server = logging.getLogger(name)
        server.handlers.clear()
        server.propagate = not name.endswith("access")


def _as_text(line: dict[str, Any]) -> str:
    try:
        return orjson.dumps(line, default=_described).decode()
    except TypeError:
        # Half of a character, a key that is no text, or a number of more than 64 bits.
        return json.dumps(line, default=_described, skipkeys=True)


def _described(value: object) -> str:
    return str(without_hidden(repr(value)))[:_LONGEST]
