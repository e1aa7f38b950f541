"""What becomes of messages: who got one, what somebody answered, and that somebody will call.

A message goes to whom it was for. What one of a business's people has read or answered nobody knows who has not been
told so by a result or by the business, and nobody can promise when somebody else will call.
"""

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from switchboard.contract.definitions.definition import Deed
from switchboard.contract.model import Spoken, ToolMessage, UserMessage
from switchboard.conversation.claims.classifier import ClaimReading, ClaimTelling
from switchboard.conversation.claims.entities import readings
from switchboard.conversation.claims.facts import texts_in, words_of
from switchboard.conversation.claims.people_marks import MARK, marked
from switchboard.conversation.claims.sentences import DENIED, NOT_SO, clauses_of
from switchboard.conversation.claims.statements.statement import IN_CASE, LONGEST_STATEMENT, SpokenStatement
from switchboard.conversation.guard import HeldFact, HeldSubject

_BOSS = (
    r"(?:(?:the|our|der|die|unsere?|la|el|nuestr[oa]|le|notre|il|a|o|de|onze) (?:owner|boss|manager|stylist|team"
    r"|chef(?:in)?|inhaber(?:in)?|dueñ[oa]|jef[ea]|estilista|equipo|patronne?|gérante?|coiffeuse|équipe|titolare"
    r"|proprietaria|capo|dona|chefe|equipa|eigenares?|baas))"
)
_WHO = rf"(?:{MARK}|{_BOSS})"
_SHE = r"(?:she|he|they|sie|er|ella|él|elle|il|lei|lui|ela|ele|zij|ze|hij)"
_IT = r"(?:(?:your|the|ihre?|die|su|el|votre|le|il suo|il|o seu|o|a sua|uw|het)\s+\w+|it|sie|lo|la|l')"
_SOON = r"(?:already|just|schon|bereits|ya|déjà|bien|già|appena|já|al|net)"
_ANSWERED = re.compile(
    rf"{_WHO}(?:'s| has| have)?(?: {_SOON})? (?:read|seen|saw) {_IT}"
    rf"|{_WHO}(?:'s| has| have)?(?: {_SOON})? (?:said|says|told (?:me|us)|answered|replied|agree[sd]|approved)\b"
    rf"|{_WHO}(?:'s| is) (?:fine|ok(?:ay)?|happy) with (?:it|that|this|the time|your)\b"
    rf"|\b{_SHE} (?:says?|said) (?:yes|no|it's|that)\b"
    rf"|\bi(?:'ve| have)?(?: {_SOON})? (?:spoke|spoken|talked|checked) (?:to|with) {_WHO}"
    rf"|\bgot your (?:note|message) and (?:says|said|agrees)\b"
    rf"|{_WHO} (?:(?:ya|me|nos|le|se|lo) ){{0,3}}(?:leyó|ha leído|vio|ha visto|dice|dijo|ha dicho|contestó|respondió"
    r"|ha respondido|ha contestado|aceptó|aprobó|está de acuerdo|está conforme)(?!\w)"
    rf"|\b(?:hablé|he hablado|acabo de hablar|consulté|he consultado) (?:ya )?con {_WHO}"
    r"|\b(?:ella|él) (?:dice|dijo|ha dicho) que (?:sí|no|está bien)(?!\w)"
    rf"|{_WHO} (?:(?:vous|m'|nous) ?)?(?:a|as)(?: (?:bien|déjà))? (?:lu|vu|dit|répondu|accepté)\b|{_WHO} m'a dit\b"
    rf"|{_WHO} (?:dit (?:oui|non|que)|est d'accord)|\b(?:elle|il) (?:est d'accord|a dit (?:oui|non|que)|dit (?:oui"
    rf"|non))"
    rf"|\b(?:j'ai|je viens de|nous avons) (?:(?:déjà|bien) )?(?:parlé|parler|discuté) (?:à|avec) {_WHO}"
    rf"|{_WHO} (?:sagt|meint)\b|{_WHO} hat (?:[^\W\d_]+ ){{0,4}}(?:gelesen|gesehen|gesagt|geantwortet|zugestimmt)\b"
    rf"|{_WHO} ist (?:damit )?einverstanden|\b(?:sie|er) (?:sagt|hat) ja\b"
    rf"|\b(?:ich habe|habe ich) (?:[^\W\d_]+ ){{0,3}}mit {_WHO} (?:[^\W\d_]+ ){{0,2}}(?:gesprochen|geredet)"
    rf"|{_WHO} (?:(?:mi|l') ?)?(?:ha (?:già |appena )?(?:letto|visto|detto|risposto|accettato)|dice|è d'accordo)(?!\w)"
    rf"|\bho (?:già |appena )?parlato con {_WHO}"
    rf"|{_WHO} (?:já )?(?:leu|viu|disse|diz|respondeu|aceitou|concorda|concordou)(?!\w)|{_WHO} está de acordo"
    rf"|\bfalei com (?:a |o )?{_WHO}"
    rf"|{_WHO} (?:zegt|vindt)\b|{_WHO} heeft (?:[^\W\d_]+ ){{0,4}}(?:gelezen|gezien|gezegd|geantwoord)\b"
    rf"|{_WHO} (?:is akkoord|gaat akkoord)|\bik heb (?:[^\W\d_]+ ){{0,2}}met {_WHO} gesproken",
    re.I,
)
_PERSON_WILL = (
    rf"(?:{_WHO}|i|we|they|she|he|somebody|someone|one of (?:us|them|our \w+)|(?:a|our) (?:colleague|stylist|team))"
)
# What is called up, answered or come back to in this conversation, and nobody.
_MATTER = r"(?:(?:your|the|that|this|any|all|those|these) (?:\w+ )?(?:question|request|point)s?|that|this|it)\b"
_BACK_HERE = re.compile(
    r"\bi(?:'ll| will) (?:\w+ )?get (?:right )?back to you(?= (?:in (?:just )?(?:a|one) (?:moment|minute|second|sec)"
    r"|right away|shortly|now)\b)",
    re.I,
)
_CALLS = re.compile(
    rf"(?:{_PERSON_WILL}(?:'s| is| are)? (?:calls|calling|rings|ringing|phones|phoning) you(?! (?:a|an|by)\b)\b"
    rf"|{_PERSON_WILL}(?:'ll| will| is going to| are going to|'s going to|'re going to)(?: \w+){{0,2}}?"
    r" (?:call(?! (?:up (?:your|the|that|his|her)|it|that)\b)|ring|phone|contact|be in touch|reach out|reply"
    rf"|get back to(?! {_MATTER})|answer(?! {_MATTER})|write back)\b"
    r"|\byou(?:'ll| will) hear (?:back )?from\b|\b(?:recibirá|va a recibir) (?:una|su) llamada"
    r"|\bvous aurez (?:un appel|des nouvelles)|\bbekommen sie (?:[^\W\d_]+ ){0,4}(?:an|rück)ruf"
    r"|\b(?:le|la|ti) telefon(?:a|ano|erà|eranno)(?!\w)|\briceverà una (?:chiamata|telefonata)"
    r"|\b(?:l[aoe]s?|te|os) (?:va(?:n|mos)? a |voy a )?(?:volverá a |volveremos a )?"
    r"(?:llam(?:ar|ará|arán|aremos|aré|a|an|amos)|contact(?:ar|ará|arán|aremos|a|an)|telefone(?:ará|a)"
    r"|escrib(?:irá|irán|iremos))(?!\w)"
    r"|\b(?:le|te|les) (?:va(?:n|mos)? a )?(?:devolv(?:er|erá|erán|eremos)|devuelven?|regresará) la llamada"
    r"|\bse pondr(?:á|án|emos) en contacto"
    r"|\bvous (?:rappel(?:le|les|lera|leront|lerons|lerai|ons|lent)|recontact(?:e|era|erons|eront)|contact(?:e|era"
    r"|erons"
    r"|eront)|appel(?:le|lera|leront|lerons)(?! une? )|téléphon(?:e|era)|répond(?:ra|rons|ront))(?!\w| que\b)"
    r"|\b(?:va|vais|vont|allons) vous (?:rappeler|appeler|contacter|recontacter|répondre)"
    r"|\b(?:ruft|rufe|meldet|melde|wir (?:rufen|melden)) (?:sie|dich|euch|sich|uns|mich)\b|\b(?:rufen"
    r"|melden) wir (?:sie"
    r"|dich|euch|uns)\b"
    r"|\b(?:wird|werden|werde) (?:[^\W\d_]+ ){0,6}(?:zurückrufen|anrufen|melden|kontaktieren)"
    r"|\b(?:la|ti|vi) (?:richiam(?:a|ano|erà|eranno|eremo|o|iamo)|chiam(?:erà|eranno|eremo|a|ano)|ricontatt\w+"
    r"|contatt(?:erà|eranno|eremo))(?!\w)"
    r"|\b(?:vai|vão|vamos|vou) (?:te |lhe )?(?:ligar|telefonar|contact?ar|retornar|entrar em contat?o)"
    r"|\b(?:liga|ligam|ligamos|telefona)-lhe|\b(?:ligar|telefonar)-lhe-(?:á|ão|emos)"
    r"|\blhe (?:liga|ligam|ligará|telefona)(?!\w)"
    r"|\b(?:bel(?:t|len|)|contacteert) (?:wij |we )?(?:u|je) (?:[^\W\d_]+ ){0,4}(?:terug|op)\b"
    r"|\bzal(?:len)? (?:[^\W\d_]+ ){0,4}(?:terugbellen|bellen))",
    re.I,
)
# Whoever speaks here calls nobody, and writes to nobody later.
_I_CALL = re.compile(
    r"\b(?:i(?:'ll| will|'m going to| am going to)(?: \w+){0,2}? (?:call|ring|phone) you(?= (?:back|again|at|on|in|when"
    r"|as soon|once|later|tomorrow|tonight|right|first|before|after)\b|[.,!])"
    r"|(?:ich rufe|rufe ich|ich melde mich|melde ich mich)(?: (?:sie|dich|ihnen|bei ihnen))?\b[^.;?!]{0,60}?"
    r"\b(?:zurück|wieder an|später an|gleich an|wieder bei ihnen)"
    r"|(?:yo )?(?:l[aoe]|te) (?:llamo|llamaré|vuelvo a llamar|volveré a llamar|devuelvo la llamada)"
    r"|je vous (?:r?appelle(?! que)|r?appellerai|téléphone|téléphonerai)"
    r"|(?:la|ti) (?:richiamo|richiamerò|telefono io)|ligo-lhe|(?:te|lhe) ligo|vou (?:te |lhe )?(?:ligar|telefonar)"
    r"|ik bel (?:u|je)\b[^.;?!]{0,40}\b(?:terug|op|straks|morgen|zo))(?!\w)",
    re.I,
)
_I_WRITE = re.compile(
    r"\b(?:i(?:'ll| will) (?:text|message|write(?: to)?|e-?mail) you(?: \w+){0,2}? (?:when|once|as soon as|later"
    r"|tomorrow)"
    r"|(?:ich (?:schreibe|schicke|sende)|schreibe ich) ihnen(?: [^\W\d_]+){0,3},? (?:sobald|wenn|später|morgen)"
    r"|le (?:escribo|escribiré|mando|mandaré|envío|enviaré|aviso|avisaré)(?: \w+){0,3} (?:cuando|en cuanto|luego"
    r"|más tarde)"
    r"|je vous (?:écris|écrirai|envoie|enverrai|préviens|préviendrai)(?: [^\W\d_]+){0,3} (?:quand|dès que|plus tard)"
    r"|le (?:scrivo|scriverò|mando|manderò)(?: \w+){0,3} (?:quando|appena|più tardi)"
    r"|(?:escrevo-lhe|mando-lhe|aviso-[oa]|vou (?:te |lhe )?(?:escrever|avisar))(?: \w+){0,3} (?:quando|assim que"
    r"|logo que)"
    r"|ik (?:stuur|schrijf|mail) (?:u|je)(?: \w+){0,3} (?:zodra|wanneer|later))(?!\w)",
    re.I,
)
# What is sent once something is booked, a tool may send.
_ONCE_DONE = re.compile(
    r"\b(?:book|confirm|gebucht|best\u00e4tig|reserv|r\u00e9serv|prenot|conferm|marcad|geboekt|bevestig)", re.I
)
# How the words begin without which a sentence need not be looked through for either.
_ANSWER_STEMS_SAID = """
read seen saw said say told answer repl agree appro fine ok happy spoke talk check ley leí vio visto dice dijo dicho
contest respon acept aprob acuerdo conforme habl consult lu vu dit répondu accepté accord parl discut sagt meint gelesen
gesehen gesagt geantwortet zugestimmt einverstanden ja gesprochen geredet letto detto rispost accett leu viu disse diz
aceit concord falei zegt vindt gelezen gezien gezegd geantwoord akkoord
"""
_CALL_STEMS_SAID = """
call ring phone contact back touch reach reply answer hear llam telefon escrib devolv devuelv regres recib pondr aurez
rappel recontact appel téléphon répond ruf ruft rückruf anruf meld zurückruf kontakt richiam chiam ricontatt contatt
ricever liga ligo retorn contat bel terug text message write email mail schreib schick send escrib mand envi avis écri
enverr prévien scriv escrev vou stuur schrijf
"""
_ANSWER_STEMS, _CALL_STEMS = tuple(_ANSWER_STEMS_SAID.split()), tuple(_CALL_STEMS_SAID.split())
# What is wished for, or told as what somebody is to do, is no promise.
_WISHED = re.compile(
    r"\b(?:that you|would like|'d like|want\w*|wish\w*|ask\w*|prefer\w*|wünsch\w*|möcht\w*|bitt\w*|gebeten|dass"
    r"|damit|que|qu'|para que|pide|pidió|quier\w*|souhait\w*|voul\w*|voudr\w*|demand\w*|che|chied\w*|vuole|vorrebbe"
    r"|quer|gostaria|ped\w*|wil|wilt|graag|gevraagd|dat)(?=\s|$)",
    re.I,
)
_NOBODY = re.compile(r"\b(?:nobody|no one|niemand|nadie|personne|nessuno|ninguém)\b", re.I)
# Beside hours and days, what says by when for sure.
_BY_WHEN = re.compile(
    r"\b(?:(?:before|by|avant|antes|vor|bis|prima|voor)(?= )|within|in (?:the|an?|one|half|\d+|a few|the next|ten"
    r"|five) |(?:this|tomorrow) (?:morning|afternoon|evening)"
    r"|tonight|first thing|shortly|without fail|for sure|guaranteed|definitely|in a (?:minute|moment)"
    r"|in [^\W\d_]+ (?:minuten?|stunden?)|en [^\W\d_]+ (?:minutos?|horas?)|dans [^\W\d_]+ (?:minutes?|heures?)"
    r"|over [^\W\d_]+ (?:minuten|uur)|(?:daqui a|em) [^\W\d_]+ (?:minutos?|horas?)"
    r"|innerhalb|binnen|noch heute|gleich|garantiert|bestimmt|(?:heute|morgen) (?:früh|vormittag|nachmittag|abend)"
    r"|est[ae] (?:tarde|mañana|noche)|en menos de|dentro de|a primera hora|sin falta|seguro|ahora mismo|enseguida"
    r"|dans (?:l'heure|la|les|une?|\d+|cinq|dix)|d'ici|sans faute|cet après-midi|ce (?:matin|soir)|tout de suite"
    r"|entro|fra|tra|stasera|senza (?:fallo|dubbio)|oggi pomeriggio|stamattina|subito|esta (?:tarde|manhã|noite)"
    r"|dentro de|sem falta|logo|vanmiddag|vanavond|vanochtend|zeker|meteen|zo)\b",
    re.I,
)
# How a business tells that it calls back.
_GETS_BACK = re.compile(
    r"\b(?:calls? (?:\w+ )?back|calls? (?:are|is) returned|returns? (?:\w+ ){0,2}calls?|gets? back to"
    r"|rings? (?:\w+ )?back"
    r"|will (?:call|ring|write|reply|answer)|repl(?:y|ies)|answers?|rückruf\w*|rufen|zurückgerufen|melden uns|antworten"
    r"|devolvemos|devuelv\w+|llamamos|llamaremos|respondemos|rappel\w+|répondons|richiam\w+|rispondiamo|ligamos"
    r"|retorn\w+|bellen|belt)\b",
    re.I,
)
_INFORMS = re.compile(
    rf"\bi(?:'m| am) (?:just )?(?:letting|telling|notifying|informing) {_WHO}"
    rf"|\bi(?:'ve| have)?(?: {_SOON})? (?:told|notified|informed|let) {_WHO}"
    rf"|\b(?:aviso|avisé|he avisado|(?:le )?estoy (?:avisando|diciendo)|(?:se )?l[oe] (?:digo|dije"
    rf"|he dicho)) (?:ya )?a {_WHO}"
    rf"|\b(?:j'ai|je viens de|je)(?: (?:déjà|bien))? (?:prévenu|prévenir|préviens|averti|avertis|avertir"
    rf"|informé) {_WHO}"
    rf"|\bje (?:le|l'ai) ?(?:dis|dit) à {_WHO}"
    rf"|\bich (?:sage|gebe|habe) (?:es )?{_WHO} (?:[^\W\d_]+ ){{0,3}}(?:bescheid|gesagt|informiert)"
    rf"|\b(?:avviso|ho (?:già )?avvisato|sto avvisando|ho informato|l'ho detto a|lo dico a) {_WHO}"
    rf"|\b(?:aviso|avisei|estou a avisar|já avisei|informei) (?:já )?(?:a |o )?{_WHO}"
    rf"|\bik (?:laat|heb) (?:het )?{_WHO} (?:het )?(?:[^\W\d_]+ ){{0,2}}(?:weten|verteld|ingelicht)",
    re.I,
)
_NOW = re.compile(
    r"\b(?:i'm|i am|right now|gleich|sofort|sage|gebe|aviso|estoy|digo|ahora mismo|préviens|avertis|le dis|avviso|sto"
    r"|lo dico|estou|laat)\b",
    re.I,
)
_PROMISE = HeldFact(HeldSubject.PROMISE)
_FIGURE = re.compile(r"\d")
# "Tell her that I am late": whoever was named last.
_PRONOUN = re.compile(
    r"\b(?:her|him|them|ihr|ihm|a (?:ella|él|ela|ele)|d[íi]gale|dile|decirle|av[íi]s[ae]le|avisarle|lui|ditele|dille"
    r"|digli|(?:le|gli) dica|dirle|dirgli|avvisarl[ao]|diga-lhe|dizer-lhe|lhe diga|avise-[ao]|haar|hem)\b",
    re.I,
)
_INFORMED = ClaimReading(((Deed.PASSED_ON,),), ClaimTelling.DONE)
_INFORMING = ClaimReading(((Deed.PASSED_ON,),), ClaimTelling.UNDERWAY)
_MESSAGE = "message"
_ALIKE, _LONGEST_NAME = 0.7, 40


