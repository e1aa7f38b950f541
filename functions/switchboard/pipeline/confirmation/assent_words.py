"""The words of a yes to a question that is known: beside `consent`, which reads an answer by itself.

Phrases by language, separated by commas, as people write them. They count only where a tool has put its question and
the caller has heard it to its end, so a hum that would say nothing elsewhere ("mm-hmm") answers it.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["yes", "deed", "no", "vague", "filler", "hesitation"]

MORE: Mapping[str, Mapping[Kind, str]] = {
    "en": {
        "yes": """uh huh, yeh, sweet as, go ahead with that, go ahead with it, go ahead with this, please go ahead with
            that, uhhuh, uh-huh yes, mm hmm, mmhmm, mm hm, mhm, mhmm, mmm hmm, ya, yah, ye, yess, yep yep, i
            already said yes, i've already said yes, i have already said yes, i just said yes, i did say
            yes, i told you yes, i already told you yes, i said yes already, like i said yes, as i said yes,
            that'll do, that will do, that'll work, that will work, that would work, sounds right, sounds
            perfect, sounds lovely, right on, roger, roger that, okie dokie, okie doke, oki, k, kk, cool,
            awesome, super, fantastic, marvelous, marvellous, smashing, terrific, amazing, yes of course,
            please proceed, proceed, you got it, please do that, do that please, you can, please and thank
            you yes, most certainly, very well, very good, right you are, spot on, precisely, totally, for
            sure, sure is, it is, yes that's it, that's it, that is it, that's the right one, that is the
            right one, i do, yes i am, yes i would, i would, please yes, perfect thanks, great thanks, let's
            go, let's go ahead, do so, do so please, i'm happy with that, i am happy with that, happy with
            that, i'm fine with that, i am fine with that, fine by me, fine with me, okay with me, ok with
            me, okay by me, good by me, good with me, that's okay with me, that's fine with me, that's fine
            by me, that's good with me, that suits me, suits me, it does, that is all correct, that's all
            correct, all correct, right go ahead, i approve, approved, you have my okay, please go right
            ahead, yes indeed, aye aye, yh, ys, yess please, yessir, yes sir, yes ma'am, righto, deal, of
            course you can, course you can, that'll do nicely, too right, hundred percent, one hundred
            percent, i reckon so, you have my blessing, deffo, grand, that's grand, that's grand so, gr8,
            that's gr8, perf, that's champion, do it now, just do it now, yes do it now, yes do it already,
            yes do it right now, do it already, just do it already, do it right now, kindly go ahead, no
            objections go ahead, no problem go ahead, no worries go ahead""",
        "deed": """go on, carry on, you may, all good, why not, works, works well, is good, is fine, is perfect, that
            one, this one, that's mine, that is mine, i am, i'm positive, i am positive, i'm certain, i am certain,
            quite sure, very sure, totally sure, absolutely sure, i'm very sure, if you would, if you would please, if
            you could, if you could please, if you don't mind, if you can, whenever you're ready, when you're ready,
            you can go ahead, you can, that is what i said, that's what i said, that's what i asked for, like i said,
            as i said, i said so, as discussed, as agreed, get it done, make it happen, that's the plan, that's all,
            that is all, that's everything, that's what i rang for, that's what i called for, that is what i called
            for, that's why i'm calling, that's why i called, that's exactly why i'm calling, if you wouldn't mind,
            would you please, i'm afraid so, afraid so, that's the one i mean, that's the one i meant""",
        "filler": """right away, straight away, for me, for me please, thank you kindly, many thanks, thanks so much,
            thanks very much, thanks a million, thanks a bunch, thanks again, thank you again, cheers, ta,
            bye, bye bye, goodbye, good bye, have a nice day, have a good day, have a good one, that's very
            kind, that is very kind, that's kind of you, very kind of you, much appreciated, i appreciate
            it, i appreciate that, i'd appreciate that, i'd appreciate it, dear, love, darling, mate, man,
            buddy, miss, pretty please, kindly, lol, haha, jeez, geez, sheesh, for god's sake, for heaven's
            sake, for goodness sake, for crying out loud, ffs, duh, there you go, here you go, god, gosh,
            thx, ty, tysm, pls, plz, thank u, babe, lad, ta very much, thanks ever so much""",
        "hesitation": "then, er, hm hm, sorry, so, like, you know, i mean, let me see, let me think, right",
    },
    "de": {
        "yes": """mhm, mhmm, hm hm, jaa, joa, jawoll, jau, jo jo, ja ja ja, sehr wohl, ich hab doch ja gesagt, ich
            habe doch ja gesagt, ich habe ja gesagt, ich hab ja gesagt, ich sagte ja, ich sagte doch ja, ich habe
            schon ja gesagt, ich hab schon ja gesagt, ich habe bereits ja gesagt, wie gesagt ja, habe ich doch
            gesagt ja, das geht in ordnung, geht klar so, das geht klar, das ist ok, das ist okay, ist ok, ist okay,
            is gut, is okay, is ok, das passt mir gut so, passt wunderbar, passt super, passt prima, passt für mich,
            das passt für mich, für mich passt das, top, spitze, fein, super gerne, sehr schön, wunderbar so, ganz
            richtig, völlig richtig, absolut richtig, so ist es, das ist so richtig, so ist es richtig, ja das wäre
            nett, machen sie das bitte, bitte machen sie das, bitte tun sie das, tun sie das bitte, machen sie es,
            machen sie es bitte, mach es, mach mal, machen sie mal, machen sie ruhig, nur zu, bitte ja, ja bitte
            gerne, von mir aus gern, von mir aus gerne, das möchte ich, ja das möchte ich, das will ich, so soll es
            sein, legen sie los, leg los, definitiv, hundertprozentig, zu hundert prozent, ich stimme zu, ich bin
            dafür, zustimmung, yo, okidoki, okee, sischer, logo, logisch, eben, so machen, genau so, alles richtig
            so, sicher doch, genau das, genau der, genau den, gerne doch, aber ja doch, das ist der richtige, ja das
            ist er, das sollen sie, sie dürfen, können sie machen, können sie gern machen, können sie gerne machen,
            das können sie gern machen, das können sie gerne machen, da bin ich einverstanden, damit bin ich
            einverstanden, alles richtig, alles korrekt, das ist alles richtig, ich bitte darum, ich bestätige das,
            ist in ordnung, jut, jupp, nu klar, klaro, eh klar, jo eh, gebongt, ist recht, ist mir recht, ist mir
            recht so, das ist mir recht, isch guet, isch guet so, isch guat so, passt mega, genau das wollte ich, ja
            mach, ja mach das, ja ja mach, ja ja mach das, jaja mach, jaja mach das, mach schon, mach einfach, jetzt
            mach schon, von mir aus, mached mer so, jo mach""",
        "deed": """warum nicht, können sie, dürfen sie, sollen sie, soll ich, möchte ich, sie sollen, jetzt bitte,
            der ist es, den meine ich, den meinte ich, ganz sicher bin ich, da bin ich mir sicher, da bin ich
            sicher, ich bin mir ganz sicher, wie besprochen, wie gesagt, wie vereinbart, wenn sie so nett wären,
            wenn sie so nett sind, wenn sie so lieb wären, wenn's geht, wenn es geht, so bitte, das wars, genau
            deswegen rufe ich an, genau deswegen ruf ich an, deswegen rufe ich an, deshalb rufe ich an""",
        "filler": """sehr nett von ihnen, sehr lieb von ihnen, freundlich von ihnen, bitte danke, danke ihnen, danke
            dir, ich danke ihnen, dank ihnen, vielen herzlichen dank, schönen dank, schönen dank auch, recht
            schönen dank, herzlichen dank, tausend dank, recht vielen dank, dankeschön, bitteschön,
            bittesehr, lieben dank, sehr nett, das ist nett, das ist sehr nett, sehr freundlich, das ist
            sehr freundlich, nett von ihnen, das ist lieb, das ist lieb von ihnen, tschüss, tschüs, ciao,
            auf wiederhören, auf wiedersehen, schönen tag noch, einen schönen tag noch, schönen tag, mein
            lieber, meine liebe, haha, mensch, freundlicherweise, merci, thx, lg, vg, pls, plz, bidde,
            bittschön, danke vielmals, sie sind ein schatz""",
        "vague": "na ja, naja",
        "hesitation": "hm, hmm, mh, mhh, tja, entschuldigung, sorry, so",
    },
    "es": {
        "yes": """sip, sí sí, sí señor, sí señora, sí señorita, ajá, mhm, mm hmm, ok, okey, oká, okay, sí claro,
            pues sí, pues claro, que sí, sí que sí, ya dije que sí, ya le dije que sí, ya te dije que sí, ya he
            dicho que sí, le he dicho que sí, he dicho que sí, dije que sí, te dije que sí, le dije que sí, cómo no,
            bueno sí, sí por favor, así mismo, eso mismo, efectivamente, ciertamente, seguro, seguro que sí, claro
            está, sin duda, sin ninguna duda, sin problema, perfectamente, muy bien gracias, fenomenal, fantástico,
            excelente, buenísimo, bárbaro, listo, órale, sale, ándale, venga, venga va, hecho, correcto así, todo
            correcto, está correcto, me parece perfecto, me parece estupendo, me parece genial, me parece correcto,
            me parece, me viene perfecto, me viene genial, me va perfecto, hágalo por favor, hazlo por favor, hágalo
            así, sí hágalo, sí señor hágalo, siga por favor, sí siga, continúe, continúa, puede continuar, puede
            seguir, puede proceder, adelante por favor, lo autorizo, autorizo, acepto, aceptado, conforme,
            afirmativo, totalmente, absolutamente, definitivamente, con gusto, con mucho gusto, encantado,
            encantada, quiero que sí, eso quiero, es lo que quiero, sí quiero, sí lo quiero, sí es correcto, ese es,
            esa es, exactamente eso, estoy conforme, estoy totalmente de acuerdo, sí así es, eso está bien, así está
            bien, está perfecto, está muy bien, ya está bien así, ándele, ándele pues, hágale, hágale pues, simón,
            de una, me late, dele, dele no más, dale no más, bacán, guay, de lujo, oki doki, sipi, va que va, por mí
            perfecto, no hay inconveniente, ya po, sí po""",
        "deed": """todo bien, por qué no, esa misma, ese mismo, esa, la misma, segurísimo, segurísima, estoy
            segurísimo, estoy segurísima, muy seguro, muy segura, completamente seguro, completamente segura, como le
            dije, como dije, lo que dije, como quedamos, si no le importa, si me hace el favor, hágame el favor, es
            todo, eso es todo, nada más""",
        "filler": """mil gracias, muchísimas gracias, gracias a usted, le agradezco, se lo agradezco, te lo
            agradezco, se lo agradezco mucho, le agradezco mucho, muy amable gracias, qué amable, porfa, porfis, por
            fa, porfavor, adiós, hasta luego, chao, chau, buen día, que tenga buen día, joven, caballero, guapa,
            cariño, amigo, amiga, jaja, hombre, mujer, hija, hijo, xfa, pls, grax, grasias, tqm, un millón de
            gracias, ni modo""",
        "hesitation": "em, mmm, ehm, a ver, mire, oiga, perdón, perdone, o sea, es que, hm, ay",
    },
    "fr": {
        "yes": """ui, oui oui, mm hmm, mhm, hum hum, hmm hmm, ok, okay, oki, okey, dac, dacc, oui d'accord, j'ai
            déjà dit oui, j'ai dit oui, je vous ai dit oui, je vous ai déjà dit oui, je t'ai dit oui, je viens de
            dire oui, puisque je vous dis oui, c'est oui, bah oui, ben oui, eh oui, mais oui allez-y, oui allez-y,
            oui vas-y, faites-le donc, faites-le s'il vous plaît, faites comme ça, faites ainsi, faites ça, fais-le,
            fais ça, je le confirme, je confirme oui, je valide, je valide oui, validé, c'est validé, je suis tout à
            fait d'accord, je suis bien d'accord, j'accepte, c'est d'accord pour moi, d'accord pour moi, c'est bon
            pour moi, bon pour moi, c'est parfait pour moi, parfait pour moi, ça me va bien, ça me va très bien, ça
            me convient parfaitement, ça me convient très bien, cela me convient, cela me va, ça roule, nickel,
            impeccable, super, génial, formidable, excellent, très volontiers, avec grand plaisir, sans problème,
            sans souci, aucun problème allez-y, affirmatif, effectivement, en effet, oui en effet, naturellement,
            évidemment oui, sûr, bien sûr oui, tout à fait oui, oui tout à fait, oui absolument, c'est exactement
            ça, exactement ça, c'est bien celui-là, c'est celui-là, c'est le bon, continuez, poursuivez, vous pouvez
            continuer, vous pouvez procéder, oui je suis d'accord, je le veux, oui je veux, oui je le veux, oui je
            veux bien, je le souhaite, ce sera parfait, tout est correct, tout est bon, tout est exact, c'est juste,
            c'est tout bon, carrément, je vous en prie allez-y, bien oui, très bien oui, oui très bien, ouep, wi, ça
            joue, oki doki, tip top, c'est tip top, adjugé, on fait comme ça, bien volontiers, faites, ça m'arrange,
            ça m'arrange bien, ça m'arrange beaucoup, ok pour moi, c'est beau pour moi, je suis preneur, je suis
            preneuse""",
        "deed": """pourquoi pas, celui-là, celui-ci, c'est le mien, j'en suis certain, j'en suis certaine, je suis
            certain, je suis certaine, sûr et certain, sûre et certaine, si vous voulez bien, si vous pouvez, si
            possible, si c'est possible, si ça ne vous dérange pas, comme convenu, comme je l'ai dit, comme j'ai dit,
            comme prévu, c'est tout""",
        "filler": """svp, stp, je vous remercie, je te remercie, merci bien, mille mercis, grand merci, un grand
            merci, merci infiniment, merci d'avance, merci à vous, merci bien à vous, je vous en prie, c'est gentil,
            c'est très gentil, très aimable, c'est aimable, vous êtes gentil, vous êtes gentille, au revoir, bonne
            journée, bonne soirée, mademoiselle, chère madame, haha, mdr, dsl, merci mille fois, mille excuses,
            hein, tant pis, faute de mieux, je vous prie, merci infiniment pour votre souplesse""",
        "vague": "si, si si",
        "hesitation": "hum, hm, mmm, donc, bon ben, écoutez, pardon, excusez-moi, enfin, du coup, alors là",
    },
    "it": {
        "yes": """sì sì, sisi, mhm, mm hmm, ok, okay, okey, ovvio, ovviamente, naturalmente, certo certo, ma certo, ma
            sì, eh sì, sì certo, ho già detto di sì, ho detto di sì, ho detto sì, le ho detto di sì, ti ho detto di sì,
            gliel'ho già detto sì, direi di sì, dico di sì, senz'altro, senza dubbio, senza problemi, come no, con
            piacere, molto volentieri, molto bene, benone, fantastico, eccellente, meraviglioso, bellissimo, tutto
            giusto, tutto corretto, tutto ok, per me ok, per me è ok, a me va bene, sì va bene, mi sta bene, è
            perfetto, per me è perfetto, sarebbe perfetto, sarebbe ottimo, sarebbe gentile, sarebbe fantastico,
            confermato sì, confermo tutto, do conferma, do il mio consenso, accetto, approvo, acconsento, lo faccia, lo
            faccia pure, lo fai, lo fai pure, faccia, faccia così, fai così, vada avanti, vada, vada pure, vai, vai
            pure, vai avanti, può procedere, puoi procedere, procediamo, può farlo, può andare avanti, avanti, avanti
            pure, affermativo, esattamente così, è così, proprio così, è quello, è proprio quello, è quello giusto, lo
            voglio, sì lo voglio, sì voglio, sì grazie,""",
        "deed": """perché no, sono sicuro, sono sicura, sicurissimo, sicurissima, quello, quello lì, proprio quello,
            come detto, come ho detto, come d'accordo, se può, se possibile, se non le dispiace, se è possibile, è
            tutto""",
        "filler": """pure, mille grazie, grazie tante, grazie infinite, grazie a lei, la ringrazio, ti ringrazio, molto
            gentile, gentilissimo, gentilissima, è molto gentile, per cortesia, cortesemente, arrivederci, ciao, buona
            giornata, buona serata, signorina, cara, caro, haha""",
        "hesitation": "mah, mmm, hm, uhm, um, cioè, dunque, insomma, scusi, scusa, guardi, senta",
        "vague": "prima, dopo, poi, ancora",
    },
    "nl": {
        "yes": """ja ja, jaja, joh ja, ja hoor, jahoor, mhm, mm hmm, ok, okay, okido, okidoki, ja zeker, ja graag,
            ja prima, ja natuurlijk, ja goed, ja klopt, ja dat klopt, ja is goed, ja doe maar, ik zei ja, ik heb ja
            gezegd, ik zei toch ja, ik heb al ja gezegd, ik zei al ja, zoals ik al zei ja, tuurlijk,
            vanzelfsprekend, absoluut, helemaal prima, helemaal mee eens, mee eens, ik ben het ermee eens, daar ben
            ik het mee eens, ik ben akkoord, in orde, dat is in orde, komt in orde, perfect, top, super, mooi, fijn,
            heel fijn, geweldig, fantastisch, lekker, dat is fijn, dat is perfect, dat is top, dat is mooi, dat is
            oké, dat is akkoord, dat zou fijn zijn, dat zou mooi zijn, dat zou perfect zijn, dat zou geweldig zijn,
            dat zou ik graag willen, dat wil ik, dat wil ik graag, dat is wat ik wil, lijkt me goed, lijkt me prima,
            lijkt mij goed, lijkt mij prima, dat lijkt me goed, dat lijkt me prima, komt goed uit, dat is de juiste,
            dat is hem, dat is 'm, zo is het, precies zo, precies dat, alles klopt, doet u dat, doe dat, doet u dat
            maar, doe dat maar, doe het maar, doe het, doet u het maar, doet u maar zo, ga door, gaat u door, ga
            maar door, gaat u verder, ga verder, u mag doorgaan, dat mag, dat mag u doen, dat mag je doen, dat kan,
            dat is goed hoor, is goed hoor, goed hoor, prima hoor, met plezier, heel goed hoor, sowieso, uitstekend
            idee, ik stem toe, ik geef akkoord, bij deze""",
        "deed": """helemaal, waarom niet, ik weet het zeker, heel zeker, die, die bedoel ik, die ja, zoals gezegd,
            zoals afgesproken, als u wilt, als het kan, als dat kan, als u zo vriendelijk wilt zijn, dat was het, dat
            is alles""",
        "filler": """heel erg bedankt, hartelijk bedankt, hartelijk dank, heel veel dank, veel dank, dank, dankuwel,
            bedankt hoor, ontzettend bedankt, super bedankt, alvast bedankt, graag gedaan, heel vriendelijk, dat is
            heel vriendelijk, erg vriendelijk, erg aardig, heel aardig, heel lief, aub, ajb, svp, alstublieft hoor,
            dag, doei, tot ziens, fijne dag, fijne dag nog, nog een fijne dag, prettige dag, joh, haha""",
        "hesitation": "uh, uhm, hm, hmm, tja, even kijken, ach, sorry, pardon",
    },
    "pt": {
        "yes": """sim sim, siim, aham, ahã, uhum, mhm, mm hmm, ok, okay, okey, tá, tá ok, está ok, tudo bem, tudo
            certo, tudo ok, certinho, certíssimo, sim senhor, sim senhora, sim claro, pois sim, pois claro, claro
            está, já disse que sim, eu já disse que sim, eu disse que sim, disse que sim, já falei que sim, eu falei
            que sim, já lhe disse que sim, lógico, evidente, evidentemente, obviamente, naturalmente, certamente,
            seguramente, absolutamente, definitivamente, positivo, afirmativo, efetivamente, excelente, maravilha,
            maravilhoso, legal, bacana, fantástico, joia, show, bom demais, muito bom, por mim tudo bem, por mim
            está bem, por mim pode, para mim está bem, para mim está ótimo, pra mim tá bom, me parece bem, parece-me
            bem, parece bom, fica bem, fica bom, está ótimo, tá ótimo, está perfeito, tá perfeito, seria ótimo,
            seria perfeito, seria bom, pode ir, podes, podes sim, pode avançar, pode prosseguir, pode continuar,
            pode seguir, prossiga, avance, siga, siga em frente, vá em frente, vai em frente, força, faça, faz isso,
            faça-o, faça o favor, faça favor, pode fazer sim, pode fazer isso, aceito, aceite, aprovo, concordo, eu
            concordo, estou de acordo, eu confirmo, confirmo sim, confirmadíssimo, dou a minha autorização, eu
            quero, eu quero sim, quero, isso quero, é isso que eu quero, é o que eu quero, isso aí, é isso aí, isso
            mesmo sim, exatamente isso, exato isso, é esse, é esse mesmo, é essa, é essa mesma, é esse aí, sem
            problema, sem problemas, sem dúvida nenhuma, fechado, feito, bora, vamos, vamos lá""",
        "deed": """essa, esse, pode ser, por que não, porque não, esse mesmo, essa mesma, tenho certeza, tenho a
            certeza, certeza, certeza absoluta, com certeza absoluta, tenho certeza absoluta, como eu disse, como
            disse, como combinado, se puder, se possível, se for possível, se não se importar, é tudo, é só isso, só
            isso""",
        "vague": "só, pois, pois não, já",
        "filler": """obrigadinho, obrigadinha, obrigadão, brigado, brigada, valeu, agradeço, eu agradeço, agradecido,
            agradecida, muito agradecido, muito agradecida, muitíssimo obrigado, muitíssima obrigada, muito gentil, é
            muito gentil, faz favor, se fizer favor, faxavor, pf, pfv, por gentileza, por obséquio, moço, moça, dona,
            querida, querido, amigo, amiga, tchau, adeus, bom dia, boa tarde, até logo, tenha um bom dia, haha, né""",
        "hesitation": "hã, hm, hmm, é, uh, uhm, um, ora, desculpe, desculpa, olhe, pois então, ai",
    },
}

