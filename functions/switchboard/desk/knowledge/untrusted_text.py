"""Words of owners and callers, on their way to a model: kept as they are, except for what a model could take for ours.

What a document says is data. A model reads it inside a field of a result, but
also reads marks such as `</tool_result>` or `<|im_start|>` as the end of that result or the start of an instruction,
and may obey what no person can see. Those lose their force here; sentences that give orders stay, as sentences.
"""

import re
import unicodedata

# Joiners that belong to scripts and emoji; every other invisible character could carry words that nobody sees.
_JOINERS = "\u200c\u200d"
_KEPT = frozenset("\n\t" + _JOINERS)
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
# Less-than and greater-than as ASCII, fullwidth and small forms; what takes their place is a quotation mark.
_OPENS, _CLOSES = "<\uff1c\ufe64", ">\uff1e\ufe65"
_TAG = re.compile(rf"[{_OPENS}](?=[/|!?]|[^\W\d])([^{_OPENS}{_CLOSES}\n]{{0,200}})[{_CLOSES}]?")
_BRACKETED = re.compile(r"\[(/?[A-Z][A-Z_ ]{2,30})\]")
# Blanks before the word within its own line: over line ends the search would begin anew at each of them.
_ROLE = re.compile(
    r"^([^\S\n]*+(?:system|developer|assistant|user|human|tool|function))\s*+:", re.IGNORECASE | re.MULTILINE
)


def quoted(text: str) -> str:
    """Return a text as it may stand in a result: marks of markup and of models made plain, nothing hidden in it."""
    visible = "".join(c for c in text if c in _KEPT or unicodedata.category(c) not in _HIDDEN)
    visible = _TAG.sub("\u2039\\1\u203a", visible)
    visible = _BRACKETED.sub(r"(\1)", visible).replace("```", "'''")
    return _ROLE.sub(r"\1 -", visible)
