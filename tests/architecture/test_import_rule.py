"""Who may import whom: the table of docs/architecture.md, held against every import in the code."""

import ast
import gc
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.house import FUNCTIONS, ROOT, python_under

# Each room and the rooms it may import, in the order of the table: arrows only point up.
ROOMS: dict[str, tuple[str, ...]] = {
    "contract": (),
    "state": ("contract",),
    "integrations": ("contract",),
    "formats": ("contract",),
    "models": ("contract", "formats"),
    "desk": ("contract",),
    "tools": ("contract", "desk"),
    "catalog": ("contract", "formats"),
    "pipeline": ("contract", "catalog"),
    "conversation": ("contract", "catalog", "pipeline", "models"),
    "channels": ("contract", "formats", "catalog", "pipeline", "conversation"),
    "admin": ("contract", "formats", "catalog", "pipeline", "desk"),
    # Where all of it is joined; only `main.py` knows of it.
    "app": (
        *("contract", "state", "integrations", "formats", "models", "desk"),
        *("catalog", "pipeline", "conversation", "channels", "admin"),
    ),
}

STORE_LIBRARIES = ("google.cloud.firestore", "google.cloud.firestore_v1", "mockfirestore")

# Each costs a cold start up to 1.5 s, so none may be loaded before the call that needs it.
HEAVY = (
    "twilio",
    "googleapiclient",
    "firebase_admin",
    "openai",
    "google.genai",
    "anthropic",
    "google.cloud.firestore",
    "google.cloud.firestore_v1",
    "mockfirestore",
    "phonenumbers",
    "aiohttp",
    "mcp",
    "pydantic",
    "pipedream",
    "streamlit",
    "icalendar",
    "dateutil",
    "pypdf",
    "docx",
    "trafilatura",
    "lxml",
)

IMPORT_MAIN = """
import json, sys
sys.path.insert(0, ".")
reached_out = []

def watch(event, _):
    if event in ("socket.connect", "socket.getaddrinfo"):
        reached_out.append(event)

sys.addaudithook(watch)
import main
heavy = [name for name in json.loads(sys.argv[1]) if name in sys.modules]
print(json.dumps({"heavy": heavy, "reached_out": reached_out}))
"""


@dataclass(frozen=True)
class Import:
    """One imported name: `module` is absolute, and ends with the name where one is taken from a module."""

    path: Path
    line: int
    module: str

    @property
    def place(self) -> str:
        return f"{self.path.as_posix()}:{self.line} imports {self.module}"

    @property
    def room(self) -> str:
        """The room of the importing file; empty for main.py and for the package's own __init__.py."""
        return self.path.parts[2].removesuffix(".py") if len(self.path.parts) > 2 else ""


def imports_under(root: Path) -> Iterator[Import]:
    """Yield every import in functions/, wherever it stands: in a function and under TYPE_CHECKING too."""
    for path, text in python_under(root, FUNCTIONS):
        yield from imports_in(path, text)


@cache
def imports_in(path: Path, text: str) -> list[Import]:
    """Return every import in a file; several rules ask for those of the same files."""
    package = path.relative_to(FUNCTIONS).parent.parts
    nodes = ast.walk(ast.parse(text, filename=str(path)))
    return [Import(path, node.lineno, module) for node in nodes for module in names_imported(node, package)]  # type: ignore[attr-defined]


def names_imported(node: ast.AST, package: tuple[str, ...]) -> Iterator[str]:
    """Yield the absolute names that one node imports into a file of `package`."""
    match node:
        case ast.Import():
            yield from (alias.name for alias in node.names)
        case ast.ImportFrom():
            above = package[: len(package) - node.level + 1] if node.level else ()
            source = (*above, node.module) if node.module else above
            yield from (".".join((*source, alias.name)) for alias in node.names)
        case ast.Call(args=[ast.Constant(value=str(module)), *_]):
            if ast.unparse(node.func).split(".")[-1] in {"import_module", "__import__"}:
                yield module


