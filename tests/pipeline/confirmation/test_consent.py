"""Yes, no or unclear: whole short answers in seven languages, and everything that must never be taken for a yes."""

import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.pipeline.confirmation.consent import PHRASES, clicked, pressed, understood
from switchboard.pipeline.confirmation.deed_words import DEEDS, deed_phrases
from tests.each import each

# Answers by language and meaning, as people say them and as transcribers write them.
ANSWERS = {
    "en": {
        "yes": """
            yes | Yes. | YES! | yep | yup | yeah | yesss | uh yes please | Um, yeah, sure. | yeah go ahead |
            Go ahead, please. | yes yes | yes that's right | That\u2019s right. | that\u00b4s correct | book it |
            Yes, book it please. | please do | ok | Okay then. | all right | sure thing | of course | absolutely |
            Sounds good, thank you! | that works for me | I'd like that | perfect thanks | well, yes | yes sir |
            "Yes" | \uff59\uff45\uff53 | that would be great | yes, I do""",
        "no": """
            no | No. | NOPE! | nah | nooo | no thanks | No, thank you. | no thanks I'm good | not yet | um not now |
            not really | please don't | don't do it | Don\u2019t book it! | no no no | never mind | I'd rather not |
            I don't think so | absolutely not | of course not | that's wrong | that's not right | wrong | stop |
            forget it | I said no | no, I meant Thursday | no I want four o'clock | no way Jose""",
        "unclear": """
            yes but at four | yes, if it is before noon | yes and also a shampoo | yes no | no, yes |
            No... actually, yes. | yes or no | I don't know | no idea | not sure | I think so | I guess | maybe |
            probably yes | yes? | Okay? | yes right? | no? | what | which day was that | is that the yes one |
            yesterday | Jana | november | know | nobody | noon | eyes | okra | sure not | yes, um | yes well | uh |
            uh-huh | mm-hmm | please | thank you | hello | I'm fine | that's okay | no problem | no worries |
            don't worry | I don't mind | cancel it | four o'clock | 👍 | yes 👎 | yes/no | yes_no | sí | ja | 1 |
            ... | ?""",
    },
    "de": {
        "yes": """
            ja | Ja. | JA! | jaaa | ja gerne | ja, gern | Äh, ja bitte. | ähm ja | jawohl | jo | passt |
            Das passt so. | passt mir gut | ja das passt | genau | Ja, genau. | richtig | das stimmt | stimmt so |
            in Ordnung | einverstanden | na klar | klar doch | alles klar | sehr gerne | ja mach das |
            Machen Sie das bitte. | so machen wir's | buchen Sie das | bitte buchen | auf jeden Fall | natürlich |
            selbstverständlich | selbstverstaendlich ja""",
        "no": """
            nein | Nein! | nee | nö | Nein danke. | nein, danke schön | lieber nicht | ähm lieber nicht |
            doch nicht | nein doch nicht | noch nicht | jetzt nicht | bitte nicht | auf keinen Fall |
            natürlich nicht | sicher nicht | stimmt so nicht | Das stimmt nicht. | passt mir leider nicht |
            passt leider nicht | das passt nicht | falsch | nicht buchen | Buchen Sie das nicht! |
            vergessen Sie es | nein, passt schon | Nein, ich meinte Donnerstag. | nein um vier | no | stopp""",
        "unclear": """
            ja aber um vier | ja, wenn es vor zwölf ist | ja und | ja dann | ja nein | nein, ja | jein | na ja |
            nun ja | naja | vielleicht | ich weiß nicht | weiß nicht | keine Ahnung | nicht sicher | ich glaube ja |
            ja? | passt? | wie bitte | bitte | danke | danke schön | Januar | Jana | jaguar | neinhorn | genauso |
            passt schon | schon gut | gern geschehen | kein Problem | moment | um vier | mhm | äh | hallo | doch""",
    },
    "es": {
        "yes": """
            sí | si | ¡Sí! | sí, por favor | claro que sí | pues claro | vale | de acuerdo | así es | está bien |
            adelante | eh, sí, gracias | por supuesto | me parece bien | yes""",
        "no": """
            no | ¡No! | no, gracias | todavía no | mejor no | claro que no | por supuesto que no | así no |
            de ninguna manera | no, prefiero el jueves""",
        "unclear": """
            ¿sí? | sí pero a las cuatro | sí no | no, sí | sí bueno | no sé | no lo sé | no entiendo | no le oigo |
            no hay problema | tal vez | gracias | bueno | noviembre | siempre | ya""",
    },
    "fr": {
        "yes": """
            oui | Oui ! | ouais | euh, oui, s'il vous plaît | d\u2019accord | d accord | bien sûr |
            Bien sûr que oui. | c'est ça | ça marche | tout à fait | allez-y | volontiers | ben oui | oui voilà""",
        "no": """
            non | ah non | Non merci. | pas encore | pas du tout | bien sûr que non | pas d'accord |
            je ne suis pas d'accord | surtout pas | laissez tomber | non, plutôt jeudi""",
        "unclear": """
            oui ? | oui mais à quatre heures | oui non | non, oui | oui bon | je ne sais pas | peut-être | pas sûr |
            pas de problème | merci | bon | ouïe | nonante | pourquoi pas""",
    },
    "it": {
        "yes": """
            sì | si | sì, grazie | certo | certo che sì | va bene | d'accordo | esatto | è giusto | perfetto |
            volentieri | faccia pure | sì dai | beh sì | ok""",
        "no": """
            no | no grazie | non ancora | meglio di no | certo che no | assolutamente no | non va bene |
            non sono d'accordo | lasci stare | no, va bene così | no preferisco giovedì""",
        "unclear": """
            sì? | sì ma alle quattro | sì no | no, sì | non so | non lo so | forse | credo di sì | va bene così |
            assolutamente | grazie | fine | novembre | sicurezza""",
    },
    "nl": {
        "yes": """
            ja | ja hoor | jazeker | ja graag | ja, alstublieft | prima | is goed | klopt | dat klopt | akkoord |
            doe maar | boek het maar | oké | eh ja | zeker weten""",
        "no": """
            nee | nee hoor | nee, dank u | nee bedankt | liever niet | nog niet | toch maar niet | doe maar niet |
            zeker niet | dat klopt niet | laat maar | nee, om vier uur""",
        "unclear": """
            ja? | ja maar om vier uur | ja nee | nee, ja | nou ja | weet ik niet | geen idee | geen probleem |
            misschien | bedankt | graag gedaan | januari | neef | ja en""",
    },
    "pt": {
        "yes": """
            sim | Sim, por favor. | claro | claro que sim | com certeza | isso mesmo | é isso | exato | está bem |
            pode marcar | quero sim | então sim | de acordo | perfeito, obrigada | ok""",
        "no": """
            não | nao | Não, obrigado. | ainda não | agora não | melhor não | claro que não | com certeza não |
            de jeito nenhum | não quero | deixa pra lá | não, prefiro quinta""",
        "unclear": """
            sim?
            sim mas às quatro
            sim não
            não, sim
            não sei
            não tenho certeza
            não há problema
            pois não
            pode ser
            talvez
            tudo bem
            obrigado
            já
            simples
            claro""".replace("\n            claro", ""),
    },
}
TABLE = [
    (text.strip(), language, meaning)
    for language, meanings in ANSWERS.items()
    for meaning, texts in meanings.items()
    for text in texts.split("|")
]
YES = [(phrase.strip(), language) for language in PHRASES for phrase in PHRASES[language]["yes"].split(",")]
NO = [(phrase.strip(), language) for language in PHRASES for phrase in PHRASES[language]["no"].split(",")]


