"""Sums of money, in digits or words ("forty-eight dollars"), and days of the month in words ("dos de diciembre").

In English, German, Spanish, French, Italian, Portuguese and Dutch.
"""

import re
from collections.abc import Iterator
from typing import Final

from switchboard.conversation.claims.time_words import MONTHS

_EN_SAID = """
one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen
"""
_DE_SAID = """
ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn
neunzehn
"""
_ES_SAID = """
un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho
diecinueve veinte veintiún veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve
"""
_FR_SAID = """
un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf
"""
_EN_UNITS, _DE_UNITS, _ES_UNITS = _EN_SAID.split(), _DE_SAID.split(), _ES_SAID.split()
_FR_UNITS = [word.replace("-", " ") for word in _FR_SAID.split()]
_TENS_SAID = """
twenty thirty forty fifty sixty seventy eighty ninety
zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig
"""
_EN_TENS, _DE_TENS = _TENS_SAID.split()[:8], _TENS_SAID.split()[8:]
_ES_TENS = ["treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa"]
_FR_TENS = {20: "vingt", 30: "trente", 40: "quarante", 50: "cinquante", 60: "soixante", 80: "quatre vingt"}
_ES_HUNDREDS = {2: "doscientos", 3: "trescientos", 4: "cuatrocientos", 5: "quinientos"}
_IT_SAID = """
un due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette
diciotto diciannove venti trenta quaranta cinquanta sessanta settanta ottanta novanta
"""
_PT_SAID = """
um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete dezoito dezenove
vinte trinta quarenta cinquenta sessenta setenta oitenta noventa
"""
_PT_HUNDREDS_SAID = "cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos"
_NL_SAID = """
een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien
negentien twintig dertig veertig vijftig zestig zeventig tachtig negentig
"""
_SUM = r"\d{1,7}(?:[.,]\d{3}){0,3}(?:[.,]\d{1,2})?"
_COINS = (
    r"dollars?|bucks|euros?|pounds|franken|francs?|dólares|pesos|dollari|franchi|sterline|reais|libras|francos"
    r"|pfund|livres|pond"
)
_MONEY = rf"(?:[$€£]|usd|eur|chf|gbp|{_COINS})"
_AMOUNT = re.compile(rf"[$€£]\s?({_SUM})(?!\d)|(?<![\d.,])({_SUM})\s?{_MONEY}(?![^\W_])", re.I)
_BARE_AMOUNT = re.compile(rf"{_SUM}")
_CURRENCY = re.compile(rf"\b(?:{_COINS})\b", re.I)
_WORD, _DIGIT = re.compile(r"[^\W\d_]+"), re.compile(r"\d")
# A number goes on before these, and cents follow behind those: what is not read whole is not read.
_GOES_ON_SAID = """
thousand tausend mil mille mila duizend hundred hundert cent cientos honderd point komma coma virgule virgola vírgula
and und y et e
"""
_GOES_ON = frozenset(_GOES_ON_SAID.split())
_CENTS = re.compile(r"\s+(?:(?:and|und|con|y|et|e|en)\s+)?(\w+)", re.I)
_SUM_BEHIND = re.compile(r"(\d{1,4})(?=\s*(?:[.,;!](?!\d)|$))")
_MARKED = re.compile(r"[.,;:!?]")
_RANGE = re.compile(r"\s(?:up to|to|and|bis|und|a|à|y|et|al|e|até|tot|en)\s", re.I)
_WORD_OR_DIGITS = re.compile(r"[^\W\d_]+|\d{1,6}")
_BEFORE, _MOST_WORDS = 60, 7


