"""What a text message may say, and how many messages the phone network makes of it."""

import unicodedata

from switchboard.contract.error import ErrorType, ToolError

# What a text costs is counted in segments: six are 918 characters of plain English, or 402 with an emoji among them.
MOST_SEGMENTS = 6
# GSM 03.38: the letters of a text in 7 bits, and those that take two places. Anything else makes the whole text UCS-2.
_GSM = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿"
    "abcdefghijklmnopqrstuvwxyzäöñüà"
)
_GSM_TWICE = frozenset("^{}\\[~]|€")
# Joiners hold emoji and Persian words together; every other invisible character only deceives whoever reads.
_JOINERS = "\u200c\u200d"


def segments(body: str) -> int:
    """Return how many segments a text takes: 160 GSM or 70 UCS-2 characters, 153 or 67 each where there are more."""
    length, alone, joined = _measured(body)
    return 1 if length <= alone else -(-length // joined)


def text_body(text: str) -> str:
    """Return what will be sent: composed Unicode, without invisible marks and outer blanks.

    Raises:
        ToolError: VALIDATION; it is empty, too long, or holds control characters.
    """
    body = _composed(text)
    if over := _over(body):
        raise ToolError(
            ErrorType.VALIDATION,
            f"The text message is too long by {over} characters: {_room(body)}. Shorten it to what matters.",
        )
    return body


def with_added(text: str, whole: str) -> str:
    """Return what will be sent of a text together with what we have added to it.

    Args:
        text: As whoever worded it knows it.
        whole: The same with our marks, a warning, or whom it is from.

    Raises:
        ToolError: As `text_body`; of what fits only without the additions, the message says so, and by how much.
    """
    own, body = text_body(text), _composed(whole)
    if over := _over(body):
        shorter = f"shorten your text by {over} characters, or " if over < len(own) else ""
        raise ToolError(
            ErrorType.VALIDATION,
            f"Your text has {len(own)} characters and fits, but not with what has to be added to it: whom it is from, "
            "that a link is not the business's, that a number costs extra. With that it is too long by "
            f"{over} characters: {_room(body)}. To send it, {shorter}leave such links and numbers out.",
        )
    return body


def _composed(text: str) -> str:
    body = unicodedata.normalize("NFC", text.replace("\r\n", "\n")).strip()
    body = "".join(c for c in body if unicodedata.category(c) != "Cf" or c in _JOINERS)
    if not body:
        raise ToolError(ErrorType.VALIDATION, "The text message is empty. Say what it should tell.")
    if any(unicodedata.category(c) in ("Cc", "Cs") and c != "\n" for c in body):
        raise ToolError(
            ErrorType.VALIDATION, "The text message holds control characters. Write plain text; line ends are fine."
        )
    return body


def _measured(body: str) -> tuple[int, int, int]:
    """Return how many places a text takes, and how many there are in one segment alone and in one of several."""
    if _beyond(body) is None:
        return sum(2 if c in _GSM_TWICE else 1 for c in body), 160, 153
    return len(body.encode("utf-16-le", "surrogatepass")) // 2, 70, 67


def _beyond(body: str) -> str | None:
    """Return the first letter that makes a text UCS-2; None where it has none."""
    return next((c for c in body if c not in _GSM and c not in _GSM_TWICE), None)


def _over(body: str) -> int:
    """Return how many characters less a text must have, at most: some take two places."""
    length, _, joined = _measured(body)
    return max(0, length - MOST_SEGMENTS * joined)


def _room(body: str) -> str:
    most, beyond = MOST_SEGMENTS * _measured(body)[2], _beyond(body)
    return f"{most} are allowed" + (f", since it has {beyond!r} in it, and more without such letters" if beyond else "")


def shortened(text: str) -> str:
    """Return a text of any length and kind as one that can be sent; what is cut off is marked by dots."""
    visible = "".join(c for c in text if c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Cs"))
    body = unicodedata.normalize("NFC", visible).strip()
    while segments(body) > MOST_SEGMENTS:
        # The dots are plain ones: the typographic character alone would halve what fits.
        body = body.removesuffix("...")[: len(body) * 9 // 10].rstrip() + "..."
    return body