# What the deeds of `deed_words` are called where it has no verbs; they count beside a yes.
DEEDS_MORE: Mapping[str, Mapping[str, str]] = {
    "cancelled": {
        "en": """take me off, get rid of it, get it cancelled, cancel the thing, cancel, remove it, take it off,
            take it out, delete it, i want it cancelled, i'd like it cancelled, i need it cancelled, i need to
            cancel, i need to cancel it, we need to cancel it, have it cancelled, i wish to cancel it, i wish to
            cancel, cancel the lot, bin it, scrub it, axe it, cancel away, just take me off, just cancel it, just
            cancel, take me off the list, cancel me, consider me cancelled, cancle it, cancle, i confirm the
            cancellation, scratch it, scratch that one""",
        "de": """sagen sie den ab, weg damit, bitte einmal absagen, absagen, stornieren, streichen, löschen, löschen
            sie ihn, löschen sie den termin, bitte löschen, den können sie absagen, den können sie streichen, können
            sie absagen, können sie stornieren, den dürfen sie absagen, ich möchte absagen, ich möchte stornieren, ich
            will absagen, ich will ihn absagen, nehmen sie ihn raus, nehmen sie den termin raus, sagen sie ab, sagen
            sie bitte ab, bitte absagen, einmal absagen, streichen sie ihn bitte, annullieren, gerne absagen, gern
            absagen, ruhig absagen, raus damit, kann weg, der kann weg, kann gestrichen werden, kann raus, canceln,
            absagn, streichen sie den termin""",
        "es": """quítela, quítala, elimínela, bórrela, borre la cita, quite la cita, cancélame la cita, cancéleme la
            cita, cancéleme, me la cancela, me la cancelas, que la cancele, que la cancelen, que me la cancele, que me
            cancele la cita, cancélemela, cancélamela, puede cancelarla, puedes cancelarla, la puede cancelar, la
            puedes cancelar, quiero cancelarla, quiero cancelar, quiero cancelar la cita, quiero cancelar mi cita,
            quiero que la cancele, cancela mi cita, anula mi cita, anule mi cita, anúlemela, cancelarla, cancelar,
            cancelación, la cancelación, anular, anúlala, elimínala, anúlela, anúlamela, bórrala, bórramela, cancélela
            usted, dela de baja, dámela de baja, cancelad la cita, que la canceles, kancelala, cancelaaa""",
        "fr": """supprimez-le, supprime-le, supprimez le rendez-vous, supprimez-moi ça, annulez-moi ça, annulez-moi
            le rendez-vous, annulez-moi ce rendez-vous, annule mon rendez-vous, annule le rendez-vous, vous pouvez
            annuler, vous pouvez l'annuler, je veux annuler, je veux l'annuler, je souhaite annuler, je souhaite
            l'annuler, je voudrais annuler, je voudrais l'annuler, j'aimerais l'annuler, veuillez annuler, veuillez
            l'annuler, veuillez l'annuler svp, on annule, on l'annule, annuler, annulation, l'annulation, supprimer,
            le supprimer, annulez, annule, annule-le, annulez-le, enlevez-moi, enlevez-le, enlève-le, enlevez-moi de
            la liste, biffez, biffez-le, cancellez-le, on supprime, vous pouvez l'enlever, le rdv""",
        "it": """cancellalo, lo cancelli, cancelli, cancellare, cancella, cancelli pure, cancella pure, lo cancelli
            pure, lo cancella, lo può cancellare, può cancellarlo, puoi cancellarlo, può cancellare, lo annulli, lo
            annulli pure, annulli, annulli pure, annulla, annullalo, lo annulla, può annullarlo, disdica, disdica pure,
            lo disdica, disdici, disdicilo, disdire, voglio cancellarlo, voglio disdire, vorrei cancellarlo, vorrei
            disdire, cancelli l'appuntamento, cancella l'appuntamento, annulli l'appuntamento, disdica l'appuntamento,
            cancelli il mio appuntamento, annulli il mio appuntamento""",
        "nl": """annuleer, annuleren, annuleer het, annuleer hem, annuleer maar, annuleer hem maar, annuleer het maar,
            annuleert u maar, annuleert u hem maar, annuleert u het maar, annuleert u, annuleer de afspraak, annuleer
            mijn afspraak, annuleert u de afspraak, zeg af, zeg maar af, zeg hem af, zeg hem maar af, zeg het maar af,
            zegt u maar af, zegt u hem maar af, zeg de afspraak af, zeg de afspraak maar af, afzeggen, graag afzeggen,
            graag annuleren, u mag hem annuleren, u mag annuleren, u kunt hem annuleren, ik wil hem annuleren, ik wil
            annuleren, ik wil afzeggen, ik wil hem afzeggen, haal hem weg, ik wil de afspraak afzeggen, ik wil de
            afspraak annuleren, schrap hem, schrap hem maar, cancel hem, cancel maar, cancel hem maar, cancelen, graag
            cancelen""",
        "pt": """cancele, cancela, cancelar, pode cancelar, podes cancelar, pode cancelar sim, cancele por favor,
            cancele isso, cancele a marcação, cancele a consulta, cancele o horário, cancele o agendamento, cancela a
            marcação, cancela a consulta, pode cancelar a marcação, pode cancelar a consulta, pode cancelar o horário,
            pode cancelar o agendamento, quero cancelar, quero cancelar a marcação, quero cancelar a consulta, eu quero
            cancelar, quero que cancele, desmarque, desmarca, desmarcar, pode desmarcar, pode desmarcar sim, podes
            desmarcar, quero desmarcar, desmarque a consulta, anule, anula, anular, pode anular, cancele a minha
            marcação, cancele minha consulta, gostaria de cancelar, cancelá-la, cancelá-lo, pode cancelá-la, pode
            cancelá-lo""",
    },
    "moved": {
        "en": """get it moved, move it over, make the change, change it, change the appointment, move, reschedule,
            switch it, push it, bump it, rebook it, change it over, swap it, i need it moved, i'd like it moved, i want
            it moved, i need to move it, make the switch, have it moved, chnage it, chg it, just move it, just change
            it, swap them over, move me there, move us, take it, i'll take it, i'll take that one""",
        "de": """verlegen, verschieben, umbuchen, buchen sie um, buchen sie ihn um, bitte umbuchen, umlegen, legen sie
            ihn um, legen sie den termin um, bitte verschieben, bitte verlegen, gerne verschieben, den können sie
            verschieben, den dürfen sie verschieben, schieben, verschieb, verschieb ihn, tausch das, umtragen, umtragen
            bitte, ändern sie das, legen sie es um, leg ihn um, tragen sie es so ein, nehm ich, den nehme ich""",
        "es": """cámbiemela, cámbiamela, pásela, pásala, páselo, pásalo, pásemelo, pásamelo,
            pase la cita, páseme la cita, muévalo, muévelo, póngalo, póngala, haga el cambio, mover, moverla, muévala,
            muévela, cámbieme la cita, reprograme la cita, reprogramar, reprogramarla, reprográmela, puede cambiarla,
            puede moverla, la puede cambiar, quiero cambiarla, quiero moverla, me la cambia, que me la cambie,
            cámbiela, cámbiala, cambialo, cámbielo, cambiémosla, pásemela, pásamela, póngame ahí, póngamela ahí,
            muévela usted, cámbiela usted""",
        "fr": """reporter, reportez, reportez le rendez-vous, décaler, décalez, décalez le rendez-vous, vous pouvez le
            déplacer, vous pouvez le décaler, vous pouvez déplacer, je veux le déplacer, je souhaite le déplacer, je
            voudrais le déplacer, changez-le, changez le rendez-vous, on le déplace, déplacez, déplacez-le, déplace-le,
            changez, change, changez-moi ça, décale, décale-le, repoussez, repoussez-le, reportez-le, bouge-le,
            bougez-le, mettez-moi là, mets-moi là, le report, je confirme le report""",
        "it": """lo sposti, lo sposti pure, sposti, sposti pure, sposta, spostalo, lo sposta, spostare, può spostarlo,
            puoi spostarlo, lo può spostare, sposti l'appuntamento, sposta l'appuntamento, vorrei spostarlo, voglio
            spostarlo, lo cambi, lo cambi pure, sposti il mio appuntamento""",
        "nl": """verzet, verzet hem, verzet hem maar, verzet het, verzet het maar, verzet de afspraak, verzetten,
            verzet u hem maar, verzet u maar, graag verzetten, verplaats, verplaats hem, verplaats hem maar, verplaats
            het maar, verplaats de afspraak, verplaatsen, graag verplaatsen, u mag hem verzetten, u mag hem
            verplaatsen, u kunt hem verzetten, ik wil hem verzetten, ik wil hem verplaatsen, verplaatst u hem maar, zet
            hem om, verschuif hem maar, verschuif hem""",
        "pt": """mude, muda, mudar, pode mudar, podes mudar, pode mudar sim, mude a marcação, mude a consulta, mude o
            horário, pode mudar a consulta, pode mudar a marcação, pode mudar o horário, altere, altera, pode alterar,
            altere a marcação, remarque, remarca, remarcar, pode remarcar, pode remarcar sim, quero remarcar, quero
            mudar, quero alterar, passe, pode passar, adie, pode adiar, transfira, pode transferir""",
    },
    "booked": {
        "it": "prenota, prenotalo, lo prenoti pure, può prenotare, prenotare",
        "nl": """boek, boek hem, reserveer het maar, reserveer, leg het maar vast, leg hem vast, u mag boeken""",
        "pt": """marque, marca, agende, agenda, reserve, reserva, pode marcar sim, pode agendar sim, quero marcar""",
    },
    "mailed": {
        "en": """send it out, send it off, send the message, send, send the mail, send this, fire it off, shoot it
            over, ship it""",
        "de": "schicken sie die e-mail ab, absenden, senden sie sie, schicken sie sie, abschicken bitte",
        "es": "enviar, enviarlo, mándemelo, envíemelo, puede enviarlo, puede mandarlo, envíe el mensaje",
        "fr": "envoyez-la, envoyez le message, vous pouvez l'envoyer, expédiez-le",
        "it": """la mandi, la mandi pure, la invii, la invii pure, invii, invii pure, mandi, mandi pure, invia, manda,
            mandala, inviala, può inviarla, può mandarla, la invia, la manda, mandi la mail, invii la mail""",
        "nl": """verstuur, verstuur maar, verstuur hem, verstuur hem maar, verstuur het maar, stuur maar, stuur hem
            maar, stuur het maar, verzend maar, verzend hem maar, versturen, verzenden, u mag hem versturen, stuur de
            mail""",
        "pt": """envie, envia, enviar, pode enviar, pode enviar sim, podes enviar, mande, manda, pode mandar, pode
            mandar sim, mande o e-mail, envie o e-mail, pode enviar o e-mail, pode mandar o e-mail""",
    },
}