def reading_of_informing(statement: SpokenStatement) -> ClaimReading | None:
    """Return what a sentence claims that says that one of the people is being told something; None for any other."""
    sentence = statement.sentence
    if len(sentence) > LONGEST_STATEMENT or sentence.endswith("?"):
        return None
    for clause in clauses_of(marked(statement.business, sentence).text):
        match = _INFORMS.search(clause)
        if match is not None and NOT_SO.search(clause) is None and IN_CASE.search(clause) is None:
            return _INFORMING if _NOW.search(match[0]) is not None else _INFORMED
    return None


def with_informing(statement: SpokenStatement, reading: ClaimReading) -> ClaimReading:
    """Return a reading of a sentence that also claims that somebody was told, where it says so beside another deed."""
    informing = reading_of_informing(statement)
    if informing is None or (Deed.PASSED_ON,) in reading.claims:
        return reading
    if not reading.claims:
        return informing
    if informing.telling is not ClaimTelling.DONE:
        return reading
    beside = (tuple(deed for deed in claim if deed is not Deed.PASSED_ON) for claim in reading.claims)
    return ClaimReading((*filter(None, beside), (Deed.PASSED_ON,)), reading.telling, reading.certainty)


def hold_wrong_message(statement: SpokenStatement) -> None:
    """Hold a sentence that tells what became of a message, or will, and what nobody can know.

    Raises:
        Unfounded: It must not be said.
    """
    text = marked(statement.business, statement.sentence).text
    _hold_wrong_receiver(statement, text)
    words = words_of(text)
    if any(word.startswith(_ANSWER_STEMS) for word in words):
        _hold_invented_answer(statement, text)
    if any(word.startswith(_CALL_STEMS) for word in words):
        _hold_promised_call(statement, text)


