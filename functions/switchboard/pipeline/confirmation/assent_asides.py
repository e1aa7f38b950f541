"""What callers say beside an answer: what changes nothing, and what tells that they have something else in mind."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from switchboard.pipeline.confirmation.consent import plain_words

NOISES = """
    noise noises background music static silence cough coughs coughing laugh laughs laughing laughter sigh sighs breath
    breathing breathes beep click clicks pause door wind traffic sneeze sneezes sniff sniffs hum humming um uh hm
    clears throat clearing dog barks barking tv radio baby crying rauschen gerausch gerausche hintergrundgerausche
    hintergrundgerausch husten hustet lachen lacht musik stille pause seufzt seufzen rauspert rauspern ruido ruidos
    fondo de risa risas rie tos tose musica silencio suspiro suspira bruit bruits fond rire rires rit toux tousse
    musique soupir rumore rumori sottofondo risata risate ride tosse silenzio sospiro ruis geluid achtergrondgeluid
    gelach lacht hoest muziek stilte zucht barulho barulhos risada riso risos suspiro
"""
GOOD_SIGNS = "👍👌✅✔☑💯🆗"
BAD_SIGNS = "👎❌✖🚫🙅⛔"
KIND_SIGNS = "🙏😊🙂😀😃😄😁😉☺😇🤗❤💕💖🥰😘🎉✨💪🤝🌸🌹💐🙌👏😌"
# Beside a yes they say once more that it was one, or nothing; alone they could be behind a no as well.
ALREADY_SAID = {
    "en": """hon, honey, sweetie, sweetheart, already told you, said so already, for the third time, for the second
        time, how often do i have to say it, how many times, unfortunately, come on, for your help, thank you so
        much for your help, bless you, bless, bless your heart, god bless, god bless you, i owe you one, what a
        morning, what a day, it's one of those days, it's been a morning, it's been a day,
        sadly, at the last minute, so late, last minute""",
    "de": """sagte ich doch, sag ich doch, sage ich doch, sagte ich schon, sagte ich bereits, wie gesagt, das sagte
        ich doch, zum dritten mal, zum zweiten mal, wie oft denn noch, wie oft soll ich es noch sagen, leider, nun
        machen sie schon, jetzt machen sie schon, von ihnen, schweren herzens, ungern, ich sage es ungern, ich sag es
        ungern, ich sags ungern, so leid es mir tut""",
    "es": """ya lo he dicho, ya se lo dije, ya se lo he dicho, ya te lo dije, ya te lo he dicho, ya le dije, ya le
        he dicho, ya te dije, ya dije, como dije, como ya dije, como le dije, lo acabo de decir, se lo acabo de
        decir, le digo, te digo, le estoy diciendo, te estoy diciendo, por tercera vez, por segunda vez, cuántas
        veces lo tengo que repetir, lamentablemente, y que tenga buen fin de semana, me hace un favor enorme, para
        eso llamo, qué le vamos a hacer, eres un sol, es usted un sol""",
    "fr": """je l'ai déjà dit, je l'ai dit, je vous l'ai dit, je vous l'ai déjà dit, je te l'ai dit, comme je l'ai dit,
        comme je vous l'ai dit, je viens de le dire, je viens de vous le dire, puisque je vous le dis, pour la
        troisième fois, pour la deuxième fois, combien de fois il faut le répéter, malheureusement, et bon week end à
        vous, vous me rendez un grand service, hélas, vous êtes un amour, vous êtes un ange""",
    "it": """l'ho già detto, l'ho detto, gliel'ho detto, gliel'ho già detto, te l'ho detto, te l'ho già detto, come ho
        detto, come le ho detto, l'ho appena detto""",
    "nl": """dat zei ik al, dat zei ik toch, zei ik al, zei ik toch, heb ik al gezegd, heb ik toch gezegd, dat heb ik
        al gezegd, dat heb ik toch gezegd, zoals ik al zei, zoals gezegd""",
    "pt": """já disse, já lhe disse, já te disse, eu já disse, já falei, eu já falei, já lhe falei, já te falei, como
        disse, como eu disse, como já disse, acabei de dizer, acabei de falar""",
}
# The same in frames, of each of which one part is said; nothing where a part begins with a comma.
_FRAMES: Mapping[str, Sequence[str]] = {
    "en": (
        ",i thought,like,as,but",
        "i said,i just said,i already said,i've said,i've just said,i've already said,i have already said,i did say,"
        "i told you,i just told you,i already told you,i've told you,i've already told you,i did tell you,i'd said,"
        "i had said",
        ",so,that,it,as much",
        ",already,before,twice,just now,now",
    ),
    "de": (
        ",ich dachte,aber",
        ",das,es",
        "habe ich,hab ich,hatte ich,ich habe,ich hab,ich hatte,hätte ich",
        ",doch,schon,doch schon,gerade,doch gerade,eben,doch eben,bereits,ja schon",
        "gesagt",
    ),
    "es": (
        ",pensé que,creí que,creía que,pensaba que,pero",
        "ya",
        "lo dije,lo había dicho,se lo había dicho,te lo había dicho",
    ),
    "fr": (",mais", "je croyais,je pensais", "l'avoir,vous l'avoir", ",déjà", "dit"),
}
# Apologies, of each of which one part is said.
_SORRY: Mapping[str, Sequence[Sequence[str]]] = {
    "en": (
        (
            ",i'm,i am,again,and,and i'm,and i am,oh,oh i'm",
            ",so,really,very,so so,ever so",
            "sorry,sorry again",
            ",about this,about that,about it,about all this,for this,for the short notice,for the late notice"
            ",for the trouble,for the hassle,for messing you around,for messing you about,for being a pain"
            ",to do this to you,to be a pain,to bother you,to mess you around",
        ),
    ),
    "de": (
        (
            ",und,ach,oh",
            "tut mir leid,es tut mir leid,entschuldigung,entschuldigen sie,verzeihung,sorry",
            ",nochmal,noch mal,noch einmal,wirklich,sehr",
            ",für die umstände,für die mühe,wegen der umstände,für das hin und her,so kurzfristig"
            ",dass es so kurzfristig ist",
        ),
    ),
    "es": (
        (
            ",y,ay,uy",
            "perdón,perdone,perdona,disculpe,disculpa,lo siento,lo siento mucho",
            ",de verdad,otra vez",
            ",por las molestias,por la molestia,por avisar tan tarde,por el lío,por avisar con tan poco tiempo",
        ),
    ),
    "fr": (
        (
            ",et,ah,oh",
            "désolé,désolée,pardon,excusez-moi,je suis désolé,je suis désolée",
            ",vraiment,encore",
            ",pour le dérangement,de prévenir si tard,pour l'embêtement,de vous embêter,pour tout ça",
        ),
    ),
}
# Regrets, which may come before a "no" as well: beside them it takes one word more to agree.
_REGRETS: Mapping[str, Sequence[str]] = {
    "en": (
        ",i,i really,i just,i do,i so,but i,and i,i mean i,i mean i really",
        "hate to say it,hate to say this,hate to say so,hate saying it"
        ",hate to,hate doing this,hate to do this,hate doing it,hate to do it,hate doing that,hate this,hate it"
        ",hate having to,feel bad,feel terrible,feel awful,feel so bad,feel so awful,feel guilty",
        ",to you,to you guys,about this,about it",
    ),
    "de": (
        ",es,das",
        "tut mir so leid,ist mir so unangenehm,ist mir unangenehm,ist mir peinlich,ist mir so peinlich",
    ),
    "es": (",es que,y", "me da pena,me da mucha pena,me sabe mal,me sabe fatal"),
    "fr": (",et", "ça m'embête,ça m'ennuie,je suis embêté,je suis embêtée"),
}
# So somebody gives in who has not said yes, as a yes behind them says; behind a yes they weaken it.
_RELUCTANT: Mapping[str, str] = {
    "en": "i guess so, i suppose so, i guess so then, i suppose so then, i guess, i suppose",
    "de": """na gut, na schön, nun gut, na okay, na ok, na gut dann, na gut also, dann wohl, wohl schon""",
    "es": "supongo que sí, imagino que sí, me imagino que sí, supongo",
    "fr": "je suppose que oui, je suppose, j'imagine que oui, bon ben",
}
# Of a new time or number, beside a yes: it is liked more than what was.
_BETTER: Mapping[str, str] = {
    "en": """better, even better, is better, is even better, its better, thats better, that is better, thats even
        better, thats much better, much better, so much better, is much better, works better, works much better,
        suits me better, suits us better, suits better, is better for me, is better for us, works better for me,
        works better for us, thats better for me, thats better for us, better for me, better for us, would be
        better, would be much better, thatd be better, that would be better, works even better, that works better""",
    "de": """besser, ist besser, ist viel besser, ist sogar besser, ist mir lieber, ist uns lieber, das ist besser, das
        ist viel besser, das ist mir lieber, passt besser, passt mir besser, passt uns besser, passt viel besser, das
        passt besser, das passt mir besser, das wäre besser, wäre besser, viel besser, ist besser für mich, ist besser
        für uns, geht besser, das geht besser""",
    "es": """mejor, mucho mejor, es mejor, es mucho mejor, eso es mejor, así mejor, así es mejor, me viene mejor, me va
        mejor, nos viene mejor, nos va mejor, mejor así, sería mejor, es mejor para mí, mejor para mí, me queda mejor,
        está mejor""",
    "fr": """mieux, c'est mieux, est mieux, c'est bien mieux, c'est beaucoup mieux, ce sera mieux, ce serait mieux,
        c'est mieux pour moi, c'est mieux pour nous, ça m'arrange mieux, m'arrange mieux, ça me convient mieux,
        me convient mieux, ça va mieux, c'est mieux comme ça""",
    "it": "meglio, è meglio, va meglio, mi va meglio, molto meglio, così è meglio, sarebbe meglio",
    "nl": "beter, is beter, dat is beter, past beter, dat past beter, veel beter, komt beter uit, is veel beter",
    "pt": "melhor, é melhor, fica melhor, muito melhor, assim é melhor, seria melhor, é melhor para mim",
}
# By themselves they could decline as well; to a question that was put they are a yes.
YES_TO_A_QUESTION: Mapping[str, str] = {"de": "passt danke, passt so danke, das passt danke, das passt so danke"}
# So somebody agrees who does not care; it takes one word more, since it is also said of what is not agreed to.
CARELESS: Mapping[str, str] = {"en": "whatever, whatever then, or whatever"}
# Beside a yes they give in to it.
_RESIGNED: Mapping[str, Sequence[str]] = {
    "en": (
        ",i guess,i suppose,well,yeah no,no,i mean,sadly",
        "that's what it'll have to be,that's what it has to be,that's what it'll be,that's what we gotta do"
        ",that's what we have to do,that's what we've got to do,that's what i have to do,that's what i gotta do"
        ",there's no way around it,no way around it,there's nothing for it,there's nothing else for it"
        ",it can't be helped,can't be helped,there's no helping it,it is what it is,we have no choice"
        ",i have no choice,it has to be,i have to",
    ),
    "de": (
        ",es,das",
        "muss sein,muss ja sein,muss leider sein,geht nicht anders,geht leider nicht anders,hilft ja nichts"
        ",hilft nichts,hilft alles nichts",
    ),
    "es": (
        ",pues",
        "no hay de otra,no queda otra,no queda de otra,qué remedio,no me queda otra,no hay más remedio"
        ",no tengo más remedio",
    ),
    "fr": (",et", "il le faut,il faut bien,faut bien,pas le choix,je n'ai pas le choix,j'ai pas le choix"),
}
# What they call whoever answers, of each of which one part is said.
_COURTESIES: Mapping[str, Sequence[str]] = {
    "en": (
        "you're,you are,you're so,you're too,you're very,you're such a,you're a,you're an,you're an absolute"
        ",you're the",
        "sweetheart,doll,gem,angel,legend,saint,star,lifesaver,kind,sweet,nice,lovely,good,great,patient,helpful,best"
        ",treasure,dear,understanding",
    ),
}
# What they say of themselves in a flurry.
_FLURRIES: Mapping[str, Sequence[str]] = {
    "en": (
        ",sorry",
        "i'm all over the place,i'm so all over the place,my head's all over the place,i'm scattered,i'm frazzled"
        ",i'm flustered,i'm a mess,i'm such a mess,i'm a wreck,i'm rambling,i'm just rambling,i'm babbling"
        ",i'm in a state"
        ",i'm tired,i'm so tired,i'm exhausted,i ramble,i haven't slept,i ramble when i haven't slept,i barely slept"
        ",i didn't sleep,i talk too much",
    ),
}
# What a yes would be: of each of these one part is said.
_WOULD_BE: Mapping[str, Sequence[str]] = {
    "en": (
        "that'd be,that would be,it'd be,it would be,that'll be,that will be,that'd just be,that would just be",
        ",so,really,very,just",
        "lovely,great,fine,good,perfect,wonderful,brilliant,ideal,super,fantastic,amazing,awesome,helpful,nice,kind,best"
        ",the best,grand,splendid,a relief,a great help,a huge help,much appreciated,kind of you",
    ),
    "de": (
        "das wäre,wäre,das wär,wär",
        ",sehr,ganz,wirklich,echt,total",
        "lieb,nett,super,toll,prima,schön,perfekt,klasse,wunderbar,ideal,gut,lieb von ihnen,nett von ihnen,freundlich",
    ),
    "es": (
        "sería,eso sería,me sería",
        ",muy,de",
        "genial,perfecto,estupendo,ideal,gran ayuda,amable,fantástico,maravilloso,bueno",
    ),
    "fr": (
        "ce serait,ça serait",
        ",très,vraiment,bien",
        "parfait,super,gentil,bien,génial,top,idéal,aimable,formidable",
    ),
}
# A "no" that is none, before what agrees.
_YEAH_NO = (
    "yeah no,no yeah,yeah nah yeah",
    ",yeah",
    "that's fine,of course,for sure,definitely,absolutely,go ahead,totally,sure,let's do that,let's do it,do it,do that"
    ",please do,go right ahead",
)
_TIMES: Mapping[str, Sequence[str]] = {
    "en": (
        ",that's,this is,that makes it",
        ",like,now",
        "the second time,the third time,the fourth time,the fifth time",
        ",now,i say it,i say that,i say yes,i've said it,i've said that,i've said yes,you ask,you ask me,you asked"
        ",you asked me,you're asking,you're asking me,you've asked,you've asked me,that you ask,that you're asking me",
    ),
    "de": (
        ",das ist,das ist jetzt",
        "das zweite mal,das dritte mal,das vierte mal,schon das zweite mal,schon das dritte mal",
        ",jetzt,dass sie fragen,dass sie mich fragen,dass sie das fragen,dass ich das sage,dass ich ja sage",
    ),
    "es": (
        ",es,ya es,esta es",
        "la segunda vez,la tercera vez,la cuarta vez",
        ",ya,que me pregunta,que me lo pregunta,que pregunta,que lo digo,que digo que sí",
    ),
    "fr": (
        ",c'est,ça fait",
        "la deuxième fois,la troisième fois,la quatrième fois,déjà la troisième fois",
        ",que vous me demandez,que vous me le demandez,que vous demandez,que je le dis,que je dis oui",
    ),
}
# Whoever says so, and no yes, has something else in mind than what was asked: nothing is done, and it is not asked
# again before they have made up their mind.
DOUBTS = {
    "en": """i don't know, i do not know, i dunno, not sure, i'm not sure, i am not sure, instead, rather, what if,
        maybe, perhaps, let me think about it, i need to think, could i also, can i just""",
    "de": """weiß nicht, weiß ich nicht, ich weiß nicht, bin nicht sicher, bin mir nicht sicher, stattdessen, lieber,
        vielleicht, oder doch, oder lieber, überlege, überlegen, doch noch""",
    "es": """no sé, no lo sé, no estoy seguro, no estoy segura, mejor, y si, en vez de, en lugar de, quizá, quizás, tal
        vez, déjeme pensar, déjeme pensarlo, lo pienso""",
    "fr": """je ne sais pas, je sais pas, j'hésite, plutôt, à la place, et si, peut être, je vais réfléchir, laissez
        moi réfléchir, il faut que je réfléchisse""",
    "it": """non so, non lo so, non sono sicuro, non sono sicura, piuttosto, invece, e se, forse, magari, ci penso, ci
        devo pensare""",
    "nl": """weet niet, weet het niet, weet ik niet, niet zeker, liever, misschien, in plaats van, of toch, even
        nadenken, nadenken""",
    "pt": """não sei, não tenho certeza, em vez de, em vez disso, e se, talvez, melhor, deixa eu pensar, deixe me
        pensar, vou pensar""",
}