def _below_hundred() -> dict[str, int]:
    said = {word: n for units in (_EN_UNITS, _DE_UNITS, _ES_UNITS, _FR_UNITS) for n, word in enumerate(units, 1)}
    for at, (english, german) in enumerate(zip(_EN_TENS, _DE_TENS, strict=True), 2):
        said |= {english: 10 * at, german: 10 * at}
        said |= {f"{english} {unit}": 10 * at + n for n, unit in enumerate(_EN_UNITS[:9], 1)}
        said |= {f"{unit}und{german}": 10 * at + n for n, unit in enumerate(_DE_UNITS[:9], 1)}
    for at, spanish in enumerate(_ES_TENS, 3):
        said[spanish] = 10 * at
        said |= {f"{spanish} y {unit}": 10 * at + n for n, unit in enumerate(_ES_UNITS[:9], 1)}
    for tens, french in _FR_TENS.items():
        said |= {french: tens, f"{french} et un": tens + 1, f"{french} et onze": tens + 11}
        most = 19 if tens >= 60 else 9
        said |= {f"{french} {unit}": tens + n for n, unit in enumerate(_FR_UNITS[:most], 1)}
    return said | {"quatre vingts": 80} | _written_as_one()


def _written_as_one() -> dict[str, int]:
    """Return the numbers below a hundred of Italian, Portuguese and Dutch."""
    italian, portuguese, dutch = _IT_SAID.split(), _PT_SAID.split(), _NL_SAID.split()
    said = {"una": 1, "uno": 1, "uma": 1, "duas": 2, "quatorze": 14, "dezasseis": 16, "dezassete": 17, "dezanove": 19}
    for words in (italian, portuguese, dutch):
        said |= {word: n for n, word in enumerate(words[:19], 1)}
        said |= {word: 10 * n for n, word in enumerate(words[19:], 2)}
    for at in range(2, 10):
        for n in range(1, 10):
            tens, unit = italian[17 + at], ("uno", *italian[1:9])[n - 1]
            # "Ventuno", "trentotto", "ventitré".
            said[f"{tens[:-1] if unit[0] in 'uo' else tens}{'tré' if n == 3 else unit}"] = 10 * at + n
            said[f"{portuguese[17 + at]} e {portuguese[n - 1]}"] = 10 * at + n
            said[f"{dutch[n - 1]}{'ën' if dutch[n - 1].endswith('e') else 'en'}{dutch[17 + at]}"] = 10 * at + n
    return said


def _below_thousand() -> dict[str, int]:
    small = _below_hundred()
    said = small | {"a hundred": 100, "hundert": 100, "cien": 100, "cent": 100}
    for n in range(1, 10):
        english, german, french = _EN_UNITS[n - 1], _DE_UNITS[n - 1], _FR_UNITS[n - 1]
        begins = [f"{english} hundred ", f"{english} hundred and ", f"{german}hundert", f"{french} cent "]
        begins += ["a hundred ", "a hundred and ", "hundert", "cent ", "ciento "] if n == 1 else []
        begins += [f"{_ES_HUNDREDS[n]} "] if n in _ES_HUNDREDS else []
        said |= {begin.strip(): 100 * n for begin in begins if not begin.endswith("and ")}
        begins += [
            f"{'' if n == 1 else _IT_SAID.split()[n - 1]}cento",
            f"{'' if n == 1 else _NL_SAID.split()[n - 1]}honderd",
        ]
        begins += [f"{_PT_HUNDREDS_SAID.split()[n - 1]} e "]
        said |= {f"{begin}{word}": 100 * n + value for begin in begins for word, value in small.items()}
        said |= {begin.removesuffix(" e "): 100 * n for begin in begins if "nto" in begin or begin.endswith("honderd")}
    return said | {"cem": 100}


_NUMBERS: Final = {words.casefold(): n for words, n in _below_thousand().items()}
_BELOW_HUNDRED: Final = {words.casefold(): n for words, n in _below_hundred().items()}
# Thousands told in hundreds: "twenty-five hundred", "dix-huit cent".
_HUNDREDS = re.compile(r"(?P<hundreds>.+) (?:hundred|cent)(?: (?:and )?(?P<rest>.+))?")