def _hold_wrong_receiver(statement: SpokenStatement, text: str) -> None:
    """Hold that a message went to somebody for whom nobody has left it."""
    if Deed.PASSED_ON not in statement.deeds:
        return
    names = marked(statement.business, statement.sentence).named(text)
    taken = [receipt for receipt in statement.session.receipts if receipt.words.get("what") == _MESSAGE]
    if not names or not taken:
        return
    texts = [*statement.heard(), *statement.own_words()]
    for receipt in statement.session.receipts:
        texts += texts_in([receipt.arguments, receipt.words])
    words = frozenset[str]().union(*map(words_of, [*texts, *_meant(statement)]))
    if not any(_is_among(part, words) for name in names for part in words_of(name)):
        raise statement.refused(f"the message was not for {' or '.join(names)}: nobody has said so.")


def _meant(statement: SpokenStatement) -> Iterator[str]:
    """Yield the names of those whom callers have meant by "her" or "him": whoever was named last before that."""
    last: tuple[str, ...] = ()
    for message in statement.session.history.messages:
        texts = [message.text] if isinstance(message, UserMessage | Spoken) else []
        if isinstance(message, ToolMessage):
            # A name alone would be somebody who is spoken to.
            texts = [f"with {text}" for text in texts_in(message.response.data)]
        for text in texts:
            mentioned = marked(statement.business, text[:LONGEST_STATEMENT])
            last = mentioned.named(mentioned.text) or last
        if isinstance(message, UserMessage) and _PRONOUN.search(message.text) is not None:
            yield from last


