"""What callers say of their own behind a yes: why they want it, what else they want, what else they would like to know.

None of it makes of a yes another one, since none of it touches what was asked: not its time, day, person, service,
number or price, no condition, nothing that takes it back. Whole parts of an answer only, between its signs or behind an
"and" or a "because", each in a frame that is known. A frame may leave a place open for what nobody could list (where
somebody moves to, whose cut is asked about): in it stands nothing that narrows, tells a time, or is named in the
question.
"""

import re
from collections.abc import Sequence
from functools import cache

from switchboard.pipeline.confirmation.assent_phrases import named_in, narrowing_words, things_named
from switchboard.pipeline.confirmation.assent_remarks import absences
from switchboard.pipeline.confirmation.assent_words import GLUE, OBJECTS
from switchboard.pipeline.confirmation.consent import plain_words
from switchboard.pipeline.confirmation.deed_words import DEED_STEMS
from switchboard.pipeline.confirmation.spoken_moments import LANGUAGES, names_time

# A word that nobody could list; what may not stand there is looked at apart.
_OPEN = r"([^\W\d_]{2,20}(?: [^\W\d_]{2,20})?)"
_NAME = r"([^\W\d_]{2,20})"
_LEAD = re.compile(
    r"(?:(?:and|oh|also|because|cause|cos|since|as|its just|its just that|sorry|und|ach|ausserdem|denn|weil|y|ademas"
    r"|es que|que|porque|et|aussi|parce que|car|sinon|e|anche|perche|tambem|en|ook|want|omdat) ){1,3}"
)
# That something of theirs has changed explains a move as well as an end.
_CHANGED: Sequence[re.Pattern[str]] = (
    re.compile(
        r"(?:(?:my|our|the) )?(?:plans?|schedule|shifts?|rota|working hours|work hours|things) (?:have |has )?(?:all )?"
        r"(?:just )?changed(?: again| anyway| sadly| unfortunately)?"
        r"|(?:my|our|the) (?:boss|work|job|manager) (?:has |have |just ){0,2}(?:changed|moved|switched|swapped)"
        r" (?:my|our|the) (?:shifts?|schedule|rota|hours)(?: around| again| on me)?"
        r"|(?:something|somethings|something has) (?:came|come) up(?: at work| at home)?"
    ),
    re.compile(
        r"(?:meine|unsere) plane haben sich (?:leider |halt |wieder )?geandert|mein(?:e)? (?:dienstplan|schicht"
        r"|stundenplan|arbeitszeit|plan) hat sich (?:leider |halt |wieder )?(?:geandert|verschoben)"
        r"|mein(?:e)? chef(?:in)? hat (?:mir )?(?:den|die|meinen|meine) (?:dienstplan|schicht(?:en)?)"
        r" (?:geandert|getauscht|verschoben|umgestellt)"
    ),
    re.compile(
        r"(?:mis|los) planes (?:han cambiado|cambiaron)|(?:mi|el) (?:horario|turno) (?:ha cambiado|cambio)"
        r"|(?:mi jefe|mi jefa|en el trabajo) (?:me )?(?:ha cambiado|cambio|han cambiado|cambiaron) (?:el|los|mi|mis)"
        r" (?:turnos?|horarios?)|me (?:han cambiado|cambiaron) (?:el|los) (?:turnos?|horarios?)"
    ),
    re.compile(
        r"mes (?:plans|horaires) ont change|mon (?:planning|emploi du temps) a change"
        r"|(?:mon patron|ma patronne|mon chef|ma cheffe|mon travail) a change (?:mes horaires|mon planning)"
        r"|on (?:ma|a) change (?:mes horaires|mon planning)"
    ),
    re.compile(
        r"i miei piani sono cambiati|mi hanno cambiato (?:il turno|i turni|gli orari)"
        r"|meus planos mudaram|mudei de planos|(?:meu chefe|meu patrao|no trabalho) (?:mudou|trocou|mudaram) "
        r"(?:o meu|meu|os meus|meus) (?:turnos?|horarios?)"
        r"|mijn plannen zijn (?:veranderd|gewijzigd)|mijn baas heeft mijn rooster (?:veranderd|gewijzigd|omgegooid)"
    ),
)
# Why somebody does not come at all; of a move it could mean the new time.
_GONE: Sequence[re.Pattern[str]] = (
    re.compile(
        r"(?:im|i am|were|we are|shes|she is|hes|he is|theyre) (?:actually |just |all )?(?:(?:moving|relocating)"
        rf"(?: away| abroad| house| out of town| out of state| to (?!the |a |an |another |your |somewhere ){_OPEN})?"
        r"|away|abroad|travelling|traveling|out of town|out of the country|on holiday|on vacation|sick|ill|unwell"
        r"|pregnant|in hospital|in the hospital|working|at work|at a wedding|at a funeral|busy)"
        r"(?: anyway| then| that day| that week| that morning| that afternoon| anyways| again)?(?<! busy)"
    ),
    re.compile(
        r"(?:i have|ive got|we have|weve got|she has|shes got|he has|hes got|they have|theyve got"
        r"|theres) (?:exams?|an exam"
        r"|a (?:meeting|wedding|funeral|match|school thing|job interview|party)|an interview|surgery|training|work"
        r"|to work|visitors|guests|family over|family visiting|school|football|practice)"
        r"(?: anyway| then| that day| that week| that morning| that afternoon)?"
        r"|(?:ive|i have|weve|we|i|we have) (?:just |already )?found (?:somewhere|someone|somebody|another salon"
        r"|another place|another dentist|another garage)(?: else)?(?: closer| nearer| closer to home)?"
        r"|(?:i|we|she|he) (?:dont|doesnt|no longer|do not|does not) needs? (?:it|that|this)?(?: any ?more| any longer"
        r"| anyway| after all)?|(?:i|we) (?:cant|wont) (?:make it|come|be there|be here) (?:anyway|after all)"
    ),
    re.compile(
        r"(?:ich|wir) (?:ziehe?|ziehen) (?:ja |eh |sowieso |ohnehin |bald ){0,2}"
        rf"(?:weg|um|fort|nach (?!der |dem |den |einem |einer ){_OPEN})"
        r"|(?:ich bin|wir sind|sie ist|er ist) (?:ja |eh |sowieso |ohnehin |leider |da |dann ){0,2}(?:krank"
        r"|verreist|weg"
        r"|nicht da|im urlaub|im ausland|auf reisen|schwanger|im krankenhaus|arbeiten|erkaltet)"
        r"|(?:den|die|das|ihn) brauche? (?:ich|wir) (?:ja |eh |sowieso |leider |jetzt ){0,2}(?:nicht|nimmer)(?: mehr)?"
        r"|(?:ich|wir) brauchen? (?:den|die|das|ihn) (?:ja |eh |sowieso |leider |jetzt ){0,2}(?:nicht|nimmer)(?: mehr)?"
        r"|(?:ich hab|ich habe|wir haben) (?:schon |jetzt |inzwischen ){0,2}(?:was|etwas|jemand|jemanden|einen|eine)"
        r" (?:anderes|anderen|andere) gefunden"
        r"|(?:ich hab|ich habe|wir haben|sie hat|er hat) (?:da |dann |an dem tag |ja |eh ){0,2}(?:prufung|prufungen"
        r"|schule|besuch|dienst|fruhschicht|spatschicht|eine hochzeit|eine beerdigung)"
        r"|(?:mir ist|es ist|da ist) (?:leider )?(?:was|etwas) dazwischengekommen"
    ),
    re.compile(
        r"(?:estoy|estamos|estare|estaremos|voy a estar) (?:de viaje|fuera|de vacaciones|de baja|enferm[oa]|mal[oa]"
        r"|embarazada|en el hospital)(?: ese dia| esa semana| igual| igualmente)?"
        rf"|(?:me mudo|nos mudamos|me voy a mudar)(?: de ciudad| de casa| fuera| a (?!la |las |el |otra "
        rf"|otro ){_OPEN})?"
        r"|ya no (?:la|lo) (?:necesito|necesitamos)|(?:he encontrado|encontre|ya tengo) (?:otro sitio|otro salon"
        r"|otra peluqueria)|tengo (?:examenes|un examen|una boda|visita|que trabajar|trabajo)(?: ese dia| esa semana)?"
        r"|(?:me ha surgido|me surgio) (?:algo|un imprevisto)"
    ),
    re.compile(
        rf"(?:je|on) demenage(?: de toute facon| bientot| a (?!la |l |une |un ){_OPEN})?"
        r"|(?:je suis|on est|je serai|on sera) (?:de toute facon )?(?:malade|en vacances|en voyage|absente?|enceinte"
        r"|a l hopital|en deplacement|a letranger)(?: de toute facon| ce jour la| cette semaine la)?"
        r"|(?:je|on) (?:nen ai|nen a|nai|na) plus besoin|je nen ai plus besoin|jen ai plus besoin"
        r"|jai trouve (?:ailleurs|un autre salon|quelqu un d autre|quelquun dautre)"
        r"|(?:je pars|on part) en (?:vacances|voyage)|jai (?:un examen|des examens|un mariage|un empechement"
        r"|un imprevu)"
        r"(?: ce jour la)?"
    ),
    re.compile(
        r"(?:sono|saro|siamo) (?:malat[oa]|via|in viaggio|in vacanza|fuori|fuori citta|incinta|in ospedale)"
        rf"(?: quel giorno)?|(?:mi trasferisco|ci trasferiamo|cambio casa)(?: a {_OPEN})?|non mi serve piu"
        r"|ho (?:linfluenza|la febbre|un esame|un imprevisto)|ho trovato un altro (?:posto|salone)"
        r"|(?:vou|vamos) (?:viajar|estar fora|estar de ferias)|(?:estou|estarei) (?:doente|gripad[oa]|fora|de ferias"
        rf"|viajando|gravida)(?: nesse dia)?|(?:vou me mudar|vou mudar|mudo me)(?: para {_OPEN})?"
        r"|(?:ja )?nao preciso mais(?: dela| dele)?|tenho (?:um exame|uma prova|um casamento)(?: nesse dia)?"
        rf"|(?:ik ga|we gaan) verhuizen|(?:ik verhuis|we verhuizen)(?: toch)?(?: naar {_OPEN})?"
        r"|(?:ik ben|we zijn)(?: toch| dan| die dag){0,2} (?:ziek|weg|op vakantie|op reis|zwanger|verkouden"
        r"|aan het werk)"
        r"|ik heb (?:hem|het|die) niet meer nodig|ik heb (?:iemand|iets) anders gevonden"
    ),
)
_ONE = r"(?:one|an appointment|a haircut|a cut|a slot)"
_KIN = (
    r"(?:husband|wife|son|daughter|kid|boy|girl|mom|mum|mother|dad|father|sister|brother|partner|friend|boyfriend"
    r"|girlfriend)"
)
# One more for somebody else takes for granted that this one is agreed; behind an end nobody says what "one" is.
_ONE_MORE: Sequence[re.Pattern[str]] = (
    re.compile(
        rf"(?:my|our) {_KIN}(?: {_NAME}(?: {_NAME})?)? (?:also |will also |too )?(?:needs?|wants?|would like"
        rf"|d like) {_ONE}"
        r"(?: too| as well| also|(?: right| straight| just| directly)? after (?:me|mine|that|this))"
        rf"|i (?:also |will also |ll also )?need (?:{_ONE}|another|another one) for my {_KIN}(?: too| as well| also)"
        rf"|i (?:also|will also) need {_ONE} for my {_KIN}|i need another(?: one)? for my {_KIN}"
    ),
    re.compile(
        r"mein(?:e)? (?:mann|frau|sohn|tochter|mutter|vater|schwester|bruder|freund|freundin|partner|partnerin)"
        rf"(?: {_NAME}(?: {_NAME})?)? (?:braucht|brauchte|mochte|hatte gern|will) (?:auch|danach|danach auch"
        rf"|gleich danach"
        r"|direkt danach|dann auch|direkt nach mir|gleich nach mir) (?:noch )?(?:einen|eine|einen termin|einen schnitt)"
        r"|ich (?:brauche?|brauchte|hatte gern) (?:dann )?(?:auch )?noch (?:einen|eine"
        r"|einen termin) fur (?:meinen|meine)"
        r" (?:mann|frau|sohn|tochter|mutter|vater|schwester|bruder|freund|freundin)"
    ),
    re.compile(
        r"(?:luego |despues )?(?:quiero|quisiera|necesito|queria) (?:otra|otro|otra cita|otro turno)(?: mas)? para mi "
        r"(?:hija|hijo|marido|mujer|esposa|esposo|madre|padre|hermana|hermano)(?: tambien)?"
        rf"|mi (?:hija|hijo|marido|mujer|esposa|esposo|madre|padre)(?: {_NAME})? (?:tambien )?(?:necesita|quiere) "
        r"(?:otra|otra cita|una tambien|una despues)"
    ),
    re.compile(
        r"(?:il men faudrait|jen voudrais|il men faut|jen veux|je voudrais) (?:aussi )?(?:un autre|encore un"
        r"|un autre rendez vous)"
        r" pour (?:mon|ma) (?:fils|fille|mari|femme|mere|pere|soeur|sœur|frere)(?: aussi)?"
        rf"|(?:mon|ma) (?:fils|fille|mari|femme|mere|pere)(?: {_NAME})? en (?:voudrait|veut) (?:un aussi|un apres)"
    ),
    re.compile(
        r"(?:ne vorrei|me ne serve|vorrei|mi serve) (?:anche )?un altro(?: appuntamento)? per (?:mio|mia) "
        r"(?:figlio|figlia|marito|moglie)(?: anche)?"
        r"|(?:quero|queria|preciso de) (?:mais )?(?:outra|outro|uma|um)(?: tambem)? (?:para|pra) (?:o meu|a minha"
        r"|meu|minha)"
        r" (?:filho|filha|marido|mulher|esposa) tambem"
        r"|(?:ik wil|ik heb) (?:ook )?(?:er )?nog een(?: afspraak)?(?: nodig)? voor mijn (?:man|vrouw|zoon|dochter)"
    ),
)
# To be told of it beforehand means to come.
_REMINDED: Sequence[re.Pattern[str]] = (
    re.compile(
        r"(?:please )?(?:(?:can|could|will|would) you (?:also |please )?)?remind me (?:please )?(?:the day before"
        r"|a day before"
        r"|the evening before|the night before|beforehand|in advance)(?: please)?"
        r"|(?:konnen sie|konnten sie|konnt ihr|kannst du) mich (?:bitte |noch |da ){0,2}(?:am tag vorher|am tag davor"
        r"|einen tag vorher|am vorabend|vorher|am abend vorher) (?:noch )?(?:dran |daran )?erinnern"
        r"|(?:erinnern sie|erinnere|erinnert) mich (?:bitte )?(?:am tag vorher|am tag davor|einen tag vorher|vorher)"
        r"|(?:me )?(?:puede|pueden|podria|podrian|puedes) (?:recordarmelo|recordarme|recordar|mandarme un recordatorio)"
        r" (?:el dia antes|un dia antes|el dia anterior)"
        r"|(?:vous )?(?:pouvez|pourriez)(?: vous)? me le rappeler (?:la veille|le jour avant|un jour avant)"
        r"|(?:mi puo|puo|mi potete) ricordar(?:e|melo) (?:il giorno prima|un giorno prima)"
        r"|(?:pode|podem) me (?:lembrar|avisar) (?:no dia anterior|um dia antes|na vespera)"
        r"|(?:kunt u|kun je|wilt u) me (?:er )?(?:de dag ervoor|een dag van tevoren|een dag ervoor)(?: aan)? herinneren"
    ),
)
# How somebody takes it, and what is left: that it is over they take for granted.
_AFTERWARDS: Sequence[re.Pattern[str]] = (
    re.compile(
        rf"(?:will|is|wont) (?:she|he|they|{_NAME}) (?:be |gonna be |going to be )?(?:very |too |really )?(?:angry|mad"
        r"|upset|cross|sad|annoyed|disappointed|offended)(?: with me| at me| about it)?"
        r"|(?:what is|whats) (?:still )?left(?: then| now)?|what (?:else )?do (?:i|we) (?:still )?have(?: left"
        r"| booked| then)"
        r"(?: then)?|what (?:other )?appointments do (?:i|we) (?:still )?have(?: left| then)?"
    ),
    re.compile(
        rf"(?:ist|wird) (?:sie|er|{_NAME}) (?:mir |jetzt |dann |da ){{0,2}}(?:sehr )?(?:bose|sauer|traurig|enttauscht)"
        r"(?: auf mich)?(?: sein)?|was (?:habe?|haben) (?:ich|wir) (?:dann |jetzt ){0,2}(?:noch|noch ubrig)"
        r"|was bleibt (?:dann |mir |uns ){0,2}(?:noch|ubrig|noch ubrig)"
        rf"|(?:se va a|se) (?:enfadar|enojar|enfadara|enojara)(?: {_NAME})?(?: conmigo)?|que me queda(?: entonces"
        rf"| ahora)?"
        rf"|(?:elle|il|{_NAME}) (?:va|sera) (?:etre )?(?:fache|fachee|decu|decue|triste)(?: contre moi)?"
        r"|quest ce quil (?:me|nous) reste(?: alors)?|il me reste quoi"
    ),
)
# What is sold beside; of what it is for nobody asks who has not agreed.
_SOLD = re.compile(
    r"(?:do you (?:also )?(?:sell|have|do|stock)|(?:verkaufen|haben|verkauft|habt) (?:sie|ihr)(?: eigentlich"
    r"| auch| bei ihnen){0,2}"
    r"|(?:venden|tienen|vendeis|teneis)(?: tambien)?|(?:(?:est ce que )?vous )?(?:vendez|avez"
    r"|faites)(?: vous)?(?: aussi)?"
    r"|(?:vendete|avete)(?: anche)?|(?:voces )?(?:vendem|tem|tem tambem)|(?:verkopen|hebben|verkoopt"
    r"|heeft) (?:jullie|u)"
    r"(?: ook)?)"
    r" (?:any |some |des |de la |un |du |dei |dello |een )?(?:shampoos?|hair products|products|conditioner|gift cards?"
    r"|gift vouchers?|vouchers?|gutscheine|geschenkgutscheine|haarprodukte|produkte|pflegeprodukte|champus?|champu"
    r"|productos|tarjetas regalo|vales regalo|shampoings?|shampooings?|produits|cartes cadeaux|bons cadeaux|prodotti"
    r"|buoni regalo|buoni|produtos|vales presente|cadeaubonnen|cadeaukaarten|producten)(?: too| here| there| ook"
    r"| aussi)?"
)
# No names, though they may stand behind one: "my husband says he needs one".
_TELLING = frozenset(
    plain_words(
        """says said say thinks think thought told tells asks asked sagt meint sagte findet dice dijo dit dice disse
        zegt never always already maybe just still hardly there here home"""
    )
)


