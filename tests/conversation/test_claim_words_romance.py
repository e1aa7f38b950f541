"""What the real tools let an agent say in Spanish and French, held against what was done, as in `test_claim_words`."""

from typing import Any

import pytest

from switchboard.conversation.guard import Unfounded
from tests.conversation.test_claim_words import (
    ACTIONS,
    BOOKED,
    BUSY,
    CANCELLED,
    CODE,
    EMAILED,
    EVENT,
    FOUND,
    LINK,
    MESSAGE,
    MOVED,
    SECOND,
    TEXTED,
    TRANSFERRED,
    VERIFIED,
    after,
    rows,
    say,
)

# Nothing was done, and nothing is said to have been.
SPOKEN_OF_ES = [
    "¿Quiere que le deje la cita reservada?",
    "¿Tiene cita con nosotros?",
    "Todavía no he reservado nada.",
    "Su cita aún no está confirmada.",
    "Si le parece bien, la cita queda reservada.",
    "Cuando esté reservada, recibirá un SMS.",
    "En cuanto esté confirmada, se lo digo.",
    "Lo siento, esa hora ya está reservada.",
    "El martes a las diez ya está reservado, pero las once está libre.",
    "El sábado lo tenemos todo reservado.",
    "Las citas canceladas con menos de 24 horas se cobran a la mitad.",
    "¿Ha reservado por internet?",
    "No he podido reservarla.",
    "La cita no se ha podido cambiar, no está cambiada.",
    "¿Quiere que la cita sea cancelada?",
    "No se ha cancelado nada.",
    "Puedo enviarle la dirección por SMS.",
    "El SMS no ha sido enviado.",
    "Todavía no le he enviado ningún código.",
    "Antes de que esté verificado no puedo decirle nada de sus citas.",
    "Le paso con recepción.",
    "No hay nadie a quien pueda ser transferido.",
    "¿Quiere que tome un mensaje?",
    "Todavía no he tomado su mensaje.",
    "Si me da su nombre, su mensaje será transmitido.",
    "Abrimos a las nueve y cerramos a las seis.",
    "Un corte dura treinta minutos.",
    "He verificado la agenda y el martes está libre.",
    "Anotado, ¿a qué nombre?",
    "La cita tiene que ser cancelada un día antes.",
    "¿Está todo listo?",
]
SPOKEN_OF_FR = [
    "Voulez-vous que je le réserve ?",
    "Avez-vous déjà réservé en ligne ?",
    "Je n'ai encore rien réservé.",
    "Votre rendez-vous n'est pas encore confirmé.",
    "Si cela vous convient, le rendez-vous est réservé.",
    "Dès que c'est confirmé, je vous le dis.",
    "Une fois que le rendez-vous est confirmé, vous recevrez un SMS.",
    "Désolé, ce créneau est déjà réservé.",
    "Mardi à 10 h est déjà réservé, mais 11 h est libre.",
    "Les rendez-vous annulés moins de 24 heures avant sont facturés à moitié.",
    "Je n'ai pas pu annuler, il n'est pas annulé.",
    "Rien n'a été annulé.",
    "Le rendez-vous doit être annulé un jour avant.",
    "Souhaitez-vous que le rendez-vous soit déplacé ?",
    "Il n'a pas été déplacé.",
    "Je peux vous envoyer l'adresse par SMS.",
    "Le SMS n'a pas été envoyé.",
    "Le code n'a pas encore été envoyé.",
    "Avant que votre identité soit vérifiée, je ne peux rien dire.",
    "J'ai vérifié l'agenda, mardi est libre.",
    "Je vous passe l'accueil.",
    "Personne ne peut vous être passé, vous serez transféré plus tard.",
    "Voulez-vous que je prenne un message ?",
    "Je n'ai pas encore pris votre message.",
    "Si vous me donnez votre nom, votre message sera transmis.",
    "Nous ouvrons à neuf heures et fermons à dix-huit heures.",
    "Une coupe dure trente minutes.",
    "C'est noté, à quel nom ?",
    "Nos coiffeurs parlent anglais.",
    "Est-ce que c'est fait ?",
    "Vous pouvez être inscrit sur la liste d'attente.",
]

