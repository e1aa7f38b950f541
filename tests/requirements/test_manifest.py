"""Rows and tests agree, and the manifest reads both correctly."""

import re
import textwrap
from collections import Counter
from pathlib import Path

import pytest

# As a name of this module, tests_by_requirement would be collected as a test.
from tests.requirements import manifest
from tests.requirements.manifest import FILES, STATUSES, ManifestError, Requirement, load

ROOT = Path(__file__).parents[2]
ROW = '[[requirement]]\nid = "{id}"\nsection = "Core"\nsays = "It works."\nstatus = "todo"\n'


@pytest.fixture(scope="module")
def rows() -> tuple[Requirement, ...]:
    """The rows of the real manifest."""
    return load()


@pytest.fixture(scope="module")
def claims() -> dict[str, list[str]]:
    """The real tests by the ids they claim."""
    return manifest.tests_by_requirement(ROOT)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small well-formed manifest of one row a file."""
    for name in FILES:
        number = name[5:8]
        (tmp_path / name).write_text(f'document = "{number} A title"\n\n' + ROW.format(id=f"{number}-01"))
    return tmp_path


def test_every_document_has_rows_under_its_own_title(rows: tuple[Requirement, ...]) -> None:
    """All five documents are present, each with one title."""
    assert [document[:3] for document in dict.fromkeys(row.document for row in rows)] == [f"{n:03d}" for n in range(5)]


def test_every_id_is_well_formed(rows: tuple[Requirement, ...]) -> None:
    """An id is the document's number, a dash and two digits, or three from 100 on, or four from 1000 on."""
    assert [row.id for row in rows if not re.fullmatch(r"00[0-4]-(0[1-9]|[1-9]\d{1,3})", row.id)] == []
    assert [row.id for row in rows if row.id[:3] != row.document[:3]] == []


def test_every_id_is_unique(rows: tuple[Requirement, ...]) -> None:
    """No two rows share an id."""
    assert [id_ for id_, count in Counter(row.id for row in rows).items() if count > 1] == []


def test_every_promise_is_said_once_in_a_document(rows: tuple[Requirement, ...]) -> None:
    """No row repeats another row of its document."""
    said = Counter((row.document, row.says) for row in rows)
    assert [says for says, count in said.items() if count > 1] == []


def test_every_status_is_known(rows: tuple[Requirement, ...]) -> None:
    """A status is todo, tested or declined."""
    assert [row.id for row in rows if row.status not in STATUSES] == []


def test_a_declined_row_says_why(rows: tuple[Requirement, ...]) -> None:
    """What is not built carries the decision."""
    assert [row.id for row in rows if row.status == "declined" and row.decided is None] == []


def test_a_tested_row_has_a_test(rows: tuple[Requirement, ...], claims: dict[str, list[str]]) -> None:
    """At least one test claims each row that says it is tested."""
    untested = [row.id for row in rows if row.status == "tested" and row.id not in claims]
    assert not untested, f"no test claims these tested rows: {', '.join(untested)}"


def test_every_claimed_id_exists(rows: tuple[Requirement, ...], claims: dict[str, list[str]]) -> None:
    """No test names a row that is not in the manifest."""
    unknown = _unknown(rows, claims)
    assert not unknown, f"not in the manifest: {'; '.join(unknown)}"


def test_a_row_with_tests_is_no_longer_todo(rows: tuple[Requirement, ...], claims: dict[str, list[str]]) -> None:
    """A row is turned to tested as soon as a test claims it."""
    late = [row.id for row in rows if row.status == "todo" and row.id in claims]
    assert not late, f'set status = "tested" for: {", ".join(late)}'


def test_load_returns_the_rows_in_written_order(folder: Path) -> None:
    """A row becomes a record with its document, in the order of files and rows."""
    with (folder / FILES[1]).open("a") as file:
        file.write("\n" + ROW.format(id="001-02") + 'decided = "So it is."\n')
    loaded = load(folder)
    assert [row.id for row in loaded] == ["000-01", "001-01", "001-02", "002-01", "003-01", "004-01"]
    assert loaded[2] == Requirement("001-02", "001 A title", "Core", "It works.", "todo", "So it is.")


@pytest.mark.parametrize(
    ("wrong", "names"),
    [
        pytest.param({'says = "It works."\n': ""}, ["002-01", "says"], id="key missing"),
        pytest.param({'status = "todo"': 'status = "todo"\nowner = "me"'}, ["002-01", "owner"], id="key unknown"),
        pytest.param({'"It works."': '" "'}, ["002-01", "says"], id="text empty"),
        pytest.param({'"Core"': "7"}, ["002-01", "section"], id="value not text"),
        pytest.param({'"todo"': '"done"'}, ["002-01", "done"], id="status unknown"),
        pytest.param({"002-01": "001-01"}, ["001-01"], id="id of another document"),
        pytest.param({"002-01": "002-1"}, ["002-1"], id="id too short"),
        pytest.param({"002-01": "002-001"}, ["002-001"], id="id padded to three digits"),
        pytest.param({'id = "002-01"\n': ""}, ["row 1", "id"], id="id missing"),
        pytest.param({"002 A title": "A title"}, ["document"], id="title without number"),
        pytest.param({"[[requirement]]": "[[requirements]]"}, ["requirements"], id="table misspelt"),
        pytest.param({ROW.format(id="002-01"): ""}, ["[[requirement]]"], id="no row"),
        pytest.param({ROW.format(id="002-01"): "requirement = [1]"}, ["row 1"], id="row no table"),
        pytest.param({"[[requirement]]": "[[requirement]"}, ["line 3"], id="not toml"),
    ],
)
def test_a_malformed_row_is_named(folder: Path, wrong: dict[str, str], names: list[str]) -> None:
    """The error of a malformed file names the file, the row and what is wrong with it."""
    path = folder / FILES[2]
    text = path.read_text()
    for old, new in wrong.items():
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)
    with pytest.raises(ManifestError) as error:
        load(folder)
    assert all(name in str(error.value) for name in [FILES[2], *names]), error.value


