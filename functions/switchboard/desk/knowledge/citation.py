"""Found passages as a model reads them: each with its source, and short enough for the channel."""

from collections.abc import Sequence

from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import CHANNEL_POLICY
from switchboard.desk.knowledge.keyword_index import Hit
from switchboard.desk.knowledge.rank_fusion import FITS

# What a result takes beside its text: id, title, source and the JSON around them.
_AROUND = 160
_SHORTEST, _LONGEST = 160, 1_500


_NOTHING_FITS = (
    "Nothing that is written down clearly answers this. Unless a text here does, say that you do not know, and what "
    "can be had instead; do not fill the gap."
)


def answer(ctx: CallContext, hits: Sequence[Hit]) -> JsonObject:
    """Return what was found, and whether any of it fits the question; where nothing does, what that means."""
    fits = bool(hits) and hits[0].score >= FITS
    found: JsonObject = {"results": cited(ctx, hits), "fits": fits}
    return found if fits else found | {"note": _NOTHING_FITS}


def cited(ctx: CallContext, hits: Sequence[Hit]) -> list[JsonObject]:
    """Return `{id, kind, title, text, source, score}` of each; together they fit what the channel takes."""
    room = CHANNEL_POLICY[ctx.facts.channel].result_characters // max(len(hits), 1) - _AROUND
    size = min(max(room, _SHORTEST), _LONGEST)
    return [
        {
            "id": hit.passage.id,
            "kind": hit.passage.kind,
            "title": hit.passage.title,
            "text": _shortened(hit.passage.text, size),
            "source": hit.passage.source,
            "score": hit.score,
        }
        for hit in hits
    ]


def _shortened(text: str, size: int) -> str:
    if len(text) <= size:
        return text
    end = text.rfind(" ", 0, size)
    return text[: end if end > 0 else size] + " …"
