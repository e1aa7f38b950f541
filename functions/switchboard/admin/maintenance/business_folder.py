"""A business as a folder of JSON files: its document, and one file per collection below it, read and checked.

`business.json` is the document itself; `policies.json` and the like map ids to documents. Bookings alone are not the
documents: they say a time relative to the day on which they are entered.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import field
from datetime import time
from pathlib import Path

from switchboard.admin.businesses.document import check_document
from switchboard.admin.businesses.known_names import NamesThereAre
from switchboard.admin.definitions.definition_set import has_nested_array
from switchboard.admin.documents.json_text import BadJson, decode, parse_object
from switchboard.admin.maintenance.demo_bookings import BookingWish
from switchboard.contract.business.business import Business, read_business
from switchboard.contract.error import ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessCollection
from switchboard.contract.python.dataclass import dataclass
from switchboard.desk.bookings.duration import VisitLength, visit_for
from switchboard.desk.calendars.grid import STEP
from switchboard.desk.callers.callers import normalised
from switchboard.desk.contact.phone import region_of

# What a document of each collection cannot do without.
COLLECTIONS: dict[BusinessCollection, tuple[str, ...]] = {
    "policies": ("topic", "content"),
    "faqs": ("topic", "question", "answer"),
    "knowledge": ("title", "content"),
    "agents": ("name",),
    "callers": ("name", "phone"),
    "bookings": ("at", "service", "caller"),
}
ID = re.compile(r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$")
_FIELD = re.compile(r"^[A-Za-z][A-Za-z0-9_]*$")
_CLOCK = re.compile(r"^([01]\d|2[0-3]):[0-5]\d$")


@dataclass(frozen=True, slots=True)
class BusinessFolder:
    """What a business's folder holds."""

    business: Business
    document: JsonObject = field(default_factory=dict)
    collections: Mapping[BusinessCollection, Mapping[str, JsonObject]] = field(default_factory=dict)
    wishes: tuple[BookingWish, ...] = ()

    @property
    def stored(self) -> Mapping[BusinessCollection, Mapping[str, JsonObject]]:
        """The collections as they are kept: beside what was written of callers, what they are found by."""
        region = region_of(self.business)
        found_by = {id: document | normalised(document, region) for id, document in self._callers.items()}
        return {name: found_by if name == "callers" else documents for name, documents in self.collections.items()}

    @property
    def _callers(self) -> Mapping[str, JsonObject]:
        return self.collections.get("callers", {})


class FolderReader:
    """Reads files below a folder and collects in `problems` what is wrong with them, each with its place."""

    def __init__(self, root: Path, names: NamesThereAre | None = None) -> None:
        """Name files by their path from the parent of `root`; `names` are those that businesses can name, if known."""
        self._root, self.names = root, names
        self.problems: list[str] = []

    def files(self, folder: Path, suffix: str) -> Iterator[Path]:
        """Yield the files of a kind in a folder, in order; another kind is a problem, hidden files are not."""
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if path.suffix == suffix:
                yield path
            elif not path.name.startswith("."):
                self.refuse(path, [f"is not a {suffix} file"])

    def text(self, path: Path) -> str | None:
        """Return a file's text, or None when it has a problem."""
        try:
            return decode(path.read_bytes())
        except BadJson as error:
            self._refuse_at(path, error)
            return None

    def json_object(self, path: Path) -> JsonObject | None:
        """Return the JSON object in a file, or None when it has a problem."""
        text = self.text(path)
        try:
            return None if text is None else parse_object(text)
        except BadJson as error:
            self._refuse_at(path, error)
            return None

    def refuse(self, path: Path, problems: Iterable[object]) -> None:
        """Add problems of a file."""
        self.problems += [f"{self._name(path)}: {problem}" for problem in problems]

    def refuse_unstorable(self, path: Path, document: JsonObject, place: str = "") -> None:
        """Add what Firestore could not keep of a document."""
        for name, value in document.items():
            if not _FIELD.match(name):
                self.refuse(path, [f"{place}{name}: is not the name of a field"])
            if has_nested_array(value):
                self.refuse(path, [f"{place}{name}: an array cannot stand directly in an array"])

    def _refuse_at(self, path: Path, error: BadJson) -> None:
        place = f":{error.line}:{error.column}" if error.line else ""
        self.problems.append(f"{self._name(path)}{place}: {error}")

    def _name(self, path: Path) -> str:
        return path.relative_to(self._root.parent).as_posix()


