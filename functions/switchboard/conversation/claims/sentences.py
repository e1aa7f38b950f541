"""Where a sentence ends, and which clauses it has: read from marks and a few joining words, in every language alike."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from switchboard.contract.model import Message, Noted, Spoken
from switchboard.conversation.claims.time_words import MONTHS
from switchboard.conversation.speech.sentence_ends import SENTENCE_END

# Of a row of marks, or of blanks, only the first may begin it, as above.
_CLAUSE_END = re.compile(
    r"(?<![;:\u2013\u2014!?\u2026.])(?:[;:\u2013\u2014!?\u2026]|(?<!\.m)(?<!\d)(?<!\bdr)(?<!\bmr)(?<!\bms)"
    r"(?<!\bmrs)(?<!\bsr)(?<!\bsra)(?<!\bdra)(?<!\bprof)\.)+\s+|,\s+"
    r"|(?<!\s)\s+[-\u2013\u2014]\s+|"
    r"(?<!\s)\s+(?=(?:and|but|because|since|although|though|und|aber|weil|denn|obwohl|doch|y|pero|porque|aunque|et"
    r"|mais|car|"
    r"puisque|ma|perché|però|mas|porém|porque|en|maar|omdat|want)\s)",
    re.I,
)
# A clause that speaks of other times than what was done.
NO_RULE: Final = (
    r"(?!.{0,40}\b(?:for \d|for groups|usually|always|only|never|minutes|free of charge|until|if|unless|when|after|via"
    r"|by e-?mail|by text|by phone|par|après|si|quand|dopo|quando|tramite|per|por|después|cuando|depois|sms|minuti"
    r"|minutos)\b)"
)
"""Nothing behind it tells how long something takes, what is usual or what is free of charge: that is everybody's."""
ELSEWHERE = re.compile(
    r"\b(?:free|available|availability|open|opens|opening|close|closes|closed|instead of|other times?|frei|verfügbar|"
    r"geöffnet|offen|geschlossen|statt|öffne\w*|schließ\w*|libres?|disponibles?|abiert\w+|cerrad\w+|abr(?:e|imos)|"
    r"cierra|cerramos|en (?:lugar|vez) del?|ouverte?s?|fermée?s?|ouvr\w+|ferm(?:e|ons)|au lieu d[eu]|plutôt que|"
    r"(?:is|was|are|were) (?:already )?taken|belegt|vergeben|ocupad[oa]s?|"
    r"minutes (?:early|earlier|before)|reminder|minuten (?:vorher|früher)|erinnerung|minutos antes|recordatorio|"
    r"minutes (?:avant|plus tôt)|liber[oi]|disponibil[ei]|apert[oi]|chius[oi]|apriamo|chiudiamo|invece d[i']|"
    r"livres?|disponíve(?:l|is)|aberto|fechado|abrimos|fechamos|em vez d[eo]|vrij|beschikbaar|geopend|gesloten|"
    r"in plaats van|minuten (?:eerder|van tevoren))\b",
    re.I,
)
# How a sentence says that something is not so, or only might be.
_NOT = (
    r"if|unless|not|never|wenn|falls|nicht|nie|kein\w*|(?<!^)no(?! (?:problem|worries|trouble))|nunca|ne|pas|jamais"
    r"|non|não|si"
)
_MIGHT = (
    r"would|could|can|may|might|usually|always|könnte\w*|würde\w*|kann|können|immer|normalerweise|siempre|podría\w*"
    r"|puede|toujours|peut|pourrait"
)
DENIED = re.compile(rf"\b(?:{_NOT})\b|n't\b|\bn'", re.I)
NOT_SO = re.compile(rf"\b(?:{_NOT}|{_MIGHT})\b|n't\b|\bn'", re.I)
_WORD = re.compile(r"\w+")
# So many words in a row are no accident.
_FEWEST_QUOTED = 4
_CLAUSES_KEPT = 500

