"""In which language a caller speaks: told by whole sentences, never by names, thanks or an "okay"."""

import pytest

from switchboard.conversation.speech.callers_language import HOUSE_LANGUAGES, language_spoken

pytestmark = pytest.mark.requirement("004-1501")

SENTENCES = {
    "en": """
        I'd like to book a haircut for Friday afternoon.
        can I move my appointment to Thursday
        What time do you open tomorrow?
        Sorry, I don't understand that.
        I need to cancel the one with Rosa
        Do you have anything at half past three?
        yes the one on Friday at ten please
        how much is a colour with Dana
        My name is Juan Carlos de la Rosa.
        It's for Anna von der Leyen, on Tuesday.
        Is Marcus working this weekend?
        can somebody call me back""",
    "de": """
        Ich möchte einen Termin für Freitag.
        Können Sie mich bitte verbinden?
        Haben Sie am Freitag um drei noch etwas frei?
        Ich verstehe Sie nicht.
        ich muss meinen Termin absagen
        Wie viel kostet das?
        Es geht um den Termin von meiner Tochter.
        Nein, lieber am Donnerstag gegen zehn.
        dann nehme ich den um halb vier
        Was kostet Färben bei Dana?
        Hätten Sie heute noch Zeit für mich?
        Kann ich das auf nächste Woche verschieben?""",
    "es": """
        Quería cambiar la cita del viernes.
        quiero cancelar mi cita
        ¿Tienen hueco el viernes por la tarde?
        No le entiendo.
        Necesito una cita para mañana con Rosa
        ¿Cuánto cuesta un corte de pelo?
        sí, el viernes a las dos y media
        Me llamo Ana Rivas y tengo cita el martes.
        ¿Me puede pasar con la dueña?
        mejor el jueves a las cinco
        ¿A qué hora abren mañana?
        es para mi hijo, tiene ocho años""",
    "fr": """
        Je voudrais annuler mon rendez-vous.
        Vous avez de la place vendredi ?
        Je ne comprends pas ce que vous dites.
        c'est pour vendredi à quatorze heures
        Combien coûte une coupe ?
        Non, plutôt jeudi vers dix heures.
        J'appelle pour déplacer un rendez-vous
        Est-ce que Marcus travaille samedi ?
        Je m'appelle Claire Fontaine.
        on sera sept au lieu de cinq
        Pourriez-vous me rappeler demain matin ?
        avec Dana, si elle est là""",
    "it": """
        Vorrei spostare il mio appuntamento.
        Avete posto venerdì pomeriggio?
        Non capisco, può ripetere?
        devo disdire l'appuntamento di domani
        Quanto costa un taglio?
        Mi chiamo Lucia Bianchi e ho un appuntamento.
        Sì, venerdì alle due e mezza va bene.
        meglio giovedì verso le cinque
        È per mia figlia, ha sei anni.
        A che ora aprite domani?
        vorrei parlare con la titolare
        con Marcus se è libero""",
    "pt": """
        Quero desmarcar o meu horário.
        Queria mudar a minha marcação para sexta.
        Tem vaga na sexta à tarde?
        Não entendo o que diz.
        gostaria de marcar um corte de cabelo
        Quanto custa um corte?
        O meu nome é Ana Souza.
        sim, na sexta às duas e meia
        Posso falar com a dona?
        melhor na quinta às cinco
        A que horas abrem amanhã?
        é para a minha filha, ela tem seis anos""",
    "nl": """
        Ik wil mijn afspraak afzeggen.
        Heeft u vrijdag nog een plek vrij?
        Ik begrijp u niet.
        kan ik die van vrijdag verzetten naar maandag
        Hoeveel kost knippen?
        Mijn naam is Jan van den Berg.
        ja, vrijdag om half drie is goed
        liever donderdag rond een uur of vijf
        Hoe laat gaan jullie morgen open?
        Het is voor mijn dochter.
        Kunt u mij doorverbinden met de eigenaar?
        met Dana als dat kan""",
}
NO_SIGN = """
    Okay.
    Yes
    Sí, por favor.
    gracias, muy amable
    Oui, merci beaucoup
    Ja, danke schön
    No.
    Hola, buenas tardes
    Buongiorno!
    Ana Rivas Vidal
    Anna von der Leyen
    Maria de los Angeles
    Jan van den Berg
    Giovanni Della Casa
    Juan Carlos de la Rosa
    Maria da Silva e Souza
    518 555 0142
    Balayage
    Evet
    Bună ziua, aș vrea să anulez programarea de mâine
    Dzień dobry, chciałbym odwołać wizytę
    Jeg vil gerne aflyse min tid på fredag
    Merhaba, randevumu iptal etmek istiyorum
    \u3053\u3093\u306b\u3061\u306f\u3001\u4e88\u7d04\u3092\u5909\u66f4\u3057\u305f\u3044\u3067\u3059
    ...
    """
