"""A plain yes and a plain no in languages that the house does not speak, as a whole utterance and nothing beside.

Whoever calls is answered by the model in their own language, and says yes in it. Of a language that nobody here has
gone through word by word, only what cannot mean anything else counts: the yes itself, said twice, or with a please or
thanks. Whatever else is said stays unclear, and the question is asked again. A word that is a yes in one of them and
something else in another (Korean "ne"; Greek "nai", which Swiss and Swabians say for no; Tagalog "oo", which is a sigh
anywhere) is left out in Latin letters; a Scandinavian "ja" is understood as the German one is.
"""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final, Literal, NamedTuple


class _PlainWords(NamedTuple):
    """The words of a language, separated by commas: yes, no, and what may stand behind either, or behind the yes."""

    yes: str
    no: str
    thanks: str
    please: str


# In its script, and as people write it without that.
PLAIN: Final[Mapping[str, _PlainWords]] = {
    "tr": _PlainWords(
        "evet, tabii, tabii ki, elbette", "hayır, hayir", "teşekkürler, teşekkür ederim, sağ olun", "lütfen"
    ),
    "pl": _PlainWords("tak, oczywiście, jasne", "nie", "dziękuję, dzięki", "proszę"),
    "ru": _PlainWords(
        "да, конечно, да конечно, da, konechno, da konechno",
        "нет, net, nyet",
        "спасибо, spasibo",
        "пожалуйста, pozhaluysta, pozhaluista",
    ),
    "uk": _PlainWords("так, так звичайно, звичайно, tak", "ні, ni", "дякую, dyakuyu", "будь ласка, bud laska"),
    "ar": _PlainWords(
        "نعم, أجل, ايوه, أيوه, ايوة, أيوة, naam, na am, aywa, aiwa",
        "لا, كلا, laa",
        "شكرا, شكرا لك, shukran",
        "من فضلك, لو سمحت, min fadlak, min fadlik, law samaht",
    ),
    "zh": _PlainWords(
        "是, 是的, 对, 對, 对的, 對的, 好, 好的, 好啊, 可以, 行, 係, 係呀, shi de, dui, hao de, keyi, ke yi",
        "不, 不是, 不要, 不用, 不行, 唔係, 唔要, bu, bu shi, bu yao, bu yong",
        "谢谢, 謝謝, 多谢, 多謝, 唔該, xie xie, xiexie",
        "请, 請, 麻烦你, 麻煩你, 麻烦您, 麻煩您, qing",
    ),
    "vi": _PlainWords(
        "vâng, dạ, dạ vâng, dạ được, được, đúng, đúng vậy, vang, da vang, duoc",
        "không, dạ không, khong, da khong",
        "cảm ơn, cám ơn, cam on",
        "làm ơn, lam on",
    ),
    "ko": _PlainWords(
        "네, 예, 응, 네네, 네 맞아요, 네 해 주세요, 그래요",
        "아니요, 아니오, 아뇨, 아니, aniyo, anio",
        "감사합니다, 고맙습니다",
        "부탁드립니다, 부탁해요",
    ),
    "tl": _PlainWords(
        "opo, oo po, oo naman, sige po, sige", "hindi, hindi po, huwag, huwag po", "salamat, salamat po", "pakiusap"
    ),
    "hi": _PlainWords(
        "हाँ, हां, जी हाँ, जी हां, हाँ जी, हां जी, haan, haan ji, ji haan, han ji, ji han",
        "नहीं, जी नहीं, nahin, nahi, ji nahin, ji nahi",
        "धन्यवाद, शुक्रिया, dhanyavaad, shukriya",
        "कृपया, kripya",
    ),
    "ro": _PlainWords("da, sigur, da sigur, desigur", "nu", "mulțumesc, mersi", "vă rog, te rog"),
    "hu": _PlainWords("igen, persze, igen persze", "nem", "köszönöm, köszi", "kérem, legyen szíves"),
    "cs": _PlainWords("ano, jistě, samozřejmě, áno", "ne", "děkuji, díky, ďakujem", "prosím"),
    "el": _PlainWords(
        "ναι, μάλιστα, βεβαίως, ναι βεβαίως", "όχι, ochi, oxi", "ευχαριστώ, efharisto, efcharisto", "παρακαλώ, parakalo"
    ),
    "sv": _PlainWords("ja tack, jo tack, japp, javisst", "nej", "tack, tack så mycket", "snälla"),
    "da": _PlainWords("ja tak, jo tak, jada", "nej", "tak, mange tak", "selvfølgelig"),
    "no": _PlainWords("ja takk, jo takk, jada", "nei", "takk, tusen takk, mange takk", "selvfølgelig"),
    "fi": _PlainWords("kyllä, joo, juu, kyllä vain, totta kai", "ei", "kiitos", "ole hyvä, olkaa hyvä"),
    "hr": _PlainWords(
        "da, naravno, da naravno, да, наравно, да наравно",
        "ne, не",
        "hvala, хвала",
        "molim, molim vas, молим, молим вас",
    ),
    "ja": _PlainWords(
        "はい, ええ, はいはい, うん, はい大丈夫です, はいそうです, hai sou desu, hai so desu, hai onegaishimasu",
        "いいえ, いえ, いや, 違います, iie",
        "ありがとう, ありがとうございます, どうも, arigato, arigatou",
        "お願いします, おねがいします, onegaishimasu",
    ),
}
# What somebody else says by it: German "da" is "here", Italian and Portuguese "from", Dutch "naam" is "name" and "nu"
# "now"; "tak" is a Dane's thanks, which decline as well as accept.
_ELSE: Mapping[str, str] = {"de": "da", "it": "da", "pt": "da", "nl": "da, naam, nu", "da": "tak"}
_BROKEN_OFF = ("...", "\u2026", ",", "\u3001", "\u060c", "-", "\u2013")
_ASKING = frozenset("?\uff1f\u061f\u037e\u00bf")


