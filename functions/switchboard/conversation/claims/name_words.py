"""Whom a sentence names, and which street: what stands where names stand, in the languages that claims are known in."""

import re
from typing import Final

from switchboard.conversation.claims.time_words import (
    HOUR_WORDS,
    MONTHS,
    NEARBY,
    SHORT_MONTHS,
    SHORT_WEEKDAYS,
    WEEKDAYS,
)

_TIME_WORDS = frozenset({*WEEKDAYS, *SHORT_WEEKDAYS, *MONTHS, *SHORT_MONTHS, *HOUR_WORDS, *NEARBY})
_TITLE = r"(?:mr|mrs|ms|herrn?|frau|sra?|señora?|mme|madame|monsieur|signora?|senhora?|dona|meneer|mevrouw)\.?\s+"
_CAPITAL = "[A-ZÀ-ÖØ-Þ]"
_NAME = rf"(?-i:{_CAPITAL}[\w'-]+)(?:\s+(?-i:{_CAPITAL}[\w'-]+))*"
_UNDER = "under|auf|unter|a nombre de|a nome di|em nome de|op naam van|au nom de"
WORDS_OF_UNDER: Final = frozenset({"under", "auf", "unter", "nombre", "nome", "naam", "nom"})
"""One of them stands in whatever says under whose name something is."""
_LED_TO = (
    r"\s+(?:(?:the\s+)?name\s+(?:of\s+)?|(?:de[nm]\s+)?namen\s+|(?:la|el)\s+(?=se))?"
    rf"(?:{_TITLE})?({_NAME})"
)
_PERSON = re.compile(
    rf"\b(?:(?P<under>{_UNDER})|for|für|termin von|buchung von|para|per|voor|(?:cita|reserva) de|pour|"
    rf"(?:rendez-vous|réservation) de){_LED_TO}|"
    rf"\b({_NAME})'s\s+(?:\w+\s+)?(?:appointment|booking|visit|cut|haircut)\b|"
    rf"\b{_TITLE}({_NAME})",
    re.I,
)
# "The appointment under Smith" names which one is meant, and not what it stands under now.
_STOOD_UNDER = re.compile(
    r"(\b(?:appointment|booking|reservation|visit|termin|buchung|reservierung|cita|reserva|rendez-vous|réservation|"
    rf"appuntamento|prenotazione|marcação|afspraak|boeking)\s+)?\b(?:{_UNDER}){_LED_TO}",
    re.I,
)
# Capitalised, and nobody's name.
_NO_NAME_SAID = """
i sie ihnen ihr ihre ihren ihrem ihrer ihres du dich dir dein deine deinen wunsch uhr mittag vormittag nachmittag abend
mitternacht anfang mitte ende viertel punkt spätestens termin termine deutsch englisch namen herr herrn frau mr mrs ms
dr christmas easter weihnachten ostern the a an your my our half quarter english german next this both usted su navidad
semana señor señora vous votre noël pâques mme madame monsieur lei suo sua signora natale pasqua você senhor senhora
natal u uw meneer mevrouw wiederhören wiedersehen wiederschauen kerst pasen
"""
_NO_NAME = frozenset(_NO_NAME_SAID.split())

