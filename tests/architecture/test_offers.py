"""No text offers a message, a person or a call back in its own words: `catalog/offer/alternatives.py` alone does.

Whether a message can be taken, or a caller put through, depends on the business, the channel and the moment. A text
that is written down beforehand cannot know that, so that whatever it offers is a promise that nobody may keep.
"""

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.house import FUNCTIONS, ROOT, files_under, trees_under
from tests.each import each

# What offers something, or promises that somebody will do something, in the languages of the house.
OFFERS = re.compile(
    "|".join(
        (
            r"\b(?:offer|tak|leav|left|giv|pass)(?:e|es|ing|en|ed)?\b(?:[\s,'-]+\w+){0,4}?[\s,'-]+messages?\b",
            r"\bcall(?:s|ed|ing)?\W+(?:\w+\W+){0,2}back\b(?!\s*\w*:)",
            r"\bput(?:s|ting)?\W+(?:\w+\W+){1,3}through\b|\bconnect(?:ing)? (?:you|them|the caller)\b",
            r"\b(?:transfer|forward|redirect)(?:s|ring|ing)? (?:you|them|the caller)\b",
            r"\b(?:some(?:body|one)|any(?:body|one)|a person|a colleague|we|they|the business|(?:its|the) owner)"
            r"\s+(?:will|would|is going to)\s+(?:\w+\s+)?"
            r"(?:check|look|call|write|ring|contact|get back|be in touch|confirm|follow up|reach out|take care)\b",
            r"\b(?:speak|talk) (?:to|with) (?:a|an|some|the) ?(?:one|body|person|human|colleague|owner)\b",
            r"\boffer (?:a|an|another|some) (?:\w+ )?(?:way|person|human|call|transfer|number)\b",
            r"\bNachricht\w*\b[^.]{0,30}(?:aufnehm|hinterlass|entgegen)|ausrichten|zurück(?:ge)?ruf",
            r"\bverbinde[nt]?\b[^.]{0,20}\bSie\b|\bSie\b[^.]{0,30}\bverbinde[nt]?\b",
            r"\b(?:tom|dej)\w*\b[^.]{0,15}\b(?:mensaje|recado)|\ble llam(?:en|ará|aremos|arán)\b|\ble paso\b|pasarle",
            r"\b(?:pren|laiss)\w*\b[^.]{0,15}\b(?:un|le|votre|de) message|\bvous rappell?e\w*|\bvous passe\w*",
            r"passer quelqu",
            r"\b(?:prend|lasci)\w*\b[^.]{0,15}\bmessaggio|\bla richiam\w+|passarle",
            r"\b(?:anot|deix)\w*\b[^.]{0,15}\brecado|retorn\w+ a (?:sua )?chamada|passar a chamada",
            r"\b(?:bericht|boodschap)\b[^.]{0,20}\b(?:aannemen|achterlaten|doorgeven)|terugbellen",
            r"\bdoor(?: te)? ?verbinden\b",
        )
    ),
    re.IGNORECASE,
)
COMPOSED = {f"switchboard/catalog/offer/{name}.py" for name in ("alternatives", "alternative_words")}
# Each text that matches and may, by its file and its first match there, with why.
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("switchboard/admin/health/findings.py", "leave a message"): "the owner reads it, and take_message is offered then",
    ("switchboard/admin/conversations/takeover.py", "put this call through"): "an owner reads it, who is the person",
    ("switchboard/admin/conversations/takeover.py", "puts callers through"): "an owner is told to enter somebody first",
    ("switchboard/admin/tenant_tools/advice.py", "put callers through"): "an owner is told to enter somebody first",
    ("switchboard/channels/phone/voice.py", "putting you through"): "said while the safe number is being rung",
    ("switchboard/channels/phone/voice.py", "verbinde Sie"): "said while the safe number is being rung",
    ("switchboard/channels/phone/voice.py", "Le paso"): "said while the safe number is being rung",
    ("switchboard/channels/phone/voice.py", "vous passe"): "said while the safe number is being rung",
    (
        "switchboard/desk/messaging/messages.py",
        "Taking exactly the same message",
    ): "of take_message itself, which is offered then",
    ("switchboard/desk/messaging/owner_messages.py", "call back"): "the owner reads it, about the caller's number",
    ("switchboard/desk/messaging/owner_messages.py", "Terugbellen"): "the same, in Dutch",
    (
        "switchboard/catalog/offer/offer.py",
        "call back",
    ): "it is left out of what is declared, as the prompt says it",
    ("switchboard/conversation/speech/house_phrases.py", "talk with somebody"): "that the caller is not known",
    ("switchboard/conversation/speech/house_phrases.py", "connecting you"): "said when the transfer has been accepted",
    ("switchboard/conversation/speech/house_phrases.py", "verbinde Sie"): "said when the transfer has been accepted",
    ("switchboard/conversation/speech/house_phrases.py", "le paso"): "said when the transfer has been accepted",
}
# The tools that lead to people speak of it: nobody is told their words unless they are offered.
LEADING = frozenset({"take_message", "transfer_call"})
# Prompts and guides, which tell a model how to speak, beside everything that a tool's schema says.
PROMPTS = Path("seeds/prompts")
# Patterns that read what models say hold such words, and say nothing.
PATTERNS = re.compile(
    r"switchboard/(?:conversation/(?:claims/\w+|claims|claim_\w+|openness|mentions|evidence|known|\w+_words)|pipeline/deed_words)\b"
)
NOT_PATTERNS = "switchboard/conversation/speech/house_phrases.py"


