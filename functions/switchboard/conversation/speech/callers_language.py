"""In which language a caller speaks, of those that the house has its sentences in; told by small words alone.

A closed set of words that people say in every sentence ("quiero", "with", "meinen") tells seven languages apart more
surely than a network of letters does, which has to guess at three words. It says nothing where little is said: names,
thanks, a yes or an "okay" are the same in the mouth of anybody, and change nothing. An address, a dish and a number are
said in their own language by whoever names them: words that stand in those count once two turns in a row have them, or
behind a yes or no of that language ("sí, a las diez"), since nobody leads to an address by that.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from switchboard.contract.business.languages import HOUSE_LANGUAGES, language_of
from switchboard.contract.model import UserMessage
from switchboard.contract.python.dataclass import dataclass
from switchboard.conversation.session import CallSession
from switchboard.conversation.speech.utterance import Utterance

_FEWEST_WORDS, _ENOUGH, _AHEAD = 3, 3, 2
# One word of one language alone has to have so many letters, or there are two.
_A_SIGN = 3
# Nobody makes up their mind in more than this.
_LONGEST = 600

_APOSTROPHES = re.compile("[\u2019'`\u00b4]")


def _plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", _APOSTROPHES.sub(" ", text).casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def _listed(words: str) -> frozenset[str]:
    return frozenset(_plain(words).split())


_WORDS: Mapping[str, str] = {
    "en": """
        the an is are was were am i my me mine you your we us our they them their it its this that these those
        there here to of for from with without at on in into about and or but if not dont cant can could would
        will won shall should may might must do does did done have has had having been be being want wanted need
        wanna gonna make get let what when where who which why how much many any some somebody someone anything
        something than then so just also only same other another again still already yet ever every each both as
        by after before until since between because while too very more most next last first come coming going
        go take took see know think looking look like thing things appointment book booked booking cancel
        cancelled reschedule change move moving tomorrow today tonight morning afternoon evening noon week
        weekend monday tuesday wednesday thursday friday saturday sunday works speak understand help tell ask
        call called calling please could one cost costs two three four five six seven eight nine ten half past
        oclock name free open haircut table people ve ll re isn doesn didn wouldn couldn s t d m die hat he she
        his her has war man bin also com me per a on rat art gut pour chat sue mine no was want bed arm all mail
        tag""",
    "de": """
        der die das den dem des ein eine einen einem einer eines mein meine meinen meinem meiner dein deine ihr
        ihre ihren ihrem ihrer unser unsere ich du er wir mich mir dich dir uns euch sich ist sind bin bist war
        waren wird werden wurde würde würden hat habe haben hatte hätte hätten kann können könnte könnten möchte
        möchten will wollen wollte muss müssen soll sollen sollte darf gibt geht ginge gehen komme kommen macht
        machen mache brauche brauchen suche für mit ohne von vom zu zum zur bei beim nach auf aus an am im in um
        bis seit über unter vor wegen gegen und oder aber wenn dass weil ob als wie was wann wo wer warum wieso
        welche welcher welchen wieviel viel nicht kein keine keinen nichts noch schon auch nur dann denn doch
        mal gern gerne etwas jemand alles wieder anderen andere lieber hier da dort heute morgen übermorgen
        abend nachmittag vormittag mittag woche wochenende montag dienstag mittwoch donnerstag freitag samstag
        sonntag uhr halb viertel termin termine absagen verschieben verlegen buchen reservieren vereinbaren
        kostet kosten kost sprechen spreche verstehe hören sagen eins zwei drei vier fünf sechs sieben acht neun
        zehn elf zwölf so also man tisch stunde frei offen gut es sie mag tag per""",
    "es": """
        el la los las un una unos unas lo al del de mi mis tu tus su sus nuestro nuestra yo me te se nos le les
        usted ustedes ella ellos él es son soy era está están estoy estaba estamos ser estar hay he has ha hemos
        han había tengo tiene tienen tenía tenemos tendría quiero quiere quisiera quería queremos queríamos
        querría puedo puede pueden podría podrían necesito necesita gustaría cuesta cuestan hablar llamo llamaba
        busco hablo habla hablan entiendo digo dice dígame diga sé voy va vamos ir vengo venir hacer hago haga
        pedir cancelar anular cambiar mover reservar apuntar cita citas hora con sin para por en a y o pero si
        que qué cuándo cuánto cuánta cuántos dónde quién cómo cuál porque como más menos muy mucho también
        tampoco ya todavía aún ahora luego después antes hasta desde entre sobre no nada algo alguien otro otra
        otros mismo misma este esta esto ese esa eso aquí ahí allí hoy mañana tarde noche mediodía semana lunes
        martes miércoles jueves viernes sábado domingo uno dos tres cuatro cinco seis siete ocho nueve diez once
        doce media cuarto solo sólo bien mejor tan así hueco sitio mesa pelo corte vez cual cuando donde quien
        he has son once come mes par horario consulta anular reserva será horas ora par mar sexta número""",
    "fr": """
        le la les un une des du de au aux mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs je j
        tu il elle on nous vous ils elles me te se lui y en ce cet cette ces ça c cela est suis es sont êtes
        sommes était étais serait ai as a avons avez ont avait avais aurait aurais aura voudrais voudrait veux
        veut voulais voulons aimerais aimerait souhaite souhaiterais coûte coûtent peux peut pouvez pouvons
        pourrais pourrait pourriez faut faudrait dois doit fait faire fais prendre annuler déplacer changer
        réserver décaler avoir être venir viens aller vais va appelle appelais cherche parle parlez parler
        comprends dire dites sais avec sans pour par dans sur sous chez vers entre avant après depuis pendant
        jusque et ou où mais si que qu qui quoi quand combien comment pourquoi quel quelle quels quelles parce
        comme plus moins très trop aussi encore déjà toujours jamais rien pas ne n non l d s m t autre autres
        même tout tous toute quelque quelqu bien ici là aujourd hui demain matin midi soir semaine lundi mardi
        mercredi jeudi vendredi samedi dimanche heure heures rendez deux trois quatre cinq six sept huit neuf
        dix onze demie quart bon place table coupe sera est pour chat son on pain mine confirme""",
    "it": """
        il lo la i gli le un uno una del dello della dei degli delle di al allo alla ai agli alle dal dalla dai
        nel nella nei sul sulla col mio mia miei mie tuo tua suo sua suoi nostro nostra vostro loro io tu lei
        lui noi voi mi ti si ci vi ne è sono sei siamo siete era erano ero essere ho hai ha abbiamo avete hanno
        avevo aveva avrei avrebbe avere vorrei vorrebbe voglio vuole volevo vogliamo posso può potete possiamo
        potrei potrebbe devo deve dovrei bisogno costa costano parlare faccio fare fa fate fissare prenotare
        spostare disdire annullare cancellare cambiare chiamo chiamavo cerco parlo parla parlate capisco dire
        dica so vado andare vengo venire con senza per da in su a ad e ed o ma se che chi cosa quando quanto
        quanta quanti dove come perché quale quali anche ancora già mai sempre più meno molto troppo tanto
        niente qualcosa qualcuno non no altro altra altri stesso stessa questo questa questi quello quella c l d
        un dell all dall nell sull qui qua lì oggi domani dopodomani mattina pomeriggio sera mezzogiorno
        settimana lunedì martedì mercoledì giovedì venerdì sabato domenica ora ore appuntamento taglio posto
        tavolo due tre quattro cinque sei sette otto nove dieci undici mezza quarto prima dopo poi adesso bene
        meglio così solo invece allora fra tra po libero libera nome per come dove quarto mio mie reserva""",
    "pt": """
        o os a as um uma uns umas do da dos das no na nos nas ao à aos às pelo pela num numa de em meu minha
        meus minhas teu tua seu sua seus nosso nossa eu tu você vocês ele ela eles me te se lhe nós é são sou
        era está estão estou estava estamos ser estar há tenho tem têm tinha temos teria quero quer queria
        queremos queríamos gostaria gostava custa custam falar posso pode podem podia poderia preciso precisa
        chamo ligo procuro falo fala falam entendo percebo digo diga sei vou vai vamos ir venho vir fazer faço
        faz marcar desmarcar cancelar remarcar mudar alterar agendar reservar marcação horário consulta com sem
        para pra por até desde entre sobre e ou mas se que quê quando quanto quanta quantos onde quem como qual
        porque mais menos muito muita também ainda já sempre nunca nada algo alguém não outro outra outros mesmo
        mesma este esta isto esse essa isso aqui aí ali hoje amanhã manhã tarde noite semana segunda terça
        quarta quinta sexta feira sábado domingo hora horas dois duas três quatro cinco seis sete oito nove dez
        onze meia depois antes agora só bem melhor tão assim então vez vaga mesa corte cabelo lugar nome com
        quarto tá tô par anular reserva conferma pela ora mesa será mês sola""",
    "nl": """
        de het een mijn jouw uw zijn haar ons onze hun ik je jij u hij ze zij wij we jullie me mij hem er is ben
        bent was waren wordt worden heb hebt heeft hebben had hadden kan kunnen kunt kon zou zouden wil willen
        wilde wou moet moeten mag mogen gaat gaan ga kom komen doe doen maken graag kost kosten nodig zoek bel
        spreek spreekt praat begrijp versta zeggen voor met zonder van naar bij op in uit aan om tot sinds over
        onder tussen na tegen en of maar als dat omdat want wat wanneer waar wie hoe waarom welke welk hoeveel
        veel niet geen niets nog al ook alleen dan toch wel even iets iemand alles weer andere ander liever hier
        daar dit deze die vandaag morgen overmorgen ochtend middag avond week weekend maandag dinsdag woensdag
        donderdag vrijdag zaterdag zondag uur half kwart afspraak afspraken afzeggen annuleren verzetten
        verplaatsen boeken reserveren maken eens twee drie vier vijf zes zeven acht negen tien elf twaalf zo te
        was had over want die arm bed plek tafel mensen vrij beter wie bon mail""",
}
# They stand in names as well (Anna von der Leyen, Maria de los Angeles), so that they tell nothing by themselves.
_IN_NAMES = _listed(
    """
    von vom der den dem zu zum zur van de het ter ten te la las los el del da do dos das di della dello degli
    dei delle al le les du des d l o a y e i und et en san san santa st"""
)
# Said by whoever has been somewhere on holiday, and to whoever answers in another language.
_EMPTY = _listed(
    """
    yes yeah yep no nope okay ok please thanks thank hello hi hey bye goodbye good great fine perfect sure right
    sorry ja jo nein nee danke dank bitte hallo guten tag gute grüß servus tschüss moin super prima genau sí si
    claro vale gracias favor hola buenas buenos días dias adiós perfecto perfetto parfait oui non merci bonjour
    bonsoir salut revoir plaît plait sil certo grazie prego ciao buongiorno buonasera arrivederci sim não
    obrigado obrigada olá ola bom boa dia tarde noite goedemorgen goedemiddag goedendag dag alstublieft
    alsjeblieft bedankt wel hoi oh ah eh um uhm äh ähm ehm hm mhm"""
)
# By which somebody answers before they say more, and in which languages; a "yes" and a "no" are said in all of them.
_ANSWERS: Mapping[str, str] = {
    "ja": "de nl",
    "nein": "de",
    "nee": "nl de",
    "si": "es it",
    "claro": "es pt",
    "oui": "fr",
    "non": "fr",
    "sim": "pt",
    "nao": "pt",
}
# What addresses, dishes, names of houses and numbers are made of; whoever speaks for themselves says more.
_IN_ADDRESSES = _listed(
    """
    the a an of to for from with without at on in into by and or than over under first last place is
    one two three four five six seven eight nine ten eleven twelve
    der die das den dem des ein eine einen einem einer eines für mit ohne von vom zu zum zur bei beim nach auf aus
    an am im um bis über unter vor gegen und oder ist sind
    eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf
    el la los las un una unos unas lo al del de con sin para por en y o sobre entre desde hasta es son
    uno dos tres cuatro cinco seis siete ocho nueve diez once doce media cuarto
    le les une du au aux avec sans pour par dans sur sous chez vers et ou l d est sont bon
    deux trois quatre cinq sept huit neuf dix onze demie quart
    il i gli dello della dei degli delle allo alla ai agli alle dal dalla dai nel nella nei sul sulla col senza per da
    su ad e ed fra tra dell all dall nell sull prima due quattro cinque sei sette otto nove dieci undici mezza quarto
    os as um uma uns umas do dos das no na nos nas ao aos à às pelo pela num numa em com sem pra até são é
    dois duas três quatro oito dez meia
    de het een met zonder van voor naar bij op uit tot onder tussen en of te
    twee drie vier vijf zes zeven acht negen tien elf twaalf"""
)
# "No entiendo." is short, and as clear as can be.
_AT_A_LOSS = _listed("understand verstehe entiendo comprends capisco entendo percebo begrijp")
# What a language is called, in each of the seven.
_NAMES: Mapping[str, str] = {
    "en": "english englisch inglés anglais inglese inglês ingles engels",
    "de": "german deutsch alemán allemand tedesco alemão duits",
    "es": "spanish spanisch español castellano espagnol spagnolo espanhol spaans",
    "fr": "french französisch français francese",
    "it": "italian italienisch italiano italien italiaans",
    "pt": "portuguese portugiesisch portugués portugais portoghese português portugues portugees",
    "nl": "dutch niederländisch holländisch neerlandés holandés néerlandais olandese holandês neerlandês nederlands",
}
# Frances and Frans are people, as Germán is, unless they are written or asked for as a language is.
_FRENCH = re.compile(
    "\\bfranc[\u00e9\u00ea]s\\b|(?:(?<=spreekt u )|(?<=spreek je )|(?<=praat u )|(?<=praat je )|(?<=in het ))frans\\b"
)
_GERMAN = re.compile("\\bgerm\u00e1n\\b")
# How somebody asks whether, or that, it is spoken: the language's name follows, after a word or two.
_ASKED_FOR = re.compile(
    r"(?:\b(?:(?:do|can|could|would|does|anyone|anybody|someone|somebody)(?: (?:you|we|there|here|who|i)){0,2} "
    r"(?:speaks?|talk|(?:continue|go on|do (?:this|it|that))(?= in ))|(?:could|can) (?:you|we) please (?:speak|talk)|"
    r"sprechen sie|sprichst du|spricht (?:hier |bei ihnen )?jemand|reden sie|"
    r"(?:konnen|konnten) (?:sie|wir)(?=.* (?:sprechen|reden)\b)|konnen sie(?= (?:auch )?(?:deutsch|[a-z]+isch)\b)|"
    r"me hablan?|hablan?(?: usted(?:es)?)|hablas|hableme|hablame|"
    r"(?:puede|puedes|podria|podemos|pueden)(?: \w+){0,2} hablar(?:me)?|"
    r"parlez vous|vous parlez|tu parles|parles tu|(?:pouvez|pourriez) vous(?: me)? parler|"
    r"parlate|parli|(?:puo|possiamo|potete) parlar(?:e|mi)|(?:pode|podemos|podem|podia) falar(?: \w+)?|"
    r"spreekt u|spreek je|praat u|praat je|(?:kunt u|kun je|kunnen we)(?=.* (?:spreken|praten)\b))"
    # Of somebody else it is said with who that is; whoever is asked stands first.
    r"|^(?:\w+ ){0,1}(?:speak|hablan?|parla|falam?|falas))"
    r"(?: (?:in|en|em|auf|auch|also|hier|any|some|bitte|usted|voce|lei|comigo|conmigo|a little)){0,2} (?P<named>[a-z]+)"
    # A thing that is called so has its own name behind it, and a request ends there, or goes on with why.
    r"(?: (?:please|bitte|por favor|s il (?:vous|te) plait|per favore|prego|alstublieft|alsjeblieft|"
    r"(?:with|to) (?:me|us)|mit mir|con me|comigo|conmigo|avec moi|met mij|here|there|hier|instead|now|jetzt|"
    r"ahora|too|also|auch|ook|at all|by any chance|sprechen|reden|spreken|praten))*"
    r"(?: (?:because|cause|porque|weil|denn|parce|perche|omdat|i|ich|yo|je|io|eu|ik|my|mi|no)\b.*)?$"
)
# Whoever speaks of themselves, or says that it is not spoken.
_NOT_ASKING = _listed(
    """
    i we they he she nobody no not dont ich wir niemand yo nadie nous je io noi nessuno eu nos ik wij ninguem"""
)
# Or the name of it and "please", and nothing beside.
_PLEASE = re.compile(
    r"(?:(?:in het|in|en|em|auf) )?(?P<named>[a-z]+) "
    r"(?:please|bitte|por favor|s il vous plait|per favore|prego|alstublieft)"
    r"|(?:please|bitte|por favor) (?:in|en|em|auf) (?P<behind>[a-z]+)"
)
_CLAUSE = re.compile("[.,;:!?\u2026\u00a1\u00bf]+|\\b(?:but|aber|pero|mais|ma|mas|maar)\\b")
_WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class _Told:
    """What a turn's words tell: a language, the words that tell it, and whether more than an address has them."""

    language: str = ""
    signs: frozenset[str] = frozenset()
    is_own: bool = False


