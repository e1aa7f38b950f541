"""The words in which a tool said no, as owners read them: without what the model sent or the channel showed."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from switchboard.catalog.arguments.arguments import MalformedJson, parse_json
from switchboard.contract.document import mapping, text
from switchboard.contract.json import leaves
from switchboard.contract.response import Failure


def own_words(data: Mapping[str, Any], failure: Failure | None) -> str:
    """Return a failure's own words on one line, without what the model sent or the channel showed of the caller."""
    if failure is None:
        return ""
    try:
        sent = parse_json(text(data.get("arguments")))
    except MalformedJson:
        # Nobody can tell then which of the words were theirs.
        return ""
    facts = mapping(data.get("facts"))
    known = [facts.get(name) for name in ("callerPhone", "callerId", "verifiedPhone")]
    spoken = {one for one in (*_texts(sent), *_texts(known)) if len(one) > 1}
    words = " ".join(failure.message.split())
    for one in sorted(spoken, key=len, reverse=True):
        words = re.sub(rf"(?<!\w){re.escape(one)}(?!\w)", "\u2026", words, flags=re.IGNORECASE)
    return words


def _texts(value: Any) -> Iterator[str]:
    """Return every text in a value, also those that are numbers; names of fields are no values."""
    known = (inner for _, inner in leaves(value) if not isinstance(inner, bool))
    return (str(inner) for inner in known if isinstance(inner, str | int | float))