ASKED_FOR = {
    "en": """
        Do you speak English?
        Sprechen Sie Englisch?
        ¿Habla inglés?
        Parlez-vous anglais ?
        Parla inglese?
        Fala inglês?
        Spreekt u Engels?
        In English, please.
        Sorry, can we speak English?
        Perdone, ¿habla usted inglés?
        English please""",
    "de": """
        Sprechen Sie Deutsch?
        Do you speak German?
        Auf Deutsch bitte.
        Können Sie auch Deutsch?
        Können wir Deutsch sprechen?
        Does anybody there speak German""",
    "es": """
        ¿Me habla en español?
        No le entiendo, ¿me habla en español?
        ¿Habla español?
        Do you speak Spanish?
        en español por favor
        ¿Podemos hablar en castellano?
        disculpe habla español
        Is there someone who speaks Spanish?
        Do you speak Spanish because I don't understand
        Could you do this in Spanish, please?
        Sorry, do you speak Spanish""",
    "fr": """
        Parlez-vous français ?
        Vous parlez français ?
        En français, s'il vous plaît.
        Do you speak French?
        ¿Habla francés?
        Francés, por favor
        Spreekt u Frans?
        In het Frans, alstublieft""",
    "it": """
        Parla italiano?
        Può parlare in italiano?
        In italiano, per favore
        Do you speak any Italian?
        Scusi, parla italiano?""",
    "pt": """
        Fala português?
        Pode falar em português?
        Em português, por favor
        Do you speak Portuguese?""",
    "nl": """
        Spreekt u Nederlands?
        Kunt u Nederlands spreken?
        Do you speak Dutch?
        Praat u Nederlands""",
}
NOT_ASKED_FOR = """
    I don't speak Spanish.
    My daughter speaks Spanish.
    We speak English at home and my name is Rosa.
    I took a French class there last week.
    The Italian restaurant on the corner, do you know it?
    Is the German lady working on Friday?
    Frances, please.
    Can I speak Frances
    Do you use Italian products?
    Do you do French manicures?
    """
ALSO_A_NAME = {
    "de": ("Können Sie Frances fragen?", "Können wir spanisch essen am Freitag?", "Können Sie French Nails?"),
    "nl": ("Kunt u Frans bellen?", "Kan ik Frans spreken?", "Frans, alstublieft."),
    "es": ("¿Puede hablar Germán?", "Germán, por favor."),
}
# What people name in its own language, whichever they speak.
NAMED = {
    "de": "Hauptstraße zwölf, im zweiten Stock",
    "es": "Calle de las Flores doce, segundo piso",
    "fr": "Rue de la Paix onze, chez Martin",
    "it": "spaghetti alle vongole e una pizza",
    "pt": "Avenida da Liberdade onze, em cima da farmácia",
    "en": "one two three four five",
    "nl": "Kerkstraat twaalf, boven de bakker op het plein",
}
# The same words and others, from somebody who does speak it.
AND_MORE = {
    "de": "zwei oder drei, mit Anna",
    "es": "para cinco o nueve, con Rosa",
    "en": "six of the nine with Rosa",
}


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


@pytest.mark.parametrize("now", HOUSE_LANGUAGES)
@pytest.mark.parametrize("language", HOUSE_LANGUAGES)
def test_a_whole_sentence_tells_its_language_whatever_was_spoken_before(language: str, now: str) -> None:
    """Twelve of each language."""
    told = {sentence: language_spoken(sentence, now) for sentence in lines(SENTENCES[language])}
    assert {sentence: other for sentence, other in told.items() if other != language} == {}