def follow(session: CallSession, utterance: Utterance) -> None:
    """Have the house go on in the language in which a caller has just spoken, where it has its sentences in that."""
    own = session.language
    if not own or not utterance.text or utterance.digits or utterance.is_unsaid:
        return
    said = (message.text for message in reversed(session.history.messages) if isinstance(message, UserMessage))
    spoken = language_spoken(utterance.text, own, next(said, ""))
    if spoken != own:
        session.facts = replace(session.facts, language=spoken)


def language_spoken(text: str, now: str, before: str = "") -> str:
    """Return in which language the house goes on after a caller's turn: `now`, unless the turn says otherwise.

    Args:
        text: What they said or typed, as it was transcribed.
        now: In which it has spoken until now (`en`, `de-AT`).
        before: What they said in the turn before, which bears out an address's words by others.
    """
    asked = _asked_for(text[:_LONGEST])
    if asked:
        return asked
    if language_of(now) not in HOUSE_LANGUAGES:
        # Its neighbours are told apart by words that nobody has listed.
        return now
    told = _told(text, language_of(now))
    if not told.language or told.language == language_of(now):
        return now
    if told.is_own:
        return told.language
    earlier = _told(before, language_of(now))
    # Whoever is asked for it again says the same address.
    return told.language if earlier.language == told.language and not told.signs <= earlier.signs else now


