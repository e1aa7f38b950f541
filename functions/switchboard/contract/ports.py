"""What the house needs from outside, as Protocols; `main.py` decides who serves them.

Every method that reaches the network is a coroutine, ends by its own time-out (`deadline.bounded`), and raises
`ToolError` with the vendor's failure translated, or `StoreError` where it is the store.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    # Whoever needs a port need not load what it speaks of: a cold start pays for every record.
    from collections.abc import AsyncIterator, Mapping, Sequence
    from datetime import datetime

    from switchboard.contract.business.business import Business
    from switchboard.contract.business.calendar import CalendarEntry
    from switchboard.contract.json import JsonObject
    from switchboard.contract.model import ModelEvent, Prompt
    from switchboard.contract.store import Document, Query, Write, WriteResult
    from switchboard.contract.telephony import SentText


class Clock(Protocol):
    """The time; a port so that tests need not wait."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""

    def monotonic(self) -> float:
        """Return seconds that never run backwards."""


class Store(Protocol):
    """Documents, as Firestore keeps them. All failures are `StoreError`s."""

    async def get(self, path: str) -> Document | None:
        """Return the document, or None if there is none."""

    async def get_many(self, paths: Sequence[str]) -> list[Document | None]:
        """Return the documents in the order asked for, None where there is none, in one round trip."""

    async def query(self, query: Query) -> list[Document]:
        """Return the matching documents in order."""

    async def count(self, query: Query) -> int:
        """Return how many documents match, without reading them (limit is honoured)."""

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        """Do all writes or none, in order and in one round trip; results stand in that order (at most 500 writes).

        Raises:
            AlreadyExists, Missing, Stale: A precondition failed; nothing was written.
            Unavailable: It may or may not have been written.
        """

    async def warm(self) -> None:
        """Connect, so that no caller waits for it.

        Raises:
            Unavailable: There is no answer.
        """

    async def close(self) -> None:
        """Let go of connections; the store is not used again."""


BusinessCollection: TypeAlias = Literal[
    "policies",
    "faqs",
    "knowledge",
    "passages",
    "bookings",
    "slots",
    "callers",
    "interactions",
    "tools",
    "agents",
    "agentTools",
    "agentTrials",
    "secrets",
    "apiKeys",
    "calendarFeeds",
    "sessions",
    "outbox",
    "tickets",
    "toolSets",
    "questions",
    "collections",
    "audit",
    "days",
    "evals",
    "templateNotes",
]


class BusinessPaths(Protocol):
    """Document paths below one business. Ids may be any text: what a path cannot carry is replaced by its hash."""

    @property
    def business(self) -> str:
        """The business's own document."""

    def collection(self, name: BusinessCollection) -> str:
        """Return the path of one of its collections."""

    def document(self, name: BusinessCollection, id: str) -> str:
        """Return the path of a document in one of its collections."""

    def call(self, session_id: str, call_id: str) -> str:
        """Return the path of a ledger document: `sessions/{sessionId}/calls/{callId}`."""

    def calls(self, session_id: str) -> str:
        """Return the path of a session's ledger collection."""

    def effect(self, session_id: str, effect_key: str) -> str:
        """Return the path of the document that claims a wish: `sessions/{sessionId}/effects/{effectKey}`."""

    def part(self, interaction_id: str, number: int) -> str:
        """Return the path of a part of a long conversation's record: `interactions/{id}/parts/{number}`."""

    @property
    def compiled(self) -> str:
        """`compiled/parts`: the business's tools, agents and attachments once more, in one document."""

    def items(self, collection: str) -> str:
        """Return the path of a collection of the business's own: `collections/{name}/items`."""


