"""Questions of their own that callers ask behind a yes: when is it open, where is it, what is to be brought along.

Whole questions only, each of which is known, in frames of which each part is said once; nothing where a part begins
with a comma. Whoever asks them has agreed: none asks what the deed itself costs, who is meant or whether it has to be.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cache
from itertools import product

from switchboard.pipeline.confirmation.asked_times import AskedDays
from switchboard.pipeline.confirmation.consent import plain_words

_Frames = Sequence[Sequence[str]]
# Whatever was asked.
_OF_ANYTHING: Mapping[str, _Frames] = {
    "en": (
        (
            "what time do you,what time will you,when do you,when will you,how late do you",
            "open,close,stay open",
            ",today,tomorrow,on saturdays,on sundays,at the weekend,on weekends,in the morning",
        ),
        (
            "how late are you,how long are you,until when are you,are you",
            "open",
            ",today,tomorrow,on saturdays,on sundays,at the weekend,on weekends,over christmas,over the holidays",
        ),
        ("where are you,where exactly are you,where are you guys", ",based,located,exactly"),
        ("what's the name of your street,what is the name of your street,what street are you on,what's your street",),
        (
            "do you take,do you accept,can i pay with,can i pay by,can i pay in",
            "card,cards,credit card,credit cards,cash,amex,american express,apple pay,contactless,debit cards,checks"
            ",cheques",
        ),
        ("do you have,do you sell,do you do", "gift cards,gift vouchers,vouchers,gift certificates"),
        (
            "will i get,do i get,will you send me",
            "a confirmation,a text,an email,a message,a text message,that in writing,it in writing",
            ",about it,about that,to confirm",
        ),
        ("can i get,can i have,could i get,could i have", "a confirmation,that in writing,it in writing"),
        (
            "do i need to do anything else,do i have to do anything else,is there anything else i need to do"
            ",is there anything else i have to do",
        ),
        ("are you hiring,is your website down",),
    ),
    "de": (
        (
            "wann,um wie viel uhr,ab wann,bis wann,wie lange,wie lang",
            "macht ihr,machen sie,habt ihr,haben sie",
            ",heute,morgen,samstags,sonntags,am wochenende,über weihnachten",
            ",noch",
            "auf,zu,offen,geöffnet",
        ),
        (
            "habt ihr,haben sie,macht ihr,machen sie",
            "samstags,sonntags,am wochenende,über weihnachten,über die feiertage,an feiertagen",
            "offen,geöffnet,auf",
        ),
        (
            "wo seid ihr,wo sind sie,wo finde ich sie,wo finde ich euch,wo ist der laden,wo ist die praxis"
            ",wo ist der salon,in welcher straße sind sie,in welcher straße seid ihr,wie heißt ihre straße"
            ",wie heißt eure straße",
            ",genau,nochmal,noch",
        ),
        (
            "kann ich,kann man",
            ",bei ihnen,bei euch",
            "mit karte,mit ec-karte,mit kreditkarte,bar,per karte,mit dem handy",
            "zahlen,bezahlen",
        ),
        (
            "nehmen sie,nehmt ihr,akzeptieren sie,akzeptiert ihr",
            "karte,karten,kreditkarten,ec-karte,ec-karten,bargeld,kartenzahlung",
        ),
        (
            "haben sie,habt ihr,verkaufen sie,verkauft ihr,gibt es,gibt's",
            ",bei ihnen,bei euch",
            "gutscheine,geschenkgutscheine,geschenkkarten",
        ),
        (
            "bekomme ich,bekomm ich,kriege ich,krieg ich,schicken sie mir,schickt ihr mir",
            ",dann,noch,dann noch",
            "eine bestätigung,eine sms,eine mail,eine e-mail,eine nachricht,eine bestätigung per mail"
            ",eine bestätigung per e-mail,eine bestätigung per sms,das schriftlich",
        ),
        ("muss ich,soll ich", "sonst noch was,sonst noch etwas,noch etwas,noch was", "machen,tun"),
    ),
    "es": (
        (
            "a qué hora,cuándo,hasta qué hora,hasta cuándo,desde qué hora",
            "abren,cierran,abrís,cerráis,están abiertos,está abierto,tienen abierto",
            ",hoy,mañana,los sábados,los domingos,el fin de semana,los fines de semana,en navidad",
        ),
        (
            "abren,abrís,están abiertos",
            "los sábados,los domingos,el fin de semana,los fines de semana,en navidad,los festivos",
        ),
        (
            "dónde están,dónde estáis,dónde se encuentran,dónde queda,dónde queda el local,dónde está el local"
            ",dónde está la peluquería,en qué calle están,en qué calle estáis,cómo se llama la calle",
            ",exactamente,ustedes",
        ),
        (
            "aceptan,aceptáis,cogen,toman,puedo pagar con,se puede pagar con,puedo pagar en,se puede pagar en",
            "tarjeta,tarjetas,efectivo,tarjeta de crédito,bizum",
        ),
        ("tienen,venden,tenéis,vendéis", "tarjetas regalo,tarjetas de regalo,vales regalo,bonos regalo"),
        (
            "me llegará,me llega,me va a llegar,recibiré,recibo,voy a recibir,me mandan,me mandarán,me enviarán"
            ",me envían",
            "una confirmación,la confirmación,un mensaje,un correo,un sms,un mensaje de texto,algo por escrito",
        ),
        ("tengo que hacer,necesito hacer,hay que hacer,debo hacer", "algo más,alguna otra cosa"),
    ),
    "fr": (
        (
            "à quelle heure,jusqu'à quelle heure,quand,jusqu'à quand",
            ",est-ce que",
            "vous ouvrez,vous fermez,ouvrez-vous,fermez-vous,vous êtes ouverts,vous êtes ouvert,êtes-vous ouverts",
            ",aujourd'hui,demain,le samedi,le dimanche,le week-end,à noël",
        ),
        (
            "vous ouvrez,vous fermez,vous êtes ouverts",
            "à quelle heure,jusqu'à quelle heure",
            ",aujourd'hui,demain,le samedi,le dimanche,le week-end",
        ),
        (
            "vous êtes ouverts,vous êtes ouvert,êtes-vous ouverts,est-ce que vous êtes ouverts,vous ouvrez",
            "le samedi,le dimanche,le week-end,les jours fériés,pendant les fêtes,à noël",
        ),
        (
            "où êtes-vous,vous êtes où,où est-ce que vous êtes,où se trouve le salon,où se trouve le cabinet"
            ",où vous trouvez-vous,dans quelle rue êtes-vous,vous êtes dans quelle rue",
            ",exactement,déjà,situés",
        ),
        (
            "vous prenez,prenez-vous,est-ce que vous prenez,vous acceptez,acceptez-vous,est-ce que vous acceptez"
            ",je peux payer par,je peux payer en,on peut payer par,on peut payer en,est-ce que je peux payer par"
            ",est-ce que je peux payer en,est-ce qu'on peut payer par,est-ce qu'on peut payer en",
            "la carte,les cartes,la carte bleue,carte,carte bleue,espèces,les espèces,chèque,les chèques,liquide",
        ),
        (
            "vous avez,avez-vous,vous vendez,vendez-vous,est-ce que vous avez,vous faites",
            "des cartes cadeaux,des bons cadeaux,des chèques cadeaux",
        ),
        (
            "je vais recevoir,je recevrai,est-ce que je vais recevoir,est-ce que je recevrai,vous m'envoyez"
            ",vous m'enverrez,j'aurai,est-ce que j'aurai",
            "une confirmation,un sms,un message,un mail,un email,une confirmation par sms,une confirmation par mail",
        ),
        (
            "est-ce que je dois faire,je dois faire,dois-je faire,il faut faire,faut-il faire",
            "autre chose,quelque chose d'autre",
        ),
    ),
}
# Behind a move: how to come, and with what. Of an appointment that ends nobody asks it who lets it go.
_OF_COMING: Mapping[str, _Frames] = {
    "en": (
        (
            "what should i,what shall i,what do i need to,what do i have to",
            "bring,wear,do,prepare,do with my hair,do with my nails,do with my skin",
            ",along,before,beforehand,before that,in advance,before i come",
        ),
        (
            "do i need to,do i have to,should i,is there anything i should,is there anything i need to"
            ",is there anything i have to",
            "bring,bring anything,bring my insurance card,bring my card,bring an id,do anything,prepare anything,do"
            ",prepare,know,wash my hair,come with washed hair,eat something",
            ",along,before,beforehand,before that,in advance,before i come",
        ),
        ("how early should i,how early do i need to", "be there,come,arrive"),
        (
            "can i bring,may i bring,is it okay to bring",
            "my dog,the dog,my kids,the kids,my son,my daughter,my baby,a friend,my mom,my mum,my husband,my wife",
        ),
        ("how do i get there,how do i get to you,which bus goes to you,where is the entrance,which entrance is it",),
    ),
    "de": (
        (
            "was muss ich,was soll ich,muss ich,soll ich,darf ich",
            ",da,dann,vorher",
            ",was,etwas,meine versichertenkarte,meine karte,einen ausweis,den ausweis,eine überweisung",
            "mitbringen,anziehen,vorbereiten",
        ),
        (
            "was muss ich,was soll ich,muss ich,soll ich",
            ",was,etwas",
            "vorher,davor,mit den haaren,mit meinen haaren,vorher mit den haaren,vorher mit meinen haaren"
            ",mit meinen haaren vorher,mit den haaren vorher",
            "machen,tun,beachten,essen",
        ),
        (
            "soll ich,muss ich",
            "nüchtern kommen,nüchtern sein,mit gewaschenen haaren kommen,die haare vorher waschen"
            ",mir vorher die haare waschen,vorher die haare waschen",
        ),
        (
            "darf ich,kann ich,darf man,kann man",
            "den hund,meinen hund,die kinder,mein kind,meinen sohn,meine tochter,meine mutter,meinen mann,meine frau"
            ",eine freundin",
            "mitbringen",
        ),
        ("wie komme ich,wie komm ich", "zu ihnen,zu euch,dahin,da hin,hin"),
    ),
    "es": (
        (
            "qué tengo que,qué debo,qué necesito,qué hay que",
            "llevar,traer,hacer,hacer con el pelo,hacer con mi pelo,ponerme,preparar",
            ",antes,antes de ir,antes de la cita,antes de eso",
        ),
        (
            "tengo que,debo,necesito,hace falta,hay que",
            "llevar algo,traer algo,llevar mi dni,llevar el dni,llevar la tarjeta sanitaria,hacer algo,preparar algo"
            ",ir en ayunas,lavarme el pelo,ir con el pelo lavado,ir con el pelo limpio",
            ",antes,antes de ir,antes de la cita",
        ),
        (
            "puedo llevar,puedo ir con,puedo traer",
            "a mi perro,mi perro,al perro,a mi hijo,mi hijo,a mi hija,mi hija,a los niños,al niño,a mi madre,mi madre"
            ",a mi marido,mi marido",
        ),
        ("cómo llego,cómo se llega,con cuánta antelación tengo que llegar",),
    ),
    "fr": (
        (
            "est-ce que je dois,je dois,dois-je,il faut,faut-il,est-ce qu'il faut,je peux,est-ce que je peux",
            "apporter,amener,prendre,venir avec",
            "quelque chose,ma carte vitale,ma carte,une pièce d'identité,mon chien,le chien,mon fils,ma fille"
            ",les enfants,ma mère,mon mari,ma femme",
        ),
        (
            "qu'est-ce que je dois,que dois-je,qu'est-ce qu'il faut,que faut-il",
            "apporter,amener,faire,faire avec mes cheveux,faire de mes cheveux,mettre,porter,préparer",
            ",avant,avant de venir,avant ça",
        ),
        (
            "est-ce que je dois,je dois,dois-je,il faut,faut-il,est-ce qu'il faut",
            "être à jeun,venir à jeun,me laver les cheveux,venir les cheveux propres,préparer quelque chose",
            ",avant,avant de venir",
        ),
        ("comment je viens,comment on vient,comment je fais pour venir,quel bus va chez vous",),
    ),
}
# Behind an end: how much comes back, and when. That it is over they take for granted, who only ask whether do not.
_OF_WHAT_COMES_BACK: Mapping[str, _Frames] = {
    "en": (
        (
            "how much do i get,how much will i get,when do i get,when will i get,how do i get",
            "back,my money back,my deposit back,the deposit back,my refund,the refund",
        ),
    ),
    "de": (
        (
            "wie viel,wieviel,wann,wie",
            "bekomme ich,bekomm ich,kriege ich,krieg ich",
            ",davon",
            ",mein geld,das geld,meine anzahlung,die anzahlung",
            "zurück,wieder,erstattet",
        ),
    ),
    "es": (
        (
            "cuánto,cuándo,cómo",
            "me devuelven,me devolvéis,me van a devolver,me devolverán,me reembolsan",
            ",el dinero,la señal,el depósito,el anticipo",
        ),
    ),
    "fr": (
        (
            "combien,quand,comment",
            "vous me remboursez,on me rembourse,vous me rendez,on me rend,est-ce que vous me remboursez"
            ",est-ce qu'on me rembourse,est-ce que vous me rendez,est-ce qu'on me rend",
            ",l'acompte,mon acompte,l'argent,mon argent",
        ),
        ("combien je récupère,combien est-ce que je récupère,quand est-ce que je serai remboursé",),
    ),
}
_BY_DEED: Mapping[str, Sequence[Mapping[str, _Frames]]] = {
    "cancelled": (_OF_ANYTHING, _OF_WHAT_COMES_BACK),
    "moved": (_OF_ANYTHING, _OF_COMING),
    # Who may be brought along could mean how many it is for.
    "booked": (_OF_ANYTHING,),
}
# What may stand before a question, behind it or in its midst, and says nothing.
_ASIDES = """
    by the way, one more thing, one more question, one last thing, just one more thing, please, also, oh, sorry, and,
    so, thanks, thank you, übrigens, eigentlich, denn, mal, auch, bitte, ach, und, sagen sie, sagen sie mal, sagt mal,
    sag mal, noch eine frage, danke, por cierto, por favor, además, también, una cosa más, una pregunta más, oiga,
    dígame, gracias, y, ah, au fait, s'il vous plaît, aussi, sinon, et, dites, dites-moi, une dernière question, merci
