"""Which people a sentence names: with whom something is said to be, and who is named otherwise."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from switchboard.contract.business.business import Business
from switchboard.contract.model import Message, UserMessage
from switchboard.contract.python.dataclass import dataclass
from switchboard.conversation.claims.name_words import GIVEN_NAMES, is_no_name
from switchboard.conversation.claims.party_words import KIN, party_readings
from switchboard.conversation.claims.people_marks import MARK, MARKS, TITLE, WITH, marked, parts_of

# Whoever is named behind these is not who it is with.
_NOT_THEM = re.compile(
    r"(?:\bnot\s+(?:with\s+)?|\binstead\s+of\s+|\brather\s+than\s+(?:with\s+)?|\bnicht\s+(?:bei|mit)\s+"
    r"|\bstatt\s+(?:bei\s+)?"
    r"|\banstelle\s+von\s+|\bno\s+con\s+|\ben\s+(?:lugar|vez)\s+de\s+|\bpas\s+(?:avec|chez)\s+|\bau\s+lieu\s+de\s+"
    r"|\binvece\s+di\s+"
    rf"|\bin\s+plaats\s+van\s+){TITLE}?{MARK}",
    re.I,
)
_BESIDE = re.compile(
    rf"{WITH}(?P<who>{MARK}(?:\s*,\s*{MARK})*(?:\s*,?\s+(?:and|or|und|oder|y|o|et|ou|e|en"
    rf"|of)\s+(?:{WITH})?{MARK})*)",
    re.I,
)
# What no clause says of anybody in it: that something is not, or may be, is wished for, asked, or told to them.
_NOT_SAID = re.compile(
    r"\b(?:not|no|never|nobody|none|nothing|neither|cannot|unfortunately|\w+n't|nicht|kein\w*|nie|niemand|nichts"
    r"|leider|ne|n'\w+|pas"
    r"|rien|aucun\w*|malheureusement|niet|geen|niets|niemand|helaas|não|nada|nenhum\w*|infelizmente|non|nessun\w*"
    r"|niente|purtroppo"
    r"|nadie|ningun\w*|lamentablemente|if|whether|unless|in case|once(?= (?:i|you|we|she|he|they|it|that|the)\b"
    r"| [\ue000-\ue0ff])|ob|wenn|falls|sobald|sofern|cuando|quand|quando|zodra"
    r"|si(?! (?:occup|prend))|(?:se|als)(?= (?:lei|você|u|tiver|estiver|for)\b| (?:[ao] )?[\ue000-\ue0ff])"
    r"|fully booked|booked out|booked up|(?:'d|would) (?:need|have to)|bräuchten?|haría falta|harían falta|faudrait"
    r"|servirebbe|precisaria"
    r"|busy|(?:is|'s|days?) (?:off|away|out|sick|ill)|on (?:holiday|vacation"
    r"|leave)|belegt|ausgebucht|vergeben|urlaub|krank|frei hat"
    r"|ocupad[oa]|vacaciones|complet|complète|occupée?|vacances|congé|ferie|occupat[oa]|férias|ocupad[oa]|vakantie"
    r"|bezet|vol"
    r"|(?:you|she|he|they)(?:'d| would) (?:like|prefer|rather)|you (?:want|wanted|asked|said|mentioned|prefer|wish)"
    r"|wish(?:ed)? for|möchten?|wollten|wünschen"
    r"|gewünscht|hätten|bevorzugen|quiere|desea|prefiere|prefería|quería|voulez|voulait|vouliez|souhait\w+"
    r"|préfér\w+|aimeriez"
    r"|vorrebbe|preferisce|desidera|gostaria|prefere|deseja|wilt|wilde|liever|graag bij"
    r"|message|ask|asked|tell|told|let \S+ know|inform|pass(?:ed|ing)? (?:\w+ )?on|call|calls|calling|ring|reach"
    r"|write|get back"
    r"|talk|speak|speaking|connect\w*|transfer\w*|put(?:ting)? you through|discuss|number|e-?mail|details|verbinde\w*"
    r"|besprech\w*|nummer|assistant|asistente|assistente|hat (?:(?:heute|morgen|dann|da"
    r"|(?:am )?(?:\w+tag|mittwoch)|(?:diese|nächste) woche) )?frei|question|nachricht"
    r"|bescheid|ausrichten|richte|frage|fragen|gesagt|zurückrufen|zurückruft|meldet|melden|weiter(?:leiten|geben)"
    r"|mensaje|recado|digo|diré|aviso|avisar\w*|pregunt\w+|llam\w+|transmet\w*|demande\w*|rappel\w*|messaggio|dico"
    r"|chiedo|richiam\w+"
    r"|recado|digo|pergunt\w+|ligar\w*|bericht|vraag|vragen|zeg|terugbellen|doorgeven"
    r"|last time|usually|normally|letztes mal|zuletzt|meistens|normalerweise|última vez|normalmente|dernière fois"
    r"|d'habitude"
    r"|ultima volta|di solito|vorige keer|meestal"
    r"|lunch|break|(?:an?|the|another|in) meeting|client|customer|customers|clients|pause|mittagspause|kundschaft"
    r"|kunden?|kundin|besprechung|reunión|descanso|día libre|giorno libero|fuori|maternità|riposo|clienta|réunion"
    r"|cliente)\b",
    re.I,
)
# Words of the above that say none of it.
_SAID_ALL_THE_SAME = re.compile(
    r"\b(?:no (?:problem|worries|trouble|later)|not (?:a problem|only|at all)|don't (?:worry|hesitate)|kein problem"
    r"|keine sorge|nicht nur"
    r"|no hay problema|sin problema|ningún problema|no se preocupe|pas de (?:problème|souci)|aucun (?:problème"
    r"|souci)|nessun problema"
    r"|sem problemas?|geen probleem|can't wait|cannot wait|couldn't be happier|won't (?:regret|be disappointed)"
    r"|(?:if|when|once|wenn|sobald|cuando|quand|als) (?:you|sie|usted|vous|u)(?:'re| are| get| come| arrive| like"
    r"| want| wish| prefer| kommen"
    r"| da sind| mögen| möchten| wollen| llegue| quiere| arriverez| voulez| wilt)\b"
    r"|if (?:that|it) (?:works|suits|helps)|si quiere|si vous voulez|si le va bien|se vuole|se quiser|ask for)",
    re.I,
)
LOOKING = re.compile(
    r"\b(?:let me (?:just |quickly )?(?:see|check|look|find)|i'll (?:just |quickly )?(?:see|check|look|find out)"
    r"|(?:one|a|just a) (?:moment|second|minute)|see (?:what|whether|if|when|how)"
    r"|(?:i'm|i am) (?:just )?(?:checking|looking)|(?:i )?(?:can|could) check|(?:einen )?moment|ich (?:schaue?|sehe"
    r"|prüfe|gucke)|un momento"
    r"|(?:lo |le )?(?:miro|compruebo|consulto|reviso)|je (?:regarde|vérifie|consulte)|un instant|guardo|controllo"
    r"|verifico|vou ver|verifico|deixe-me"
    r"|ik kijk|even kijken|ik controleer)\b",
    re.I,
)
_ASKS = re.compile(
    r"^[\s¿¡'\"(]*(?:and |so |or |und |y |et |e |en )?(?:is|are|was|were|do|does|did|can|could|would|will|shall"
    r"|should|may|has|have|who|when|what|which|how|ist|sind|hat|haben|kann"
    r"|können|könnte|soll|sollen|darf|wer|wann|was|welche\w*|möchten|wollen|wäre|passt|geht|¿.*|est-ce|voulez"
    r"|souhaitez|pouvez|puis-je|qui|quand"
    r"|è|vuole|posso|chi|quer|pode|quem|kan|mag|wil|wilt|zal|wie|wanneer)\b",
    re.I,
)
# How a sentence asks, with its mark or without.
_TAG = re.compile(
    r"\?\W*$|, (?:right|correct|okay|ok|le parece bien|te parece bien|oder|stimmt's|d'accord|va bene"
    r"|certo|klopt)\W*$",
    re.I,
)
_ASKS_ALL = re.compile(
    r"[,:;] (?:(?:aren't|isn't|won't|is) (?:you|it|she|he|that|this)(?: right| correct)?|right|correct|nicht wahr"
    r"|oder|stimmt's|verdad|no|n'est-ce pas"
    r"|c'est bien ça|vero|não é|toch)\W*$",
    re.I,
)
_CAPITAL = "[A-ZÀ-ÖØ-Þ]"
_STRANGER = re.compile(
    rf"(?P<together>\b(?:together|along|zusammen|gemeinsam|junto|juntos|ensemble|insieme|samen)\s+)?"
    rf"\b(?P<lead>(?i:with|mit|bei|con|avec|chez|met|bij|com))\s+(?:(?i:our\s+|the\s+|unsere[rm]\s+|nuestr[oa]\s+"
    rf"|notre\s+)?(?i:stylist(?:in)?|barber|hairdresser|colleague|kolleg(?:in|en)"
    rf"|friseurin|compañer[oa]|collègue)\s+)?(?P<title>(?i:{TITLE}))?"
    rf"(?P<who>{_CAPITAL}[\w'-]*[^\W\d_](?:\s+{_CAPITAL}[\w'-]+)?)"
)
EXPECTS = re.compile(
    r"\b(?:see you|seeing|look(?:ing)? forward|expect\w*|waiting for|wir freuen uns|freue mich|erwarten|sehen uns"
    r"|bis (?:dann|morgen|\w+tag)"
    r"|nos vemos|les? esper\w+|os esper\w+|esperamos|vous attend\w*|nous réjouissons|hâte de|vi aspett\w*"
    r"|la aspett\w*|ci vediamo|esperamos"
    r"|até|verwachten|kijken uit|tot)\b"
    r"|^\W*(?:à (?:demain|bientôt|\w+di)|hasta (?:el|mañana|luego)|a (?:domani|presto|\w+dì))(?!\w)",
    re.I,
)
"""That the caller and whoever comes along are expected."""
_COMES_ALONG = re.compile(
    rf"\b{KIN}\b"
    r"|\b(?:dogs?|pupp(?:y|ies)|cats?|kittens?|rabbits?|bunn(?:y|ies)|hamsters?|birds?|parrots?|horses?|pets?|animals?"
    r"|child(?:ren)?|kids?|baby|hunde?n?|welpen?|katzen?|kater|kaninchen|hasen?|vogel|vögel|pferde?n?|tiere?n?|kind"
    r"|kinder|perr[oa]s?|gat[oa]s?|conejos?|pájaros?|caballos?|mascotas?|niñ[oa]s?|chiens?|chiennes?|chats?|chatons?"
    r"|lapins?|oiseaux?|chevaux|cheval|enfants?|can[ei]|gatt[oaie]|conigli[oe]?|uccell[oi]|cavall[oi]|bambin[oaie]"
    r"|cão|cães|cachorr[oa]s?|coelhos?|pássaros?|cavalos?|crianças?|honden?|katten?|konijn(?:en)?|vogels?|paarden?"
    r"|dieren?|kinderen|both of us|the two of us|wir beide|nosotros dos|los dos|nous deux|noi due|nós dois)\b",
    re.I,
)
_IS_MADE = re.compile(
    r"\b(?:book\w*|reserv\w*|confirm\w*|moved|changed|seats?|table|tables|gebucht|bestätigt|verschoben|geändert"
    r"|eingetragen|tisch|plätze|mesa|plazas|réserv\w*|déplacé\w*|couverts|prenotat\w*|spostat\w*|tavolo|marcad\w*"
    r"|lugares|geboekt|bevestigd|verzet|tafel)\b",
    re.I,
)
WITH_WORDS = re.compile(r"\b(?:with|mit|bei|con|avec|chez|met|bij|com|le|la|el|il)\b", re.I)
"""What leads to somebody, without who it is."""
_SENTENCES_KEPT = 1_000
_GERMAN = ("mit", "bei")
_INITIALS = 5
# Capitalised, behind "with", and nobody.
_THINGS_SAID = """
visa paypal mastercard amex american apple google klarna twint sms whatsapp wifi wi-fi wlan covid bluetooth
botox keratin olaplex balayage ombré venmo zelle cash stripe facebook instagram outlook zoom teams skype siri
alexa spanish french italian portuguese dutch all us them one mum mom dad grandma grandpa god
"""
_THINGS = frozenset(_THINGS_SAID.split())


@dataclass(frozen=True, slots=True)
class CompanySaid:
    """Whom a sentence names of a business's people, and for how many it says that something is.

    Attributes:
        beside: Those with whom it says that something is.
        others: Those whom it names in other ways.
        strangers: Names of nobody there with whom it says that something is.
        parties: Each for how many.
    """

    beside: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    strangers: tuple[str, ...] = ()
    parties: frozenset[int] = frozenset()


NOBODY_SAID = CompanySaid()
LONGEST_READ = 1_000
"""No sentence is longer, whatever its letters are spelt out to."""


def company_readings(
    business: Business | None, sentence: str, messages: Sequence[Message] = ()
) -> Iterator[tuple[str, CompanySaid]]:
    """Yield what a sentence may say, with what it says then of people and parties: "for six" may be a time.

    Args:
        business: Whose people they are.
        sentence: What is about to be said.
        messages: The conversation before it.
    """
    people = people_said(business, sentence)
    if len(sentence) > LONGEST_READ:
        # What grew so long out of one sentence is in no language.
        yield sentence, people
        return
    is_greeting = only_greets(business, sentence, messages)
    for text, parties in party_readings(sentence):
        yield text, people if is_greeting or not parties else replace(people, parties=parties)


def only_greets(business: Business | None, sentence: str, messages: Sequence[Message]) -> bool:
    """Tell whether a sentence only looks forward to those who come: a caller and whom they have told of.

    Where something is for several people it says how many come; nobody counts a dog that comes along.
    """
    if business is None or len(sentence) > LONGEST_READ:
        return False
    if EXPECTS.search(sentence) is None or _IS_MADE.search(sentence) is not None or business.takes_parties:
        return False
    heard = (message.text[:LONGEST_READ] for message in messages if isinstance(message, UserMessage))
    return any(_COMES_ALONG.search(text) is not None for text in heard)


def people_said(business: Business | None, sentence: str) -> CompanySaid:
    """Return whom a sentence names, by whole names or by a part that only one of them has.

    Who is spoken to, who is only asked for, and who is said not to be there, is not named.
    """
    if business is None or not business.people:
        return NOBODY_SAID
    marks = marked(business, sentence[:LONGEST_READ])
    parts = parts_of_people(marks.text)
    text = "".join(text for text, _ in parts)
    beside = marks.named(" ".join(match["who"] for match in _BESIDE.finditer(text)))
    others = tuple(name for name in marks.named(text) if name not in beside)
    return CompanySaid(beside, others, strangers_in(business, "".join(text for text, is_sure in parts if is_sure)))


# A sentence is read by one question after the other, and many are said often.
@lru_cache(maxsize=_SENTENCES_KEPT)
def parts_of_people(text: str) -> Sequence[tuple[str, bool]]:
    """Return the parts of a marked sentence, and whether each says for sure what it says; where not, without marks."""
    text = _NOT_THEM.sub("", text)
    if LOOKING.search(text) is not None:
        return ((_unmarked(text), False),)
    return tuple((part if is_sure else _unmarked(part), is_sure) for part, is_sure in _each_part(text))


def sure_parts(text: str) -> Sequence[str]:
    """Return the parts of a sentence that say for sure what they say, of whomever."""
    return [part for part, is_sure in _each_part(text) if is_sure]


@lru_cache(maxsize=_SENTENCES_KEPT)
def _each_part(text: str) -> Sequence[tuple[str, bool]]:
    parts = parts_of(text)
    return tuple(zip(parts, _sure(text, parts), strict=True))


def _sure(text: str, parts: list[str]) -> list[bool]:
    sure = [_NOT_SAID.search(_SAID_ALL_THE_SAME.sub("", part)) is None for part in parts]
    if _TAG.search(text) is None:
        return sure
    asks = _ASKS.search(text) is not None or _ASKS_ALL.search(text) is not None or "¿" in parts[0]
    return [*(is_sure and not asks for is_sure in sure[:-1]), False]


def strangers_in(business: Business, text: str, *, for_sure: bool = False) -> tuple[str, ...]:
    """Return the names in a marked text with whom something is, and which are nobody's and nothing's of a business.

    Args:
        business: Whose people, services and other words are left out.
        text: What is said.
        for_sure: Whether only names count that cannot be a thing's.
    """
    matches = list(_STRANGER.finditer(text))
    own, names = _words_of(business) if matches else frozenset[str](), list[str]()
    for match in matches:
        first = match["who"].split()[0].removesuffix("'s")
        if match["together"] or is_no_name(first) or first.casefold() in own or first.casefold() in _THINGS:
            continue
        is_name = match["title"] or first.casefold() in GIVEN_NAMES
        could_be = match["lead"].casefold() not in _GERMAN and not (first.isupper() and len(first) < _INITIALS)
        # In German every noun has a capital; what is all capitals is seldom a name.
        if is_name or (could_be and not for_sure):
            names.append(match["who"].removesuffix("'s"))
    return tuple(dict.fromkeys(names))


def _words_of(business: Business) -> frozenset[str]:
    texts = [business.name, *(resource.name for resource in business.resources)]
    texts += [text for service in business.services for text in (service.name, service.description)]
    return _words_in(tuple(texts))


@lru_cache(maxsize=500)
def _words_in(texts: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word.casefold() for text in texts for word in re.findall(r"[\w'-]+", text))


def _unmarked(part: str) -> str:
    return MARKS.sub("", part)