# What was done, and what is honestly said of it.
TOLD_ES: list[tuple[str, tuple[Any, ...]]] = [
    ("Su cita está reservada para el martes a las diez.", (BOOKED,)),
    ("Listo, Anna: su cita queda confirmada para mañana a las 10:00.", (BOOKED,)),
    ("Le he reservado el martes 16 de marzo a las diez de la mañana.", (BOOKED,)),
    ("Tiene cita mañana a las diez en punto.", (BOOKED,)),
    ("Ya está reservado a nombre de Anna Whitfield, mañana por la mañana a las diez.", (BOOKED,)),
    ("Su cita de corte está reservada el martes de 10:00 a 10:30.", (BOOKED,)),
    ("Está reservado de las diez a las diez y media.", (BOOKED,)),
    ("Puedo confirmarle que su cita está reservada.", (BOOKED,)),
    ("No hay problema, está reservado.", (BOOKED,)),
    ("Está reservado el martes a las diez y el jueves a las dos y media de la tarde.", (BOOKED, SECOND)),
    ("La devolución de la llamada está prevista mañana a las cuatro de la tarde.", (EVENT,)),
    ("He cambiado su cita al miércoles a las once.", (MOVED,)),
    ("He cambiado su cita del martes al miércoles.", (MOVED,)),
    ("Su cita ha sido trasladada al 17 de marzo a las once.", (MOVED,)),
    ("En lugar del martes, tiene cita el miércoles a las once.", (BOOKED, MOVED)),
    ("Su cita del martes está cancelada.", (CANCELLED,)),
    ("He anulado su cita de mañana a las diez.", (CANCELLED,)),
    ("Le he enviado la dirección por SMS.", (TEXTED,)),
    ("Se lo he enviado al número que termina en 61.", (TEXTED,)),
    ("El enlace está en camino.", (LINK,)),
    ("Le he enviado un código.", (CODE,)),
    ("Gracias, el código es correcto.", (VERIFIED,)),
    ("He tomado su mensaje para Rosa, sobre el viernes a las tres.", (MESSAGE,)),
    ("Le he mandado el correo a anna@mail.example.", (EMAILED,)),
    ("Le he pasado con recepción.", (TRANSFERRED,)),
    ("Veo que tiene cita el martes a las diez.", (("lookup_appointment", FOUND),)),
    ("Su cita del 2 de abril fue cancelada.", (("lookup_appointment", FOUND),)),
]
TOLD_FR: list[tuple[str, tuple[Any, ...]]] = [
    ("Votre rendez-vous est réservé pour mardi à dix heures.", (BOOKED,)),
    ("C'est confirmé, Anna : demain à 10 h.", (BOOKED,)),
    ("Votre rendez-vous est bien confirmé pour le mardi 16 mars à 10 heures.", (BOOKED,)),
    ("Je vous ai inscrite mardi à 10h00.", (BOOKED,)),
    ("C'est réservé au nom de Mme Whitfield.", (BOOKED,)),
    ("Vous avez rendez-vous demain matin à dix heures.", (BOOKED,)),
    ("C'est réservé mardi de 10 h à 10 h 30.", (BOOKED,)),
    ("C'est réservé de dix heures à dix heures et demie.", (BOOKED,)),
    ("Je peux vous confirmer que c'est réservé.", (BOOKED,)),
    ("Pas de problème, c'est réservé.", (BOOKED,)),
    ("C'est réservé mardi à dix heures et jeudi à quatorze heures trente.", (BOOKED, SECOND)),
    ("Le rappel est prévu demain à seize heures.", (EVENT,)),
    ("J'ai déplacé votre rendez-vous au mercredi à onze heures.", (MOVED,)),
    ("Votre rendez-vous a été reporté du mardi au mercredi.", (MOVED,)),
    ("Il est déplacé au 17 mars au lieu du mardi.", (MOVED,)),
    ("Votre rendez-vous de mardi est annulé.", (CANCELLED,)),
    ("J'ai annulé votre rendez-vous de demain à 10 h.", (CANCELLED,)),
    ("Je vous ai envoyé l'adresse par SMS.", (TEXTED,)),
    ("Je l'ai envoyé au numéro se terminant par 61.", (TEXTED,)),
    ("Le lien est en route.", (LINK,)),
    ("Je viens de vous envoyer un code.", (CODE,)),
    ("Merci, le code est correct.", (VERIFIED,)),
    ("J'ai pris votre message pour Rosa, au sujet de vendredi à trois heures.", (MESSAGE,)),
    ("J'ai envoyé l'e-mail à anna@mail.example.", (EMAILED,)),
    ("Vous êtes mis en relation avec l'accueil.", (TRANSFERRED,)),
    ("Je vois que vous avez rendez-vous mardi à dix heures.", (("lookup_appointment", FOUND),)),
    ("Votre rendez-vous du 2 avril a été annulé.", (("lookup_appointment", FOUND),)),
]

