"""Every document path of the house; nothing outside this module builds one.

Ids come from strangers (session ids, call ids, phone numbers), so any text is a valid id here: what could leave its
place in a path, or what Firestore would refuse, is replaced by its hash.
"""

import hashlib
import re
from functools import lru_cache

from switchboard.contract.ports import BusinessCollection
from switchboard.contract.python.dataclass import dataclass

_HASH_PREFIX = "h~"
_HASH_DIGITS = 40
# What is compiled into one document: by collection, in a business and among the tools of all.
_COMPILED_PARTS = ("tools", "agents", "agentTools")
# Firestore keeps `.`, `..` and everything between double underscores for itself. Text that begins like a hash is
# hashed too: otherwise a caller could choose the id that some other text is replaced by.
_PLAIN = re.compile(r"(?!\.{1,2}\Z|__.*__\Z|h~)[A-Za-z0-9_.:@+~-]{1,200}")


def _segment(id: str) -> str:
    if _PLAIN.fullmatch(id):
        return id
    # surrogatepass: a lone surrogate is text that JSON can carry, and must not be what crashes a call
    digest = hashlib.sha256(id.encode("utf-8", "surrogatepass")).hexdigest()
    return _HASH_PREFIX + digest[:_HASH_DIGITS]


@dataclass(frozen=True, slots=True)
class FirestoreBusinessPaths:
    """The document paths below one business; none of them can name a document elsewhere."""

    business: str

    def collection(self, name: BusinessCollection) -> str:
        """Return the path of one of its collections."""
        return f"{self.business}/{name}"

    def document(self, name: BusinessCollection, id: str) -> str:
        """Return the path of a document in one of its collections."""
        return f"{self.business}/{name}/{_segment(id)}"

    def call(self, session_id: str, call_id: str) -> str:
        """Return the path of a ledger document."""
        return f"{self.business}/sessions/{_segment(session_id)}/calls/{_segment(call_id)}"

    def calls(self, session_id: str) -> str:
        """Return the path of a session's ledger collection."""
        return f"{self.document('sessions', session_id)}/calls"

    def effect(self, session_id: str, effect_key: str) -> str:
        """Return the path of the document that claims a wish."""
        return f"{self.document('sessions', session_id)}/effects/{_segment(effect_key)}"

    def part(self, interaction_id: str, number: int) -> str:
        """Return the path of a part of a long conversation's record."""
        return f"{self.document('interactions', interaction_id)}/parts/{number:04}"

    @property
    def compiled(self) -> str:
        """The document that holds the business's tools, agents and attachments once more, to be read at once."""
        return f"{self.business}/compiled/parts"

    def items(self, collection: str) -> str:
        """Return the path of a collection of the business's own."""
        return f"{self.document('collections', collection)}/items"


@dataclass(frozen=True, slots=True)
class FirestorePaths:
    """The document paths outside any business, and the way into one."""

    @property
    def tool_pointer(self) -> str:
        """The document that says which seeded definitions are whole."""
        return "config/tools"

    @property
    def pass_lead(self) -> str:
        """The document that says which instance makes the passes."""
        return "config/passes"

    @property
    def month_counting(self) -> str:
        """The document that says how far what businesses use has been counted."""
        return "config/counting"

    @property
    def prices(self) -> str:
        """The document of what units cost."""
        return "config/prices"

    @property
    def price_changes(self) -> str:
        """The collection of who has changed the prices."""
        return f"{self.prices}/changes"

    def price_change(self, id: str) -> str:
        """Return the path of one note of a change of the prices."""
        return f"{self.price_changes}/{_segment(id)}"

    @property
    def definitions(self) -> str:
        """The collection of tool definitions."""
        return f"{self.tool_pointer}/definitions"

    @property
    def compiled_definitions(self) -> str:
        """The document that holds all definitions once more, to be read at once."""
        return f"{self.tool_pointer}/compiled/definitions"

    def definition(self, tool: str) -> str:
        """Return the path of one definition."""
        return f"{self.definitions}/{_segment(tool)}"

    def definition_version(self, tool: str, version: str) -> str:
        """Return the path of one saved version of a definition."""
        return f"{self.definition(tool)}/versions/{_segment(version)}"

    def definition_draft(self, tool: str) -> str:
        """Return the path of a definition's draft."""
        return self.definition_version(tool, "draft")

    @property
    def publications(self) -> str:
        """The collection of what was published when by whom."""
        return f"{self.tool_pointer}/publications"

    def publication(self, id: str) -> str:
        """Return the path of one note of what was done with definitions."""
        return f"{self.publications}/{_segment(id)}"

    @property
    def prompt_templates(self) -> str:
        """The collection of prompt templates."""
        return "config/prompts/templates"

    def prompt_template(self, name: str) -> str:
        """Return the path of a prompt template."""
        return f"{self.prompt_templates}/{_segment(name)}"

    @property
    def deletions(self) -> str:
        """The collection of deletions that go on for a while; outside any business, since they outlive one."""
        return "deletions"

    def deletion(self, id: str) -> str:
        """Return the path of one of them."""
        return f"{self.deletions}/{_segment(id)}"

    def catalog(self, hash: str) -> str:
        """Return the path of a write-once snapshot of definitions."""
        return f"catalogs/{_segment(hash)}"

    @property
    def businesses(self) -> str:
        """The collection of businesses."""
        return "businesses"

    def within(self, business_id: str) -> FirestoreBusinessPaths:
        """Return the paths of one business.

        Raises:
            ValueError: The id is empty; every other text names a business of its own.
        """
        return _within(business_id)

    def business_of(self, path: str) -> str:
        """Return the id of the business that a document's path lies in, as it stands in the path.

        Raises:
            ValueError: It lies in none.
        """
        first, _, rest = path.partition("/")
        business_id = rest.partition("/")[0]
        if first != self.businesses or not business_id:
            raise ValueError(f"{path} lies in no business")
        return business_id


@lru_cache(maxsize=1_000)
def _within(business_id: str) -> FirestoreBusinessPaths:
    # Building the way into a business costs more than any path below it, and a call needs several.
    if not business_id:
        raise ValueError("a business id is needed to build a path, and it is empty")
    return FirestoreBusinessPaths(f"businesses/{_segment(business_id)}")


def compiled_from(path: str) -> str | None:
    """Return the path of the document that another one is compiled into; None for one that is read by itself."""
    if path.count("/") != 3:
        return None
    first, owner, collection, _ = path.split("/")
    if first == "businesses":
        return FirestoreBusinessPaths(f"{first}/{owner}").compiled if collection in _COMPILED_PARTS else None
    everybodys = FirestorePaths()
    return everybodys.compiled_definitions if f"{first}/{owner}/{collection}" == everybodys.definitions else None
