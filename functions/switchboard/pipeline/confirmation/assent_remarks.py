"""What callers say of themselves, or of the noise around them, behind a yes that has named what they were asked.

Whole remarks only, each of which is known: nothing in them speaks of the business, its days, prices or people. That
somebody cannot come explains a cancellation, and of a move could mean its new time as well.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from switchboard.pipeline.confirmation.consent import plain_words

# What leads to them; nothing where it begins with a comma.
_LEADS: Mapping[str, str] = {
    "en": ",sorry,i'm sorry,because,cause,cos,it's just,it's just that,it's because",
    "de": ",entschuldigung,sorry,tut mir leid,denn",
    "es": ",que,es que,porque,lo siento,perdón,perdona,perdone",
    "fr": ",parce que,car,désolé,désolée,pardon,excusez-moi",
}
# Why somebody does not come, separated by commas.
_ABSENCE: Mapping[str, str] = {
    "en": """i can't make it, i just can't make it, i cannot make it, i won't make it, i can't be there, i won't be
        there, i can't come, i just can't come, i can't get there, i won't be able to make it, i'm not going to make
        it, i can't make it after all, i can't make it anymore, i can't make it with the kids, i just can't make it
        with the kids, i just can't make it with the kids and everything, i just can't make it with work, i'm sick,
        i'm ill, i'm not well, i'm poorly, i'm not feeling well, i don't feel well, i've got a cold, i have a cold,
        i've got the flu, i have the flu, i've got covid, i have covid, i'm in hospital, i'm in the hospital, i'm stuck
        at work, i have to work, i've got to work, i'm out of town, my kid is sick, my son is sick, my daughter is
        sick, the kids are sick, my baby is sick, my car broke down, something came up, something's come up, something
        has come up, it's a family emergency, i have a family emergency, i've got a family emergency""",
    "de": """ich schaffe es nicht, ich schaff es nicht, ich schaffe es leider nicht, ich schaff es leider nicht, ich
        kann da nicht, ich kann da leider nicht, ich kann nicht kommen, ich kann leider nicht kommen, ich bin krank,
        ich bin leider krank, ich bin erkältet, ich liege flach, ich lieg flach, ich liege im bett, ich bin im
        krankenhaus, mein kind ist krank, die kinder sind krank, mein sohn ist krank, meine tochter ist krank, mir ist
        was dazwischengekommen, mir ist etwas dazwischengekommen, mir ist leider was dazwischengekommen, es ist was
        dazwischengekommen, da ist was dazwischengekommen, ich muss arbeiten, ich muss da arbeiten, ich habe keine
        zeit, ich hab keine zeit, ich bin im urlaub""",
    "es": """no puedo ir, no voy a poder ir, no podré ir, no puedo acudir, no puedo asistir, estoy enfermo, estoy
        enferma, estoy malo, estoy mala, estoy resfriado, estoy resfriada, tengo gripe, tengo la gripe, tengo fiebre,
        me ha surgido algo, me surgió algo, me ha surgido un imprevisto, me surgió un imprevisto, tengo que trabajar,
        tengo que viajar, estoy de viaje, mi hijo está enfermo, mi hija está enferma, mi hijo está malo, mi hija está
        mala, los niños están malos, los niños están enfermos""",
    "fr": """je ne peux pas venir, je peux pas venir, je ne pourrai pas venir, je pourrai pas venir, je ne pourrai pas
        être là, je ne serai pas là, je serai pas là, je suis malade, je suis souffrant, je suis souffrante, je suis
        enrhumé, je suis enrhumée, j'ai un empêchement, j'ai un imprévu, j'ai eu un imprévu, je dois travailler, je
        suis en déplacement, mon fils est malade, ma fille est malade, les enfants sont malades""",
}
# Who is ill, of each of which one part is said; and what follows from that.
_ILL: Mapping[str, Sequence[str]] = {
    "en": (
        "my little one,the little one,my kid,my son,my daughter,my baby,the baby,my kids,the kids,she,he",
        "is sick,is ill,is poorly,is burning up,'s burning up,'s sick,has a fever,has a temperature,is running a fever"
        ",are sick,are ill,woke up sick",
    ),
    "de": (
        "mein kind,mein sohn,meine tochter,das kind,der kleine,die kleine,die kinder",
        "ist krank,hat fieber,sind krank,haben fieber,liegt flach",
    ),
    "es": (
        "mi hijo,mi hija,mi niño,mi niña,el niño,la niña,los niños,el peque,la peque",
        "está enfermo,está enferma,están enfermos,tiene fiebre,tienen fiebre,está con fiebre,está malito,está malita",
    ),
    "fr": (
        "mon fils,ma fille,mon petit,ma petite,le petit,la petite,les enfants,mes enfants",
        "est malade,sont malades,a de la fièvre,ont de la fièvre",
    ),
}
_HENCE: Mapping[str, str] = {
    "en": """so there's no way, so there's just no way, there's just no way, there's no way i can make it, so i can't
        make it, so i can't come, so i can't be there, so i have to stay home, so i'm stuck at home""",
    "de": "da kann ich nicht weg, da komme ich nicht weg, da geht es nicht, ich muss zu hause bleiben",
    "es": "así que no puedo, así que no puedo ir, y no puedo ir, tengo que quedarme en casa",
    "fr": "donc je ne peux pas, donc je ne peux pas venir, je dois rester à la maison",
}
# What makes a noise, and where somebody is.
_AROUND: Mapping[str, str] = {
    "en": """the dog is barking, the dog's barking, i've got the dog barking, i've got the dog barking here, that's the
        dog, that's just the dog, the baby is crying, the baby's crying, that's the baby, it's loud here, it's really
        loud here, it's so loud here, it's noisy here, i'm driving, i'm in the car, i'm on the bus, i'm on the train,
        is this thing working, is this thing on""",
    "de": """der hund bellt, das ist der hund, das baby schreit, es ist so laut hier, es ist laut hier, hier ist es so
        laut, hier ist es laut, ich sitze im auto, ich bin im auto, ich bin im zug""",
    "es": """ladra el perro, está ladrando el perro, es el perro, llora el bebé, está llorando el bebé, hay mucho
        ruido, hay mucho ruido aquí, estoy en el coche, estoy en el carro, estoy en el autobús""",
    "fr": """le chien aboie, c'est le chien, le bébé pleure, il y a du bruit, il y a du bruit ici, je suis en voiture,
        je suis dans le train""",
}


def remarks(language: str, deeds: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the remarks that change nothing behind a yes to one of some deeds, as words."""
    yield from _led(_of(_AROUND, language), language)
    if tuple(deeds) == ("cancelled",):
        yield from absences(language)


def absences(language: str) -> Iterator[tuple[str, ...]]:
    """Yield the remarks that tell why somebody does not come, as words."""
    sentences = [remark for table in (_ABSENCE, _HENCE) for remark in _of(table, language)]
    ill = product(*(part.split(",") for part in _ILL[language])) if language in _ILL else ()
    yield from _led([*sentences, *(" ".join(parts).replace(" '", "'") for parts in ill)], language)


def _led(sentences: Sequence[str], language: str) -> Iterator[tuple[str, ...]]:
    for remark in sentences:
        yield from (tuple(plain_words(f"{lead} {remark}")) for lead in _LEADS.get(language, "").split(","))


def _of(table: Mapping[str, str], language: str) -> list[str]:
    return [remark for words in table.get(language, "").split(",") if (remark := " ".join(words.split()))]
