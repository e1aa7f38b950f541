"""What of a sentence's clauses belongs to one of the deeds that it claims."""

from collections.abc import Sequence

from switchboard.contract.definitions.definition import Deed
from switchboard.conversation.claims.classifier import ClaimReading, ClaimTelling
from switchboard.conversation.claims.sentences import ELSEWHERE

PLANTED = 0.97
"""So sure a reading is of what may have been put somewhere to be repeated."""


def without_contents(
    claims: Sequence[tuple[Deed, ...]], by_clause: Sequence[ClaimReading]
) -> Sequence[tuple[Deed, ...]]:
    """Return what is claimed but for what only stands in a message: "the message is taken: a haircut on Friday at ten".

    What a clause of its own claims is none of it.
    """
    told = {deed for reading in by_clause for claim in reading.claims for deed in claim}
    messages = [r for r in by_clause if r.claims == ((Deed.PASSED_ON,),) and r.certainty >= PLANTED]
    if len(by_clause) < 2 or not messages:
        return claims
    return [
        (Deed.PASSED_ON,),
        *(claim for claim in claims if not told.isdisjoint(claim) and Deed.PASSED_ON not in claim),
    ]


def about(deed: Deed, sentence: str, clauses: Sequence[str], by_clause: Sequence[ClaimReading]) -> str:
    """Return what a sentence says of one deed: without the clauses that speak of another, or of what is not done."""
    own = [deed in reading.deeds for reading in by_clause]
    if not any(own):
        return sentence
    elsewhere = [ELSEWHERE.search(clause) is not None for clause in clauses]
    if not all(there for there, is_own in zip(elsewhere, own, strict=True) if is_own):
        own = [is_own and not there for there, is_own in zip(elsewhere, own, strict=True)]
    return "".join(
        clause
        for clause, reading, there, is_own in zip(clauses, by_clause, elsewhere, own, strict=True)
        if is_own or (not reading.claims and reading.telling is ClaimTelling.PLAIN and not there)
    )
