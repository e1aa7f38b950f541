"""What no file may say, and what the functions' code may not do."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.house import BOUNDARY, FUNCTIONS, ROOT, files_under, trees_under

FOLDERS = ("functions", "scripts", "admin_ui", "tests", "seeds", ".ci")
TOP_LEVEL = {".md", ".toml", ".json", ".txt", ".in", ".rules", ".gitignore", ".editorconfig"}
MACHINE_PATH = re.compile(r"(?<![\w.~})*-])/(?:work|root|tmp)/")
HOME_PATH = re.compile(r"(?<![\w.~})*-])/(?:work|root)/")
REGISTRY_HOST = re.compile(r"pypi\.org|files\.pythonhosted\.org|registry\.npmjs\.org")
ENVIRONMENT = {"environ", "environb", "getenv", "getenvb"}
BROAD = {"Exception", "BaseException"}
APP = FUNCTIONS / "switchboard/app"
READ_THE_ENVIRONMENT = {APP / "container.py", APP / "logging.py"}


def lines_of_text(root: Path) -> Iterator[tuple[Path, int, str]]:
    """Yield path, number and text of every line of the checkout's text files."""
    top = sorted(p.relative_to(root) for p in root.iterdir() if p.is_file() and {p.suffix, p.name} & TOP_LEVEL)
    for path in (*top, *files_under(root, *FOLDERS)):
        try:
            text = (root / path).read_text()
        except UnicodeDecodeError:
            continue  # a picture or a sound
        for number, line in enumerate(text.splitlines(), 1):
            yield path, number, line


def machine_words(root: Path) -> list[str]:
    """Return each line that names a folder of one machine, or the host of a package registry."""
    found = []
    for path, number, line in lines_of_text(root):
        # a test may speak of the temporary folder: what it writes goes through tmp_path all the same
        in_tests = path.parts[0] == "tests"
        machine_path = HOME_PATH if in_tests else MACHINE_PATH
        if machine_path.search(line) or REGISTRY_HOST.search(line):
            found.append(f"{path.as_posix()}:{number}: {line.strip()[:100]}")
    return found


def environment_reads(root: Path) -> list[str]:
    """Return each place in functions/, those two aside, that looks at the environment."""
    found = []
    for path, tree in trees_under(root, FUNCTIONS):
        if path in READ_THE_ENVIRONMENT:
            continue
        for node in ast.walk(tree):
            by_attribute = isinstance(node, ast.Attribute) and node.attr in ENVIRONMENT
            from_os = isinstance(node, ast.ImportFrom) and node.module == "os"
            if by_attribute or (from_os and ENVIRONMENT & {alias.name for alias in node.names}):
                found.append(f"{path.as_posix()}:{node.lineno}")
    return found


def undocumented(root: Path) -> list[str]:
    """Return each public function and class of the package's modules that has no docstring."""
    return [
        f"{path.as_posix()}:{node.lineno} {node.name}"
        for path, tree in trees_under(root, FUNCTIONS / "switchboard")
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if not node.name.startswith("_") and ast.get_docstring(node) is None
    ]


def broad_excepts(root: Path) -> list[Path]:
    """Return the file of each place in functions/ that catches, or suppresses, every error there is."""
    found = []
    for path, tree in trees_under(root, FUNCTIONS):
        for node in ast.walk(tree):
            caught: list[ast.expr] = []
            match node:
                case ast.ExceptHandler(type=None):
                    found.append(path)
                case ast.ExceptHandler(type=ast.Tuple(elts=several)):
                    caught = several
                case ast.ExceptHandler(type=ast.expr() as one):
                    caught = [one]
                case ast.Call(func=ast.Name("suppress") | ast.Attribute(attr="suppress")):
                    caught = node.args
            if BROAD & {ast.unparse(kind) for kind in caught}:
                found.append(path)
    return found


def plant(root: Path, path: str, text: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_no_file_names_a_machine_or_a_registry():
    """The checkout works anywhere and installs from whichever index its user has."""
    assert machine_words(ROOT) == []


def test_only_the_container_reads_the_environment():
    """Settings are read once, when it is built; and what a server logs before that is chosen by itself."""
    assert environment_reads(ROOT) == []


def test_every_public_name_has_a_docstring():
    """Every public function and class says what the caller gets."""
    assert undocumented(ROOT) == []


def test_the_one_broad_except_is_in_the_boundary():
    """Everything unexpected ends in one place."""
    found = broad_excepts(ROOT)
    assert len(found) <= 1
    assert set(found) <= {BOUNDARY}


def test_planted_machine_words_are_found(tmp_path):
    """Paths and hosts are found in any text file; the temporary folder is a test's own affair."""
    for path in ("scripts/run", "README.md", "tests/test_it.py"):
        plant(tmp_path, path, "see /{}/x\n/{}/y\n'/{}/z'\nhttps://{}\n".format("work", "root", "tmp", "pypi" + ".org"))
    plant(tmp_path, "seeds/fine.json", "https://example.com/work/x ./tmp/y $HOME/work/z network/root/")
    assert [place.split(": ")[0] for place in machine_words(tmp_path)] == [
        "README.md:1",
        "README.md:2",
        "README.md:3",
        "README.md:4",
        "scripts/run:1",
        "scripts/run:2",
        "scripts/run:3",
        "scripts/run:4",
        "tests/test_it.py:1",
        "tests/test_it.py:2",
        "tests/test_it.py:4",
    ]


@pytest.mark.parametrize(
    "text", ["import os\nos.environ['X']", "import os as o\no.getenv('X')", "from os import environ, path"]
)
def test_a_planted_environment_read_is_found(tmp_path, text):
    """Every way of reading it counts, except where settings are read."""
    plant(tmp_path, "functions/switchboard/desk/a.py", text)
    plant(tmp_path, "functions/switchboard/app/container.py", text)
    assert len(environment_reads(tmp_path)) == 1


def test_planted_names_without_docstring_are_found(tmp_path):
    """Public functions, coroutines and classes count; private names do not."""
    text = "def a(): ...\nasync def b(): ...\nclass C: ...\ndef _d(): ...\ndef e():\n    '''Say so.'''\n"
    plant(tmp_path, "functions/switchboard/desk/a.py", text)
    assert [place.split()[1] for place in undocumented(tmp_path)] == ["a", "b", "C"]


@pytest.mark.parametrize(
    "text",
    [
        "try: ...\nexcept: ...",
        "try: ...\nexcept Exception as error: ...",
        "try: ...\nexcept (KeyError, BaseException): ...",
        "with contextlib.suppress(Exception): ...",
    ],
)
def test_a_planted_broad_except_is_found(tmp_path, text):
    """Each way of catching everything is found; catching by name is not."""
    plant(tmp_path, "functions/switchboard/desk/a.py", text)
    plant(tmp_path, "functions/switchboard/desk/b.py", "try: ...\nexcept (KeyError, ValueError): ...")
    assert broad_excepts(tmp_path) == [Path("functions/switchboard/desk/a.py")]