def better_phrases(language: str) -> str:
    """Return what prefers what is new, separated by commas."""
    return _BETTER.get(language, "")


def reluctant_phrases(language: str) -> str:
    """Return what gives in without a yes, separated by commas."""
    return _RELUCTANT.get(language, "")


def agreeing_frames(language: str) -> Iterator[tuple[str, ...]]:
    """Yield what agrees, as words: "that'd be really lovely", "yeah no, of course"."""
    for frames in (_WOULD_BE.get(language, ()), _YEAH_NO if language == "en" else ()):
        yield from _filled(frames)


def regretting_frames(language: str) -> Iterator[tuple[str, ...]]:
    """Yield what tells that somebody does not like to do it, as words."""
    yield from _filled(_REGRETS.get(language, ()))


def resigning_frames(language: str) -> Iterator[tuple[str, ...]]:
    """Yield what gives in to what was asked, and agrees to nothing by itself, as words."""
    yield from _filled(_RESIGNED.get(language, ()))


def said_frames(language: str) -> Iterator[tuple[str, ...]]:
    """Yield what a language says of something that has been said before, as words."""
    alone = (table.get(language, ()) for table in (_FRAMES, _TIMES, _COURTESIES, _FLURRIES))
    for frames in (*alone, *_SORRY.get(language, ())):
        yield from _filled(frames)


def _filled(frames: Sequence[str]) -> Iterator[tuple[str, ...]]:
    if frames:
        yield from (
            tuple(plain_words(" ".join(combination))) for combination in product(*(part.split(",") for part in frames))
        )