# Without one of these an address beside a message is part of it: "it is taken, with your e-mail".
SENT = re.compile(
    r"\b(?:sent|sending|e-?mailed|mailed|texted|geschickt|gesendet|gemailt|verschickt|enviad[oa]|mandad[oa]|envoyée?s?"
    r"|inviat[oa]|mandat[oa]|enviei|verstuurd|gestuurd|gemaild)\b",
    re.IGNORECASE,
)
# Without such a word a sentence lists what is to be booked, or has been, and the question behind it says which.
TELLS = re.compile(
    r"\b(?:is|are|was|(?<=\bi )am|have|has|had|got|ist|sind|bist|habe?n?|hat|wurden?|steht|stehen|está[ns]?|estáis"
    r"|queda[ns]?|he|ha[ns]?"
    r"|hemos|tienes?|tenemos|est|êtes|suis|ai|avez|avons|ont|è|siete|ho|hai|abbiamo|ficou|fica|tem|temos"
    r"|staat|heb|hebt|heeft|bent|zijn)\b|['\u2019](?:s|re|ve|m)\b|(?<!\w)j['\u2019]ai\b|\b\w*(?:book|reserv|réserv"
    r"|confirm|"
    r"gebucht|eingetragen|notier|bestätigt|verschoben|verlegt|moved|changed|agendad|apuntad|anotad|cambiad|inscrit"
    r"|noté|déplacé|prenotat|fissat|segnat|spostat|marcad|geboekt|gereserveerd|bevestigd|verzet|ingepland)\w*",
    re.IGNORECASE,
)
# "Le confirmo los datos: …" is no telling word: it leads to what is read back.
_READS_BACK = re.compile(
    r"\b(?:(?:just )?(?:to|let me) (?:confirm|recap|read (?:that|it) back)(?: (?:the|your|all the) details)?"
    r"|i(?:'ll| will) (?:just )?(?:repeat|confirm|read back)"
    r"|(?:ich )?(?:bestätige|wiederhole|fasse)(?: (?:ihnen|noch ?mal|noch einmal|kurz|die angaben|die daten|zusammen))*"
    r"|(?:le |les |te )?(?:confirmo|repito|repaso|resumo)(?: (?:los|sus|tus|os|seus) (?:datos|dados))?"
    r"|confirmando|resumiendo|resumindo|para confirmar"
    r"|je (?:vous )?(?:confirme|répète|récapitule|résume)(?: (?:les données|vos informations|le tout))?|pour confirmer"
    r"|(?:le |vi |ti )?(?:confermo|ripeto|riassumo|ricapitolo)(?: (?:i|tutti i) dati)?|ricapitolando|riassumendo)"
    r"(?: (?:before i|antes de|bevor ich|avant de|prima di) \w+)?\s*(?=[:,])",
    re.IGNORECASE,
)
# It is read back behind it, in a sentence of its own.
_ANNOUNCES = re.compile(
    r"(?:^|[.,!] )(?:so |also |dann |pues |alors |bon |allora |quindi |então )?(?:let me (?:recap|read (?:that|it) back"
    r"|confirm the details)|i'll (?:just )?(?:repeat|recap)(?: that| it)?"
    r"|ich (?:wiederhole|fasse (?:das )?(?:kurz )?zusammen)"
    r"(?: (?:kurz|noch ?mal|noch einmal))?|(?:le |les |te )?(?:confirmo|repito|repaso|resumo) (?:los|sus|tus|os|seus)"
    r" (?:datos|dados)|resumo|je (?:vous )?(?:récapitule|résume)|(?:le |vi )?(?:riassumo|ricapitolo|confermo i dati"
    r"|ripeto i dati))\W*$",
    re.IGNORECASE,
)
# How somebody asks whether what was read back is right, or is to be done.
CHECK = re.compile(
    r"\b(?:shall i (?:book|enter|put|move|do|go)|should i (?:book|enter|put|move)"
    r"|would you like me to (?:book|enter|put|move)"
    r"|is (?:that|this|it) (?:right|correct|ok|okay|all right|fine)|does (?:that|this) (?:work|suit)"
    r"|soll ich (?:das|es|ihn|sie|beides)|passt (?:das|es|ihnen|dir)|stimmt (?:das|es|so)|ist das (?:richtig|recht|so)"
    r"|(?:se )?l[oa]s? (?:reservo|confirmo|anoto)|te l[oa]s? (?:reservo|confirmo|anoto)|es correcto|(?:le|te) va bien"
    r"|est[aá] bien as[ií]|(?:vous|te) l[ea]s? r[ée]serve|c'est (?:bien ça|correct)|ça vous (?:va|convient)"
    r"|(?:gliel[oa]|te l[oa]) (?:prenoto|confermo)|va bene così|è corretto|posso (?:marcar|reservar|confirmar)"
    r"|est[aá] bem assim|zal ik (?:dat|het|u|je)|klopt (?:dat|het)|is dat (?:goed|juist))\b",
    re.IGNORECASE,
)
# Such a question asks of what was read back whether it is right, where it was read back as it was found.
_IS_RIGHT = re.compile(
    r"^\W*(?:(?:so|and|y|et|e|und|entonces|vale|okay?|alors|allora|então|dann|pues)\b[\s,]*){0,2}(?:"
    r"(?:(?:is )?(?:that|this|it|everything|all)(?:'s| is)? )?(?:correct|right|okay?|all right|fine|good)"
    r"|(?:does (?:that|this|it) )?(?:sounds?|looks?) (?:right|good|okay?)|shall i (?:go ahead|confirm|proceed)"
    r"|(?:did i get|have i got) (?:that|it|everything) right"
    r"|(?:alles |ist das (?:so )?)?(?:richtig|korrekt|recht|in ordnung|einverstanden)|stimmt(?:'s| das| so| alles)*"
    r"|passt(?: das| so| ihnen| es| alles)*"
    r"|(?:es |está |todo )*(?:correcto|bien|conforme|de acuerdo)(?: así)?|(?:se )?l[oae]s? (?:dejo|reservo|confirmo"
    r"|apunto)(?: así)?"
    r"|procedo|confirmo|confirmamos|(?:le|te) parece(?: bien)?|vale|verdad|me (?:lo )?confirma"
    r"|(?:(?:c'est|tout est|est-ce) )(?:bien )?(?:bon|correct|exact|juste|ça|cela)|(?:ça|cela) vous (?:va|convient)"
    r"|d'accord|(?:je|on) (?:le )?(?:confirme|valide|réserve|note)|on part là-dessus|vous confirmez"
    r"|(?:è )?(?:tutto )?(?:giusto|corretto|esatto)|(?:le )?va bene(?: così)?|confermo|confermiamo|conferma|d'accordo"
    r"|(?:está |tudo )?(?:certo|correto|bem|ok)(?: assim)?|confirma|posso (?:confirmar|marcar|reservar)|pode ser|é isso"
    r"|klopt(?: dat| het)?|is dat (?:goed|juist)|akkoord|goed zo)\s*\?\W*$",
    re.IGNORECASE,
)
# "Todo listo, viernes a las dos y media. ¿Vale?" tells that it was done.
_IS_DONE = re.compile(
    r"\b(?:done|all set|sorted|settled|fertig|erledigt|alles klar gemacht|listo|hech[oa]|ya está|ya quedó"
    r"|c'est (?:fait|pris|calé)"
    r"|voilà|fatt[oa]|tutto a posto|pronto|feito|tudo certo|klaar|geregeld)\b",
    re.IGNORECASE,
)
# Without such a word "your haircut tomorrow at ten is cancelled" names what is gone, whatever it sounds like.
MADE_ANEW = re.compile(
    r"\b(?:(?:re)?book(?:ed|ing)?|schedul\w+|all set|instead|new|moved|confirm\w*|still|stands?|stays?|kept|reserv\w*"
    r"|réserv\w*|gebucht|eingetragen|vereinbart|verlegt|verschoben|bestätigt|bleibt|stattdessen|neue?[nrs]?|agendad\w*"
    r"|apuntad\w*|sigue|mantien\w*|nuev\w+|nouve\w+|déplacé\w*|maint\w*|prenotat\w*|spostat\w*|conferm\w*|geboekt"
    r"|verzet|bevestigd|nieuwe?|marcad\w*|nov[ao])\b",
    re.I,
)
# What asks for a deed, as it is said when something is wanted, and not when it is spoken of ("is it booked?").
_WISH = re.compile(
    r"\b(?:book|cancel|move|switch|change|swap|reschedule|put|add|send|text|e-?mail|tell|update|correct|make|take"
    r"|transfer|leave|keep|lass(?:en|t)?|behalten?|d[eé]j[ae]\w{0,4}|laiss\w{1,4}|gard\w{1,3}|lasci\w{1,5}|deix\w{1,4}"
    r"|laat|remove|absagen|stornieren?|verschieben?|verlegen?|buchen?|ändern?|wechseln?|tauschen?|schicken?|senden?"
    r"|eintragen?"
    r"|trag(?:en)?|machen?|ausrichten|canc[eé]l[aeo]\w{0,3}|an[uú]l[ae]\w{0,3}|c[aá]mbi[ae]\w{0,3}"
    r"|mu[eé]v[ae]\w{0,3}|mover|reserv[ae]r?"
    r"|env[ií][ae]\w{0,3}|m[aá]nd[ae]\w{0,3}|p[oó]ng[ae]\w{0,3}|annul(?:er|ez)|déplac(?:er|ez)|chang(?:er|ez)"
    r"|réserv(?:er|ez)"
    r"|envoy(?:er|ez)|mett(?:re|ez)|ajout(?:er|ez)|annull[ai]|spost[ai]\w{0,2}|prenot[ai]|mand[ai]|invi[ai]"
    r"|marc[ae]r?|mud[ae]r?"
    r"|troc[ae]r?|annuleer|verzet|verplaats|boek|stuur|zet|wijzig|verander)\b",
    re.I,
)
_OWN_VISIT = (
    r"(?:appointment|booking|reservation|table|termin|buchung|reservierung|tisch|cita|reserva|mesa|rendez-vous"
    r"|réservation|appuntamento|prenotazione|marcação|consulta|horário|afspraak)"
)
_VISIT = re.compile(rf"(?<!\w){_OWN_VISIT}(?!\w)", re.I)
# What is told up to there is a sentence of its own, whatever is asked behind it; a dot behind a number ends none yet.
_ASKED_BEHIND = re.compile(
    r"[;\u2013\u2014]\s|\s-\s|,\s(?=¿)|(?<=\d)\.\s(?=[A-ZÀ-ÖØ-Þ¿])"
    r"|,\s(?=(?:and |und |et |e |en )?(?:what|which|when|how|where|may|can|could|shall|should|would|do|does|is|are"
    r"|anything|wie|was|wann|welche\w*|darf|kann|soll|passt|stimmt|ist|sind|noch|qu[ei]|comment|puis-je|avez|voulez"
    r"|come|posso|vuole|como|quer|hoe|mag|kan|zal)\b)",
    re.I,
)
_PARTS = re.compile(r"[^,.;:!?]+[,.;:!?]?")
# How callers say that they have something already, and that they come by, or call again.
_HAS = re.compile(
    rf"(?:(?<!can )(?<!could )(?<!may )(?<!do )\bi(?:'ve got| have| got)(?: an?| my)? (?:\w+ )?{_OWN_VISIT}"
    rf"|\b(?:my|mein(?:e[nm]?)?|mi|mon|ma|il mio|la mia|minha|o meu|mijn) {_OWN_VISIT}"
    rf"|\b(?:ich habe?|habe? ich|tengo|tenemos|j'ai|nous avons|ho|abbiamo|tenho|temos"
    rf"|ik heb)\b(?: \w+){{0,4}}? {_OWN_VISIT}"
    r"|\bi'm (?:already )?booked)(?!\w)",
    re.I,
)
_COMES = re.compile(
    r"\b(?:i'm (?:coming|stopping|dropping|popping)"
    r"|(?:i'll|i will|we'll|can i|could i|may i) (?:just )?(?:come (?:by|over|past|around)"
    r"|(?:stop|drop|pop|swing) (?:by|in|over)|call (?:back|again))"
    r"|(?:vorbei|nochmal|noch mal|wieder) ?(?:komme\w*|schau\w*|an)|(?:komme|schaue|gehe)\b(?: \w+){0,4} vorbei"
    r"|(?:paso|pasaré|pasar(?:me)?|vengo|vuelvo a llamar|volveré a llamar)"
    r"|(?:je|j'y) (?:passe|passerai|viens|viendrai|rappelle|rappellerai)|je peux (?:passer|venir)"
    r"|puis-je (?:passer|venir)"
    r"|passo|passare|vengo|richiamo|passar|venho|kom(?: \w+){0,3} langs)(?!\w)",
    re.I,
)
# Who wishes for something to be made, moved or cancelled has nothing then yet.
_WISHES = re.compile(
    r"\b(?:book (?:a|me|an|my|us)|to book|reserve|schedule|make an?|get an?|need an?|like an?|want an?|available|free"
    r"|slots?|openings?|fit me in|(?:re)?schedul\w*|mov(?:e|ing)|chang(?:e|ing)|switch|push|cancel\w*|instead|won't"
    r"|can't make|cannot"
    r"|buchen|reservieren|vereinbaren|frei|brauche|hätte|möchte|verschieb\w*|verleg\w*|absag\w*|stornier\w*|statt"
    r"|reservar|agendar|pedir|quiero|quisiera|libre|hueco|cambi\w*|mover|cancel\w*|anul\w*|no puedo"
    r"|réserver|prendre|voudrais|aimerais|besoin|dispo\w*|déplac\w*|décal\w*|annul\w*|chang\w*|ne peux pas"
    r"|prenotare|vorrei|spost\w*|disd\w*|marcar|queria|gostaria|mudar|remarcar|desmarcar|boeken|verzett\w*"
    r"|afzegg\w*)\b",
    re.I,
)


