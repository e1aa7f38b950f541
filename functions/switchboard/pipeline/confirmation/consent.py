"""Whether a caller agreed: what was said, pressed or clicked, read as yes, no or unclear, outside any model.

A short answer is understood as a whole: it is a yes only if every word of it belongs to a known phrase, at least one
of them agrees, and none refuses. So a condition, a question, a doubt or anything unheard of is never a yes. A no may
go on in words nobody knows ("no, on Thursday"): to refuse is always safe, since nothing happens.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import dropwhile
from typing import Literal, TypeAlias

from switchboard.contract.business.languages import language_of
from switchboard.contract.definitions.definition import Definition, Kind
from switchboard.contract.python.dataclass import dataclass
from switchboard.pipeline.confirmation.deed_words import DEEDS, deed_phrases

Reply: TypeAlias = Literal["yes", "no", "unclear"]
"""What a caller answered to "Shall I?"."""
Sense: TypeAlias = Literal["yes", "no", "vague", "filler", "hesitation", "surprise", "deed"]
"""What a phrase does in an answer: `vague` only looks like one, `filler` says nothing, a `hesitation` says nothing
before an answer, but behind it that more is to come ("yes, um"). A `surprise` before a yes makes of it what is said of
news ("oh, okay", "ah ja", "oh great"): it takes one yes more. A `deed` counts beside a yes only: it names what was
asked ("cancel it"), or could decline as well ("fine, thanks")."""

# Phrases by language and sense, separated by commas, as people write them. Left out on purpose: "cancel it" (a yes to
# one question and a no to another), "uh-huh" and "mm-hmm" (said while listening, and hardly heard apart from
# "uh-uh"), "please" and "thanks" alone (German "danke" and "bitte" as often mean no, or "pardon?").
PHRASES: Mapping[str, Mapping[Sense, str]] = {
    "en": {
        "yes": """yes, yes do it, yes do that, just do it,
            yes yes yes, oh yes please do, yes please do, do go for it, do go ahead,
            yeah, yep, yup, yea, aye, sure, sure thing, ok, okay, okey dokey, alright, all right, fine,
            that's fine, that is fine, that would be fine, that'll be fine, good, sounds good, sounds great,
            sounds fine, looks good, perfect, that's perfect, great, that's great, excellent, wonderful, lovely,
            brilliant, correct, that's correct, that is correct, it's correct, it is correct, that's right,
            that is right, it's right, that's the one, exactly, absolutely, definitely, certainly, of course, indeed,
            by all means, affirmative, agreed, i agree, confirm, confirmed, i confirm, go ahead, please do, do it,
            do that, let's do it, let's do that, go for it, go ahead and do it, go right ahead,
            i'd like that, i would like that, i'd love that, that works,
            that works for me, works for me, that'd be great, that would be great, that would be good,
            that would be lovely, that would be perfect, yes it is, yes i do, i said yes, you bet, ok then, okay then,
            alright then, all right then, go ahead then, oh yes, oh yes please, ah yes please, yes do,
            please go ahead, feel free, that's what i want, that is what i want,
            that would be helpful""",
        "deed": """fine thanks, fine thank you, good thanks, good thank you, all right thanks, alright thanks,
            all right thank you, alright thank you, thanks good, thanks fine, go on then, you can do that,
            i'm sure, i am sure, i want that""",
        "no": """no, nope, nah, no thanks, no thank you, no way, no need, not yet, not now, not today, not really,
            not at all, not that, not that one, not like that, not for me, never, never mind, nevermind, don't, do not,
            don't do it, do not do it, don't do that, don't book it, do not book it, i don't, i do not,
            i don't want that, i don't want it, i don't want to, i don't think so, i'd rather not, i would rather not,
            rather not, i'd prefer not to, better not, absolutely not, definitely not, certainly not, of course not,
            negative, wrong, that's wrong, that is wrong, that's not right, that is not right, that isn't right,
            that's not correct, that is not correct, incorrect, that's incorrect, it's not, it is not, it isn't,
            that doesn't work, that does not work, that won't work, stop, stop it, forget it, forget about it, leave it,
            i disagree, i said no, i changed my mind""",
        "vague": """i don't know, don't know, i do not know, i don't mind, i don't care, i don't understand,
            i do not understand, don't worry, i don't see why not, no problem, no worries, no idea, no clue, no doubt,
            no question, no matter, no objection, no objections, i'm good, i'm fine, i'm okay, i'm ok, that's okay,
            that's ok, it's okay, it's ok, that's good, that's all right, that's alright, it's fine, i'm all right""",
        "filler": "please, thanks, thanks a lot, thank you, thank you very much, thank you so much, sir, madam, ma'am",
        "hesitation": "uh, um, uhm, umm, erm, hm, hmm, m, mm, well",
        "surprise": "ah, oh, ooh, aha, huh",
    },
    "de": {
        "yes": """ja, jawohl, oh ja, oh ja bitte, ah ja bitte, ach ja bitte, tun sie das, jo, jup, jap, jep, ja doch,
            gern, gerne, sehr gern, sehr gerne, aber gern,
            aber gerne, genau, ganz genau, richtig, das ist richtig, ist richtig, korrekt, das ist korrekt, stimmt,
            das stimmt, stimmt so, das stimmt so, stimmt genau, passt, das passt, passt so, das passt so, passt mir,
            das passt mir, passt gut, das passt gut, passt mir gut, das passt mir gut, passt perfekt, klar, na klar,
            aber klar, alles klar, geht klar, klar doch, aber klar doch, gern doch, natürlich, natuerlich,
            selbstverstaendlich, aber natürlich, sicher, aber sicher, ganz sicher, aber ja, selbstverständlich,
            freilich, in ordnung, das ist in ordnung, geht in ordnung, einverstanden, bin einverstanden,
            ich bin einverstanden, gut, sehr gut, ist gut, das ist gut, perfekt, wunderbar, super, prima, toll, bestens,
            ausgezeichnet, mach das, machen sie das, machen wir, machen wir so, machen wir das, das machen wir,
            so machen wir das, so machen wir's, ich bestätige, bestätigt, auf jeden fall,
            unbedingt, absolut, klingt gut, das klingt gut, hört sich gut an,
            das hört sich gut an, das wäre gut, das wäre super, das wäre toll, das wäre schön, das wäre nett, okey,
            machen sie das so, das können sie machen, das dürfen sie""",
        "deed": """jaja, ja ja, passt danke, passt so danke, stimmt so danke, danke passt, danke passt so, ist gut
            danke,
            danke ist gut, ich bin sicher, ich bin mir sicher, machen sie""",
        "no": """nein, nee, ne, nö, lieber nicht, lieber doch nicht, doch nicht, noch nicht, jetzt nicht, heute nicht,
            besser nicht, eher nicht, bitte nicht, dann nicht, auf keinen fall, auf gar keinen fall, keinesfalls,
            gar nicht, überhaupt nicht, natürlich nicht, natuerlich nicht, sicher nicht, ganz sicher nicht,
            bestimmt nicht, absolut nicht, stimmt nicht, das stimmt nicht, stimmt so nicht, das stimmt so nicht,
            passt nicht, das passt nicht, passt mir nicht, das passt mir nicht, passt leider nicht,
            das passt leider nicht, leider nicht, passt mir leider nicht, das passt mir leider nicht, leider nein,
            nicht richtig, das ist nicht richtig, falsch, das ist falsch, nicht einverstanden, nicht in ordnung,
            nicht gut, das ist nicht gut, nicht buchen, buchen sie nicht, buchen sie das nicht, mach das nicht,
            machen sie das nicht, ich will nicht, das will ich nicht, ich möchte nicht, das möchte ich nicht, nicht so,
            so nicht, niemals, nie, vergiss es, vergessen sie es, vergessen sie das, lass mal, lass es, lassen sie es,
            lassen sie das, lassen sie mal, lassen wir das, halt, stopp""",
        "vague": "passt schon, das passt schon, schon gut, ist schon gut, alles gut, ach ja, nun ja",
        "filler": "bitte, bitte schön, bitte sehr, danke, danke schön, danke sehr, vielen dank, besten dank",
        "hesitation": "ähm, öhm, also, nun, dann",
        "surprise": "ach, ach so, achso, ach was",
    },
    "es": {
        "yes": """sí, claro, claro que sí, por supuesto, por supuesto que sí, desde luego, vale, de acuerdo,
            estoy de acuerdo, correcto, es correcto, exacto, exactamente, así es, eso es, está bien, muy bien, perfecto,
            genial, estupendo, adelante, hágalo, hazlo, confirmo, lo confirmo, confirmado, dale,
            oh sí, ah sí por favor, me parece bien, me viene bien, me va bien, proceda, siga adelante""",
        "deed": "está bien gracias, gracias está bien, bien gracias, siga, puede hacerlo, estoy seguro, estoy segura",
        "no": """no, no gracias, todavía no, aún no, ahora no, hoy no, mejor no, para nada, de ninguna manera,
            en absoluto, claro que no, por supuesto que no, desde luego que no, no está bien, no es correcto, no quiero,
            no lo haga, así no, nunca, déjelo, déjalo, no estoy de acuerdo""",
        "vague": """no sé, no lo sé, no estoy seguro, no estoy segura, no siga, no entiendo, no le entiendo, no oigo,
            no le oigo,
            no escucho, no le escucho, no puedo, no recuerdo, no hay problema, no importa, no pasa nada""",
        "filler": "por favor, gracias, muchas gracias, señor, señora, señorita, muy amable, si es tan amable",
        "hesitation": "eh, este, bueno, pues",
    },
    "fr": {
        "yes": """oui, ouais, ouaip, ouip, mais oui, bien sûr, bien sûr que oui, bien entendu, d'accord, d accord,
            je suis d'accord, c'est d'accord, volontiers, avec plaisir, c'est bon, c'est ça, c'est bien ça, c'est exact,
            c'est correct, c'est parfait, exact, exactement, tout à fait, absolument, parfait, entendu, ça marche,
            ça me va, ça me convient, très bien, allez-y, vas-y, faites-le, je confirme, confirmé, je veux bien,
            certainement, évidemment, oh oui, ah oui s'il vous plaît, faites donc, c'est d accord,
            procédez, c'est entendu""",
        "deed": """c'est bon merci, merci c'est bon, mais oui bien sûr, faites, j'en suis sûr, j'en suis sûre,
            je suis sûr, je suis sûre, vous pouvez y aller, vous pouvez le faire""",
        "no": """non, nan, pas encore, pas maintenant, pas aujourd'hui, pas du tout, surtout pas, absolument pas,
            certainement pas, bien sûr que non, pas d'accord, je ne suis pas d'accord, je préfère pas,
            je préfère ne pas, je ne préfère pas, plutôt pas, plutôt non, vaut mieux pas, il vaut mieux pas, jamais,
            laissez tomber, laisse tomber, ne le faites pas, ne faites pas ça, ce n'est pas ça, c'est pas ça,
            c'est faux, je ne veux pas, je veux pas""",
        "vague": "c'est moi, c'est bien moi",
        "filler": "merci, merci beaucoup, s'il vous plaît, s il vous plaît, s'il te plaît, voilà, monsieur, madame",
        "hesitation": "euh, heu, eh bien, ben, bah, bon, alors",
    },
    "it": {
        "yes": """sì, sì dai, certo, certo che sì, certamente, sicuro, sicuramente, va bene, va benissimo, mi va bene,
            per me va bene, d'accordo, sono d'accordo, esatto, esattamente, giusto, è giusto, corretto, è corretto,
            perfetto, ottimo, benissimo, volentieri, confermo, lo confermo, confermato, faccia pure, fai pure, proceda,
            procedi, assolutamente sì""",
        "no": """no, non ancora, non adesso, non ora, non oggi, meglio di no, meglio no, preferisco di no, direi di no,
            credo di no, assolutamente no, certo che no, per niente, niente affatto, non va bene, non mi va bene,
            non è giusto, non è corretto, non sono d'accordo, sbagliato, è sbagliato, lasci stare, lascia stare,
            lasci perdere, non voglio, non lo faccia, mai""",
        "vague": "fine, va bene così",
        "filler": "grazie, grazie mille, per favore, per piacere, prego, la prego, signore, signora",
        "hesitation": "eh, ehm, beh, bene, allora, ecco",
    },
    "nl": {
        "yes": """ja, jawel, jazeker, jep, jup, zeker, zeker weten, uiteraard, natuurlijk, goed, is goed, dat is goed,
            heel goed, helemaal goed, prima, dat is prima, akkoord, ik ga akkoord, klopt, dat klopt, klopt helemaal,
            juist, dat is juist, precies, inderdaad, dat is correct, oké, graag, heel graag, doe maar, doet u maar,
            ga uw gang, ga je gang, uitstekend,
            dat past, dat komt goed uit, ik bevestig, bevestigd""",
        "no": """nee, neen, nee dank u, nee dank je, liever niet, toch niet, toch maar niet, nog niet, nu niet,
            vandaag niet, beter van niet, beter niet, helemaal niet, absoluut niet, zeker niet, natuurlijk niet,
            uiteraard niet, klopt niet, dat klopt niet, niet goed, dat is niet goed, niet akkoord, ik ga niet akkoord,
            dat past niet, doe maar niet, niet doen, laat maar, laat maar zitten, nooit, ik wil niet, dat wil ik niet,
            fout, dat is fout, verkeerd""",
        "vague": "nou ja, is al goed, al goed",
        "filler": """alstublieft, alsjeblieft, dank u, dank je, dank u wel, dank je wel, dankjewel, bedankt, hoor,
            meneer, mevrouw""",
        "hesitation": "eh, ehm, nou, dan",
    },
    "pt": {
        "yes": """sim, claro, claro que sim, com certeza, certo, está certo, tá certo, isso mesmo, é isso,
            é isso mesmo, exato, exatamente, correto, está correto, está bem, tá bem, está bom, tá bom, pode, pode sim,
            pode fazer, pode confirmar, confirmo, confirmado, de acordo,
            combinado, perfeito, ótimo, muito bem, com prazer, faça isso, quero sim, sem dúvida, beleza""",
        "deed": "tá bom obrigado, tá bom obrigada, está bom obrigado, está bom obrigada, isso",
        "no": """não, ainda não, agora não, hoje não, melhor não, é melhor não, prefiro não, prefiro que não,
            de jeito nenhum, de maneira nenhuma, de modo nenhum, claro que não, com certeza não, não quero,
            não está certo, não está correto, errado, está errado, nunca, deixa pra lá, deixe estar, nem pensar,
            não pode, não faça isso""",
        "vague": """não sei, não tenho certeza, não entendi, não ouvi, não percebi, não há problema, não tem problema,
            não faz mal""",
        "filler": "por favor, se faz favor, obrigado, obrigada, muito obrigado, muito obrigada, senhor, senhora",
        "hesitation": "eh, hum, bem, bom, então, olha",
    },
}

