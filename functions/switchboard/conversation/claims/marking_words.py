"""Words that mark what a sentence is: one that tells, asks back, sends something, or speaks of something new."""

import re

# Without one of these an address beside a message is part of it: "it is taken, with your e-mail".
SENT = re.compile(
    r"\b(?:sent|sending|e-?mailed|mailed|texted|geschickt|gesendet|gemailt|verschickt|enviad[oa]|mandad[oa]|envoyée?s?"
    r"|inviat[oa]|mandat[oa]|enviei|verstuurd|gestuurd|gemaild)\b",
    re.IGNORECASE,
)
# Without such a word a sentence lists what is to be booked, or has been, and the question behind it says which.
TELLS = re.compile(
    r"\b(?:is|are|was|am|have|has|had|got|ist|sind|bist|habe?n?|hat|wurden?|steht|stehen|está[ns]?|estáis|queda[ns]?|he|ha[ns]?"
    r"|hemos|tienes?|tenemos|est|êtes|suis|ai|avez|avons|ont|è|siete|ho|hai|abbiamo|ficou|fica|tem|temos"
    r"|staat|heb|hebt|heeft|bent|zijn)\b|['\u2019](?:s|re|ve|m)\b|(?<!\w)j['\u2019]ai\b|\b\w*(?:book|reserv|réserv|confirm|"
    r"gebucht|eingetragen|notier|bestätigt|verschoben|verlegt|moved|changed|agendad|apuntad|anotad|cambiad|inscrit"
    r"|noté|déplacé|prenotat|fissat|segnat|spostat|marcad|geboekt|gereserveerd|bevestigd|verzet|ingepland)\w*",
    re.IGNORECASE,
)
# How somebody asks whether what was read back is right, or is to be done.
CHECK = re.compile(
    r"\b(?:shall i (?:book|enter|put|move|do|go)|should i (?:book|enter|put|move)"
    r"|would you like me to (?:book|enter|put|move)"
    r"|is (?:that|this|it) (?:right|correct|ok|okay|all right|fine)|does (?:that|this) (?:work|suit)"
    r"|soll ich (?:das|es|ihn|sie|beides)|passt (?:das|es|ihnen|dir)|stimmt (?:das|es|so)|ist das (?:richtig|recht|so)"
    r"|se l[oa]s? (?:reservo|confirmo|anoto)|te l[oa]s? (?:reservo|confirmo|anoto)|es correcto|(?:le|te) va bien"
    r"|est[aá] bien as[ií]|(?:vous|te) l[ea]s? r[ée]serve|c'est (?:bien ça|correct)|ça vous (?:va|convient)"
    r"|(?:gliel[oa]|te l[oa]) (?:prenoto|confermo)|va bene così|è corretto|posso (?:marcar|reservar|confirmar)"
    r"|est[aá] bem assim|zal ik (?:dat|het|u|je)|klopt (?:dat|het)|is dat (?:goed|juist))\b",
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
    r"\b(?:book|cancel|move|switch|change|swap|reschedule|put|add|send|text|e-?mail|tell|update|correct|make|take|transfer"
    r"|remove|absagen|stornieren?|verschieben?|verlegen?|buchen?|ändern?|wechseln?|tauschen?|schicken?|senden?|eintragen?"
    r"|trag(?:en)?|machen?|ausrichten|canc[eé]l[aeo]\w{0,3}|an[uú]l[ae]\w{0,3}|c[aá]mbi[ae]\w{0,3}|mu[eé]v[ae]\w{0,3}|mover|reserv[ae]r?"
    r"|env[ií][ae]\w{0,3}|m[aá]nd[ae]\w{0,3}|p[oó]ng[ae]\w{0,3}|annul(?:er|ez)|déplac(?:er|ez)|chang(?:er|ez)|réserv(?:er|ez)"
    r"|envoy(?:er|ez)|mett(?:re|ez)|ajout(?:er|ez)|annull[ai]|spost[ai]\w{0,2}|prenot[ai]|mand[ai]|invi[ai]|marc[ae]r?|mud[ae]r?"
    r"|troc[ae]r?|annuleer|verzet|verplaats|boek|stuur|zet|wijzig|verander)\b",
    re.I,
)


def asks_for_something(text: str) -> bool:
    """Tell whether somebody wants something done: then "done" is said of that, and of nothing before."""
    return _WISH.search(text) is not None