def whole_number(words: str) -> int | None:
    """Return the whole number that words say, in small letters with single blanks; None where they are no number."""
    words = words.replace("duas", "dois")
    if words in _NUMBERS:
        return _NUMBERS[words]
    told = _HUNDREDS.fullmatch(words)
    if told is None or told["hundreds"] not in _BELOW_HUNDRED:
        return None
    rest = _BELOW_HUNDRED.get(told["rest"]) if told["rest"] else 0
    return None if rest is None else 100 * _BELOW_HUNDRED[told["hundreds"]] + rest


def sums_said(text: str) -> list[int | None]:
    """Return the whole sums of money that a text says in words; None for one that is not read for certain."""
    sums = list[int | None]()
    for match in _CURRENCY.finditer(text):
        before = text[max(0, match.start() - _BEFORE) : match.start()]
        if before.rstrip()[-1:].isdigit():
            continue
        words = [word.casefold() for word in _WORD.findall(before)]
        counts = range(min(_MOST_WORDS, len(words)), 0, -1)
        count = next((n for n in counts if whole_number(" ".join(words[-n:])) is not None), 0)
        if not count:
            continue
        goes_on = len(words) > count and words[-count - 1] in _GOES_ON
        behind = _CENTS.match(text, match.end())
        has_cents = behind is not None and (behind[1].isdigit() or behind[1].casefold() in _NUMBERS)
        sums.append(None if goes_on or has_cents else whole_number(" ".join(words[-count:])))
    return sums


def number_behind(text: str, at: int) -> int | None:
    """Return the number that stands in words or digits from somewhere on, where it counts no things; None elsewhere."""
    match = _SUM_BEHIND.match(text, at)
    if match is not None:
        return int(match[1])
    words = [word.casefold() for word in _WORD.findall(_MARKED.split(text[at : at + _BEFORE])[0])]
    count = next(
        (n for n in range(min(_MOST_WORDS, len(words)), 0, -1) if whole_number(" ".join(words[:n])) is not None), 0
    )
    if not count or len(words) > count:
        return None
    return whole_number(" ".join(words[:count]))


def ranges_said(text: str) -> Iterator[tuple[int, int]]:
    """Yield the ends of each range of numbers, in words or digits: "forty-eight to sixty-two", "48 pounds to 62"."""
    for match in _RANGE.finditer(text):
        left = _CURRENCY.sub(" ", text[max(0, match.start() - _BEFORE) : match.start()])
        before = [word.casefold() for word in _WORD_OR_DIGITS.findall(left)][-_MOST_WORDS:]
        right = _MARKED.split(text[match.end() : match.end() + _BEFORE])[0]
        after = [word.casefold() for word in _WORD_OR_DIGITS.findall(right)][:_MOST_WORDS]
        lows = (_plain_number(" ".join(before[start:])) for start in range(len(before)))
        highs = (_plain_number(" ".join(after[:end])) for end in range(len(after), 0, -1))
        low, high = (next((one for one in ends if one is not None), None) for ends in (lows, highs))
        if low is not None and high is not None and low < high:
            yield low, high


def _plain_number(words: str) -> int | None:
    return int(words) if words.isdigit() else whole_number(words)


def amounts_in(text: str) -> frozenset[str]:
    """Return the sums of money that a text names, as `plain_amount` writes them."""
    if _DIGIT.search(text) is None:
        return frozenset()
    return frozenset(plain_amount(m[1] or m[2]) for m in _AMOUNT.finditer(text))


def amounts_in_data(text: str) -> frozenset[str]:
    """Return the same of a text in a tool's data, where a sum may stand without its currency."""
    return amounts_in(text) | ({plain_amount(text)} if _BARE_AMOUNT.fullmatch(text.strip()) else frozenset())


def plain_amount(digits: str) -> str:
    """Return a sum as it is compared: "1,200.00" and "1.200" are "1200", "12,5" is "12.50"."""
    digits = digits.strip()
    match = re.fullmatch(r"(.*?)[.,](\d{1,2})", digits)
    whole, cents = (match[1], match[2].ljust(2, "0")) if match else (digits, "00")
    whole = "".join(filter(str.isdigit, whole)) or "0"
    return whole if cents == "00" else f"{whole}.{cents}"