def read_business_folder(reader: FolderReader, folder: Path) -> BusinessFolder:
    """Read a business's folder; it is complete only if `reader` has found no problems."""
    files = {path.stem: path for path in reader.files(folder, ".json")}
    for stem in sorted(files.keys() - {"business", *COLLECTIONS}):
        reader.refuse(files[stem], [f"is not one of business, {', '.join(COLLECTIONS)}"])
    if "business" not in files or not ID.match(folder.name):
        reader.refuse(folder, ["needs a business.json, and a name of letters, digits, _ and -"])
        return BusinessFolder(Business(folder.name))
    before = len(reader.problems)
    document = reader.json_object(files["business"]) or {}
    business = read_business(folder.name, document)
    problems = check_document(folder.name, document, reader.names)
    reader.refuse(files["business"], (problem.message for problem in problems))
    reader.refuse_unstorable(files["business"], document)
    listed = {name: _read_collection(reader, files[name], name) for name in COLLECTIONS if name in files}
    bookings = listed.pop("bookings", {})
    # Bookings speak of services and callers, so a mistake there would be told again for each of them.
    if len(reader.problems) > before:
        return BusinessFolder(business, document, listed)
    wishes = _read_wishes(reader, files["bookings"], business, listed.get("callers", {}), bookings) if bookings else ()
    return BusinessFolder(business, document, listed, tuple(wishes))


def _read_collection(reader: FolderReader, path: Path, name: BusinessCollection) -> dict[str, JsonObject]:
    by_name = {}
    for key, document in (reader.json_object(path) or {}).items():
        if not ID.match(key) or not isinstance(document, dict):
            reader.refuse(path, [f"{key}: needs an id of letters, digits, _ and -, and an object as its value"])
            continue
        missing = [f for f in COLLECTIONS[name] if not isinstance(document.get(f), str) or not document[f]]
        reader.refuse(path, (f"{key}.{part}: is missing, or no text" for part in missing))
        reader.refuse_unstorable(path, document, f"{key}.")
        by_name[key] = document
    return by_name


def _read_wishes(
    reader: FolderReader,
    path: Path,
    business: Business,
    callers: Mapping[str, JsonObject],
    bookings: Mapping[str, JsonObject],
) -> list[BookingWish]:
    wishes = []
    for key, booking in bookings.items():
        wrong = list(_wish_problems(business, callers, booking))
        reader.refuse(path, (f"{key}.{problem}" for problem in wrong))
        if not wrong:
            visit = _visit(business, booking)
            at, caller = time.fromisoformat(booking["at"]), callers[booking["caller"]]
            wishes.append(BookingWish(business, key, visit, booking["days"], at, caller, booking.get("notes")))
    return wishes


def _wish_problems(business: Business, callers: Collection[str], booking: JsonObject) -> Iterator[str]:
    if type(booking.get("days")) is not int or abs(booking["days"]) > 365:
        yield "days: write a whole number, counted from the day of entering it; less than 0 is the past"
    at = booking["at"]
    if not _CLOCK.match(at) or int(at[3:]) % (STEP.seconds // 60):
        yield f"at: {at!r} is not a local time on a full five minutes, such as 10:30"
    if business.service_named(booking["service"]) is None:
        yield f"service: {booking['service']!r} is not in business.json"
    if booking["caller"] not in callers:
        yield f"caller: {booking['caller']!r} is not in callers.json"
    party = booking.get("party", 1)
    if not isinstance(booking.get("with", ""), str) or type(party) is not int or party < 1:
        yield "with, party: write a name of resources in business.json, and how many come as a whole number"
        return
    try:
        _visit(business, booking)
    except ToolError as error:
        if business.service_named(booking["service"]) is not None:
            yield f"with, party: {error.message}"


def _visit(business: Business, booking: JsonObject) -> VisitLength:
    return visit_for(business, booking["service"], None, booking.get("with"), booking.get("party", 1))
