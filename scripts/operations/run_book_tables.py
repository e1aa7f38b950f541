"""The run-book's tables, made from what the code says: error types, alerts, health findings."""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import setting_up
from command_line import CommandLine
from switchboard.admin.health.findings import WORDS
from switchboard.contract.error import RETRYABLE, TELLS, ErrorType

RUN_BOOK = setting_up.ROOT / "docs/operations.md"
CODE = setting_up.ROOT / "functions" / "switchboard"
ALERTS = setting_up.ROOT / "scripts" / "monitoring" / "alerts"
BEGIN, END = "<!-- run-book: scripts/run_book --write -->", "<!-- end of run-book -->"
_FILES_NAMED = 4
_MAKERS = ("ToolError", "Refused", "Failure")

# What an operator has to know of each type; where it comes from is read from the code.
MEANINGS: dict[ErrorType, tuple[str, str]] = {
    ErrorType.VALIDATION: (
        "the arguments, or what somebody wrote, cannot be used",
        "nothing; if one tool has many, its words mislead the model: `scripts/lint_tools`",
    ),
    ErrorType.NOT_FOUND: ("there is no such tool, booking, business or page", "look at the name in the message"),
    ErrorType.INTERNAL: ("our own mistake, or an answer that breaks a tool's promise", "find the trace in the log"),
    ErrorType.MODE_RESTRICTED: (
        "the tool exists, but not here and now",
        "`meta.condition` is what does not hold: connect it, switch it on, verify the caller",
    ),
    ErrorType.BUDGET_EXCEEDED: (
        "the turn has used up its calls or its time",
        "if there are many: a slow dependency, or a prompt that makes the model search too often",
    ),
    ErrorType.CONFIRMATION_REQUIRED: ("the caller has not agreed yet", "nothing: it is asked, and called again"),
    ErrorType.LOOP_DETECTED: (
        "the model repeats itself",
        "if there are many: read the transcripts, and what the tool answers when it finds nothing",
    ),
    ErrorType.SESSION_INACTIVE: (
        "the conversation is over, or a person of the business answers in it",
        "nothing; many mean that a channel reports endings late, or that a service goes on while a person answers",
    ),
    ErrorType.TRANSIENT: (
        "something did not answer; `partialSideEffects` says whether it may have happened",
        "look at Firestore's latency, the circuits in `/metrics`, the vendor's status page",
    ),
    ErrorType.PERMANENT: ("a vendor refuses it for good", "the message tells what: a number, an address, an account"),
    ErrorType.CONFLICT: (
        "the id was used for another call, the call still runs, or the time is taken",
        "nothing; `meta.alternatives` holds free times",
    ),
    ErrorType.AUTH: (
        "a key, a sign-in or a vendor's access is not valid",
        "make a key, sign in, or connect the integration again",
    ),
    ErrorType.RATE_LIMIT: ("a limit of ours or a vendor's is reached", "wait; if it was no misuse, raise the limit"),
}


# What `retryable` says of each type where the same type may say either; of all others the code says it (`retried`).
SOMETIMES: dict[ErrorType, str] = {
    ErrorType.TRANSIENT: "yes, as long as nothing can have happened; if it may have (`partialSideEffects`), only where "
    "the message says that exactly the same again is safe",
    ErrorType.RATE_LIMIT: "yes where a vendor, or too many calls at once, are the limit; no where a limit of the "
    "house's own is used up: `meta.retryAfterS` says until when",
    ErrorType.CONFLICT: "no; yes where the same is under way, or somebody has just changed it: wait for it, and ask "
    "again",
}


def main(arguments: Sequence[str]) -> int:
    """Do what the command line says; 1 when docs/operations.md has other tables."""
    line = CommandLine("scripts/run_book", "Write the run-book's tables of docs/operations.md.")
    line.add_argument("--write", action="store_true", help="put them into docs/operations.md")
    line.add_argument("--check", action="store_true", help="fail when docs/operations.md has others")
    options = line.parse_args(arguments)
    made = section()
    if not (options.write or options.check):
        print(made)
        return 0
    text = RUN_BOOK.read_text()
    if BEGIN not in text or END not in text:
        print(f"scripts/run_book: docs/operations.md needs the lines {BEGIN} and {END}", file=sys.stderr)
        return 1
    wanted = put_in(text, made)
    if options.write:
        RUN_BOOK.write_text(wanted)
    elif wanted != text:
        print("scripts/run_book: docs/operations.md has other tables; run scripts/run_book --write", file=sys.stderr)
        return 1
    return 0