def is_within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def room_violations(root: Path) -> list[str]:
    """Return each import that the table of rooms does not allow."""
    found = []
    for item in imports_under(root):
        _, room, *inside = [*item.module.split("."), ""]
        in_package = item.path.is_relative_to(FUNCTIONS / "switchboard")
        own_tool = ".".join(item.path.relative_to(FUNCTIONS).parts[:3])
        if not is_within(item.module, "switchboard"):
            continue
        if room == "tools" and any(inside) and not is_within(item.module, own_tool):
            found.append(f"{item.place}: tools are found through the registry, never by name")
        elif in_package and room in ROOMS and room != item.room and room not in ROOMS.get(item.room, ()):
            allowed = ", ".join(ROOMS.get(item.room, ())) or "nothing"
            found.append(f"{item.place}: {item.room or 'the package itself'} may import {allowed}")
    return found


def store_library_violations(root: Path) -> list[str]:
    """Return each import of a Firestore library outside the state room."""
    return [
        item.place
        for item in imports_under(root)
        if item.room != "state" and any(is_within(item.module, library) for library in STORE_LIBRARIES)
    ]


def unknown_rooms(root: Path) -> list[str]:
    """Return what stands in the package without being a room of the table."""
    paths = {path.parts[2] for path, _ in python_under(root, FUNCTIONS / "switchboard")}
    return sorted(paths - ROOMS.keys() - {"__init__.py"})


def plant(root: Path, path: str, text: str) -> None:
    file = root / "functions" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_the_table_only_points_up():
    """A room may import only rooms that stand above it in the table."""
    order = list(ROOMS)
    assert all(order.index(above) < order.index(room) for room, allowed in ROOMS.items() for above in allowed)


def test_every_import_follows_the_table():
    """No room imports one that the table does not give it, and no tool is imported by name."""
    assert room_violations(ROOT) == []


def test_only_state_knows_the_store_libraries():
    """Firestore's library and its stand-in are imported in the state room alone."""
    assert store_library_violations(ROOT) == []


def test_the_package_holds_only_the_rooms_of_the_table():
    """A module outside every room would escape the rule."""
    assert unknown_rooms(ROOT) == []