_KEYS: Mapping[str, Reply] = {"1": "yes", "2": "no"}
_BUTTONS: Mapping[str, Reply] = {"yes": "yes", "no": "no"}
LONGEST_ANSWER = 300
"""Nobody needs more characters to say yes, and what is longer is worth a second question."""
_BROKEN_OFF = ("...", "\u2026", ",", " -", " \u2013")
_APOSTROPHES = str.maketrans("", "", "'`\u00b4\u2018\u2019")
# Combining marks are left out but for these: what is struck through was taken back.
_OVERLAY = 1
# Without its dots the one would be "ah", which is said of news.
_HUMMED = re.compile(r"\b[äö]+h+m?\b")
# What a sentence before a question ends with; words that run into it may turn it round ("I would not do this: ...").
_ENDS = ".!\u2026\"'\u201d\u2019\u00bb)"
_DRAWN_OUT = re.compile(r"(.)\1{2,}")
# Whatever is neither a word nor one of these marks counts as a word that nobody knows: an emoji can say no as well.
_WORD = re.compile('[^\\W_]+|[^\\s.,;:!¡"«»()\u2010-\u201f-]')


@dataclass(frozen=True, slots=True)
class Said:
    """What a human said or typed, in the language in which the question was put."""

    text: str
    language: str

    def about(self, deeds: Sequence[str] | None) -> Reply:
        """Return what it answers to a question about these deeds; None where they are not known."""
        return understood(self.text, self.language, deeds)


