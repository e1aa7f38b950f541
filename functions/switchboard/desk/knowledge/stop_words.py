"""Words that questions are made of, in the languages of our businesses; accents are left off.

In a handful of passages BM25 would take them for rare, and so for telling.
"""

_ENGLISH = """
    a about am an and any anything are as at be been but by can could did do does for from get give had has have having
    hello hey hi how i if in into is it its just know like may me might much my need not of off on or our out please
    shall should so some something tell than thank thanks that the their them then there these they this those to too
    up us want was we were what when where which who why will with would yes you your yours
"""
_GERMAN = """
    aber alle als also am an auch auf aus bei beim bin bis bist bitte da danke dann das dass dein deine dem den denn
    der des die dies diese diesem diesen dieser dieses dir doch du ein eine einem einen einer eines er es etwas euch
    euer eure fur gibt gibts habe haben hallo hast hat hatte hier ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in
    ins ist ja jetzt kann kannst konnen konnte kommen machen man mein meine meinem meinen meiner mich mir mit mochte
    muss mussen nach nicht noch nun nur ob oder ohne sagen schon sehr sein seine sich sie sind so soll sowas uber um
    und uns unser unsere vom von vor wann war warum was weil welche welcher welches wenn wer werden wie wieso wieviel
    will wir wird wo wohin wollen wurde wurden zu zum zur
"""
STOP_WORDS = frozenset((_ENGLISH + _GERMAN).split())
