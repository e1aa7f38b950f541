"""The files of seeds/: all of them read and checked, and everything that is wrong told at once."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from operations.offer_changes import REGISTRY
from switchboard.admin.businesses.known_names import NamesThereAre
from switchboard.admin.definitions import definition_set
from switchboard.admin.maintenance.business_folder import ID, BusinessFolder, FolderReader, read_business_folder
from switchboard.catalog.definitions.registry import Registry
from switchboard.contract.definitions.definition import problems, read_definition
from switchboard.contract.json import JsonObject

PARTS = ("tools", "prompts", "businesses")


class BadSeeds(Exception):
    """Files that cannot be pushed: `problems` names each with its place. Nothing was written."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


@dataclass(frozen=True, slots=True)
class Seeds:
    """What the files hold; a part that was not asked for is None."""

    tools: Mapping[str, JsonObject] | None = None
    prompts: Mapping[str, JsonObject] | None = None
    businesses: Mapping[str, BusinessFolder] | None = None


def read_seeds(seeds_dir: Path, only: Collection[str] = PARTS) -> Seeds:
    """Read and check every file of the parts asked for; all that is wrong is told at once, as `BadSeeds`."""
    reader = FolderReader(seeds_dir)
    tools = _read_tools(reader, seeds_dir / "tools") if "tools" in only else None
    reader.names = _names(tools or {})
    seeds = Seeds(
        tools,
        _read_prompts(reader, seeds_dir / "prompts") if "prompts" in only else None,
        _read_businesses(reader, seeds_dir / "businesses") if "businesses" in only else None,
    )
    if reader.problems:
        raise BadSeeds(reader.problems)
    return seeds


def _names(tools: Mapping[str, JsonObject]) -> NamesThereAre:
    """Return what businesses can name: the tools that were built, and what those ask for that are pushed with them."""
    built_in = [tool.definition for tool in Registry.load(REGISTRY).tools.values()]
    usable = [read_definition(name, document) for name, document in tools.items() if not problems(name, document)]
    return NamesThereAre.of(built_in, usable)


def _read_tools(reader: FolderReader, folder: Path) -> dict[str, JsonObject]:
    files = list(reader.files(folder, ".json"))
    # An empty folder together with --prune would leave nobody a tool.
    if not files:
        reader.refuse(folder, ["holds no definitions; scripts/build_tools writes them"])
    by_name = {}
    for path in files:
        document = reader.json_object(path)
        if document is not None:
            reader.refuse(path, problems(path.stem, document))
            by_name[path.stem] = definition_set.storable(document)
            reader.refuse_unstorable(path, by_name[path.stem])
    return by_name


def _read_prompts(reader: FolderReader, folder: Path) -> dict[str, JsonObject]:
    files = list(reader.files(folder, ".md"))
    if not files:
        reader.refuse(folder, ["holds no templates"])
    by_name = {}
    for path in files:
        text = reader.text(path)
        if text is not None:
            reader.refuse(path, [] if text.strip() and ID.match(path.stem) else ["needs an id as its name, and a text"])
            by_name[path.stem] = {"text": text}
    return by_name


def _read_businesses(reader: FolderReader, folder: Path) -> dict[str, BusinessFolder]:
    folders = sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    by_id = {path.name: read_business_folder(reader, path) for path in folders}
    first = dict[str, str]()
    for id, one in by_id.items():
        number = one.business.twilio_number
        if number and first.setdefault(number, id) != id:
            problem = f"twilioNumber: {number} is the number of {first[number]} already, and belongs to one alone"
            reader.refuse(folder / id / "business.json", [problem])
    return by_id