def deeds_of(definition: Definition) -> tuple[str, ...]:
    """Return what a tool does, of what an answer may name: its first deed, for which it is called at all."""
    return tuple(deed for deed in definition.deeds[:1] if definition.kind is Kind.ACTION and deed in DEEDS)


def plain_words(text: str) -> list[str]:
    """Return the words of a text as answers and questions are compared: without case, accents and marks but `?`."""
    return ["?" if word in "?¿" else word for word in _words(text)]


def asks_for_words(words: Sequence[str]) -> bool:
    """Tell whether words, as `plain_words` gives them, ask something or speak of an answer: "to keep it, say yes".

    A yes that they begin with is the speaker's own ("Yes, of course."), and so is what "I can't say for certain".
    """
    return "?" in words or any(
        word in _OF_ANSWERS or (word in _SAYING and _SPEAKER.isdisjoint(words[max(0, n - _NEAR) : n]))
        for n, word in enumerate(words)
        if n
    )


def may_precede(words: str) -> bool:
    """Tell whether a question that follows these words is still the one that is answered.

    Not if they ask or speak of an answer ("say yes"), say that it will not be done, or run on into it.
    """
    before = words.rstrip()
    if not before:
        return True
    return before[-1] in _ENDS and not asks_for_words(plain_words(before)) and not denies_to_come(before)


