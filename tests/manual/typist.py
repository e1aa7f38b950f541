"""Types commands of `scripts/` one after the other, in one process, which imports only once what all of them need.

Reads a JSON list of `{words, environ, trace}` and writes one line of JSON, `{code, out}`, for each.
"""

import contextlib
import io
import json
import os
import runpy
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import setting_up
from switchboard.contract.observability.trace import Elsewhere, Inside

SPAN = "b7ad6b7169203331"


def typed(words: list[str], environ: dict[str, str]) -> tuple[int, str]:
    """Return how a command ends, and what it prints to a terminal."""
    out, before = io.StringIO(), dict(os.environ)
    code: Any = 0
    os.environ.update(environ)
    sys.argv = words
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            try:
                runpy.run_path(words[0], run_name="__main__")
            except SystemExit as ended:
                code = ended.code
            except BaseException:
                traceback.print_exc()
                code = 70
    finally:
        os.environ.clear()
        os.environ.update(before)
    if isinstance(code, str):
        return 1, f"{out.getvalue()}{code}\n"
    return int(code or 0), out.getvalue()


def typed_in(
    folder: Path, commands: Sequence[Sequence[str] | Mapping[str, Any]], environ: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """Return what a process of its own answers that types commands in a folder; an error where it broke down.

    Args:
        folder: Where they are typed; `scripts` is to be found in it.
        commands: The words of each, or `{words, environ, trace}`.
        environ: What is set there; without it, what is set here.
    """
    rows = [one if isinstance(one, Mapping) else {"words": one, "environ": {}, "trace": ""} for one in commands]
    paths = ":".join(str(setting_up.ROOT / part) for part in ("", "scripts", "functions"))
    done = subprocess.run(
        [sys.executable, __file__],
        input=json.dumps(rows),
        cwd=folder,
        env={**(os.environ if environ is None else environ), "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=600,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(rows), done.stderr
    return answers


def main() -> None:
    """Type what stands on stdin."""
    for command in json.load(sys.stdin):
        inside = Inside(Elsewhere(command["trace"], SPAN)) if command["trace"] else contextlib.nullcontext()
        with inside:
            code, out = typed(command["words"], command["environ"])
        sys.__stdout__.write(json.dumps({"code": code, "out": out}) + "\n")
        sys.__stdout__.flush()


if __name__ == "__main__":
    main()
