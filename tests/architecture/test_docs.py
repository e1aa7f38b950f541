"""What the documents speak of is there: files, folders, chapters and the states of a call."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from switchboard.pipeline.ledger.states import TRANSITIONS, Actor
from tests.architecture.house import FUNCTIONS, ROOT, python_under

DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
SWITCHBOARD = ROOT / FUNCTIONS / "switchboard"
LONGEST_README = 300
MOST_STATIONS = 12
FILE = re.compile(r"`((?:[\w<>-]+/)+[\w-]+\.py)`")
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([\w-]+))?\)")
WHO = {Actor.DELIVERY: "its delivery", Actor.OWNER: "who works on it", Actor.ANYBODY: "anybody, once it is due"}


def chapters(path: Path) -> set[str]:
    """Return the anchors of a document's headings, as GitHub makes them."""
    heads = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def lost_links() -> Iterator[str]:
    """Yield each link that leads to no file, or to no chapter of it."""
    for document in DOCUMENTS:
        for file, chapter in LINK.findall(document.read_text(encoding="utf-8")):
            target = document.parent / file if file else document
            if not target.exists() or (chapter and chapter not in chapters(target)):
                yield f"{document.name}: {file}#{chapter}"


def lost_files() -> Iterator[str]:
    """Yield each file that a document names and that is not there; a path begins at the root, or in the package."""
    for document in DOCUMENTS:
        for name in FILE.findall(document.read_text(encoding="utf-8")):
            if "<" not in name and not any((root / name).exists() for root in (ROOT, ROOT / FUNCTIONS, SWITCHBOARD)):
                yield f"{document.name}: {name}"


def stations(chapter: str) -> list[str]:
    """Return where each station of a walk is."""
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    part = text.partition(f"## {chapter}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| \d+ \| `([\w/.]+)` \|", part, re.M)


def test_every_link_and_every_file_in_the_documents_is_there():
    """Whoever clones the repository has all that it speaks of."""
    assert list(lost_links()) == []
    assert list(lost_files()) == []


def test_the_readme_is_read_in_five_minutes():
    """What it is, how it is run, and where to go on."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST_README
    assert {path.name for path in DOCUMENTS[1:]} == set(re.findall(r"\]\(docs/(\w+\.md)\)", text))


def test_three_walks_lead_through_the_code():
    """Each of at most twelve stations, which are there."""
    for chapter in ("A tool call", "An owner's edit", "A phone turn"):
        found = stations(f"{chapter}, station by station")
        assert 6 <= len(found) <= MOST_STATIONS
        assert [place for place in found if not (SWITCHBOARD / place).exists()] == []


def test_the_states_of_a_call_are_told_as_they_are():
    """The table of the documents is the code's."""
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8").partition("## The states of a call")[2]
    told = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in text.splitlines() if "|" in line]
    made = [(way.state or "none", way.event.value, way.to or "none", WHO[way.actor]) for way in TRANSITIONS]
    assert told[2:] == made


CITED = re.compile(r'seed (00\d)(?:, "([^"]+)")?(?:,? and "([^"]+)")?')
NOT_HERE = re.compile(r"(?<![\w-])(?:design|style|wire-formats|reliability|peers|parts)(?:\.md)?,? ?§|\bwire-formats\b")


def cited() -> Iterator[tuple[str, str, str]]:
    """Yield each citation of a seed in the code: where, which, and which chapter of it, if one is named."""
    for path, text in python_under(ROOT, "functions", "scripts", "admin_ui", "tests"):
        # A citation may run over the end of a line.
        plain = re.sub(r"\n[ #]*", " ", text)
        for seed, *named in CITED.findall(plain):
            yield from ((path.as_posix(), seed, chapter) for chapter in filter(None, named))


def test_every_citation_has_its_target_in_the_manifest():
    """`seed 003, "Cleanup"` is a chapter of `tests/requirements/seed_003.toml`, which tells what it promises by id."""
    known = {
        seed: {
            row["section"]
            for row in tomllib.loads((ROOT / f"tests/requirements/seed_{seed}.toml").read_text())["requirement"]
        }
        for seed in ("000", "001", "002", "003", "004")
    }
    found = list(cited())
    assert len(found) > 50
    lost = sorted(
        {
            f"{path}: {seed}, {chapter}"
            for path, seed, chapter in found
            if not any(chapter in title for title in known[seed])
        }
    )
    assert lost == []


def test_nothing_is_cited_that_a_clone_does_not_hold():
    """A reason is said where it counts, or stands in the documents."""
    here = Path(__file__).relative_to(ROOT)
    texts = python_under(ROOT, "functions", "scripts", "admin_ui", "tests")
    assert [path.as_posix() for path, text in texts if path != here and NOT_HERE.search(text)] == []