def tells(sentence: str) -> bool:
    """Tell whether a sentence tells that something is, or was, and does not only list it."""
    return TELLS.search(_READS_BACK.sub("", sentence)) is not None


def reads_back(sentence: str) -> bool:
    """Tell whether a sentence announces that something is read back, and does not tell that it was done."""
    return _READS_BACK.search(sentence) is not None and not tells(sentence)


def announces(sentence: str) -> bool:
    """Tell whether a sentence says no more than that something is read back behind it."""
    return _ANNOUNCES.search(sentence) is not None


def asks_if_right(sentence: str, before: str) -> bool:
    """Tell whether a sentence asks no more than whether what was read back before it, and not done, is right."""
    return _IS_RIGHT.match(sentence) is not None and _IS_DONE.search(before) is None


def before_question(sentence: str) -> tuple[str, str]:
    """Return what a sentence tells before its question, and the question: "It's $40; shall I book it?".

    What asks nothing, or nothing but its question, has nothing before it.
    """
    if not sentence.rstrip().endswith("?"):
        return "", sentence
    ends = (match.end() for match in _ASKED_BEHIND.finditer(sentence))
    end = max((end for end in ends if (sentence[end:].split() or [""])[0].casefold() not in MONTHS), default=0)
    return sentence[:end], sentence[end:]