# What nobody did, or what was done otherwise.
INVENTED_ES = [
    "Su cita está reservada para el martes a las diez.",
    "Le he reservado una cita para mañana.",
    "¡Todo listo!",
    "Tiene cita el jueves a las tres.",
    "Perfecto, queda confirmada.",
    "Puedo confirmarle que su cita está confirmada.",
    "No se preocupe, ya está reservado.",
    "Sí, su cita está reservada y recibirá un SMS.",
    "Te he apuntado para el viernes.",
    "Su cita ha sido cancelada.",
    "He anulado la cita, sin coste.",
    "He cambiado su cita al miércoles.",
    "Su cita se ha reprogramado.",
    "Le he enviado un SMS con la dirección.",
    "Acabo de mandarle el enlace.",
    "El código está en camino.",
    "El código es correcto.",
    "Su identidad está verificada.",
    "He tomado su mensaje.",
    "He pasado el mensaje a la dueña.",
    "He avisado a Rosa.",
    "Le he enviado un correo.",
    "Ya está hecho, ¿verdad?, su cita está reservada, ¿algo más?",
    "La he transferido con recepción.",
]
INVENTED_FR = [
    "Votre rendez-vous est réservé pour mardi à dix heures.",
    "C'est fait !",
    "Votre rendez-vous est **confirmé**.",
    "Vous avez rendez-vous jeudi à 15 h.",
    "Parfait, c'est réservé.",
    "Je peux vous confirmer que votre rendez-vous est confirmé.",
    "Pas de souci, c\u2019est réservé.",
    "Je vous ai inscrit vendredi et vous recevrez un SMS.",
    "Votre rendez-vous a bien été annulé.",
    "J'ai annulé votre rendez-vous, sans frais.",
    "J'ai déplacé votre rendez-vous à mercredi.",
    "Votre rendez-vous a été reporté.",
    "Je vous ai envoyé un SMS avec l'adresse.",
    "Je viens de vous envoyer le lien.",
    "Le code est parti.",
    "Le code est bon.",
    "Votre identité est vérifiée.",
    "J'ai pris votre message.",
    "Votre message a été transmis à la patronne.",
    "J'ai prévenu Rosa.",
    "Je vous ai envoyé un e-mail.",
    "Vous êtes en ligne avec l'accueil.",
    "Maintenant que c'est réservé, autre chose ?",
    "Tout est réglé.",
]
OTHERWISE_ES: list[tuple[str, tuple[Any, ...]]] = [
    ("Su cita está reservada.", ("book_appointment",)),
    ("Su cita está reservada para el martes a las once.", (BOOKED,)),
    ("Su cita está reservada para el miércoles.", (BOOKED,)),
    ("Está reservado para pasado mañana a las diez.", (BOOKED,)),
    ("Está reservado a las diez y media.", (BOOKED,)),
    ("Está reservado mañana a las diez de la noche.", (BOOKED,)),
    ("Está reservado el 17 de marzo.", (BOOKED,)),
    ("Está reservado el día 17.", (BOOKED,)),
    ("Está reservado a nombre de Miguel Santos.", (BOOKED,)),
    ("Está reservado el martes a las diez y el jueves a las dos.", (BOOKED,)),
    ("Su cita está reservada el martes a las diez.", (BOOKED, CANCELLED)),
    ("He cambiado su cita al jueves.", (MOVED,)),
    ("Su cita del miércoles está cancelada.", (CANCELLED,)),
    ("Su cita está cancelada.", (BOOKED,)),
    ("Se lo he enviado al número que termina en 99.", (TEXTED,)),
    ("Le he mandado el correo a bob@mail.example.", (EMAILED,)),
    ("Tiene cita el martes a las 10:30.", (("lookup_appointment", FOUND),)),
    ("Tiene cita el martes a las diez.", (("list_events", BUSY),)),
]
OTHERWISE_FR: list[tuple[str, tuple[Any, ...]]] = [
    ("C'est réservé.", ("book_appointment",)),
    ("C'est réservé mardi à onze heures.", (BOOKED,)),
    ("C'est réservé mardi à 11 h.", (BOOKED,)),
    ("C'est réservé mardi à midi.", (BOOKED,)),
    ("C'est réservé pour mercredi.", (BOOKED,)),
    ("C'est réservé pour après-demain à 10 h.", (BOOKED,)),
    ("C'est réservé à dix heures et demie.", (BOOKED,)),
    ("C'est réservé le 17 mars.", (BOOKED,)),
    ("C'est réservé pour le 17.", (BOOKED,)),
    ("C'est réservé au nom de Miguel Santos.", (BOOKED,)),
    ("C'est réservé pour Élodie.", (BOOKED,)),
    ("Votre rendez-vous est confirmé mardi à dix heures.", (BOOKED, MOVED)),
    ("J'ai déplacé votre rendez-vous à jeudi.", (MOVED,)),
    ("Votre rendez-vous de mercredi est annulé.", (CANCELLED,)),
    ("Votre rendez-vous est annulé.", (BOOKED,)),
    ("Je l'ai envoyé au numéro se terminant par 99.", (TEXTED,)),
    ("J'ai envoyé l'e-mail à bob@mail.example.", (EMAILED,)),
    ("Vous avez rendez-vous mardi à 10h30.", (("lookup_appointment", FOUND),)),
]

