"""Log records for a person: one line each, whatever they carry."""

import logging
import sys
import traceback
from typing import Final, TextIO

from switchboard.contract.observability.hidden import field_without_hidden, without_hidden
from switchboard.contract.observability.subject import Subjects

_OWN: Final = frozenset(logging.LogRecord("", 0, "", 0, "", (), None).__dict__) | {"message", "asctime", "taskName"}
_FRAMES: Final = 4
AT_A_TERMINAL: Final = "%H:%M:%S"
WITH_THE_DAY: Final = "%Y-%m-%dT%H:%M:%S%z"


class LogLine(logging.Formatter):
    """Time, level, room, message, `key=value` for every extra field, and for an exception where it came from.

    Args:
        personal: Whether fields with a `pii` segment, and exceptions' texts, are shown: not where callers are real.
        time: How the time is written, as `strftime` reads it.
    """

    def __init__(self, personal: bool, time: str = AT_A_TERMINAL) -> None:
        super().__init__()
        self._personal, self._time = personal, time

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        given = [(k, v) for k, v in record.__dict__.items() if k not in _OWN and self._may_show(k)]
        # As it is written: what is no JSON value, such as an error, may tell a secret as well.
        told = [field_without_hidden(name, f"{name}={value}") for name, value in given]
        said = without_hidden(record.getMessage()).replace("\n", " ")
        place = record.name.removeprefix("switchboard.")
        if record.exc_info and record.exc_info[1]:
            told.append(self._cause(record.exc_info[1]))
        begins = f"{self.formatTime(record, self._time)} {record.levelname:<7} {place}: {said}"
        return " ".join([begins, *" ".join(told).split()])

    def _may_show(self, key: str) -> bool:
        return self._personal or "pii" not in key.split(".")

    def _cause(self, error: BaseException) -> str:
        frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
        way = " > ".join(f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno} {frame.name}" for frame in frames)
        text = f": {without_hidden(str(error))}" if self._personal and str(error) else ""
        return f"[{type(error).__name__}{text}; {way}]"


def lean_records() -> None:
    """From here on let records hold nothing that no line says: what thread and process they come from."""
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False


def install_plain(personal: bool, stream: TextIO | None = None) -> None:
    """Write every record from now on as such a line, our own from INFO, unless somebody else writes them already."""
    root = logging.getLogger()
    if root.handlers:
        return
    lean_records()
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(LogLine(personal, WITH_THE_DAY))
    handler.addFilter(Subjects())
    root.addHandler(handler)
    logging.getLogger("switchboard").setLevel(logging.INFO)