def test_a_missing_file_is_named(folder: Path) -> None:
    """A document without its file is an error, not a shorter manifest."""
    (folder / FILES[3]).unlink()
    with pytest.raises(ManifestError, match=FILES[3]):
        load(folder)


def test_the_scanner_finds_marks_on_functions_methods_and_classes(tmp_path: Path) -> None:
    """A mark claims the test it stands on, whether plain, asynchronous, a method or a class, and each only once."""
    _write(
        tmp_path,
        "tests/room/test_a.py",
        """
        @pytest.mark.requirement("000-02")
        @pytest.mark.requirement("000-01", "000-02")
        def test_one(): ...

        @pytest.mark.slow
        @mark.requirement("000-02")
        async def test_two(): ...

        @pytest.mark.requirement("000-03")
        class TestThree:
            @pytest.mark.requirement("000-04")
            def test_four(self): ...

        @pytest.mark.requirement("000-05")
        class TestMemoryStore(StoreContract): ...

        @pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.requirement("000-06"))])
        def test_six(x): ...

        def test_unmarked(): ...
        """,
    )
    here = "tests/room/test_a.py::"
    assert manifest.tests_by_requirement(tmp_path) == {
        "000-01": [f"{here}test_one"],
        "000-02": [f"{here}test_one", f"{here}test_two"],
        "000-03": [f"{here}TestThree"],
        "000-04": [f"{here}TestThree::test_four"],
        "000-05": [f"{here}TestMemoryStore"],
        "000-06": [f"{here}test_six"],
    }


@pytest.mark.parametrize(
    "value",
    ['pytest.mark.requirement("000-01")', '[pytest.mark.slow, pytest.mark.requirement("000-01")]'],
    ids=["alone", "in a list"],
)
def test_the_scanner_finds_a_modules_pytestmark(tmp_path: Path, value: str) -> None:
    """A module's mark claims its test functions and test classes, and nothing else in it."""
    _write(
        tmp_path,
        "tests/test_b.py",
        f"""
        pytestmark = {value}

        def helper(): ...

        def test_one(): ...

        class TestTwo:
            def test_three(self): ...
        """,
    )
    assert manifest.tests_by_requirement(tmp_path) == {
        "000-01": ["tests/test_b.py::test_one", "tests/test_b.py::TestTwo"]
    }


def test_the_scanner_finds_a_classes_pytestmark(tmp_path: Path) -> None:
    """A class that assigns its marks claims them as if it were decorated."""
    _write(
        tmp_path,
        "tests/test_c.py",
        """
        class TestOne:
            pytestmark: list[object] = [pytest.mark.requirement("000-01")]

            def test_two(self): ...
        """,
    )
    assert manifest.tests_by_requirement(tmp_path) == {"000-01": ["tests/test_c.py::TestOne"]}


def test_the_scanner_reads_without_importing(tmp_path: Path) -> None:
    """A test file that cannot be imported is scanned all the same."""
    _write(tmp_path, "tests/test_d.py", 'import nowhere\n\n@pytest.mark.requirement("000-01")\ndef test_one(): ...\n')
    assert manifest.tests_by_requirement(tmp_path) == {"000-01": ["tests/test_d.py::test_one"]}


def test_an_unknown_id_is_reported_with_its_test(tmp_path: Path, rows: tuple[Requirement, ...]) -> None:
    """A claimed id that no row has is named together with the test that claims it."""
    _write(tmp_path, "tests/test_e.py", '@pytest.mark.requirement("000-01", "009-99")\ndef test_one(): ...\n')
    assert _unknown(rows, manifest.tests_by_requirement(tmp_path)) == ["009-99 in tests/test_e.py::test_one"]


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("@pytest.mark.requirement\ndef test_one(): ...", id="no call"),
        pytest.param("@pytest.mark.requirement()\ndef test_one(): ...", id="no id"),
        pytest.param("@pytest.mark.requirement(ID)\ndef test_one(): ...", id="id not literal"),
        pytest.param('@pytest.mark.requirement("000-01", why="so")\ndef test_one(): ...', id="keyword"),
        pytest.param('@pytest.mark.requirement("000-01")\ndef helper(): ...', id="not a test"),
        pytest.param('@pytest.mark.requirement("000-01")\nclass TestOne: ...', id="class without tests"),
        pytest.param('pytestmark = pytest.mark.requirement("000-01")', id="module without tests"),
        pytest.param('MARK = pytest.mark.requirement("000-01")', id="kept in a name"),
        pytest.param("def test_one(:", id="not Python"),
    ],
)
def test_a_mark_that_claims_nothing_is_refused(tmp_path: Path, source: str) -> None:
    """A mark that the scanner could misread or miss is an error that names the file and line."""
    _write(tmp_path, "tests/test_f.py", source)
    with pytest.raises(ManifestError, match=r"tests/test_f\.py:1"):
        manifest.tests_by_requirement(tmp_path)


def _unknown(rows: tuple[Requirement, ...], claims: dict[str, list[str]]) -> list[str]:
    known = {row.id for row in rows}
    return [f"{id_} in {test}" for id_, tests in claims.items() if id_ not in known for test in tests]


def _write(root: Path, path: str, source: str) -> None:
    target = root / path
    target.parent.mkdir(parents=True)
    target.write_text(textwrap.dedent(source))