class Paths(Protocol):
    """Document paths outside any business, and the way into one."""

    @property
    def tool_pointer(self) -> str:
        """`config/tools`: revision, names and hash of the seeded definitions."""

    @property
    def pass_lead(self) -> str:
        """`config/passes`: which instance makes the passes over all businesses, and when it was last alive."""

    @property
    def definitions(self) -> str:
        """The collection `config/tools/definitions`."""

    @property
    def compiled_definitions(self) -> str:
        """`config/tools/compiled/definitions`: all definitions once more, in one document."""

    def definition(self, tool: str) -> str:
        """Return the path of one definition."""

    def definition_version(self, tool: str, version: str) -> str:
        """Return the path of one saved version of a definition."""

    def definition_draft(self, tool: str) -> str:
        """Return the path of a definition's draft: a version not published yet, which no reader of tools meets."""

    def publication(self, id: str) -> str:
        """Return the path of one note of what was done with definitions."""

    @property
    def publications(self) -> str:
        """The collection of what was published when by whom, one document per publication."""

    @property
    def prompt_templates(self) -> str:
        """The collection `config/prompts/templates`."""

    def prompt_template(self, name: str) -> str:
        """Return the path of a prompt template."""

    def catalog(self, hash: str) -> str:
        """Return the path of a write-once snapshot of definitions."""

    @property
    def deletions(self) -> str:
        """The collection of deletions that go on for a while; outside any business, since they outlive one."""

    def deletion(self, id: str) -> str:
        """Return the path of one of them."""

    @property
    def businesses(self) -> str:
        """The collection of businesses."""

    def within(self, business_id: str) -> BusinessPaths:
        """Return the paths of one business."""

    def business_of(self, path: str) -> str:
        """Return the id of the business that a document's path lies in; a `ValueError` where it lies in none."""


class Calendar(Protocol):
    """A business's calendar, whoever keeps it. Failures are `ToolError`s.

    AUTH: it must be connected again. RATE_LIMIT, TRANSIENT: it may work later; with partial side effects where nobody
    knows whether a change was made. PERMANENT: it never will.
    """

    async def busy(self, start: datetime, end: datetime) -> Sequence[CalendarEntry]:
        """Return what keeps others out and overlaps [start, end), in order of time; perhaps without titles."""

    async def busy_entries(self, start: datetime, end: datetime) -> Sequence[CalendarEntry]:
        """Return what `busy` does, all of it, entry by entry and with the booking that each belongs to.

        Words may be missing. TRANSIENT where it cannot be read whole: what was left out would count as free.
        """

    async def entries(self, start: datetime, end: datetime, limit: int = 250) -> Sequence[CalendarEntry]:
        """Return the entries that overlap [start, end), in order of time, without cancelled ones."""

    async def find(self, id: str) -> CalendarEntry | None:
        """Return an entry, also a cancelled one; None where there never was one."""

    async def insert(self, entry: CalendarEntry) -> CalendarEntry:
        """Enter an entry under its own id and return it as it is kept.

        Raises:
            IdTaken: There is, or was, one of that id.
        """

    async def move(self, id: str, start: datetime, end: datetime, version: str) -> CalendarEntry:
        """Change an entry's times if it is still of that version, and return it as it is kept.

        Raises:
            EntryChanged: It is of another version.
            NoSuchEntry: It was removed.
        """

    async def reword(self, id: str, title: str, description: str, version: str) -> CalendarEntry:
        """Change an entry's words if it is still of that version, and return it as it is kept.

        Raises:
            EntryChanged, NoSuchEntry: It is of another version, or was removed.
        """

    async def delete(self, id: str) -> None:
        """Remove an entry; one that is missing counts as removed."""


class Telephony(Protocol):
    """A business's account with the phone network. Failures are `ToolError`s.

    RATE_LIMIT: nothing was done, try later. TRANSIENT with partial side effects: nobody knows whether it was done.
    PERMANENT: the network refuses this for good, such as a number that cannot be texted. AUTH: the account is closed.
    """

    async def send_text(self, to: str, sender: str, body: str) -> SentText:
        """Send one text message between E.164 numbers; never tried twice where it may have been sent."""

    async def texts_to(self, to: str, since: datetime) -> Sequence[SentText]:
        """Return what was sent to a number since then, newest first, to find out what became of one."""

    async def redirect_call(self, call_sid: str, twiml: str) -> None:
        """Replace what a running phone call is doing; repeating it is harmless."""

    async def hang_up(self, call_sid: str) -> None:
        """End a phone call; one that has ended counts as ended."""


