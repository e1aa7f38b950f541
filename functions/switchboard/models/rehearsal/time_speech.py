"""How days and times are written and said, in the languages that the rehearsal speaks."""

import re

from switchboard.contract.python.dataclass import dataclass

_TWELVE = "one two three four five six seven eight nine ten eleven twelve"
ISO = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
POINTS = re.compile(r"\b(\d{1,2})\.\s?(\d{1,2})\.(?:\s?(\d{4}))?")
SLASHES = re.compile(r"\b(\d{1,2})/(\d{1,2})(?:/(\d{4}))?\b")


@dataclass(frozen=True, slots=True)
class TimeSpeech:
    """How a language names and says times; `morning` is what makes a name of "tomorrow" mean the morning."""

    weekdays: str
    months: str
    numbers: str
    near: dict[str, int]
    earlier: dict[str, int]
    afternoon: tuple[str, ...]
    day: str
    full: str
    half: str
    at: str
    joined: str


_DE_NUMBERS = (
    "ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn "
    "achtzehn neunzehn zwanzig"
)
_ES_NUMBERS = "una dos tres cuatro cinco seis siete ocho nueve diez once doce"
_FR_NUMBERS = "une deux trois quatre cinq six sept huit neuf dix onze douze"
SPOKEN_MINUTES = {"fifteen": 15, "thirty": 30, "forty-five": 45, "forty five": 45, "media": 30, "cuarto": 15}
SPOKEN_MINUTES |= {"demie": 30, "demi": 30, "quart": 15, "dreißig": 30, "fünfzehn": 15}


def _either(words: str) -> str:
    return "|".join(sorted(words.split(), key=len, reverse=True))


SPEECH = {
    "en": TimeSpeech(
        "monday tuesday wednesday thursday friday saturday sunday",
        "january february march april may june july august september october november december",
        _TWELVE,
        {"today": 0, "tonight": 0, "tomorrow": 1, "overmorrow": 2},
        {"half past": 30, "quarter past": 15, "quarter to": -15},
        ("pm", "afternoon", "evening"),
        "{weekday}, {month} {day}",
        "{hour12}{minute} {half}",
        ":",
        "at",
        "and",
    ),
    "de": TimeSpeech(
        "montag dienstag mittwoch donnerstag freitag samstag sonntag",
        "januar februar märz april mai juni juli august september oktober november dezember",
        _DE_NUMBERS,
        {"heute": 0, "morgen": 1, "übermorgen": 2},
        {"halb": -30, "viertel nach": 15, "viertel vor": -15, "dreiviertel": -15, "viertel": -45},
        ("nachmittags", "abends"),
        "{weekday}, {day}. {month}",
        "{hour}{minute} Uhr",
        ":",
        "um",
        "und",
    ),
    "es": TimeSpeech(
        "lunes martes miércoles jueves viernes sábado domingo",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        _ES_NUMBERS,
        {"hoy": 0, "mañana": 1},
        {},
        ("tarde", "noche", "pm"),
        "el {weekday} {day} de {month}",
        "{hour}:{minutes}",
        ":",
        "a las",
        "y",
    ),
    "fr": TimeSpeech(
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        _FR_NUMBERS,
        {"aujourd'hui": 0, "demain": 1},
        {},
        ("après-midi", "soir"),
        "{weekday} {day} {month}",
        "{hour} h{minute}",
        " ",
        "à",
        "et",
    ),
}
CLOCK = {
    "en": re.compile(
        rf"\b(?:(half past|quarter past|quarter to) )?(?:(\d{{1,2}})(?:[:.](\d\d))?|({_either(_TWELVE)})"
        r"(?:[ -](fifteen|thirty|forty-five|forty five))?)"
        r"(?:\s*(a\.?m\b|p\.?m\b|o'?clock(?: in the (?:afternoon|evening))?"
        r"|in the (?:afternoon|evening|morning)))?",
        re.I,
    ),
    "de": re.compile(
        rf"\b(?:(halb|viertel nach|viertel vor|dreiviertel|viertel) )?(?:(\d{{1,2}})(?:[:.](\d\d)(?!\.))?"
        rf"|({_either(_DE_NUMBERS)})s?)()"
        r"(?:\s*(uhr(?: (?:nachmittags|abends|morgens|vormittags|früh))?|nachmittags|abends|h\b))?(?: (\d\d)\b)?",
        re.I,
    ),
    "es": re.compile(
        rf"\b()(?:(\d{{1,2}})(?:[:.h](\d\d))?|({_either(_ES_NUMBERS)}))(?: y (media|cuarto))?"
        r"(?:\s*(de la (?:tarde|noche|mañana)|horas|h\b|a\.?m\b|p\.?m\b))?",
        re.I,
    ),
    "fr": re.compile(
        rf"\b()(?:(\d{{1,2}})(?:\s?[h:]\s?(\d\d))?|({_either(_FR_NUMBERS)}))(?: heures?)?(?: et (demie?|quart))?"
        r"(?:\s*(heures?|h\b|de l'après-midi|du soir|du matin))?",
        re.I,
    ),
}
NO_DAY = {
    "en": re.compile(r"\b(?:good morning|day after tomorrow)\b", re.I),
    "de": re.compile(r"\b(?:guten morgen|(?:heute|tag|woch|mitt|frei)\w* morgen|am morgen|\w+tag morgen)\b", re.I),
    "es": re.compile(r"\b(?:(?:de|por) la mañana|pasado mañana)\b", re.I),
    "fr": re.compile(r"\b(?:après-demain|bonjour)\b", re.I),
}
AFTER_TOMORROW = {"en": "day after tomorrow", "de": "übermorgen", "es": "pasado mañana", "fr": "après-demain"}
AT = re.compile(r"\b(?:at|around|about|by|um|gegen|ab|a las|a la|sobre las|à|vers|for|the)\s+$", re.I)
MONTH_FIRST = {
    language: re.compile(
        rf"\b({_either(speech.months)})\s+(?:the\s+)?(\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(\d{{4}}))?\b", re.I
    )
    for language, speech in SPEECH.items()
}
DAY_FIRST = {
    language: re.compile(
        rf"\b(\d{{1,2}})(?:\.|st|nd|rd|th|er)?\s+(?:of\s+|de\s+)?({_either(speech.months)})(?:\s+(?:de\s+)?(\d{{4}}))?\b",
        re.I,
    )
    for language, speech in SPEECH.items()
}
NTH = re.compile(r"\b(?:the|on the|am|den|el|le)\s+(\d{1,2})(?:st|nd|rd|th|\.)(?![\d:])", re.I)