# What a deed is done to, whatever the question calls it.
THINGS: Mapping[str, str] = {
    "en": "appointment, booking, slot",
    "de": "termin, buchung",
    "es": "cita, reserva",
    "fr": "rendez-vous, réservation",
    "it": "appuntamento, l'appuntamento, prenotazione",
    "nl": "afspraak, boeking",
    "pt": "consulta, marcação, horário, agendamento",
}
# What may stand before what the question names, and what may follow it: never alone, and never as the last word.
GLUE: Mapping[str, str] = {
    "en": "the at on for my a an with to mr mrs ms",
    "de": "der die dem am um von fur mit auf frau herr herrn meinen mein meine zu zum bei",
    "es": "el los las a al del de para con mi por",
    "fr": "l a au du de pour avec mon ma ce cet cette",
    "it": "il le alle del della per con a al mio mia di",
    "nl": "de op om met mijn naar bij",
    "pt": "os as ao para pra com do da de no na minha meu",
}
# The same, and what a deed is done to: they may follow it as well ("send it").
OBJECTS: Mapping[str, str] = {
    "en": "it that this one",
    "de": "den das ihn es sie",
    "es": "la lo le ese esa",
    "fr": "le la les celui celle",
    "it": "lo la quello quella",
    "nl": "het die dat hem",
    "pt": "o a isso",
}