@pytest.mark.parametrize("now", ["en", "de-AT", "es", "fr", "it", "pt", "nl", "pl"])
def test_names_thanks_and_an_okay_change_nothing_nor_does_a_language_that_the_house_has_no_words_in(now: str) -> None:
    """What is said in any language is a sign of none."""
    assert {said: language_spoken(said, now) for said in lines(NO_SIGN) if language_spoken(said, now) != now} == {}


@pytest.mark.parametrize("language", HOUSE_LANGUAGES)
def test_who_asks_for_a_language_gets_it_at_once(language: str) -> None:
    """In whichever language they ask."""
    for now in ("en" if language != "en" else "de", "es" if language != "es" else "en"):
        told = {asked: language_spoken(asked, now) for asked in lines(ASKED_FOR[language])}
        assert {asked: other for asked, other in told.items() if other != language} == {}


def test_who_speaks_of_a_language_does_not_ask_for_it() -> None:
    """Of themselves, of somebody else, or of a thing that is called so."""
    assert {said for said in lines(NOT_ASKED_FOR) if language_spoken(said, "en") != "en"} == set()


@pytest.mark.parametrize("language", ALSO_A_NAME)
def test_a_person_or_a_thing_that_is_called_like_a_language_does_not_ask_for_it(language: str) -> None:
    """Frances and Frans are people; a verb that is none of speaking asks for no language."""
    assert {said for said in ALSO_A_NAME[language] if language_spoken(said, language) != language} == set()


@pytest.mark.parametrize("now", HOUSE_LANGUAGES)
@pytest.mark.parametrize("language", NAMED)
def test_an_address_a_dish_and_a_number_change_nothing(language: str, now: str) -> None:
    """Nor said again, for whoever asked."""
    assert language_spoken(NAMED[language], now) == now
    assert language_spoken(NAMED[language], now, NAMED[language]) == now


@pytest.mark.parametrize("language", AND_MORE)
def test_small_words_of_two_turns_in_a_row_tell_a_language(language: str) -> None:
    """One could be an address."""
    now = "it"
    assert language_spoken(AND_MORE[language], now) == now
    assert language_spoken(AND_MORE[language], now, "domani") == now
    assert language_spoken(AND_MORE[language], now, NAMED[language]) == language


def test_the_language_of_before_stays_as_it_is_spelt() -> None:
    """A voice of Austria stays one."""
    assert language_spoken("Ich möchte einen Termin für Freitag.", "de-AT") == "de-AT"


def test_a_sentence_of_two_languages_decides_for_none() -> None:
    """Nobody is spoken to in another language for a phrase of it."""
    assert language_spoken("Quiero book an appointment para mañana", "en") == "en"
    assert language_spoken("Quiero book an appointment para mañana", "es") == "es"


@pytest.mark.requirement("004-1704")
@pytest.mark.parametrize(
    ("said", "now", "then"),
    [
        ("Sí, a las diez.", "en", "es"),
        ("sí, a las diez", "de", "es"),
        ("Oui, à dix heures.", "en", "fr"),
        ("Sì, alle dieci.", "en", "it"),
        ("Sim, às dez.", "en", "pt"),
        ("Ja, om tien uur.", "en", "nl"),
        ("Non, à onze heures.", "de", "fr"),
        # Which of the two it was nobody knows, or it says nothing.
        ("Si, a las diez.", "it", "it"),
        ("Ja, Van de Velde.", "de", "de"),
        ("Sí, gracias.", "en", "en"),
        ("Oui, Marie.", "en", "en"),
        ("Sí, Maria de los Angeles.", "en", "en"),
        # An address that somebody leads to in their own language, and a "yes" that everybody says.
        ("Yes, Calle de las Flores, diez.", "en", "en"),
        ("No, Calle de las Flores, diez.", "en", "en"),
        ("Ja, Place de la Concorde, dix.", "de", "de"),
        ("Yes, for the two.", "de", "de"),
        ("Calle de las Flores, diez.", "en", "en"),
    ],
)
def test_a_yes_of_a_language_bears_out_the_small_words_behind_it(said: str, now: str, then: str) -> None:
    """An hour's words alone could be an address's."""
    assert language_spoken(said, now) == then
