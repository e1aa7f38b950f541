"""Whether somebody says, in whole plain words, that they want no more texts: "stop texting me", "keine SMS mehr".

In seven languages, whichever is spoken. One that is taken for such a wish too much is told so and can have texts again;
one that is missed goes on getting what they said they do not want.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

CALLERS_STOP: Final = "the caller's STOP"
"""What is noted of why a number gets no texts, where whoever has it has said so."""
_LONGEST: Final = 400
# "You said: no more texts" is one sentence.
_SENTENCES: Final = re.compile(r"([^.!?;\n\u2014\u2013\u00a1\u00bf]+)([.!?;\n\u2014\u2013\u00a1\u00bf]*)")
_DASH: Final = re.compile(r"\s-\s")
# Behind these it is what would be, or was said; before them it is all but one.
_IN_CASE: Final = re.compile(
    r"(?:so |and |oh )?(?:if|when|wenn|falls|si|cuando|quand|se|quando|als|you said|sie sagten)\b"
)
_ALL_BUT: Final = re.compile(
    r"(?:just|only|except|but|nur|ausser|aber|solo|salvo|pero|seulement|sauf|mais|tranne|ma|exceto|alleen|maar)\b"
)
_JOINED: Final = re.compile(r" (?:and|und|y|et) ")
_WORDS: Final = re.compile(r"[a-z0-9]+")
_APOSTROPHES: Final = str.maketrans("", "", "'`\u00b4\u2018\u2019")
# Said beside a wish, and changing nothing of it.
_BESIDE_WORDS: Final = """
    please pls plz thanks thank ok okay hey hi hello just also so look listen immediately now then really
    bitte danke sofort endlich bloss einfach jetzt ab auch und and favor gracias ahora svp merci maintenant
    grazie favore subito adesso obrigado obrigada agora alstublieft alsjeblieft aub bedankt nu direct gewoon