_IT_DAYS_SAID = """
primo due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette
diciotto diciannove venti ventuno ventidue ventitré ventiquattro venticinque ventisei ventisette ventotto ventinove
trenta trentuno
"""
_PT_DAYS_SAID = """
primeiro dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete dezoito
dezenove vinte
"""
_NL_DAYS_SAID = """
een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien
negentien twintig eenentwintig tweeëntwintig drieëntwintig vierentwintig vijfentwintig zesentwintig zevenentwintig
achtentwintig negenentwintig dertig eenendertig
"""
_NL_ORDINALS_SAID = "eerste tweede derde vierde vijfde zesde zevende achtste negende tiende elfde twaalfde"
_DE_ORDINALS_SAID = "erst zweit dritt viert fünft sechst siebt acht neunt zehnt elft zwölft"
_LAST_DAY, _DAY_WORDS, _BEFORE_MONTH, _ENGLISH_MAY = 31, 3, 40, "may"


def _days() -> dict[str, int]:
    """Return what days of a month are called; English has them elsewhere, and calls none by a plain number."""
    romance = {word: n for units in (_ES_UNITS, _FR_UNITS) for n, word in enumerate(units, 1)}
    romance |= {word: n for word, n in _below_hundred().items() if word.startswith(("vingt", "trent", "treint"))}
    said = {word: n for word, n in romance.items() if n <= _LAST_DAY}
    said |= {"primero": 1, "uno": 1, "veintiuno": 21, "treinta y uno": 31, "premier": 1, "um": 1, "trinta": 30}
    for words in (_IT_DAYS_SAID, _PT_DAYS_SAID, _NL_DAYS_SAID, _NL_ORDINALS_SAID):
        said |= {word: n for n, word in enumerate(words.split(), 1)}
    units = ("um", *_PT_DAYS_SAID.split()[1:9])
    said |= {f"vinte e {unit}": 20 + n for n, unit in enumerate(units, 1)} | {"trinta e um": 31}
    said |= {"quatorze": 14, "dezasseis": 16, "dezassete": 17, "dezanove": 19, "l'uno": 1}
    german = {word: n for n, word in enumerate(_DE_ORDINALS_SAID.split(), 1)}
    german |= {f"{word}t": n for n, word in enumerate(_DE_UNITS, 1) if n > len(german)}
    twenties = {f"{unit}und{_DE_TENS[0]}st": 20 + n for n, unit in enumerate(_DE_UNITS[:9], 1)}
    german |= {"zwanzigst": 20, "dreißigst": 30, "einunddreißigst": 31, **twenties}
    return said | {f"{word}e{ending}": n for word, n in german.items() for ending in ("", "n", "r", "s")}


_DAYS: Final = _days()
# Of what stands before a month the last words may be the day: "vingt et un décembre", "treinta y uno de enero".
_OF_MONTH = re.compile(rf"(?:\b(?:de|di|van)\s+)?\b({'|'.join(sorted(MONTHS, key=len, reverse=True))})\b", re.I)
_MARK = re.compile(r"[^\w' -]")
# "Lei non sei mai venuta".
_NEVER = ("sei", "mai")


def days_in_words(text: str) -> Iterator[tuple[int, int]]:
    """Yield the months and days that a text names by a number in words: "el dos de diciembre"."""
    for match in _OF_MONTH.finditer(text):
        before = _MARK.split(text[max(0, match.start() - _BEFORE_MONTH) : match.start()])[-1]
        words = [word.casefold() for word in _WORD.findall(before)]
        counts = range(min(_DAY_WORDS, len(words)), 0, -1)
        day = next((_DAYS[told] for count in counts if (told := " ".join(words[-count:])) in _DAYS), 0)
        if day and (words[-1], match[1].lower()) != _NEVER and match[1].lower() != _ENGLISH_MAY:
            yield MONTHS[match[1].lower()], day