_NAMES = """
aaron abigail adam adrian agnes agnieszka ahmed aiden aisha alan albert alessandro alessia alex alexander alexandra
alexis alfred ali alice alicia alina alison amanda amelia amelie amy amélie ana anabel andrea andreas andrew andré
andrés andy angela angelika angelina anita anja anke ann anna anne annette annika anouk anton antonia antonio ariana
arlo arthur astrid ava ayşe barbara beate beatrice beatriz becky ben benjamin bernd bernhard bettina betty billy birgit
björn bob bobby bram brandon brian brigitte britta bruno caleb camille carina carla carlos carmen carol carolin
caroline catarina catherine cathy cecilia celine charles charlie charlotte chiara chloe chloé chris christa christian
christiane christina christine christoph christopher claire clara claudia clemens connor cornelia cristina daan dagmar
dana daniel daniela danielle danny dave david debbie deborah denise dennis diana diego dieter dirk dominik doris
dorothea dylan eddie eduardo eleanor elena eli elias elif elisa elisabeth elisabetta elizabeth elke ella ellen elsa
elsie emil emilia emily emma emmett enrique enzo eric erik erika ernesto esther ethan eva evelyn evie fabian fabienne
fatima federica felicia felipe felix femke fernanda fernando filip finn florence florian francesca francesco francisco
franz franziska françois fred frederik frieda friedrich gabi gabriel gabriela gabriele gael georg george gerd gerhard
gertrud gina giorgio giovanni giulia giuseppe gloria greg greta guido gustavo hailey hanna hannah hannes hans harald
harry heather heidi heike heinz helen helena helene helga helmut henri henrik henry hildegard holger horst hugh hugo
hélène ian ibrahim ida ilse ines ingo ingrid inès inês irene irina iris isaac isabel isabella isabelle isla ismael ivan
jack jacob jada jaime jake jakob james jan jana janina janine jasmin jason jasper javier jayden jean jeff jen jennifer
jenny jens jeroen jess jessica jill jimmy joachim joana joanna joe joel johann johanna johannes john jonas jonathan
joost jordan jorge josef josefine joseph josh joshua josé joão juan jude judith jules julia julian juliane julie julien
justin jutta jérôme jürgen kai karen karin karina karl karla karoline kate katharina kathrin kathy katie katja katrin
kelly ken kerstin kevin kim kirsten klara klaus konrad konstantin kristin kristina kurt kyle lara larry lars laura
lauren layla lea leila lena leo leon leonie leticia levi lia liam lieke lilly lina linda linus lisa liz logan lorena
lorenzo lotte louis louisa louise luca lucas lucia lucie lucien lucy lucía ludwig luigi luis luisa luka lukas luke luna
lydia léa maaike madison magdalena maggie maja malik manfred manon manuel manuela mara marc marcel marcela marco marcus
marek margaret margarete margot maria marie marina mario marion marisa markus marlene marta martha martin martina mary
maría mateo mathieu mathilda mathis matilda matt matteo matthew matthias maurice maximilian maya meg megan mehmet
melanie melissa mia michael michaela michel michelle miguel mikael mike mila milan milena milo mira miriam mohammed
molly monica monika morgan moritz muriel nadia nadine nadja naomi natalia natalie natascha natasha nate nathan ned nele
nicholas nick nico nicola nicole niklas nils nina noah nora norbert nour océane odette olaf ole olga oliver olivia omar
oscar oskar otis otto owen pablo paola pascal patricia patrick paul paula pauline pedro peggy peter petra philipp pia
pierre pieter pilar priya quinn rachel rafael rafaela raffaela rahel raimund rainer ralf ramona raphael raúl rebecca
regina reinhard renate ricardo richard riley rita rob robert roberta roberto robin rocío rolf roman ron ronja rory rosa
roxana ruben rudolf rui ruth ryan rüdiger sabine sabrina sadie sally salvatore sam samantha samuel sandra sanne
santiago sara sarah sascha sebastian selina sergio seth sibylle sigrid silas silke silvana silvia simon simone sina
sofia sofie sonja sophia sophie stefan stefanie steffen steffi stella steph stephan stephanie steve steven susan
susanne svea sven svenja svetlana sylvia sébastien tamara tania tanja tatjana ted teresa tess tessa thea theo theresa
theresia thibault thomas thorsten tiago tim timo tina tobias toby tom tommy toni tony torsten trevor tristan tyler ulla
ulrich ulrike ursula ute uwe valentin valentina vanessa vera verena veronica veronika vicky victoria viktor viktoria
vincent virginia walter waltraud werner wiebke wilhelm willem william wolfgang wyatt xavier xenia yannick yasmin yusuf
yvonne zach zoe zoé álvaro ángel élodie
"""
GIVEN_NAMES: Final = frozenset(_NAMES.split())
"""The usual ones of the languages that are spoken here, in lower case."""
_STREET = (
    r"(?:lane|street|st|road|rd|avenue|ave|close|drive|way|court|place|square|terrace|crescent|gardens?|row|hill|mews"
    r"|walk|green|boulevard|blvd|parkway|highway|grove|rise|yard|broadway|circle|loop|trail|alley|bridge|wharf|quay)"
)
_STREET_FIRST = (
    r"(?:rue|avenue|av|boulevard|bd|place|quai|chemin|allée|route|impasse|cours|passage|calle|avenida|plaza|paseo"
    r"|camino|carretera|ronda|via|viale|piazza|corso|largo|vicolo|strada|rua|praça|travessa|estrada|alameda)"
)
_STREET_JOINED = (
    r"(?:straße|strasse|str\.|gasse|weg|allee|chaussee|damm|ufer|steig|pfad|platz|ring|graben|promenade|straat|laan"
    r"|plein|gracht|kade|singel|dijk|steeg|dreef|pad)"
)
_HOUSE_NUMBER = r"\d{1,4}(?:\s?(?-i:[a-d])\b|\s(?:bis|ter)\b)?"
_BEFORE_HOUSE = rf"(?<![\d:.,])(?:\b(?:at|to|au|à|a|al|en el)\s+)?\b{_HOUSE_NUMBER},?\s+"
_ARTICLES = r"(?:(?:de|del|della|dei|da|das|do|dos|des|du|la|los|las|le|les)\s+){0,2}"
_STREET_NAME = r"(?-i:[A-ZÀ-ÖØ-Þ])[\w'.-]*"
# "Alle nove via SMS" names no street.
_NO_STREET = r"(?:sms|e-?mail|text|whatsapp|telef|zoom|teams)"
# "At 4 Mill Lane", "au 4, rue des Lilas", "am Lindenweg 4", "en la calle Mayor 4".
_ADDRESS = re.compile(
    rf"{_BEFORE_HOUSE}(?:{_STREET_NAME}\s+){{1,3}}?(?-i:(?=[A-Z])){_STREET}\b(?!\s+hours?\b)"
    rf"|{_BEFORE_HOUSE}(?:de (?:la )?)?{_STREET_FIRST}\s+{_ARTICLES}(?!{_NO_STREET}){_STREET_NAME}"
    rf"|(?:\bam\s+)?\b(?-i:[A-ZÀ-ÖØ-Þ])\w*{_STREET_JOINED}\s+{_HOUSE_NUMBER}(?!\s*(?:uhr|uur|[:h]))(?!\d)"
    rf"|\b{_STREET_FIRST}\s+{_ARTICLES}(?!{_NO_STREET}){_STREET_NAME}(?:\s+{_STREET_NAME})?,?\s+(?:n[.º°]?\s*)?{_HOUSE_NUMBER}"
    r"(?!\s*[:h])(?!\d)",
    re.I,
)