def said_of_own(text: str, deeds: Sequence[str], question: str, *, is_firm: bool) -> bool:
    """Tell whether a part of an answer speaks of the caller's own, and of nothing that was asked.

    Args:
        text: The part: "and I'm moving to Boston anyway".
        deeds: What was asked about, for which there are frames: `cancelled`, `moved` or `booked`.
        question: What was asked, as the caller was told.
        is_firm: Whether the yes before it is one that is not said to what is heard, as "okay" is.
    """
    words = [word for word in plain_words(text) if word != "?"]
    sentence = " ".join(words)
    led = _LEAD.match(sentence)
    sentences = (sentence, sentence[led.end() :]) if led else (sentence,)
    if is_firm and set(deeds) == {"cancelled"} and not _absences().isdisjoint(sentences):
        return True
    named = named_in(question)
    for frames, is_open_to_named in _frames(deeds, is_firm=is_firm):
        for pattern in frames:
            for told in sentences:
                match = pattern.fullmatch(told)
                if match is not None and _is_apart(match, frozenset() if is_open_to_named else named):
                    return True
    return False


def _frames(deeds: Sequence[str], *, is_firm: bool) -> Sequence[tuple[Sequence[re.Pattern[str]], bool]]:
    """Return the frames that may stand behind a yes to some deeds, and whether what was asked may be named in them."""
    about = set(deeds)
    frames: list[tuple[Sequence[re.Pattern[str]], bool]] = [((_SOLD,), False)]
    if "cancelled" not in about:
        frames += [(_REMINDED, False), (_ONE_MORE, True)]
    if is_firm and "booked" not in about:
        frames.append((_CHANGED, False))
    if is_firm and about == {"cancelled"}:
        frames += [(_GONE, False), (_AFTERWARDS, True)]
    return frames


def _is_apart(match: re.Match[str], named: frozenset[str]) -> bool:
    """Tell whether what stands in a frame's open places narrows nothing, and names nothing that was asked."""
    for slot in match.groups():
        for word in (slot or "").split():
            if word in _never_open() or word in named or any(stem.match(word) for stem in DEED_STEMS.values()):
                return False
    return True


@cache
def _never_open() -> frozenset[str]:
    times = frozenset(word for language in LANGUAGES for word in names_time(language))
    small = frozenset(word for table in (GLUE, OBJECTS) for words in table.values() for word in words.split())
    return narrowing_words() | times | things_named() | small | _TELLING


@cache
def _absences() -> frozenset[str]:
    return frozenset(" ".join(words) for language in LANGUAGES for words in absences(language))
