"""How people say yes to several things at once: "both, please", "alle beide", "sí, cancele las dos".

Whoever names one of them ("cancel it", "the first", "Friday's") has agreed to nothing: which of them is for the caller
to say, and for a question of its own.
"""

from collections.abc import Mapping

# By language, separated by commas: a yes by itself, as an answer to a question about all of them.
ALL_OF_THEM: Mapping[str, str] = {
    "en": """both, both of them, both of those, them both, all of them, all of those, all of it, all of that, do both,
        do them both, do both of them, do all of it, do all of that, do all of them, go ahead with both, go ahead and do
        both, the both of them, both yes, yes to both, yes for both, yes to all of it, yes to all of them,
        yes and yes""",
    "de": """beide, beides, alle beide, alle, alles, beide bitte, machen sie beides, mach beides, beides machen, bitte
        beides, bitte beide, ja zu beidem, ja und ja, machen sie das alles, machen sie alles, alles machen""",
    "es": """ambas, ambos, ambas cosas, las dos cosas, las dos citas, todas, todo, todas ellas, haga las dos cosas, haga
        ambas cosas, hágalo todo, haga todo, sí a todo, sí a las dos cosas, sí y sí""",
    "fr": """les deux, tous les deux, toutes les deux, tous, toutes, tout, faites les deux, oui pour les deux,
        oui et oui, faites tout, oui à tout""",
    "it": """entrambi, entrambe, tutti e due, tutte e due, entrambe le cose, tutto, tutti, tutte, faccia entrambe le
        cose, faccia tutto, sì a tutto, sì e sì""",
    "nl": """beide, allebei, alle twee, allemaal, alles, doe beide, doe allebei, doe maar beide, doe maar allebei, ja
        allebei, doe ze allebei, doe alles, ja en ja""",
    "pt": """ambas, ambos, ambas as coisas, as duas coisas, as duas consultas, todas, todos, tudo, faça as duas coisas,
        faça tudo, sim a tudo, sim e sim""",
}
# The same, which also tells a time: not where a question names that hour.
TWO_OR_TWO_O_CLOCK: Mapping[str, str] = {"es": "las dos, los dos", "it": "le due", "pt": "os dois"}
TWO = frozenset({"dos", "due", "duas", "dois"})
# Beside a yes, where all of them are the same deed.
DEEDS_TO_ALL: Mapping[str, Mapping[str, str]] = {
    "cancelled": {
        "en": """cancel both, cancel them, cancel them both, cancel both of them, cancel both appointments, cancel all,
            cancel all of them, cancel all of those, cancel everything, cancel those, please cancel both, please cancel
            them, go ahead and cancel both, go ahead and cancel them, go ahead and cancel them both""",
        "de": """beide absagen, beide stornieren, sagen sie beide ab, stornieren sie beide, alle absagen, alle
            stornieren, sagen sie alle ab, stornieren sie alle, beide termine absagen, bitte beide absagen""",
        "es": """cancele las dos, cancele ambas, cancele las dos citas, cancélelas, cancela las dos, anule las dos,
            cancelar las dos, cancélelas las dos, cancele todas""",
        "fr": """annulez les deux, annulez-les, annulez-les tous les deux, annulez tout, annulez les deux rendez-vous,
            annuler les deux""",
        "it": "annulli entrambi, annulli tutti e due, li annulli, annullali, cancelli entrambi, annulla entrambi",
        "nl": "annuleer beide, annuleer allebei, annuleer ze, annuleer ze allebei, zeg beide af, zeg ze allebei af",
        "pt": "cancele as duas, cancele ambas, cancela as duas, cancele todas, cancele-as, desmarque as duas",
    },
    "moved": {
        "en": """move both, move them, move them both, move both of them, reschedule both, reschedule them, move all of
            them, please move both, go ahead and move both, go ahead and move them""",
        "de": "beide verlegen, beide verschieben, verlegen sie beide, verschieben sie beide",
        "es": "cambie las dos, cambie ambas, cámbielas, mueva las dos",
        "fr": "déplacez les deux, déplacez-les, reportez les deux",
        "it": "sposti entrambi, li sposti, sposta entrambi",
        "nl": "verzet beide, verzet ze allebei, verplaats beide",
        "pt": "mude as duas, remarque as duas, mude ambas",
    },
    "booked": {
        "en": "book both, book them, book them both, book both of them, book all of them",
        "de": "beide buchen, buchen sie beide",
        "es": "reserve las dos, reserve ambas",
        "fr": "réservez les deux, réservez-les",
    },
    "mailed": {
        "en": "send both, send them, send them both, send both of them",
        "de": "beide schicken, schicken sie beide, senden sie beide",
        "es": "envíe los dos, mande los dos, envíelos",
        "fr": "envoyez les deux, envoyez-les",
    },
}
# Words that single one of them out, wherever they stand, so that nothing was said of the others.
_ONES = """
    one first second third last der den ihn er diesen ersten zweiten esa ese misma mismo primera segunda celui celle
    mien premier second quello quella primo secondo die hem juiste eerste tweede esse essa primeiro primeira bedoel
"""
ONE_OF_THEM = frozenset(_ONES.split())
NONE_OF_THEM: Mapping[str, str] = {
    "en": "neither, neither of them, none of them, none of those, not either of them",
    "de": "keinen von beiden, keine von beiden, keins von beiden, keines davon, keinen davon, weder noch",
    "es": "ninguna, ninguno, ninguna de las dos, ni una ni otra",
    "fr": "aucun, aucune, aucun des deux, aucune des deux, ni l'un ni l'autre",
    "it": "nessuno, nessuna, nessuno dei due, nessuna delle due",
    "nl": "geen van beide, geen van allebei",
    "pt": "nenhuma, nenhum, nenhuma das duas, nenhum dos dois",
}
