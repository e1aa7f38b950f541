"""What a conversation's receipts and look-ups bear out, of what an agent may say was done."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from switchboard.catalog.offer.inclusion import TENANT
from switchboard.contract.business.business import Business
from switchboard.contract.definitions.definition import OWNERS_OWN, Deed, Definition, Kind
from switchboard.contract.document import json_object
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.conversation.claims.facts import WITH_SOMEBODY, Evidence, about_no_time, evidence, long_words, texts_in
from switchboard.conversation.claims.sentences import asks_for_something
from switchboard.conversation.session import CallSession, Receipt

# A model that misspoke must not be led to turn a caller away.
_NEVER_SUGGESTED = frozenset({"close_portal_page", "end_call", "end_voice_session", "flag_caller", "ignore_user"})
# What is no longer there is no evidence that it is.
_CANCELLED = "cancelled"
# What the receipts of owners' own tools call a deed, whatever the tool is called.
_DEEDS = {"transfer": Deed.TRANSFERRED, "text message": Deed.TEXTED}
# Where a business wants it, the customer is texted about these by the desk itself.
_CONFIRMED_BY_TEXT = frozenset({Deed.BOOKED, Deed.MOVED, Deed.CANCELLED})
# A correction of an appointment: it stands, and what was corrected is one of these, and neither a fee nor a list.
_CORRECTED = frozenset({Deed.BOOKED, Deed.OTHER})
_RECORD_WORDS = """
name names number phone mail email address contact note notes spelling details record entry
namen nummer telefonnummer telefon adresse mailadresse notiz angaben daten eintrag schreibweise
nombre apellido número teléfono correo dirección nota datos ficha
nom prénom numéro téléphone courriel adresse coordonnées fiche orthographe
nome cognome numero telefono indirizzo dati scheda
sobrenome telefone morada endereço dados ficha contato contacto
naam telefoonnummer adres gegevens notitie mailadres
"""
# As receipts and records name how many come.
_PARTY = ("partySize", "party_size")
RECORDED = frozenset(_RECORD_WORDS.split())
"""Words of what every record of a caller holds."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Which tools bear what out.

    Attributes:
        deeds: By tool, what its success bears out.
        looks_up: Tools that only find such things out.
        about_times: Tools whose effect has a time of its own, such as an appointment's.
        offered: What can be called.
        asks: Owners' own tools that look something up.
        reads: Every tool that looks something up of which no deed can be told, such as a business's opening hours.
        owners: Owners' own tools, which may say nowhere how many come.
        untold: What can be called and is not told of: nobody is led to it.
    """

    deeds: Mapping[str, frozenset[Deed]]
    looks_up: frozenset[str]
    about_times: frozenset[str]
    offered: frozenset[str]
    asks: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    owners: frozenset[str] = frozenset()
    untold: frozenset[str] = frozenset()

    def does(self, tool: str, deeds: Collection[Deed]) -> bool:
        """Tell whether a tool that can be called does one of these."""
        return tool in self.offered and tool not in self.looks_up and not self._of(tool).isdisjoint(deeds)

    def acts(self, tool: str) -> bool:
        """Tell whether a tool can be called and does a deed, whichever."""
        return tool in self.offered and tool not in self.looks_up and bool(self._of(tool))

    def are_about(self, deeds: Collection[Deed], acting: Collection[str]) -> bool:
        """Tell whether calls that act are what a sentence about such deeds leads up to, and not an end of it all."""
        if not acting:
            return True
        away = (
            {tool for tool in acting if self.does(tool, (Deed.TRANSFERRED,))} if Deed.TRANSFERRED not in deeds else ()
        )
        if away or not _NEVER_SUGGESTED.isdisjoint(acting):
            return False
        return any(self.does(tool, deeds) or (Deed.UNNAMED in deeds and self.acts(tool)) for tool in acting)

    def tools_that_do(self, deeds: Collection[Deed]) -> list[str]:
        """Return the tools that a model is told of and that do one of these."""
        known = (self.offered & self.deeds.keys()) - _NEVER_SUGGESTED - self.untold
        return sorted(tool for tool in known if self.does(tool, deeds))

    def known(self, session: CallSession, now: datetime, business: Business | None = None) -> list[Evidence]:
        """Return what is known, the latest of each thing; `now` is local."""
        done = {id for receipt in session.receipts for id in receipt.ids}
        is_owed = _is_owed(session)
        earlier = frozenset({Deed.UNNAMED}) if asks_for_something(session.history.last_heard) else frozenset()
        evidences = []
        for receipt in session.standing:
            is_of_now = receipt.turn == session.facts.turn or (receipt.is_recorded and not receipt.turn)
            if_named = frozenset() if is_of_now else frozenset(Deed) if is_owed else earlier
            item = self._of_receipt(receipt, session, now, business)
            evidences.append(replace(item, if_named=if_named, is_of_now=is_of_now))
        for tool in self.looks_up:
            rows = _rows(session.tool_context.get(tool))
            row_evidences = [self._of_row(tool, row, now) for row in rows if done.isdisjoint(_own_ids(row))]
            evidences += (
                [replace(item, if_named=frozenset(Deed)) for item in row_evidences] if is_owed else row_evidences
            )
        for tool in self.asks & session.tool_context.keys():
            evidences.append(_answered(session.tool_context[tool], arguments_of(session, tool), now))
        if session.facts.caller_verified:
            evidences.append(Evidence(frozenset({Deed.VERIFIED}), (), frozenset()))
        return evidences

    def left_behind(self, session: CallSession, now: datetime) -> list[datetime]:
        """Return when what was moved, or cancelled, in this conversation was before, as far as it is known; local."""
        assert now.tzinfo is not None
        done = {id for receipt in session.receipts for id in receipt.ids}
        before: list[Any] = [receipt.words for receipt in session.receipts if receipt not in session.standing]
        for tool in self.looks_up:
            rows = _rows(session.tool_context.get(tool))
            before += [row for row in rows if not done.isdisjoint(_own_ids(row))]
        return [moment for data in before for moment in evidence(frozenset(), data, now.tzinfo).moments]

    def texts(self, session: CallSession, business: Business | None) -> list[str]:
        """Return what the business says of itself, as far as it was looked up here: who repeats it claims nothing new.

        What a tool was asked stands in many an answer, and is the model's own words.
        """
        texts = [service.description for service in business.services] if business else []
        for tool in self.reads & session.tool_context.keys():
            asked = set(texts_in(arguments_of(session, tool)))
            texts += [text for text in texts_in(session.tool_context[tool]) if text not in asked]
        return texts

    def _of(self, tool: str) -> frozenset[Deed]:
        """Return what a tool bears out; one that is not known any more was an owner's own."""
        return self.deeds.get(tool, OWNERS_OWN)

    def _of_receipt(self, receipt: Receipt, session: CallSession, now: datetime, business: Business | None) -> Evidence:
        words, zone = receipt.words, now.tzinfo
        assert zone is not None
        deeds = self._of(receipt.tool) | {Deed.UNNAMED}
        if str(words.get("what")) in _DEEDS:
            deeds |= {_DEEDS[str(words["what"])]}
        if deeds & _CONFIRMED_BY_TEXT and business is not None and _texts_confirmations(business):
            deeds |= {Deed.TEXTED}
        noted: frozenset[str] = frozenset()
        if deeds >= _CORRECTED:
            deeds, noted = deeds - {Deed.OTHER}, RECORDED
            grounds = evidence(deeds, {"receipt": words, "given": receipt.arguments}, zone)
            # "It is now under Anna Smith" is told as a move is; that hers "has been moved" is another thing.
            grounds = replace(grounds, by_name=frozenset({Deed.MOVED}))
        elif receipt.tool in self.about_times:
            grounds = evidence(deeds, words, zone)
        else:
            given: Any = receipt.arguments
            if receipt.tool not in self.deeds or Deed.OTHER in deeds:
                # An owner's tool says in its answer what it did, too.
                given = {"given": receipt.arguments, "answer": session.tool_context.get(receipt.tool)}
            grounds = about_no_time(deeds, words, given, zone, now)
        named = long_words(words)
        return replace(
            grounds,
            noted=noted | (long_words(receipt.arguments) - named),
            is_receipt=True,
            party=self._party(receipt.tool, words),
            summary=_summary(receipt, zone),
        )

    def _of_row(self, tool: str, row: JsonObject, now: datetime) -> Evidence:
        assert now.tzinfo is not None
        is_cancelled = str(row.get("status")).casefold() == _CANCELLED
        deeds = self.deeds[tool]
        deeds = deeds & {Deed.CANCELLED} if is_cancelled else deeds - {Deed.CANCELLED}
        grounds, ids = evidence(deeds, row, now.tzinfo), _own_ids(row)
        return replace(grounds, party=self._party(tool, row), thing=str(row.get("bookingId") or next(iter(ids), "")))

    def _party(self, tool: str, row: Mapping[str, Any]) -> int | None:
        """Return how many come; where it is not said of an appointment, one does."""
        size = next((row[name] for name in _PARTY if row.get(name) is not None), None)
        if size is not None:
            return size if isinstance(size, int) else None
        is_counted = tool in self.deeds.keys() - self.owners and Deed.ENTERED not in self._of(tool)
        return 1 if is_counted and self._of(tool) & WITH_SOMEBODY else None