def plain(text):
    """Return a text's words as a reader would compare them: a second opinion, made without the module's own."""
    decomposed = unicodedata.normalize("NFKD", re.sub("['`]", "", text.lower()).replace("ß", "ss"))
    plain_text = decomposed.encode("ascii", "ignore").decode()
    return re.findall("[a-z]+", re.sub(r"(.)\1\1+", r"\1", plain_text))


# Verbs that agree alone ("book it"), as far as their deed was asked about.
VERBS = {
    lang: {w for deed in DEEDS for text in deed_phrases(deed, lang).get("yes", ()) for w in plain(text)}
    for lang in PHRASES
}
AGREEING = {
    lang: {w for text, spoken in YES if spoken in ("en", lang) for w in plain(text)} | VERBS["en"] | VERBS[lang]
    for lang in PHRASES
}
KNOWN = {
    lang: {w for spoken in ("en", lang) for texts in PHRASES[spoken].values() for w in plain(texts.replace(",", " "))}
    for lang in PHRASES
}
LANGUAGES = st.sampled_from(sorted(PHRASES))
AGREEMENTS = st.sampled_from(YES)


@each(("text", "language", "meaning"), TABLE)
def test_an_answer_means_what_a_person_would_take_it_for(text, language, meaning):
    """Seed 003, "Confirmation Flow": the user must approve, in the user's own words."""
    assert understood(text, language) == meaning