def run_of(text: str) -> str:
    """Return the words of a text in lower case, one blank around each: what stands in it can be looked for."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def without_quotes(clauses: Sequence[str], texts: Sequence[str]) -> str | None:
    """Return what is left of a sentence without the clauses that stand in one of these; None where none does.

    Args:
        clauses: The sentence.
        texts: As `run_of` returns them.
    """
    left, at, is_quoted = "", 0, False
    while at < len(clauses):
        # As many clauses as stand there one behind the other.
        for end in range(len(clauses), at, -1):
            run = run_of("".join(clauses[at:end]))
            if run.count(" ") > _FEWEST_QUOTED and any(run in text for text in texts):
                at, is_quoted = end, True
                break
        else:
            left, at = left + clauses[at], at + 1
    return left if is_quoted else None


def clauses_of(sentence: str) -> list[str]:
    """Return the parts of a sentence between marks and joining words; joined, they are the sentence."""
    return list(_clauses(sentence))


# Whatever holds a sentence against something asks for its clauses.
@lru_cache(maxsize=_CLAUSES_KEPT)
def _clauses(sentence: str) -> tuple[str, ...]:
    clauses, start = list[str](), 0
    for match in _CLAUSE_END.finditer(sentence):
        if sentence[start : match.end()].strip():
            clauses.append(sentence[start : match.end()])
            start = match.end()
    if sentence[start:].strip() or not clauses:
        clauses.append(sentence[start:])
    return tuple(clauses)


def last_boundary(text: str) -> int:
    """Return where the last clause of a text begins; 0 where it has only one."""
    end = 0
    for match in _CLAUSE_END.finditer(text):
        end = match.end()
    return end if end < len(text) else 0


def asks_for_something(text: str) -> bool:
    """Tell whether somebody wants something done: then "done" is said of that, and of nothing before."""
    return _WISH.search(text) is not None


def heard_before(messages: Sequence[Message]) -> list[str]:
    """Return the sentences that were said of an answer that is begun anew: a note about it is the last message."""
    if len(messages) < 2 or not isinstance(messages[-1], Noted):
        return []
    spoken = messages[-2]
    if not isinstance(spoken, Spoken) or spoken.calls:
        return []
    text = f"{spoken.text.strip()} "
    ends = [match.end() for match in SENTENCE_END.finditer(text)]
    return [run_of(text[start:end]) for start, end in pairwise([0, *ends])]


def tells_of_coming(heard: str, *, names_thing: bool) -> bool:
    """Tell whether a caller says that they have an appointment, or come by, and wishes for none to be made or moved.

    Args:
        heard: What they said.
        names_thing: Whether it names what appointments are made for: who comes by for that wishes for one.
    """
    if _WISHES.search(heard) is not None:
        return False
    if any(_HAS.search(part) is not None and not part.endswith("?") for part in _PARTS.findall(heard)):
        return True
    return _COMES.search(heard) is not None and not names_thing and _VISIT.search(heard) is None
