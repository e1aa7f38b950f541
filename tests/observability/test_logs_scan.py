"""What reads along with the log of all tests finds what it is there to find."""

import ast
import logging
from functools import cache

import pytest

from tests.architecture.house import FUNCTIONS
from tests.each import each
from tests.logs_scan import READER, problems, problems_of_library


def record(message="sms refused", *args, **extra):
    found = logging.LogRecord("switchboard.desk.messaging.sms", logging.WARNING, "texts.py", 1, message, args, None)
    found.__dict__.update(extra)
    return found


@each(
    "extra",
    [
        {"to": "+4915112345678"},
        {"to": "call 518-555-0171 back"},
        {"to": "4915112345678"},
        {"detail": {"inner": ["ada@example.com"]}},
        {"reason": "the code 493817 is wrong"},
        {"key": "sk-proj-abcdefgh"},
        {"key": "Bearer abc"},
        {"reason": "she said: my daughter is ill"},
    ],
)
def test_what_is_personal_or_secret_is_found_outside_pii_fields(extra):
    """And not within them."""
    assert problems(record(**extra), ("my daughter is ill",))
    assert not problems(record(**{f"pii.{key}": value for key, value in extra.items()}), ("my daughter is ill",))


@pytest.mark.parametrize(
    "extra",
    [
        {"tool": "send_sms", "latencyMs": 4938.17, "count": 493817, "at": 1759712345678},
        {"catalog": "1.0.0b1c2d3e4", "call": "call_0a1b2c3d4e5f60718293a4b5c6d7e8f9"},
        {"path": "businesses/demo-salon/outbox/3f2a1b0c9d8e", "reason": "TimeoutError", "none": None},
    ],
)
def test_names_numbers_and_hashes_are_not_taken_for_people(extra):
    """What the house logs all day."""
    assert problems(record(**extra)) == []


def test_a_message_that_is_put_together_is_found():
    """Constant messages can be counted and searched."""
    assert problems(record("sms to %s refused", "Ada"))
    assert problems(record("sms to +15185550171 refused"))


def library_record(message, *args, **extra):
    found = record(message, *args, **extra)
    found.name = "some.library"
    return found


def test_what_a_library_says_is_read_as_the_line_that_it_becomes():
    """What it fills in stands under `pii` there; what it wrote into the message itself, or beside it, does not."""
    assert not problems_of_library(library_record("GET %s", "/callers/+15185550171"))
    assert not problems_of_library(library_record("Task was destroyed\ntask: said to +15185550171"))
    assert problems_of_library(library_record("cannot reach ada@example.com"))
    assert problems_of_library(library_record("request", url="/callers?to=+15185550171"))
    assert problems_of_library(library_record("she said my daughter is ill"), ("my daughter is ill",))


@pytest.mark.parametrize(("level", "is_read"), [(logging.INFO, 0), (logging.WARNING, 1)])
def test_libraries_are_read_along_with_from_warnings_on(request, level, is_read):
    """As a deployment writes them."""
    reader = request.config.stash[READER]
    before = reader.records
    logging.getLogger("some.library").log(level, "nothing personal")
    assert reader.records - before == is_read


@cache
def log_calls():
    """Return every logging call of the house, with its place."""
    found = []
    for path in sorted((FUNCTIONS / "switchboard").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id in ("log", "_log", "logger")
                and node.func.attr in ("debug", "info", "warning", "error", "exception", "critical")
            ):
                found.append((f"{path.name}:{node.lineno}", node))
    return found


def test_every_message_of_the_house_is_a_constant():
    """Also those that no test makes it log; what differs stands in `extra`."""
    found = dict(log_calls())
    assert len(found) > 60
    for place, node in found.items():
        (message,) = node.args
        is_literal = isinstance(message, ast.Constant) and isinstance(message.value, str)
        assert is_literal or (isinstance(message, ast.Name) and message.id.isupper()), place
        assert {keyword.arg for keyword in node.keywords} <= {"extra", "exc_info"}, place


def test_what_errors_say_is_logged_under_pii_fields_alone():
    """They quote paths, numbers and words; only what owners write wrongly into definitions is told as it is."""
    for place, node in log_calls():
        for keyword in node.keywords:
            if keyword.arg != "extra" or not isinstance(keyword.value, ast.Dict) or place.startswith(OF_DEFINITIONS):
                continue
            for key, value in zip(keyword.value.keys, keyword.value.values, strict=True):
                said = ast.unparse(value)
                if ("str(" in said or "repr(" in said or ".detail" in said) and "error" in said:
                    assert isinstance(key, ast.Constant) and "pii" in str(key.value).split("."), place


OF_DEFINITIONS = ("definitions.py", "tenant.py")