def is_no_name(word: str) -> bool:
    """Tell whether a capitalised word is a time, a pronoun or the like."""
    plain = word.lower()
    return plain in _TIME_WORDS or plain in _NO_NAME


def names_in(sentence: str) -> tuple[str, ...]:
    """Return the names in a sentence; time words and pronouns are left out."""
    return tuple(name for m in _PERSON.finditer(sentence) if (name := _name(m[2] or m[3] or m[4])))


def names_for(sentence: str) -> frozenset[str]:
    """Return for whom something is, as a sentence says, which need not be whose name it stands under."""
    found = (m[2] or m[3] for m in _PERSON.finditer(sentence) if not m["under"] and (m[2] or m[3]))
    return frozenset(filter(None, map(_name, found)))


def names_stood_under(sentence: str) -> tuple[str, ...]:
    """Return the names under which something stands by now, as a sentence says."""
    return tuple(name for m in _STOOD_UNDER.finditer(sentence) if not m[1] and (name := _name(m[2])))


def _name(words: str) -> str:
    """Return what could be a person's name of capitalised words; empty where nothing could."""
    parts = []
    for word in words.split():
        plain = word.removesuffix("'s").lower()
        if plain in _TIME_WORDS or plain in _NO_NAME or plain.isdigit():
            break
        # An initial stands for any name.
        parts += [word.removesuffix("'s")] if len(plain) > 1 else []
    return " ".join(parts)


def without_addresses(sentence: str) -> str:
    """Return a sentence with blanks for a house's number beside the name of its street: it is no hour."""
    return _ADDRESS.sub(lambda match: " " * len(match[0]), sentence)
