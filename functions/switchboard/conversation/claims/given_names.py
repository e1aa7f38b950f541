"""Given names: where every noun has a capital, what tells a name from a thing."""

from typing import Final

_NAMES = """
aaron abigail adam adrian agnes agnieszka ahmed aisha alan albert alessandro alessia alex alexander alexandra alexis
alfred ali alice alicia alina alison amanda amelia amelie amy amélie ana anabel andrea andreas andrew andré andrés
angela angelika angelina anita anja anke ann anna anne annette annika anouk anton antonia antonio ariana arthur
astrid ayşe barbara beate beatrice beatriz ben benjamin bernd bernhard bettina birgit björn bram brandon brian
brigitte britta bruno camille carina carla carlos carmen carol carolin caroline catarina catherine cecilia celine
charles charlotte chiara chloe chloé chris christa christian christiane christina christine christoph christopher
claire clara claudia clemens connor cornelia cristina daan dagmar dana daniel daniela danielle david deborah denise
dennis diana diego dieter dirk dominik doris dorothea eduardo eleanor elena elias elif elisa elisabeth elisabetta
elizabeth elke ella ellen elsa emil emilia emily emma enrique eric erik erika ernesto esther ethan eva evelyn fabian
fabienne fatima federica felicia felix femke fernanda fernando filip finn florence florian francesca francesco
francisco franz franziska françois frederik frieda friedrich gabi gabriel gabriela gabriele georg george gerd
gerhard gertrud gina giorgio giovanni giulia giuseppe gloria greta guido gustavo hanna hannah hannes hans harald
harry heather heidi heike heinz helen helena helene helga helmut henri henrik henry hildegard holger horst hugo
hélène ian ibrahim ida ilse ines ingo ingrid inès inês irene irina iris isabel isabella isabelle ivan jack jacob
jaime jakob james jan jana janina janine jasmin jason javier jean jennifer jens jeroen jessica joachim joana joanna
joel johann johanna johannes john jonas jonathan joost jordan jorge josef josefine joseph josh joshua josé joão juan
judith julia julian juliane julie julien justin jutta jérôme jürgen kai karen karin karina karl karla karoline
katharina kathrin katja katrin kelly kerstin kevin kim kirsten klara klaus konrad konstantin kristin kristina kurt
lara lars laura lauren layla lea leila lena leon leonie leticia lia liam lieke lilly lina linda linus lisa liz
lorena lorenzo lotte louis louisa louise luca lucas lucia lucie lucía ludwig luigi luis luisa lukas luna lydia léa
maaike madison magdalena maja manfred manon manuel manuela mara marc marcel marcela marco marcus marek margaret
margarete margot maria marie marina mario marion marisa markus marlene marta martha martin martina mary maría
mathieu mathilda matteo matthew matthias maurice maximilian megan mehmet melanie melissa mia michael michaela michel
michelle miguel mike mila milan milena mira miriam mohammed monica monika moritz muriel nadia nadine nadja natalia
natalie natascha natasha nathan nele nicholas nick nicola nicole niklas nils nina noah nora norbert nour océane
odette olaf ole olga oliver olivia omar oskar otto pablo paola pascal patricia patrick paul paula pauline pedro
peter petra philipp pia pierre pieter pilar priya rachel rafael rafaela raffaela rahel raimund rainer ralf ramona
raphael raúl rebecca regina reinhard renate ricardo richard rita robert roberta roberto robin rocío rolf roman ronja
rosa roxana ruben rudolf rui ruth ryan rüdiger sabine sabrina sally salvatore sam samantha samuel sandra sanne
santiago sara sarah sascha sebastian selina sergio sibylle sigrid silke silvana silvia simon simone sina sofia sofie
sonja sophia sophie stefan stefanie steffen steffi stella stephan stephanie steve steven susan susanne svea sven
svenja svetlana sylvia sébastien tamara tania tanja tatjana teresa tess thea theo theresa theresia thibault thomas
thorsten tiago tim timo tina tobias tom toni torsten tyler ulla ulrich ulrike ursula ute uwe valentin valentina
vanessa vera verena veronica veronika victoria viktor viktoria vincent virginia walter waltraud werner wiebke
wilhelm willem william wolfgang xavier xenia yannick yasmin yusuf yvonne zoe zoé álvaro ángel élodie
"""
GIVEN_NAMES: Final = frozenset(_NAMES.split())
"""The usual ones of the languages that are spoken here, in lower case."""