def _is_among(name: str, words: Iterable[str]) -> bool:
    """Tell whether a name, or what a recogniser may have made of it, is among some words."""
    alike = (word for word in words if word[:1] == name[:1] and len(word) <= _LONGEST_NAME)
    return any(SequenceMatcher(None, name, word).ratio() >= _ALIKE for word in alike)


def _hold_invented_answer(statement: SpokenStatement, text: str) -> None:
    """Hold what somebody is said to have read, said or agreed to, where no result and no text tells of any such."""
    match = _ANSWERED.search(text)
    if match is None:
        return
    before = text[: match.end()].removesuffix(" no")
    if any(pattern.search(before) is not None for pattern in (NOT_SO, IN_CASE, _NOBODY)):
        return
    texts = [*statement.told(), *statement.heard()]
    if is_owners_answer(statement) or any(
        _ANSWERED.search(marked(statement.business, told[:LONGEST_STATEMENT]).text) for told in texts
    ):
        return
    raise statement.refused("nobody has told you what anybody has read, said or agreed to. Say what was done here.")


def is_owners_answer(statement: SpokenStatement) -> bool:
    """Tell whether a tool of the owner's own has done or told something: it may be just that."""
    owners, session = statement.sources.owners, statement.session
    return not owners.isdisjoint(session.tool_context) or any(receipt.tool in owners for receipt in session.receipts)