class Mailer(Protocol):
    """Outgoing e-mail."""

    async def send(self, to: str, subject: str, body: str, message_id: str) -> None:
        """Send one plain-text message under a message id of our choosing (`<id@domain>` is made from it).

        Raises:
            ToolError: PERMANENT, the address or the message is refused; TRANSIENT, it may work later, with partial side
                effects where nobody knows whether it was sent; AUTH, the account must be connected again.
        """


class Calendars(Protocol):
    """The outside calendars of businesses."""

    async def of(self, business: Business) -> Calendar | None:
        """Return a business's outside calendar, or None where the built-in one, that is its bookings, is in use.

        Raises:
            ToolError: AUTH, it must be connected again; PERMANENT, it is set up in a way that cannot work.
        """


class PhoneAccounts(Protocol):
    """The accounts of businesses with the phone network."""

    async def of(self, business: Business) -> Telephony | None:
        """Return a business's account, or None where it has none.

        Raises:
            ToolError: AUTH, its credentials are missing or refused.
        """


class Mailers(Protocol):
    """The outgoing mail accounts of businesses."""

    async def of(self, business: Business) -> Mailer | None:
        """Return a business's mail account, or None where it has none.

        Raises:
            ToolError: AUTH, its credentials are missing or refused.
        """


class VendorClients(Protocol):
    """The vendors whose folders stand in `integrations`, for tools that bring a vendor of their own."""

    async def account(self, name: str, business: Business) -> Any:
        """Return the client of a business's account with a vendor; None where it has connected none.

        Raises:
            ToolError: AUTH, it must be connected again; PERMANENT, a setting cannot work.
        """


EmbeddingPurpose: TypeAlias = Literal["passage", "question"]
"""What a vector is for: some models make different ones."""


class Embedder(Protocol):
    """Text to vectors, for search by meaning. Failures are `ToolError`s."""

    @property
    def name(self) -> str:
        """Which model it is, such as `openai:text-embedding-3-small`; vectors of two names are never compared."""

    @property
    def floor(self) -> float:
        """The similarity below which a passage does not speak of what was asked."""

    @property
    def is_local(self) -> bool:
        """Whether it asks nobody, so that a passage costs a millisecond and no money."""

    async def warm(self) -> None:
        """Load what it needs, so that no caller waits for it; asks nobody."""

    async def embed(self, texts: Sequence[str], purpose: EmbeddingPurpose) -> list[list[float]]:
        """Return one unit vector per text, all of one length.

        Raises:
            ToolError: RATE_LIMIT, TRANSIENT: it may work later. AUTH, PERMANENT: it is set up wrongly.
        """


class Secrets(Protocol):
    """What businesses keep secret, encrypted at rest; only what sends it on asks for it."""

    async def reveal(self, business_id: str, toolkit: str, field: str, *, agent_id: str = "") -> str | None:
        """Return one secret in clear, an agent's own one or else the business's, or None where there is none."""

    async def reveal_several(
        self, business_id: str, toolkit: str, fields: Sequence[str], *, agent_id: str = ""
    ) -> Mapping[str, str | None]:
        """Return several secrets of a toolkit, each as `reveal` does, by field."""

    async def keep(self, business_id: str, toolkit: str, field: str, value: str, *, agent_id: str = "") -> None:
        """Store one secret, encrypted; an earlier one is replaced."""

    async def forget(self, business_id: str, toolkit: str) -> None:
        """Remove every secret of a toolkit."""


class Egress(Protocol):
    """Requests to addresses that owners chose: checked, pinned, bounded."""

    async def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Return status, headers and body of the answer."""


class TaskQueue(Protocol):
    """Work that must survive the answer to the request."""

    async def enqueue(self, name: str, payload: JsonObject) -> None:
        """Queue work durably; a name that was queued before is not queued again."""


class ChatModel(Protocol):
    """A language model that streams."""

    @property
    def name(self) -> str:
        """Which model it is, such as `openai:gpt-5.2`, for logs and pages."""

    @property
    def dialect(self) -> str:
        """The format in which it wants its tools, one of `formats.FORMATS`."""

    def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        """Yield what the model says as it says it, and `Ended` last. Closing the iterator breaks it off.

        Raises:
            ModelError: It does not answer, or broke off; before the first event it was tried again where that helps.
        """
