"""A pytest plugin that tries mutants: collects the tests once, and runs those that reach a mutant in a fork of itself.

Which tests reach a function is found by running all of them once, watched. A mutant is put in place by giving the
function its new code, so nothing is imported again and one mutant costs no more than the tests that reach it.
"""

import importlib
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

from mutation.mutants import Mutant, mutants

SLOWEST_S = 4.0
"""Tests that take longer are not asked: hundreds of mutants would wait for them."""
PATIENCE_S = 60.0
_PACKAGE = "switchboard.pipeline"


class Trial:
    """Tries the mutants of some modules of the pipeline, and keeps what became of each."""

    def __init__(self, folder: Path, modules: Sequence[str], out: Callable[[str], object]) -> None:
        """Nothing is tried yet."""
        self._folder, self._modules, self._out = folder, modules, out
        self.survived: list[str] = []
        self.killed = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the mutants in place of the tests."""
        items = {item.nodeid: item for item in session.items}
        for module in self._modules:
            importlib.import_module(_dotted(module))
        watched, failed = self._watch(session)
        if failed:
            raise pytest.UsageError(f"these fail before anything is changed: {', '.join(failed)}")
        for module in self._modules:
            self._try_module(session, module, items, watched)
        return True

    def _try_module(
        self,
        session: pytest.Session,
        module: str,
        items: dict[str, pytest.Item],
        watched: dict[str, list[tuple[float, str]]],
    ) -> None:
        path = self._folder / f"{module}.py"
        killed = survived = 0
        for mutant in mutants(path.read_text()):
            reaching = [id for _, id in sorted(watched.get(f"{module}:{mutant.function}", []))]
            if self._is_killed(session, [items[id] for id in reaching], module, mutant, path):
                killed += 1
            else:
                survived += 1
                place = f"{module}.py:{mutant.line}  {mutant.what}"
                self.survived.append(place)
                self._out(f"  survived ({len(reaching)} tests)  {place}")
        self.killed += killed
        self._out(f"{module}: {killed} killed, {survived} survived")

    def _is_killed(
        self, session: pytest.Session, items: list[pytest.Item], module: str, mutant: Mutant, path: Path
    ) -> bool:
        """Run the tests in a fork until one fails; one that does not end has noticed too."""

        def work(report: Callable[[Any], None]) -> None:
            _put_in_place(module, mutant, path)
            report(any(_fails(session, item) for item in items))

        answer = _forked(work, PATIENCE_S)
        return answer is not False

    def _watch(self, session: pytest.Session) -> tuple[dict[str, list[tuple[float, str]]], list[str]]:
        """Run every test once and note which functions it enters and how long it takes."""

        def work(report: Callable[[Any], None]) -> None:
            entered: dict[str, list[tuple[float, str]]] = {}
            failed = []
            for item in session.items:
                seen: set[str] = set()
                began = time.monotonic()
                with _noting(self._folder, seen):
                    if _fails(session, item):
                        failed.append(item.nodeid)
                took = time.monotonic() - began
                if took <= SLOWEST_S:
                    for name in seen:
                        entered.setdefault(name, []).append((took, item.nodeid))
            report([entered, failed])

        answer = _forked(work, None)
        if answer is None:
            raise pytest.UsageError("the tests ended before they could be watched")
        return answer[0], answer[1]


class _noting:
    """Note the functions of a folder's files that are entered."""

    def __init__(self, folder: Path, seen: set[str]) -> None:
        self._prefix, self._seen = str(folder) + os.sep, seen

    def __enter__(self) -> None:
        sys.setprofile(self._note)

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _note(self, frame: Any, event: str, _: object) -> None:
        code: CodeType = frame.f_code
        if event == "call" and code.co_filename.startswith(self._prefix):
            module = code.co_filename[len(self._prefix) : -len(".py")]
            # Of a function within a function only the outermost is known to mutants.
            self._seen.add(f"{module}:{code.co_qualname.split('.<locals>')[0]}")


def _fails(session: pytest.Session, item: pytest.Item) -> bool:
    before = session.testsfailed
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
    session.shouldfail = session.shouldstop = False
    return session.testsfailed > before


def _dotted(module: str) -> str:
    """Return the name by which a file of the pipeline is imported."""
    return f"{_PACKAGE}.{module.replace('/', '.')}"


def _put_in_place(module: str, mutant: Mutant, path: Path) -> None:
    code = compile(mutant.tree, str(path), "exec")
    *outer, name = mutant.function.split(".")
    for part in outer:
        code = next(c for c in _codes(code) if c.co_name == part)
    new = next(c for c in _codes(code) if c.co_name == name)
    holder: Any = sys.modules[_dotted(module)]
    for part in outer:
        holder = getattr(holder, part)
    _function(vars(holder)[name]).__code__ = new


def _codes(code: CodeType) -> Iterator[CodeType]:
    return (part for part in code.co_consts if isinstance(part, CodeType))


def _function(function: Any) -> FunctionType:
    for field in ("fget", "func", "__func__", "__wrapped__"):
        if not isinstance(function, FunctionType) or hasattr(function, field):
            function = getattr(function, field, function)
    assert isinstance(function, FunctionType), function
    return function


def _forked(work: Callable[[Callable[[Any], None]], None], patience_s: float | None) -> Any:
    """Return what `work` reports from a fork, None if it ended or was ended without."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.close(reading)
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        try:
            with os.fdopen(writing, "w") as pipe:
                work(lambda value: print(json.dumps(value), file=pipe))
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        ready, _, _ = select.select([pipe], [], [], patience_s)
        if not ready:
            os.killpg(child, signal.SIGKILL)
        text = pipe.read() if ready else ""
    os.waitpid(child, 0)
    return json.loads(text) if text else None
