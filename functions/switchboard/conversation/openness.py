"""Whether words like "booked" say that something was done, or only deny, ask, promise, suppose or quote it.

How people do that is a matter of the language; it is looked for in the clause of the words, and as little beyond it as
the languages allow. Every language is asked: models fall back to English, and callers bring their own.
"""

import re
from collections.abc import Collection, Sequence

_MANY = (
    r"(?:appointments|bookings|clients|customers|people|guests|callers|visits|messages|texts|calls|e-?mails|reminders)"
)
# Before the claim, in its own clause: it is denied, asked for, promised, supposed or someone else's.
_BEFORE = (
    re.compile(
        r"\b(?:not(?! only\b| just\b)|never|no|nothing|none|nobody|without|cannot|can|could|would|will|shall|should|"
        r"may|might|must|to (?:be|have|get|see|keep|make)|if|when|(?<!las )once|whenever|whether|until|unless|before|"
        r"after (?:you|it|that|we|the|your)|unable|fail\w*|get|gets|getting|be|being|fully|how|what|who|"
        r"want (?:me|us|it|that|this|to)|need\w* (?:me|us|it|to)|going to|let (?:me|us)|let's|try|trying|instead of|"
        r"you (?:said|say|mentioned|told|think|thought)|usually|normally|typically|always|often|generally|sometimes|"
        r"(?:any|some|many|most|each|every|all) (?:of )?(?:our |the )?(?:\w+ )?(?:appointment|booking|message|"
        r"text|call|"
        rf"e-?mail|code|visit|client|customer|caller|guest)s?|(?<!your )(?<!both )(?<!the )(?<!two ){_MANY}|"
        r"anyone|everyone|everybody|someone|somebody)\b|n't\b|'ll\b|'d (?:like|be|get|have|need)\b",
        re.I,
    ),
    re.compile(
        r"\b(?:nicht(?! nur\b)|nichts|nie|niemals|kein\w*|kann|können|könnte\w*|würde\w*|werde|werden|wird|soll|"
        r"sollen|sollte\w*|möchte\w*|will|wollen|wenn|falls|sobald|sofern|bevor|bis (?:das|es|der|die|sie|ich|wir)|ob|"
        r"damit(?! (?:sind|ist|habe|haben|hat|steht|wäre|wurde)\b)|lassen|lass|darf|dürfte\w*|müsste\w*|muss|müssen|"
        r"hätte\w*|welche\w*|wer|wann|versuch\w*|viele|manche|meisten|normalerweise|üblicherweise|jemand|"
        r"sie (?:sagten|meinten|erwähnten))\b",
        re.I,
    ),
    re.compile(
        r"\b(?:nunca|jamás|nada|nadie|ningun[oa]?|ningún|sin|tampoco|si|cuando|hasta que|antes de|en cuanto|para que|"
        r"puede\w*|puedo|pudo|podemos|podr\w+|quier\w+|quisiera|dese(?:a|an|as|e|en|es|o|aría)|gustaría|voy a|van? a|"
        r"vamos a|será\w*|sería\w*|estar(?:á|ía)\w*|quedar(?:á|ía)\w*|quede[ns]?|sean?(?=\s*$)|"
        r"(?<!acaba de )(?<!acaban de )ser|estar|debe\w*|tienen? que|"
        r"hay que|habría\w*|haya[ns]?|suelen?|normalmente|generalmente|siempre|much[oa]s|la mayoría|cualquiera?|cada|"
        r"tenemos todo|está todo|alguien|quién|qué|cuándo|intent(?:o|é|a|ar|aré|amos|ando)|"
        r"(?:las|los|unas|unos) (?:citas|reservas|client\w+|mensajes|visitas|llamadas))\b",
        re.I,
    ),
    re.compile(
        r"\b(?:pas(?! seulement\b)|jamais|rien|personne|aucune?|sans|si|s'il|quand|lorsqu\w+|dès que|une fois que|"
        r"avant|afin|pour que|peu[xt]|puis(?=-je)|pouv(?:ons|ez|oir)|pourr\w+|veu[xt]|voul\w+|voudr\w+|souhait\w+|"
        r"aimer\w+|vais|va|allons|allez|sera\w*|serez|seront|soit|soient|(?<!vient d')(?<!viennent d')être|doi[st]|"
        r"doivent|devez|devons|devra\w*|devrez|devrai\w*|"
        r"faut|faudra\w*|impossible|n'\w+ plus|souvent|généralement|normalement|toujours|chaque|quelqu'un|"
        r"qui|essa(?:ie|ye)\w*|qu'est-ce|(?:les|des) (?:rendez-vous|réservations|client\w+|messages|visites|appels))\b",
        re.I,
    ),
)
# After the claim, in its own clause.
_AFTER = (
    re.compile(
        r"^\W*(?:out|up|solid|all day|nothing|nobody)\b|\byet\?|"
        r"\b(?:(?<!las )once|as soon as|unless|provided|subject to)\b|"
        r"\bif (?:that|this|it|i|we|you (?:confirm|agree|approve|say|accept|give|tell|want|like))\b",
        re.I,
    ),
    re.compile(
        r"\b(?:nicht|nichts|kein\w*|niemand|sobald|sofern|falls)\b|^\W*(?:\w+\s+){0,2}(?:werden|wird|wären?)\b", re.I
    ),
    re.compile(
        r"\b(?:en cuanto|una vez que|siempre que|si (?:me|lo|la|usted|está|quiere|confirma|acepta)|todavía no|aún no|"
        r"pas encore|dès que|une fois que|sous réserve|à condition|si vous (?:confirmez|acceptez|voulez|êtes))\b|"
        r"^\W*(?:nada|rien|personne|aux|(?:a|para) (?:las |los )?client\w+|se cobr\w+|todo el día|"
        r"toda la (?:mañana|tarde|semana)|toute la (?:journée|matinée|semaine))\b",
        re.I,
    ),
)
# A time that is taken is no deed: "That slot is already booked."
_SLOT_BEFORE = re.compile(
    r"\b(?:times?|slots?|spots?|hours?|o'clock|mornings?|afternoons?|evenings?|\w+day)\b(?:\s+at\s+\S+)?"
    r"(?:\s+\S+){0,2}?\s+(?:is|are|was|were|has been|have been|'s)?\s*(?:already|both|all|also|unfortunately)?\s*$|"
    r"\b(?:uhrzeit|zeit|vormittag|nachmittag|abend|\w+tag|\w+woch|uhr)\s+(?:\S+\s+){0,4}?"
    r"(?:ist|sind|war|waren)\s+(?:leider\s+)?(?:schon|bereits)\s*$|"
    r"\b(?:hora|horario|hueco|turno|mañana|tarde|lunes|martes|miércoles|jueves|viernes|sábado|domingo|las \w+)\b"
    r"(?:\s+\S+){0,5}?\s+(?:está|están|estaba|acaba de ser)(?:\s+(?:ya|todo|toda|lamentablemente))*\s*$|"
    r"\b(?:créneau|horaire|heures?|place|matin|après-midi|soir|\w+di|dimanche|\d+\s?h)\b(?:\s+\S+){0,5}?\s+"
    r"(?:est|sont|était|vient d'être)(?:\s+(?:déjà|malheureusement|tout))*\s*$",
    re.I,
)
_OWN = re.compile(
    r"\b(?:you|your|you're|i|i've|we've|sie|ihr\w*|ich|dein\w*|sus?|tus?|usted|te|he|votre|vos|vous|j'ai|ton|ta)\b|"
    r"\bfor you\b",
    re.I,
)
# Said before a claim without making it any less one.
_ASSURANCES = re.compile(
    r"\b(?:(?:can|happy to|glad to|pleased to|able to|like to|want to|let me|delighted to|just to)"
    r"(?: also| now| gladly| already)? (?:confirm|say|tell you|report|let you know|see|assure you|inform you|share)"
    r"(?: that\b)?|(?:no|not a) (?:problem|worries)|not to worry|no need to worry|(?:don't|do not) worry|"
    r"(?:managed|was able|were able|been able) to(?: get)?|should be (?=all set|good to go|booked for)|"
    r"(?:kann|darf) (?:ihnen |dir |ich (?:ihnen )?)?(?:hiermit |gern |gerne |nun |jetzt )?(?:bestätigen|sagen|"
    r"mitteilen|sehen)|(?:bestätigen|sagen|mitteilen) zu (?:können|dürfen)|kein problem|keine sorge|"
    r"(?:le |te )?(?:puedo|quiero|quisiera|me complace|permítame|gusto de)(?: ya)? "
    r"(?:confirmar|decir|informar|asegurar|ver)(?:le|te)?(?: de)?(?: que)?|"
    r"(?:no hay|sin|ningún) (?:ningún )?problemas?|no se preocupe|no te preocupes|"
    r"(?:je (?:peux|puis|tiens à)|permettez-moi de|(?:j'ai le|avec) plaisir de|heureux de|heureuse de)(?: vous| te)?"
    r"(?: bien)? (?:confirmer|dire|informer|assurer|voir)(?: que)?|(?:pas de|aucun|sans) (?:problème|souci)s?|"
    r"ne vous inquiétez pas|ne t'inquiète pas)\b",
    re.I,
)
_CLAUSES = re.compile(
    r"[;:\u2013\u2014!?.\u2026]+\s+|,\s+(?!(?:dass|was|ob|whether|if it|if you are)\b)|\s+[-\u2013\u2014]\s+|"
    r"\s+(?:but|and so|and if|and when|aber|und|because|since|although|though|weil|denn|obwohl)\s+|"
    r"\s+(?:pero|porque|aunque|mais|puisque)\s+|\s+(?:parce que|bien que|ya que)\s+|"
    r"\s+(?:y|et|car)\s+(?=(?:su|les?|la|el|se|ya|he|hemos|te|recibirá|votre|vous|je|j'ai|nous|il|elle|c'est|on)\b)|"
    r"\s+(?:and|so)\s+(?=(?:i|i've|you|you're|we|we've|it|it's|that|your|they|he|she|everything|the)\b)",
    re.I,
)
# What follows from a condition is as open as the condition.
_CONDITION = re.compile(
    r"\s*(?:and |but |so |then |und |oder )?(?:if|once|when(?! (?:i|we)\b)|as soon as|unless|until|in case|after you|"
    r"wenn|falls|sobald|sofern|solange|nachdem sie|si(?=\s\w)|cuando|en cuanto|una vez que|hasta que|tan pronto|s'il|"
    r"quand|lorsque|dès que|une fois que|tant que)\b",
    re.I,
)
_LATER_CONDITION = re.compile(
    r"\s*(?:once (?:you|i|we|it|that|the)|as soon as|provided|sobald|sofern|vorausgesetzt|en cuanto|una vez que|"
    r"dès que|une fois que)\b",
    re.I,
)
_PRESUPPOSED = re.compile(r"\b(?:now that|jetzt wo|nachdem ich|ahora que|maintenant que)\b", re.I)
# A clause beside the claim's that speaks of other times than what was done.
_ELSEWHERE = re.compile(
    r"\b(?:free|available|availability|open|opens|opening|close|closes|closed|instead of|other times?|frei|verfügbar|"
    r"geöffnet|offen|geschlossen|statt|öffne\w*|schließ\w*|libres?|disponibles?|abiert\w+|cerrad\w+|abr(?:e|imos)|"
    r"cierra|cerramos|en (?:lugar|vez) del?|ouverte?s?|fermée?s?|ouvr\w+|ferm(?:e|ons)|au lieu d[eu]|plutôt que|"
    r"(?:is|was|are|were) (?:already )?taken|belegt|vergeben|ocupad[oa]s?|"
    r"minutes (?:early|earlier|before)|reminder|minuten (?:vorher|früher)|erinnerung|minutos antes|recordatorio|"
    r"minutes (?:avant|plus tôt))\b",
    re.I,
)