def _told(text: str, now: str) -> _Told:
    said = _WORD.findall(_plain(text[:_LONGEST]))
    words = [word for word in said if word not in _EMPTY]
    is_lost = len(said) > 1 and not _AT_A_LOSS.isdisjoint(words)
    # Of a yes that is one in the language that is spoken already nobody knows which was meant.
    answered_in = [] if not said or now in _ANSWERS.get(said[0], now).split() else _ANSWERS[said[0]].split()
    if len(words) + bool(answered_in) < _FEWEST_WORDS and not is_lost:
        return _Told()
    scores, signs = dict.fromkeys(HOUSE_LANGUAGES, 0), dict.fromkeys(HOUSE_LANGUAGES, 0)
    for word in dict.fromkeys(words):
        known = _table().get(word, ())
        is_certain = len(known) == 1 and word not in _IN_NAMES
        for language in known:
            scores[language] += _ENOUGH if word in _AT_A_LOSS else 2 if is_certain else 1
            signs[language] += is_certain * min(len(word), _A_SIGN)
    best = max(scores, key=scores.__getitem__)
    second = max(score for language, score in scores.items() if language != best)
    if signs[best] < _A_SIGN or scores[best] < max(_ENOUGH, second + _AHEAD):
        return _Told()
    telling = frozenset(word for word in words if best in _table().get(word, ()))
    return _Told(best, telling, best in answered_in or not telling <= _IN_ADDRESSES)


def _asked_for(text: str) -> str:
    """Return the language that somebody asks to be spoken to in; empty where nobody does."""
    spelt = unicodedata.normalize("NFC", text).casefold()
    plain = _plain(_GERMAN.sub("", _FRENCH.sub("fran\u00e7ais", spelt)))
    whole = _PLEASE.fullmatch(" ".join(_WORD.findall(plain)))
    if whole is not None:
        return _named().get(whole["named"] or whole["behind"], "")
    asked = ""
    for clause in _CLAUSE.split(plain):
        words = " ".join(_WORD.findall(clause))
        for found in _ASKED_FOR.finditer(words):
            if words.split()[0] not in _NOT_ASKING:
                asked = _named().get(found["named"], asked)
    return asked


@cache
def _table() -> Mapping[str, tuple[str, ...]]:
    """Return each known word with the languages that have it."""
    known: dict[str, list[str]] = {}
    for language, listed in _WORDS.items():
        for word in dict.fromkeys(_plain(listed).split()):
            known.setdefault(word, []).append(language)
    return {word: tuple(languages) for word, languages in known.items()}


@cache
def _named() -> Mapping[str, str]:
    return {_plain(name): language for language, names in _NAMES.items() for name in names.split()}