def denies_to_come(words: str) -> bool:
    """Tell whether words say that what is about to be asked will not be done, whatever the answer."""
    return _WILL_NOT.search(" ".join(plain_words(words))) is not None


def understood(text: str, language: str, deeds: Sequence[str] | None = None) -> Reply:
    """Return what a spoken or typed answer means; anything but a clear answer is `unclear`.

    Args:
        text: The whole utterance, as transcribed or typed.
        language: The business's, such as `de` or `pt-BR`; English is understood everywhere.
        deeds: What was asked about: "yes, cancel it" agrees to nothing else. None where that is not known.
    """
    if len(text) > LONGEST_ANSWER:
        return "unclear"
    words = _words(text)
    if "?" in words or "¿" in words:
        return "unclear"
    about = tuple(DEEDS) if deeds is None else tuple(deed for deed in DEEDS if deed in deeds)
    senses_heard = [sense for sense in _senses(words, language, about) if sense != "filler"]
    senses = list(dropwhile(lambda sense: sense in ("hesitation", "surprise"), senses_heard))
    needed = 2 if "surprise" in senses_heard else 1
    if senses.count("yes") >= needed and set(senses) <= {"yes", "deed"} and not breaks_off(text):
        return "yes"
    if senses[:1] == ["no"] and "yes" not in senses:
        return "no"
    return "unclear"