def plain_reply(text: str, language: str) -> Literal["yes", "no", "unclear"]:
    """Return what a whole utterance says in one of these languages; the conversation's `language` has other words."""
    if not _ASKING.isdisjoint(text) or text.rstrip().endswith(_BROKEN_OFF) or any(map(_is_struck_out, text)):
        return "unclear"
    said = _bare(text)
    return "unclear" if said in _means_else(language) else _replies().get(said, "unclear")


def _is_struck_out(character: str) -> bool:
    return unicodedata.combining(character) == 1


@cache
def _replies() -> Mapping[str, Literal["yes", "no"]]:
    """Return by utterance what it says."""
    replies: dict[str, Literal["yes", "no"]] = {}
    for words in PLAIN.values():
        behind = _listed(words.thanks)
        replies |= dict.fromkeys(_with(_listed(words.no), behind), "no")
        replies |= dict.fromkeys(_with(_listed(words.yes), (*behind, *_listed(words.please))), "yes")
    return replies


@cache
def _means_else(language: str) -> frozenset[str]:
    """Return the utterances that say something else in a language, also said twice ("da, da")."""
    return frozenset(_with(_listed(_ELSE[language]), ())) if language in _ELSE else frozenset()


def _listed(words: str) -> Sequence[str]:
    return [word.strip() for word in words.split(",")]


def _with(replies: Sequence[str], behind: Sequence[str]) -> Iterator[str]:
    """Yield replies as they are said: alone, twice, and with words behind them."""
    for reply in replies:
        yield from map(_bare, (reply, f"{reply} {reply}", *(f"{reply} {word}" for word in behind)))


def _bare(text: str) -> str:
    """Return an utterance without case, accents, marks and blanks; whatever is no letter or mark stays in it."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in plain if unicodedata.category(character)[0] not in "PZMC")