"""
# How many days from now they name.
_NEAR = {"today": 0, "tomorrow": 1, "heute": 0, "morgen": 1, "hoy": 0, "manana": 1, "aujourdhui": 0, "demain": 1}


def asks_beside(text: str, deeds: Sequence[str], days: AskedDays | None) -> bool:
    """Tell whether a text is one of the known questions, to be asked behind a yes to some deeds.

    Args:
        text: All that stands behind the yes.
        deeds: What was asked about.
        days: When that is: a question about the very day may come of somebody who means to be there; without it no
            question about a near day is known.
    """
    words = tuple(word for word in plain_words(text) if word != "?")
    if not words or _names_its_day(words, days):
        return False
    # What says nothing in one place may be a part of the question in another: "what should I do, please".
    return any(_bare(words) in known or words in known for known in (_known(deed) for deed in deeds))


def _names_its_day(words: Sequence[str], days: AskedDays | None) -> bool:
    named = [offset for word in words if (offset := _NEAR.get(word)) is not None]
    if not named or days is None:
        return bool(named)
    own = {then.date() for then in (days.start, days.new_start) if then is not None}
    return any(today + timedelta(days=offset) in own for today in days.todays for offset in named)


def _bare(words: Sequence[str]) -> tuple[str, ...]:
    """Return words without what says nothing among them."""
    sentence = f" {' '.join(words)} "
    for aside in _asides():
        sentence = sentence.replace(f" {aside} ", " ")
    return tuple(sentence.split())


@cache
def _asides() -> Sequence[str]:
    """Return them, the longest first."""
    asides = {" ".join(plain_words(aside)) for aside in _ASIDES.split(",")}
    return sorted(asides, key=len, reverse=True)


@cache
def _known(deed: str) -> frozenset[tuple[str, ...]]:
    """Return the questions behind a yes to one deed, in every language, as they are and without what says nothing."""
    told = frozenset(
        words for table in _BY_DEED.get(deed, ()) for frames in table.values() for words in _filled(frames)
    )
    return told | {_bare(words) for words in told}


def _filled(frames: _Frames) -> Iterator[tuple[str, ...]]:
    for frame in frames:
        for parts in product(*(part.split(",") for part in frame)):
            yield tuple(plain_words(" ".join(parts)))