def breaks_off(text: str) -> bool:
    """Tell whether a text ends in the middle of something, as it is written down: "well, yes, I..."."""
    return text.rstrip().endswith(_BROKEN_OFF)


def pressed(digits: str) -> Reply:
    """Return what was meant by keys on the phone: 1 is yes and 2 is no, with or without # behind it."""
    return _KEYS.get(digits.strip().removesuffix("#"), "unclear")


def clicked(button: str) -> Reply:
    """Return what was meant by a button of ours, whose value is `yes` or `no`."""
    return _BUTTONS.get(button, "unclear")


def _words(text: str) -> list[str]:
    """Return the words of a text without case and accents, with "yesss" as "yes"."""
    spelled = unicodedata.normalize("NFC", text.translate(_APOSTROPHES).casefold())
    plain = unicodedata.normalize("NFKD", _HUMMED.sub("ehm", spelled))
    return _WORD.findall(_DRAWN_OUT.sub(r"\1", "".join(c for c in plain if unicodedata.combining(c) <= _OVERLAY)))


def _senses(words: list[str], language: str, deeds: tuple[str, ...]) -> Iterator[Sense]:
    """Yield the sense of each phrase from left to right, the longest first; a word in none of them is vague."""
    own = language_of(language)
    phrases = _vocabulary(own if own in PHRASES else "en", deeds)
    longest = max(map(len, phrases))
    at = 0
    while at < len(words):
        lengths = range(min(longest, len(words) - at), 0, -1)
        length = next((n for n in lengths if tuple(words[at : at + n]) in phrases), 0)
        yield phrases[tuple(words[at : at + length])] if length else "vague"
        at += length or 1