class Clauses:
    """A sentence in its clauses, assurances taken out."""

    def __init__(self, sentence: str) -> None:
        """Take it apart; offsets stay those of the sentence."""
        text = _ASSURANCES.sub(lambda match: " " * len(match[0]), sentence)
        self._asks = text.rstrip(" \"'*_)").endswith("?")
        self.texts = tuple(_parts(text))

    def is_open(self, position: int, start: int, end: int) -> bool:
        """Tell whether the words from `start` to `end` of a clause claim nothing."""
        clause = self.texts[position]
        before, after = clause[:start], clause[end:]
        # Of a question only its last clause asks: "You are booked, is that all right?" claims.
        if self._asks and position == len(self.texts) - 1 and not _PRESUPPOSED.search(before):
            return True
        if any(p.search(before) for p in _BEFORE) or any(p.search(after) for p in _AFTER):
            return True
        if _SLOT_BEFORE.search(before) and not _OWN.search(before) and not _OWN.search(after):
            return True
        if position and _CONDITION.match(self.texts[position - 1]) and _goes_on(self.texts[position - 1]):
            return True
        following = self.texts[position + 1 :]
        return bool(following and _LATER_CONDITION.match(following[0]))

    def about(self, positions: Sequence[int], others: Collection[int] = ()) -> str:
        """Return what the sentence says of the claims in these clauses: without what is said of something else.

        Args:
            positions: Which clauses they stand in.
            others: The clauses of other claims.
        """
        return "".join(
            text
            for n, text in enumerate(self.texts)
            if n in positions or not (n in others or _ELSEWHERE.search(text) or any(p.search(text) for p in _BEFORE))
        )


def _goes_on(clause: str) -> bool:
    return not clause.rstrip().endswith((".", "!", "?", ";"))


def _parts(text: str) -> list[str]:
    found, start = [], 0
    for match in _CLAUSES.finditer(text):
        found.append(text[start : match.end()])
        start = match.end()
    if text[start:].strip() or not found:
        found.append(text[start:])
    return found
