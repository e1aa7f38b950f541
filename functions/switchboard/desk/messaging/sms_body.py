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
    if all(c in _GSM or c in _GSM_TWICE for c in body):
        length, alone, joined = sum(2 if c in _GSM_TWICE else 1 for c in body), 160, 153
    else:
        length, alone, joined = len(body.encode("utf-16-le", "surrogatepass")) // 2, 70, 67
    return 1 if length <= alone else -(-length // joined)


def text_body(text: str) -> str:
    """Return what will be sent: composed Unicode, without invisible marks and outer blanks.

    Raises:
        ToolError: VALIDATION; it is empty, too long, or holds control characters.
    """
    body = unicodedata.normalize("NFC", text.replace("\r\n", "\n")).strip()
    body = "".join(c for c in body if unicodedata.category(c) != "Cf" or c in _JOINERS)
    if not body:
        raise ToolError(ErrorType.VALIDATION, "The text message is empty. Say what it should tell.")
    if any(unicodedata.category(c) in ("Cc", "Cs") and c != "\n" for c in body):
        raise ToolError(
            ErrorType.VALIDATION, "The text message holds control characters. Write plain text; line ends are fine."
        )
    count = segments(body)
    if count > MOST_SEGMENTS:
        raise ToolError(
            ErrorType.VALIDATION,
            f"The text message is too long: it would take {count} messages, and {MOST_SEGMENTS} are allowed. Shorten "
            "it to what matters, to some 400 characters.",
        )
    return body


def shortened(text: str) -> str:
    """Return a text of any length and kind as one that can be sent; what is cut off is marked by dots."""
    visible = "".join(c for c in text if c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Cs"))
    body = unicodedata.normalize("NFC", visible).strip()
    while segments(body) > MOST_SEGMENTS:
        # The dots are plain ones: the typographic character alone would halve what fits.
        body = body.removesuffix("...")[: len(body) * 9 // 10].rstrip() + "..."
    return body