"""
_BESIDE: Final = frozenset(_BESIDE_WORDS.split())
_EN = r"(?:(?:any |all |the |your |these |those )?(?:texts?|text messages?|sms|sms messages?|messages))"
_EN_END = r"(?: (?:any ?more|anymore|again|ever again|ever|at all|to me|to this number|from you|for me))?"
_DE = r"(?:sms|textnachrichten|kurznachrichten|nachrichten|textnachricht|nachricht)"
_ES = r"(?:sms|mensajes|mensajes de texto|textos|mensajitos)"
_FR = r"(?:sms|textos|messages|messages texte|texto)"
_IT = r"(?:sms|messaggi|messaggini|messaggi di testo)"
_PT = r"(?:sms|mensagens|mensagens de texto|torpedos)"
_NL = r"(?:sms|smsjes|smsen|berichten|berichtjes|sms berichten|tekstberichten)"
# Who asks that of somebody, or says that they want it.
_ASKING: Final = re.compile(
    r"(?:(?:can|could|would|will) you|i (?:want|need|told|ask|asked|would like) you to|id like you to|i said"
    r"|you (?:should|must|have to|need to|can)|konnen sie|konnten sie|wurden sie|ich mochte dass sie|puede|podria"
    r"|pueden|quiero que|pouvez vous|pourriez vous|je veux que vous|puo|potete|pode|podem|kunt u|wilt u|kun je|wil je) "
)
_WISHES: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"stop (?:texting|messaging)(?: (?:me|us|this number|my number|my phone)){_EN_END}",
        rf"(?:stop|quit) sending (?:me |us )?{_EN}{_EN_END}",
        r"(?:dont|do not|never) (?:ever )?(?:text|message) (?:me|us|this number) "
        r"(?:any ?more|again|ever again|ever|at all)",
        r"never (?:ever )?(?:text|message) (?:me|us|this number)",
        rf"(?:dont|do not|never) send (?:me |us )?(?:any )?more {_EN}{_EN_END}",
        rf"(?:dont|do not|never) send (?:me |us )?{_EN} (?:any ?more|again|ever again|ever)",
        rf"no more (?:texts|text messages|sms|messages){_EN_END}",
        rf"i (?:dont|do not) (?:want|wish) (?:to (?:get|receive|have) )?(?:any )?more {_EN}{_EN_END}",
        rf"i (?:dont|do not) (?:want|wish) (?:to (?:get|receive) )?{_EN} (?:any ?more|from you|from you any ?more)",
        r"i (?:dont|do not) (?:want|wish) to be (?:texted|messaged)(?: any ?more| again| ever again)?",
        r"(?:take|remove|delete) (?:me|my number|this number|my phone number) (?:off|from|out of) "
        r"(?:your|the|this|that) (?:text|texting|sms|messaging|message|mailing) list",
        r"(?:take|remove|delete) (?:my number|this number|my phone number) (?:off|from|out of) "
        r"(?:your|the|this|that) list",
        r"(?:unsubscribe me|opt me out|i want to opt out)"
        r"(?: (?:from|of) (?:your |the |all )?(?:texts|sms|messages|list))?",
        rf"(?:ich (?:will|mochte|wunsche|brauche) )?keine {_DE} mehr"
        r"(?: (?:von ihnen|an mich|haben|schicken|senden|schreiben))?",
        # Without the wish it may as well be a complaint: "keine SMS mehr bekommen".
        rf"ich (?:will|mochte|wunsche) keine {_DE} mehr (?:von ihnen )?(?:bekommen|erhalten)",
        rf"(?:schicken|senden|schreiben|schick|schickt|schreib|schreibt) (?:sie )?mir keine {_DE} mehr",
        rf"(?:schicken|senden|schreiben|schick|schickt|schreib|schreibt) (?:sie )?mir (?:nie wieder|nie mehr) {_DE}",
        r"(?:schreiben|schreib|schreibt|simsen) (?:sie )?mir (?:nicht mehr|nie wieder|nie mehr)(?: per sms)?",
        rf"horen sie auf mir (?:{_DE} )?zu (?:schicken|senden|schreiben|simsen)",
        r"(?:streichen|nehmen|loschen) sie (?:mich|meine nummer) (?:von|aus) (?:ihrer|der) (?:sms |sms-)?liste",
        rf"(?:ya )?no (?:me|nos) (?:manden?|mandes|envien?|envies|escriban?|escribas) mas(?: {_ES})?",
        rf"(?:ya )?no (?:me|nos) (?:manden?|mandes|envien?|envies) {_ES} mas",
        rf"(?:ya )?no (?:quiero|deseo) (?:recibir )?mas {_ES}(?: suyos| de ustedes)?",
        rf"(?:ya )?no (?:quiero|deseo) que me (?:manden?|envien?) (?:mas )?{_ES}(?: mas)?",
        rf"no mas {_ES}",
        rf"(?:dejen?|deje|paren?) de (?:mandarme|enviarme|escribirme)(?: {_ES})?",
        rf"(?:ne )?m ?envoyez plus (?:de |d |aucun )?{_FR}",
        rf"(?:ne )?m ?envoie plus (?:de |d |aucun )?{_FR}",
        r"ne m ?(?:ecrivez|ecris) plus",
        rf"je ne veux plus (?:recevoir )?(?:de |d |vos |aucun )?{_FR}(?: de votre part)?",
        rf"arretez (?:de m ?envoyer (?:des |vos |les )?{_FR}|de m ?ecrire|les {_FR}|vos {_FR})",
        rf"plus (?:de |d |aucun ){_FR}",
        rf"non (?:mi |ci )?(?:mandate|mandi|mandatemi|inviate|invii|inviatemi|mandarmi|inviarmi|scrivete|scriva)"
        rf"(?:mi)? piu(?: {_IT})?",
        rf"(?:basta|niente piu|non piu|mai piu) {_IT}",
        rf"(?:la )?smett(?:ete|etela|a|ila) di (?:mandarmi|inviarmi|scrivermi)(?: {_IT})?",
        rf"non voglio (?:piu )?(?:ricevere )?(?:piu )?{_IT}(?: da voi)?",
        rf"nao me (?:mandem?|mande|enviem?|envie|escrevam?) mais(?: {_PT})?",
        rf"(?:chega de|sem mais|nao mais) {_PT}",
        rf"nao quero (?:mais )?(?:receber )?(?:mais )?{_PT}(?: vossas| de voces)?",
        rf"(?:parem?|pare) de me (?:mandar|enviar|escrever)(?: {_PT})?",
        rf"(?:stuurt?|zendt?) (?:u )?(?:me|mij) geen {_NL} meer",
        rf"(?:ik wil )?geen {_NL} meer(?: (?:sturen|van u))?",
        rf"ik wil geen {_NL} meer (?:ontvangen|krijgen)",
        rf"stop met (?:(?:me|mij) )?(?:{_NL} )?(?:te )?(?:sturen|sms en|smsen)",
    )
)
# What says the same in a text, and by voice may be the answer to "shall I text it to you?", or about another list.
_WRITTEN: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:dont|do not) (?:text|message|contact|sms) (?:me|us|this number)",
        rf"(?:dont|do not) send (?:me |us )?{_EN}",
        r"(?:take|remove|delete) me(?: (?:off|from|out of) (?:your|the|this|that|all) (?:list|lists|number|database))?",
        r"stop (?:contacting|bothering|spamming|harassing|messaging|texting)(?: me)?",
        r"(?:leave me alone|stop (?:this|it|that))",
        r"(?:no thanks stop|stop stop stop|lose my number|wrong number stop)",
        rf"(?:keine {_DE}|no {_ES}|pas de {_FR}|niente {_IT}|geen {_NL}|sem {_PT})",
        r"(?:lassen sie mich in ruhe|dejenme en paz|laissez moi tranquille)",
        r"(?:lasciatemi in pace|laat me met rust|deixem me em paz)",
        r"(?:borreme|borrenme|quiteme|quitenme|eliminenme)(?: de (?:la|su) lista)?",
    )
)


def asks_for_no_texts(text: str, *, in_writing: bool = False) -> bool:
    """Tell whether a whole clause of what was said or texted is the wish to get no more texts.

    In writing more is one, where nothing else is written that it could be about.
    """
    sentences = list(_sentences(text)) if len(text) <= _LONGEST else []
    if any(_is_wish(clauses, is_asked) for clauses, is_asked in sentences):
        return True
    if not in_writing or not sentences or any(is_asked for _, is_asked in sentences):
        return False
    return all(_is_one_of((*_WISHES, *_WRITTEN), clause) for clauses, _ in sentences for clause in clauses)


def _is_wish(clauses: Sequence[str], is_asked: bool) -> bool:
    """Tell whether a sentence, or one of its clauses, is a wish; a question is one where it asks somebody for it."""
    whole = " ".join(clauses)
    if _IN_CASE.match(whole) is not None:
        return False
    pairs = zip(clauses, (*clauses[1:], ""), strict=True)
    told = [*(clause for clause, then in pairs if _ALL_BUT.match(then) is None), whole]
    if is_asked:
        # What stands before the question itself is told.
        told = [one for one in told if one not in (clauses[-1], whole) or _ASKING.search(one) is not None]
    return any(_is_one_of(_WISHES, part) for clause in told for part in (clause, *_JOINED.split(clause)))


def _is_one_of(wishes: Sequence[re.Pattern[str]], clause: str) -> bool:
    words = " ".join(word for word in clause.split() if word not in _BESIDE)
    asked = _ASKING.match(words)
    spoken = (words, words[asked.end() :]) if asked is not None else (words,)
    return any(wish.fullmatch(one) is not None for wish in wishes for one in spoken)


def _sentences(text: str) -> Iterator[tuple[list[str], bool]]:
    """Yield the clauses of each sentence, without those that change nothing, and whether it is a question."""
    spelled = unicodedata.normalize("NFKD", text.translate(_APOSTROPHES).casefold())
    plain = "".join(character for character in spelled if not unicodedata.combining(character))
    for told, marks in (match.groups() for part in _DASH.split(plain) for match in _SENTENCES.finditer(part)):
        clauses = [" ".join(_WORDS.findall(clause)) for clause in told.split(",")]
        clauses = [clause for clause in clauses if not _BESIDE.issuperset(clause.split())]
        if clauses:
            yield clauses, "?" in marks