def test_every_language_is_asked_enough():
    """At least forty answers in English and German, fifteen in the others."""
    asked = {language: sum(len(t.split("|")) for t in meanings.values()) for language, meanings in ANSWERS.items()}
    assert asked.keys() == PHRASES.keys()
    assert min(asked["en"], asked["de"]) >= 40
    assert min(asked.values()) >= 15


@each("language", PHRASES)
@each(("meaning", "phrases"), [("yes", YES), ("no", NO)])
def test_every_phrase_of_the_tables_means_what_it_stands_under(language, meaning, phrases):
    """Alone, loud and with a full stop; none is hidden behind another language or a second table."""
    own = [text for text, spoken in phrases if spoken == language]
    assert [text for text in own if understood(text, language) != meaning] == []
    assert [text for text in own if understood(f" {text.upper()}. ", f"{language}-XX") != meaning] == []


def test_a_phrase_has_one_meaning_in_its_language():
    """A phrase in two tables would mean whichever was written last."""
    for language, tables in PHRASES.items():
        phrases = [" ".join(plain(phrase)) for texts in tables.values() for phrase in texts.split(",")]
        assert [p for p in phrases if phrases.count(p) > 1] == [], language


@each("text", ["", "   ", "...", "?", "-", "\n", "\ud800", "\u200b", "y\u200bes", "\u2705"])
def test_what_holds_no_words_is_not_an_answer(text):
    """Silence, noise and signs."""
    assert understood(text, "en") == "unclear"


@pytest.mark.parametrize("tag", ["de", "DE", "de-AT", "de_CH"])
def test_a_language_is_known_by_its_first_part(tag):
    """Businesses write tags in every way."""
    assert understood("ja gerne", tag) == "yes"


@pytest.mark.parametrize("tag", ["pl", "", "x-klingon", "-"])
def test_where_the_language_is_unknown_english_is_understood(tag):
    """Nobody is left without a way to agree."""
    assert (understood("yes please", tag), understood("no", tag), understood("ja", tag)) == ("yes", "no", "unclear")


def test_a_long_speech_is_not_an_answer():
    """However often it agrees."""
    assert understood("yes " * 10, "en") == "yes"
    assert understood("yes " * 100, "en") == "unclear"


@given(st.text(), LANGUAGES)
def test_no_text_without_a_word_that_agrees_is_a_yes(text, language):
    """Any text at all."""
    if not AGREEING[language].intersection(plain(text)):
        assert understood(text, language) != "yes"


@given(st.data(), LANGUAGES)
def test_no_sentence_without_a_word_that_agrees_is_a_yes(data, language):
    """Made of the very words that refuse, hesitate, thank and doubt, and of others that contain a yes."""
    innocent = [*sorted(KNOWN[language] - AGREEING[language]), "yesterday", "jana", "asif", "ouija", "sima", "okapi"]
    words = data.draw(st.lists(st.sampled_from(innocent)))
    assert understood(" ".join(words), language) != "yes"


@given(AGREEMENTS, st.from_regex("[a-z]{2,12}", fullmatch=True), st.booleans())
def test_a_yes_with_any_unknown_word_is_no_yes(agreement, word, behind):
    """A condition, a name, a time: whatever is not understood might change everything."""
    text, language = agreement
    if not KNOWN[language].intersection(plain(word)):
        assert understood(f"{text} {word}" if behind else f"{word} {text}", language) == "unclear"


@given(AGREEMENTS, st.data())
def test_a_yes_and_a_no_together_are_never_a_yes(agreement, data):
    """In either order, of one language."""
    text, language = agreement
    refusal, _ = data.draw(st.sampled_from([no for no in NO if no[1] == language]))
    assert understood(f"{text}, {refusal}", language) != "yes"
    assert understood(f"{refusal}, {text}", language) != "yes"


@given(AGREEMENTS, st.sampled_from(["?", " ?", "?!", "??", "\uff1f"]))
def test_a_question_is_never_a_yes(agreement, mark):
    """Whatever is asked."""
    text, language = agreement
    assert understood(text + mark, language) == "unclear"