@pytest.mark.process
def test_importing_main_loads_no_heavy_sdk_and_reaches_nobody():
    """Deploying imports main.py without secrets or network, and cold starts must stay short."""
    bare = {"PATH": os.environ["PATH"]}
    done = subprocess.run(
        [sys.executable, "-I", "-c", IMPORT_MAIN, json.dumps(HEAVY)],
        cwd=ROOT / FUNCTIONS,
        env=bare,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {"heavy": [], "reached_out": []}


@pytest.mark.process
def test_a_tools_functions_first_answer_loads_no_sdk_that_it_does_not_need():
    """Whoever asks for tools signs in with a key: the SDK of sign-ins alone would take 0.7 s of the time to it."""
    first_request = ROOT / "scripts" / "benchmarks" / "first_request.py"
    done = subprocess.run(
        [sys.executable, "-I", first_request, "tools", ROOT / FUNCTIONS / "main.py"],
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout.splitlines()[-1])
    assert (answer["status"], answer["forbidden"]) == (200, [])


def test_whoever_loads_the_package_seldom_looks_for_garbage_among_what_stays():
    """Python would do so two hundred times until the first answer, and find next to none."""
    import switchboard

    assert switchboard.VERSION
    assert gc.isenabled() and gc.get_threshold()[0] >= 10_000


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("switchboard/contract/call.py", "import switchboard.desk"),
        ("switchboard/contract/call.py", "from switchboard import desk"),
        ("switchboard/state/memory/store.py", "from switchboard.integrations.egress import fetch"),
        ("switchboard/state/paths.py", "from ..formats import openai"),
        ("switchboard/formats/openai.py", "from .. import catalog"),
        ("switchboard/desk/bookings/bookings.py", "def book():\n    from switchboard.state import paths"),
        ("switchboard/desk/bookings/bookings.py", "if TYPE_CHECKING:\n    from switchboard.pipeline import dispatch"),
        ("switchboard/tools/end_call/handler.py", "from switchboard.catalog import inclusion"),
        ("switchboard/tools/end_call/handler.py", "from switchboard.tools.transfer_call import handler"),
        ("switchboard/tools/end_call/handler.py", "from ..transfer_call.handler import execute"),
        ("switchboard/tools/__init__.py", "from switchboard.tools import end_call"),
        (
            "switchboard/catalog/definitions/registry.py",
            "importlib.import_module('switchboard.tools.end_call.handler')",
        ),
        ("switchboard/elsewhere/words.py", "import switchboard.contract"),
        ("switchboard/__init__.py", "from switchboard.contract import call"),
        ("main.py", "from switchboard.tools.end_call.handler import execute"),
    ],
)
def test_the_room_rule_finds_a_planted_import(tmp_path, path, text):
    """Each way of writing a forbidden import is found."""
    plant(tmp_path, path, text)
    assert len(room_violations(tmp_path)) == 1


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("switchboard/contract/call.py", "from switchboard.contract import limits\nfrom . import limits\nimport json"),
        ("switchboard/contract/call.py", "from switchboard import VERSION"),
        ("switchboard/channels/phone.py", "from switchboard.pipeline.dispatcher import execute_tool"),
        ("switchboard/tools/end_call/handler.py", "from switchboard.desk import Desk\nfrom .speech import say"),
        ("switchboard/tools/end_call/handler.py", "from switchboard.tools.end_call.speech import say"),
        ("switchboard/catalog/definitions/registry.py", "importlib.import_module(name)"),
        ("main.py", "from switchboard.state import firestore\nfrom switchboard import integrations"),
    ],
)
def test_the_room_rule_lets_allowed_imports_pass(tmp_path, path, text):
    """What the table allows is not held against anyone."""
    plant(tmp_path, path, text)
    assert room_violations(tmp_path) == []


@pytest.mark.parametrize(
    "text",
    [
        "from google.cloud import firestore",
        "import google.cloud.firestore_v1.types",
        "def load():\n    from google.cloud.firestore import AsyncClient",
        "from mockfirestore import MockFirestore",
    ],
)
def test_the_store_library_rule_finds_a_planted_import(tmp_path, text):
    """The library is found wherever it is imported, and allowed in state."""
    plant(tmp_path, "switchboard/desk/bookings/bookings.py", text)
    plant(tmp_path, "main.py", text)
    plant(tmp_path, "switchboard/state/firestore/store.py", text)
    assert [place.split(":")[0] for place in store_library_violations(tmp_path)] == [
        "functions/main.py",
        "functions/switchboard/desk/bookings/bookings.py",
    ]


def test_a_module_outside_the_rooms_is_found(tmp_path):
    """A folder and a lone module that the table does not name are both found."""
    plant(tmp_path, "switchboard/elsewhere/words.py", "")
    plant(tmp_path, "switchboard/words.py", "")
    plant(tmp_path, "switchboard/desk/words.py", "")
    plant(tmp_path, "switchboard/__init__.py", "")
    assert unknown_rooms(tmp_path) == ["elsewhere", "words.py"]


async def test_a_server_looks_no_more_through_what_was_there_at_its_start(monkeypatch):
    """Each full look would hold every caller up; what comes to be later is looked through as ever."""
    from switchboard.app import asgi

    class Nothing:
        async def open(self) -> None:
            """Connect."""

        async def close(self) -> None:
            """Let go."""

    said, frozen = [], []
    monkeypatch.setattr(asgi.gc, "freeze", lambda: frozen.append(list(said)))

    async def receive() -> dict[str, str]:
        return {"type": "lifespan"}

    async def send(message: dict[str, str]) -> None:
        said.append(message["type"])

    await asgi.lifespan(Nothing, receive, send)
    assert said == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    assert frozen == [[]]