@cache
def _vocabulary(language: str, deeds: tuple[str, ...]) -> Mapping[tuple[str, ...], Sense]:
    """Return the phrases of English and of one language, which has the last word, and what names one of the deeds."""
    named = {
        tuple(_words(phrase)): sense
        for deed in deeds
        for own in ("en", language)
        for sense, phrases in deed_phrases(deed, own).items()
        for phrase in phrases
    }
    return named | {
        tuple(_words(phrase)): sense
        for table in (PHRASES["en"], PHRASES[language])
        for sense, phrases in table.items()
        for phrase in phrases.split(",")
    }


_OF_ANSWERS = frozenset(
    plain_words(
        """yes yeah answer reply respond ja nein antworten antworte antwort sí diga responda conteste respuesta oui non
        dites répondez répondre réponse sim sì"""
    )
)
_SAYING = frozenset(plain_words("say sagen sag"))
# Who says something themselves does not ask for it, where they stand so few words before.
_SPEAKER = frozenset(plain_words("i ich we wir cant cannot did"))
_NEAR = 4
_DOING = (
    r"(?:cancel|absag|storn|streich|losch|anul|annul|supprim|disdi|desmarc|afzeg|schrap|mov|reschedul|verschieb"
    r"|verleg|cambi|deplac|spost|verzet|verplaats|book|reserv|buch|prenot|boek|send (?:it|this|that|them|the)\b|do\b"
    r"|go ahead|proceed|tun\b|mach"
    r"|hacer|faire|doen\b|fazer)"
)
# "I will not cancel it. I would now cancel it. Shall I?": a yes to that may be to either. That something was not done
# before, or cannot be, says nothing of it.
_WILL_NOT = re.compile(
    r"\b(?:(?:i|we) (?:wont|wouldnt|shant|(?:will|would|shall) (?:not|never))|(?:im|i am|were|we are) (?:not|never)"
    rf"(?: going| about)? to)(?! be able) (?:(?:now|then|just|actually|even|ever|really|simply) ){{0,2}}{_DOING}"
    r"|\b(?:im|i am|were|we are) not (?:cancell?|mov|book|reschedul|do)ing\b|\b(?:i|we) (?:wont|will not|shant)$"
    r"|\b(?:will not|wont) be (?:cancel|moved|booked|reschedul)"
    rf"|\b(?:ich|wir) (?:werden?|wurden?|will|wollen) (?:\w+ ){{0,5}}(?:nicht|nie) (?:\w+ ){{0,3}}{_DOING}"
    r"|\bich (?:sag|absag|storn|streich|losch|verschieb|verleg|buch|reserv)\w* (?:\w+ ){0,5}nicht\b"
    r"|\bwird nicht (?:abgesagt|storniert|gestrichen|geloscht|verschoben|verlegt|gebucht)\b"
    r"|\bno l[oa]s? (?:cancel|anul|cambi|muev|reserv)\w*o\b"
    r"|\bje ne l ?[ae]?s? ?(?:annul|supprim|deplac|reserv)\w* pas\b"
    rf"|\bno (?:l[oa]s? |se l[oa]s? )?(?:(?:voy|vamos) a {_DOING}|{_DOING}\w*r(?:e|emos)\b|hare\b)"
    rf"|\b(?:ne )?(?:vais|allons) (?:pas|jamais) (?:\w+ ){{0,2}}{_DOING}"
    rf"|\b(?:je|nous) (?:ne (?:l[ea]s? )?)?n?{_DOING}\w*r(?:ai|ons) pas\b"
    rf"|\bnon (?:l[oa] )?(?:{_DOING}|far)\w*r(?:o|emo)\b"
    rf"|\b(?:ik|we|wij) (?:zal|zullen|ga|gaan) (?:\w+ ){{0,5}}niet (?:\w+ ){{0,2}}{_DOING}"
    rf"|\bnao (?:o |a )?(?:vou|vamos) (?:\w+ )?{_DOING}"
)