def _hold_own_call(statement: SpokenStatement, text: str) -> None:
    match = _I_CALL.search(text) or _I_WRITE.search(text)
    if match is None or DENIED.search(text[: match.start()]) is not None:
        return
    if _WISHED.search(text[: match.start()]) is not None or _ONCE_DONE.search(text[match.start() :]) is not None:
        return
    if is_owners_answer(statement) or any(_GETS_BACK.search(told) is not None for told in statement.told()):
        return
    raise statement.refused(
        "you call nobody and write to nobody later. Say only what was noted, or what you can do.", _PROMISE
    )


def _hold_promised_call(statement: SpokenStatement, text: str) -> None:
    """Hold that somebody will call by a certain time, where neither a result nor the business says that they do.

    That whoever speaks calls, or writes later, is held whenever it is to be.
    """
    text = _BACK_HERE.sub(" ", text)
    _hold_own_call(statement, text)
    match = _CALLS.search(text)
    if match is None:
        return
    if any(pattern.search(text) is not None for pattern in (DENIED, IN_CASE, _NOBODY)):
        return
    if _WISHED.search(text[: match.start()]) is not None:
        return
    is_sure = _BY_WHEN.search(text) is not None
    if not is_sure and not any(one.say_when for one in readings(statement.sentence, statement.now)):
        return
    told = (text for text in statement.told() if _GETS_BACK.search(text) is not None)
    if is_owners_answer(statement) or any(_BY_WHEN.search(text) or _FIGURE.search(text) for text in told):
        return
    raise statement.refused(
        "nobody can promise here when somebody will call or write. Say only what was noted.", _PROMISE
    )
