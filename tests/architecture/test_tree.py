"""The tree of the code: small folders, no circles, one meaning for each name, nothing of ours beside the package."""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.architecture.house import FUNCTIONS, ROOT, python_under
from tests.architecture.test_import_rule import imports_in, plant

MOST_MODULES = 25
LONGEST_MAIN = 80


def modules(root: Path) -> dict[str, tuple[Path, str]]:
    """Return path and text of each module of functions/, by its dotted name."""
    found = {}
    for path, text in python_under(root, FUNCTIONS):
        parts = path.relative_to(FUNCTIONS).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = (path, text)
    return found


def crowded(root: Path) -> dict[str, int]:
    """Return the folders that hold too many modules, with how many."""
    folders = Counter(path.parent.as_posix() for path, _ in python_under(root, FUNCTIONS) if path.stem != "__init__")
    return {folder: count for folder, count in folders.items() if count > MOST_MODULES}


def imports(root: Path) -> dict[str, set[str]]:
    """Return the modules of functions/ that each of them imports, wherever in it that stands."""
    known = modules(root)
    found: dict[str, set[str]] = {}
    for name, (path, text) in known.items():
        found[name] = {whole for item in imports_in(path, text) if (whole := _module_of(item.module, known)) != name}
        found[name].discard("")
    return found


def _module_of(imported: str, known: Mapping[str, object]) -> str:
    """Return the module that a name is imported from, or is; empty where it is none of ours."""
    while imported and imported not in known:
        imported = imported.rpartition(".")[0]
    return imported


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the groups of modules that can only be imported together (Tarjan's strongly connected components)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found = []

    def visit(name: str) -> None:
        # With a stack of its own: chains of imports are longer than Python's.
        work: list[tuple[str, Iterator[str]]] = [(name, iter(sorted(graph[name])))]
        number[name] = lowest[name] = len(number)
        stack.append(name)
        while work:
            here, others = work[-1]
            for other in others:
                if other not in number:
                    number[other] = lowest[other] = len(number)
                    stack.append(other)
                    work.append((other, iter(sorted(graph[other]))))
                    break
                if other in stack:
                    lowest[here] = min(lowest[here], number[other])
            else:
                work.pop()
                if work:
                    lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[here])
                if lowest[here] == number[here]:
                    group = [stack.pop()]
                    while group[-1] != here:
                        group.append(stack.pop())
                    if len(group) > 1:
                        found.append(sorted(group))

    for name in graph:
        if name not in number:
            visit(name)
    return found


def classes_twice(root: Path) -> dict[str, list[str]]:
    """Return the names that several classes bear, wherever in a module they stand."""
    places = defaultdict(list)
    for name, (_, text) in modules(root).items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(name)
    return {name: where for name, where in places.items() if len(where) > 1}


def named_vendors(root: Path) -> list[str]:
    """Return each import of a module in an integration's folder from outside that folder."""
    place = FUNCTIONS / "switchboard/integrations"
    folders = {path.parent.name for path in (root / place).glob("*/toolkit.json")}
    found = []
    for path, text in python_under(root, FUNCTIONS):
        for item in imports_in(path, text):
            _, room, folder, *_ = [*item.module.split("."), "", ""]
            if room == "integrations" and folder in folders and not path.is_relative_to(place / folder):
                found.append(item.place)
    return found


def test_nothing_names_an_integration_but_its_own_folder():
    """Whoever adds one edits nothing else: it is found by its `toolkit.json` (`integrations/registry.py`)."""
    assert named_vendors(ROOT) == []


def test_a_planted_name_of_an_integration_is_found(tmp_path):
    """Wherever it stands, and whatever of the folder it names; those inside name each other."""
    plant(tmp_path, "switchboard/integrations/weather/toolkit.json", "{}")
    plant(tmp_path, "switchboard/integrations/weather/integration.py", "from switchboard.integrations.weather import x")
    plant(tmp_path, "switchboard/integrations/other.py", "import switchboard.integrations.weather.client")
    plant(tmp_path, "switchboard/app/clients.py", "def f():\n    from switchboard.integrations import weather, egress")
    assert [place.split(":")[0] for place in named_vendors(tmp_path)] == [
        "functions/switchboard/app/clients.py",
        "functions/switchboard/integrations/other.py",
    ]


def test_vendors_are_asked_in_one_way():
    """With a table of refusals; beside it what sends calendars' requests again, Twilio's SDK, who signs tokens."""
    asking = [
        path.relative_to(FUNCTIONS / "switchboard/integrations").as_posix()
        for path, text in python_under(ROOT, FUNCTIONS / "switchboard/integrations")
        if "http.request(" in text
    ]
    own = [place for place in asking if not place.startswith("identity/")]
    assert own == ["oauth/requests.py", "twilio/transport.py", "vendor_http.py"]


def test_no_folder_holds_more_modules_than_somebody_reads():
    """A reader who opens a folder sees what it is about."""
    assert crowded(ROOT) == {}


def test_no_modules_import_each_other_in_a_circle():
    """For the type checker alone, too: whoever changes one of a circle has to know all of it."""
    assert circles(imports(ROOT)) == []


def test_no_two_classes_bear_the_same_name():
    """A name that means two things is read wrongly half of the time."""
    twins = classes_twice(ROOT)
    assert not twins, "\n".join(
        f"{name} is a class in {', '.join(modules)}: name one otherwise, or keep it in one place that both import"
        for name, modules in twins.items()
    )


def test_main_only_names_the_functions():
    """It is the first file that is opened."""
    assert len((ROOT / FUNCTIONS / "main.py").read_text().splitlines()) <= LONGEST_MAIN


def test_nothing_of_ours_stands_beside_the_package():
    """`main.py` has to, for Cloud Functions; whatever else did would be in nobody's room."""
    assert [path.name for path, _ in python_under(ROOT, FUNCTIONS) if len(path.parts) == 2] == ["main.py"]


def test_planted_crowds_circles_and_twins_are_found(tmp_path):
    """The rules above can fail."""
    for number in range(MOST_MODULES + 1):
        plant(
            tmp_path,
            f"switchboard/desk/module_{number}.py",
            ("class Row:\n    pass\n", "def f():\n    class Row:\n        pass\n", "")[min(number, 2)],
        )
    plant(tmp_path, "switchboard/desk/module_2.py", "def f():\n    from switchboard.desk.module_3 import g")
    plant(tmp_path, "switchboard/desk/module_3.py", "from switchboard.desk import module_4")
    plant(tmp_path, "switchboard/desk/module_4.py", "if TYPE_CHECKING:\n    from switchboard.desk.module_2 import f")
    assert crowded(tmp_path) == {"functions/switchboard/desk": MOST_MODULES + 1}
    assert circles(imports(tmp_path)) == [[f"switchboard.desk.module_{number}" for number in (2, 3, 4)]]
    assert classes_twice(tmp_path) == {"Row": ["switchboard.desk.module_0", "switchboard.desk.module_1"]}


@pytest.mark.parametrize("graph", [{"a": {"b"}, "b": {"c"}, "c": set()}, {"a": {"b", "c"}, "b": {"c"}, "c": set()}])
def test_a_chain_of_imports_is_no_circle(graph):
    """However many ways lead to one module."""
    assert circles(graph) == []