# Never taken for what a question names, though it stand in it: what narrows, turns round, delays, asks or alters.
NEVER_NAMED = """
    i you he she we they me us not no nor never none nothing without but only just except instead rather however
    though although wait hold stop first later earlier sooner before after until till then next last again another
    other others different else also too both all each either or and maybe perhaps probably possibly if unless
    whether when once what which who whose whom how why where is are was were be been do does did have has had will
    would could should shall may might must can cannot new old same change correct add remove replace update edit
    fix keep leave more less most least half now today tomorrow yesterday tonight morning afternoon evening night
    noon week month year minute minutes hour hours from fee cost price free charge pay yes yeah ich du er sie wir
    ihr mich mir nicht kein keine keinen nie ohne aber nur sondern stattdessen lieber eher jedoch warten warte halt
    erst zuerst spater fruher vorher nachher vor nach bis dann nachste nachsten letzte wieder andere anderer anderen
    anderes anders sonst auch beide beides alle alles oder und vielleicht falls wenn ob wann was welche welcher wer
    wie warum wieso wo ist sind war wurde wurden soll sollte kann konnte darf muss hat haben neu neue neuen alt alte
    andern korrigieren mehr weniger halb jetzt heute morgen gestern abend mittag woche monat jahr minuten stunde
    stunden von kostet kosten preis gebuhr folgendes ja nein yo tu usted ella nosotros sin pero solo solamente sino
    excepto salvo espere espera pare antes despues luego hasta tarde temprano proximo proxima ultimo otra otro otros
    otras ambas ambos todas todos tambien quiza quizas talvez cuando que cual cuales quien como por porque donde es
    son era sera seria puede podria debe hay nuevo nueva viejo cambiar cambio corregir mas menos media hoy manana
    ayer noche semana mes ano minutos hora horas desde precio cuesta si no siguiente hacer voy je tu il elle nous
    vous moi pas non ne sans mais seulement juste sauf sinon plutot cependant attendez attends arretez avant apres
    jusqu ensuite puis tard tot prochain prochaine dernier autre autres encore aussi deux tous tout toutes ou et
    peut etre quand que quoi quel quelle lequel qui comment pourquoi est sont etait sera serait faut doit dois ai
    avez nouveau nouvelle ancien changer corriger plus moins demi demie aujourd hui demain hier soir matin midi
    semaine mois annee minutes heure heures depuis prix coute vais faire ceci oui si io lui lei noi voi senza ma
    solo soltanto tranne invece pero aspetti aspetta prima dopo poi fino tardi presto prossimo prossima altro altra
    altri altre anche entrambi tutti tutto forse quando che cosa quale chi come perche dove sono era sarebbe puo
    deve nuovo nuova vecchio cambiare correggere piu meno mezza oggi domani ieri sera notte settimana mese anno
    minuti ora ore dalle prezzo costa farei questo ik jij hij zij wij niet geen nooit zonder maar alleen behalve
    liever eerder wacht stop eerst later voor na tot dan volgende laatste andere anders ook beide allebei alle alles
    of en misschien als wanneer wat welke wie hoe waarom waar zijn was zou kan moet mag heeft nieuw nieuwe oude
    wijzigen meer minder half nu vandaag morgen gisteren avond week maand jaar minuten uur van prijs kost doen ga eu
    ele ela nos voces nao sem mas apenas somente exceto menos espere pare antes depois ate tarde cedo proximo
    proxima ultimo outra outro outros ambas ambos todos todas tambem talvez quando quanto qual quem como porque onde
    sao era seria deve ha novo nova velho mudar corrigir mais meia hoje amanha ontem noite semana mes ano minutos
    hora horas desde preco custa agora vou fazer isto sim
"""