HONEST = {
    "es": [*((sentence, ()) for sentence in SPOKEN_OF_ES), *TOLD_ES],
    "fr": [*((sentence, ()) for sentence in SPOKEN_OF_FR), *TOLD_FR],
}
DISHONEST = {
    "es": [*((sentence, ()) for sentence in INVENTED_ES), *OTHERWISE_ES],
    "fr": [*((sentence, ()) for sentence in INVENTED_FR), *OTHERWISE_FR],
}


@pytest.mark.parametrize(("sentence", "happened"), rows(HONEST))
def test_an_honest_sentence_is_said_to_the_letter(sentence: str, happened: tuple[Any, ...]) -> None:
    """Holding it back would make the agent stutter, or take back what is true."""
    assert say(sentence, after(*happened)) == sentence


@pytest.mark.parametrize(("sentence", "happened"), rows(DISHONEST))
def test_a_dishonest_sentence_is_held_back(sentence: str, happened: tuple[Any, ...]) -> None:
    """Nothing was done, it failed, nobody knows, or it was something else that was done."""
    with pytest.raises(Unfounded):
        say(sentence, after(*happened))


@pytest.mark.parametrize("definition", ACTIONS, ids=lambda definition: definition.name)
def test_every_claim_that_has_words_has_them_in_each_language(definition: Any) -> None:
    """A business that speaks Spanish or French is guarded as well as any other."""
    assert all(by["es"] and by["fr"] for by in definition.claims.values() if by)