@each(
    ("digits", "meaning"),
    [
        *[(digits, "yes") for digits in ("1", " 1 ", "1#")],
        *[(digits, "no") for digits in ("2", "2#")],
        *[(digits, "unclear") for digits in ("", "#", "0", "3", "9", "11", "12", "21", "*1", "1##", "one", "\u0661")],
    ],
)
def test_one_is_yes_and_two_is_no_on_the_keypad(digits, meaning):
    """A slip of the finger is not an answer."""
    assert pressed(digits) == meaning


@pytest.mark.parametrize(
    ("button", "meaning"), [("yes", "yes"), ("no", "no"), ("", "unclear"), ("Yes please", "unclear"), ("ok", "unclear")]
)
def test_a_button_says_exactly_what_it_stands_for(button, meaning):
    """Only the values of our own two buttons count."""
    assert clicked(button) == meaning


CANCELLING = {
    language: Path(__file__).parents[1] / "data" / f"answers_{language}.tsv" for language in ("en", "de", "es", "fr")
}


@pytest.mark.requirement("003-172")
@each(("language", "file"), CANCELLING.items())
def test_of_400_answers_to_a_cancellation_none_is_falsely_taken_for_a_yes(language, file):
    """A natural yes names its verb; one with a change, a condition, another deed or a question is a wish of its own."""
    rows = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()]
    assert len(rows) >= 400
    deeds = ("cancelled",)
    assert [text for meaning, text in rows if meaning == "other" and understood(text, language, deeds) == "yes"] == []
    assert [text for meaning, text in rows if meaning == "yes" and understood(text, language, deeds) != "yes"] == []


@pytest.mark.requirement("003-172")
@each(
    ("text", "language"),
    [
        ("Yes, go ahead and cancel it", "en"),
        ("Ja, bitte stornieren Sie ihn", "de"),
        ("Sí, cancélela", "es"),
        ("Oui, annulez-le", "fr"),
    ],
)
def test_a_yes_names_its_own_deed_alone(text, language):
    """Asked whether to send an e-mail, "yes, cancel it" is no yes; nor is the verb without one, whatever was asked."""
    assert understood(text, language, ("cancelled",)) == "yes"
    assert understood(text, language, ("mailed",)) == "unclear"
    assert understood(text, language, ()) == "unclear"
    assert understood(text.partition(", ")[2].removeprefix("go ahead and "), language, ("cancelled",)) == "unclear"


@pytest.mark.requirement("004-123")
@each(
    ("text", "language", "deed"),
    [
        ("Take that", "en", "booked"),
        ("You can take it", "en", "booked"),
        ("You can book it", "en", "booked"),
        ("Vous pouvez l'envoyer", "fr", "mailed"),
        ("I want to book", "en", "booked"),
        ("Book", "en", "booked"),
        ("Email", "en", "mailed"),
        ("I want to email it", "en", "mailed"),
        ("Ich nehme", "de", "booked"),
        ("Sie schicken", "de", "mailed"),
        ("Quiero reservar", "es", "booked"),
        ("Je veux réserver", "fr", "booked"),
    ],
)
def test_a_verb_without_its_object_or_within_a_wish_agrees_only_beside_a_yes(text, language, deed):
    """It may go on: "quiero reservar otra"; or answer something else: "by text, or by e-mail?" """
    assert understood(text, language, (deed,)) == "unclear"


@pytest.mark.requirement("004-123")
@each(
    ("news", "agreed", "language"),
    [
        ("Oh, okay.", "Oh yes, please.", "en"),
        ("Oh great.", "Oh great, go ahead.", "en"),
        ("Ah ja.", "Äh, ja.", "de"),
        ("Ach so, okay.", "Öhm, okay.", "de"),
        ("Ah oui.", "Ah oui, allez-y.", "fr"),
        ("Ah, vale.", "Ah, vale, adelante.", "es"),
    ],
)
def test_what_is_said_of_news_is_no_yes_but_a_hesitation_before_one_is(news, agreed, language):
    """Who understands has not agreed yet; German hums with the same letters as others are surprised."""
    assert understood(news, language) == "unclear"
    assert understood(agreed, language) == "yes"


@pytest.mark.requirement("004-123")
@each("strike", ["\u0336", "\u0335", "\u0338"])
def test_a_yes_that_is_struck_through_is_none(strike):
    """In a chat it was taken back."""
    assert understood("".join(c + strike for c in "yes"), "en") == "unclear"