def sources(
    definitions: Iterable[Definition], offered: Iterable[str], untold: Collection[str] = frozenset()
) -> Sources:
    """Return which of these tools bear what out.

    Args:
        definitions: The tools.
        offered: Names those that can be called.
        untold: Names those among them of which a model is not told.
    """
    known = list(definitions)
    doing = [definition for definition in known if definition.deeds]
    return Sources(
        {d.name: frozenset(d.deeds) for d in doing},
        frozenset(d.name for d in doing if d.kind is not Kind.ACTION),
        frozenset(d.name for d in doing if _has_a_time(d)),
        frozenset(offered),
        frozenset(d.name for d in known if d.category == TENANT and d.kind is not Kind.ACTION),
        frozenset(d.name for d in known if d.kind is not Kind.ACTION and not d.deeds),
        frozenset(d.name for d in known if d.category == TENANT),
        frozenset(untold),
    )


def _is_owed(session: CallSession) -> bool:
    """Tell whether what the caller has agreed to in this turn has not been done: then "Done" can mean nothing else."""
    return bool(session.agreed) and not any(
        receipt.turn == session.facts.turn and receipt.tool in session.agreed for receipt in session.receipts
    )


def arguments_of(session: CallSession, tool: str) -> JsonObject:
    """Return what a tool was last called with; nothing where that is no longer known."""
    calls = (n for n in reversed(session.tool_history) if n.get("type") == "tool_call" and n.get("tool_name") == tool)
    return json_object(next(calls, {}).get("arguments"))


