"""Plant a fault in the product of this process: a module is loaded with a part of its source replaced.

Nothing on disk is changed. What is to be replaced has to stand in the source, once: a fault whose place has been
rewritten is no fault any more, and says so.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType

import setting_up

PRODUCT = setting_up.ROOT / "functions" / "switchboard"


class FaultGone(RuntimeError):
    """What a fault replaces does not stand in the source, or not once."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One wrong change of the product.

    Attributes:
        file: Below `functions/switchboard`, without `.py`.
        what: What is wrong then, in one line.
        before: What stands in the source.
        after: What stands there instead.
        scenarios: The scenarios that are asked about it before the simulator is; none where that is sooner done.
    """

    file: str
    what: str
    before: str
    after: str
    scenarios: tuple[str, ...] = ()

    @property
    def line(self) -> int:
        """Where it is made, counted from 1.

        Raises:
            FaultGone: It cannot be made.
        """
        source = self._source()
        return source.count("\n", 0, source.index(self.before)) + 1

    @property
    def place(self) -> str:
        """Where it is made, as `file:line`."""
        return f"{self.file}.py:{self.line}"

    def planted(self) -> str:
        """Return the whole source with the fault in it.

        Raises:
            FaultGone: It cannot be made.
        """
        return self._source().replace(self.before, self.after)

    def _source(self) -> str:
        path = PRODUCT / f"{self.file}.py"
        source = path.read_text(encoding="utf-8") if path.is_file() else ""
        if source.count(self.before) != 1:
            raise FaultGone(
                f"{self.file}.py: {self.before.strip()!r} stands there {source.count(self.before)} times and not once: "
                f"the fault {self.what!r} has to be made anew"
            )
        return source


class _Planting(MetaPathFinder):
    """Loads one module from another source than stands in its file."""

    def __init__(self, name: str, source: str) -> None:
        self._name, self._source = name, source

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where the one module comes from; nothing of any other."""
        spec = PathFinder.find_spec(fullname, path, target) if fullname == self._name else None
        if spec is not None and spec.origin is not None:
            spec.loader = _Planted(fullname, spec.origin, self._source)
        return spec


class _Planted(SourceFileLoader):
    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self._source = source

    def get_code(self, fullname: str) -> CodeType:
        """Compile what is planted; what was compiled before is another module."""
        return compile(self._source, self.path, "exec", dont_inherit=True)


def plant(fault: Fault) -> None:
    """Let this process load the product with a fault in it.

    Raises:
        FaultGone: It cannot be planted, or its module has been loaded already.
    """
    name = f"switchboard.{fault.file.replace('/', '.')}"
    if name in sys.modules:
        raise FaultGone(f"{name} was loaded before its fault could be planted")
    sys.meta_path.insert(0, _Planting(name, fault.planted()))