def put_in(text: str, made: str) -> str:
    """Return the run-book's text with the tables in their place."""
    head, _, rest = text.partition(BEGIN)
    return f"{head}{BEGIN}\n\n{made}\n\n{END}{rest.partition(END)[2]}"


def section() -> str:
    """Return the tables as Markdown."""
    errors = _table(
        ("`error.type`", "means", "counts as", "`retryable`", "from", "what to do"),
        (
            (f"`{t}`", MEANINGS[t][0], TELLS[t].value, again(t), ", ".join(sources(t)), MEANINGS[t][1])
            for t in ErrorType
        ),
    )
    table = _table(("alert", "what it means, and what to do"), alerts())
    findings = _table(
        ("finding", "severity", "means", "what to do"),
        ((f"`{name}`", words.severity.value, words.means, words.do) for name, words in WORDS.items()),
    )
    return "\n\n".join(
        (
            f"**Errors**\n\n{errors}",
            f"**Alerts** (`scripts/monitoring/alerts`)\n\n{table}",
            f"**Health findings** (`/admin/businesses/{{id}}/health`)\n\n{findings}",
        )
    )


def sources(type: ErrorType) -> list[str]:
    """Return the files that name a type most often, the first ones first."""
    counts = {path: _mentions(path, type) for path in sorted(CODE.rglob("*.py")) if path.name != "error.py"}
    paths = sorted((path for path, count in counts.items() if count), key=lambda path: (-counts[path], str(path)))
    named = [f"`{path.relative_to(CODE)}`" for path in paths[:_FILES_NAMED]]
    return [*named, "others"] if len(paths) > _FILES_NAMED else named


def again(type: ErrorType) -> str:
    """Return in words what `retryable` says of a type.

    Raises:
        ValueError: The code says another thing than the words do.
    """
    answers = retried(type)
    if (len(answers) == 2) is not (type in SOMETIMES):
        raise ValueError(f"{type} is retryable: {', '.join(sorted(map(str, answers)))}; see SOMETIMES")
    return SOMETIMES.get(type) or ("yes" if answers == {True} else "no")


def retried(type: ErrorType) -> set[bool]:
    """Return whatever `retryable` is where the code makes an error of a type."""
    answers = {type in RETRYABLE}
    for path in sorted(CODE.rglob("*.py")):
        text = path.read_text()
        if f"ErrorType.{type.name}" in text:
            calls = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
            answers |= {word for call in calls for word in _words_of(call, type)}
    return answers


def _words_of(call: ast.Call, type: ErrorType) -> set[bool]:
    """Return what one call says of a type's `retryable`; nothing where it makes no error of that type."""
    maker = call.func.id if isinstance(call.func, ast.Name) else ""
    named = {word.arg: word.value for word in call.keywords}
    first = call.args[0] if call.args else named.get("type")
    if maker not in _MAKERS or first is None or ast.unparse(first) != f"ErrorType.{type.name}":
        return set()
    given = named.get("retryable") or (call.args[2] if maker == "Failure" and len(call.args) > 2 else None)
    return _possible(given, default=type in RETRYABLE and maker == "ToolError")


def _possible(given: ast.expr | None, *, default: bool) -> set[bool]:
    if isinstance(given, ast.IfExp):
        return _possible(given.body, default=default) | _possible(given.orelse, default=default)
    if given is None or (isinstance(given, ast.Constant) and given.value is None):
        return {default}
    return {bool(given.value)} if isinstance(given, ast.Constant) else {True, False}


def _mentions(path: Path, type: ErrorType) -> int:
    """Count the calls in a file that are given a type: where an error is made, and not where one is looked at."""
    text = path.read_text()
    if f"ErrorType.{type.name}" not in text:
        return 0
    calls = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    return sum(
        isinstance(given, ast.Attribute) and ast.unparse(given) == f"ErrorType.{type.name}"
        for call in calls
        for given in (*call.args, *(k.value for k in call.keywords))
    )


def alerts() -> Iterator[tuple[str, str]]:
    """Yield every alert policy's name with its documentation."""
    for path in sorted(ALERTS.glob("*.json")):
        policy = json.loads(path.read_text())
        yield policy["displayName"], policy["documentation"]["content"]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", r"\|")