def texts_of(tree: ast.AST) -> Iterator[str]:
    """Yield every text of a module that is no docstring; an f-string is one, with its values left out."""
    left_out: set[int] = set()
    for node in ast.walk(tree):
        for statement in getattr(node, "body", None) or () if not isinstance(node, ast.Lambda | ast.IfExp) else ():
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                left_out.add(id(statement.value))
        if isinstance(node, ast.JoinedStr):
            left_out.update(map(id, node.values))
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            yield node.value


def strings_in(value: Any) -> Iterator[str]:
    """Yield every text of a JSON document."""
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings_in(inner)


def offers_in_code(root: Path) -> Counter[tuple[str, str]]:
    """Return what the functions' code offers: file and words."""
    found: Counter[tuple[str, str]] = Counter()
    for path, tree in trees_under(root, FUNCTIONS):
        name = path.relative_to(FUNCTIONS).as_posix()
        if name in COMPOSED or (PATTERNS.match(name) and name != NOT_PATTERNS):
            continue
        for text in texts_of(tree):
            match = OFFERS.search(text)
            if match and " " in text.strip():
                found[name, match[0]] += 1
    return found


def offers_in_documents(root: Path) -> list[str]:
    """Return what tools' schemas and guides and the prompts that ship offer."""
    found = []
    for path in files_under(root, FUNCTIONS / "switchboard/tools", PROMPTS):
        if path.parent.name in LEADING or path.suffix not in (".json", ".md"):
            continue
        text = (root / path).read_text()
        if path.suffix == ".json":
            document = json.loads(text)
            # What a model has to recognise as a claim is not said by anybody.
            document.pop("claims", None)
            texts = list(strings_in(document))
        else:
            texts = [" ".join(text.split())]
        found += [f"{path.as_posix()}: {match[0]}" for text in texts if (match := OFFERS.search(text))]
    return found


@pytest.mark.requirement("000-371")
def test_no_text_of_the_code_offers_a_message_or_a_person_by_itself():
    """Raise the error without it: what can be had instead is told beside it. For callers, ask `Alternatives.said`."""
    found = {(file, words) for file, words in offers_in_code(ROOT)}
    known = {(file, words.casefold()) for file, words in EXCEPTIONS}
    new = {place for place in found if (place[0], place[1].casefold()) not in known}
    assert new == set()
    gone = known - {(file, words.casefold()) for file, words in found}
    assert gone == set(), "take them off the list"


@pytest.mark.requirement("000-371")
def test_no_schema_guide_or_prompt_offers_a_message_or_a_person_by_itself():
    """`{{ways_out}}` stands in what a tool says; a guide says "what can be had instead", which the prompt tells."""
    assert offers_in_documents(ROOT) == []


@each(
    "text",
    [
        "It failed. Offer to take a message.",
        "Try once more, or apologise and offer to take a message.",
        "Shall I leave them a message?",
        "May somebody call you back?",
        "Say that somebody will check.",
        "Say that the business will confirm it.",
        "I can put you straight through.",
        "Would you like to speak to a colleague?",
        "Try again, or offer another way.",
        "Soll ich eine Nachricht aufnehmen?",
        "Wir rufen gern zurück: Zurückruf morgen.",
        "Ich kann Sie mit Rosa verbinden.",
        "¿Quiere que tome un mensaje?",
        "¿Quiere dejar un recado?",
        "Voulez-vous laisser un message ?",
        "Vuole lasciare un messaggio?",
        "Quer deixar um recado?",
        "Wilt u een bericht achterlaten?",
    ],
)
def test_an_offer_that_somebody_adds_is_found(tmp_path, text):
    """Whole, in pieces, and as an f-string; a docstring offers nothing to anybody."""
    file = tmp_path / FUNCTIONS / "switchboard/desk/new.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    half = text.index(" ") + 1
    for code in (repr(text), f"f{text!r}", f"({text[:half]!r}\n    {text[half:]!r})"):
        file.write_text(f"WORDS = {code}\n")
        assert len(offers_in_code(tmp_path)) == 1
    file.write_text(f"{text!r}\n\n\ndef new():\n    {text!r}\n")
    assert offers_in_code(tmp_path) == Counter()
    guide = tmp_path / FUNCTIONS / "switchboard/tools/new/guide.md"
    guide.parent.mkdir(parents=True, exist_ok=True)
    guide.write_text(f"# new\n\n{text}\n")
    assert len(offers_in_documents(tmp_path)) == 1


@each(
    "text",
    [
        "The message holds no tool call with an id.",
        "It took 4 messages at once.",
        "Say what it would have told.",
        "This call was put into a queue.",
        "Nobody knows whether it was done.",
        "Say what can be had instead.",
    ],
)
def test_what_offers_nothing_is_no_offer(text):
    """Messages are also what programs send each other."""
    assert not OFFERS.search(text)