def _answered(answer: Any, asked: JsonObject, now: datetime) -> Evidence:
    """Return what an owner's own look-up bears out: deeds of its business, in the words that it tells them with."""
    assert now.tzinfo is not None
    answered = about_no_time(frozenset(), {}, answer, now.tzinfo, now)
    return replace(answered, noted=long_words(answer) - long_words(asked), by_words=OWNERS_OWN | {Deed.MAILED})


def _texts_confirmations(business: Business) -> bool:
    return any(integration.settings.get("textConfirmations") is True for integration in business.integrations.values())


def _summary(receipt: Receipt, zone: Any) -> str:
    words = receipt.words
    when = words.get("when")
    try:
        local = datetime.fromisoformat(str(when)).astimezone(zone)
        moment_text = f"{local:%A %Y-%m-%d %H:%M}"
    except ValueError:
        moment_text = ""
    who = f"with {words['with']}" if words.get("with") else ""
    party = f"for {words['partySize']} people" if words.get("partySize") else ""
    parts = (str(words.get("what") or receipt.tool), str(words.get("for") or ""), moment_text, who, party)
    return f"{receipt.tool} ({', '.join(part for part in parts if part)})"


def _has_a_time(definition: Definition) -> bool:
    properties = definition.parameters.get("properties") or {}
    return any(isinstance(inner, Mapping) and inner.get("format") == "date-time" for inner in properties.values())


def _rows(data: Any) -> list[JsonObject]:
    """Return what a look-up found, one by one, so that times and names of different things are not mixed.

    What has no id is nobody's booking: a time at which the business is busy, or nothing at all.
    """
    if not isinstance(data, Mapping):
        return []
    rows = [row for value in data.values() if isinstance(value, list) for row in value if isinstance(row, Mapping)]
    return [dict(row) for row in rows or [data] if _own_ids(row)]


def _own_ids(row: Mapping[str, Any]) -> dict[str, None]:
    """Return the ids in a row, its own first."""
    ids = (str(value) for key, value in row.items() if key.lower().replace("_", "").endswith("id") and value)
    return dict.fromkeys(ids)
