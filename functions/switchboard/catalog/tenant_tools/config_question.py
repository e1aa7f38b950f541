"""What a caller is asked before an owner's own tool does something: `confirm`, and `readBack` by language.

Whatever a fixed value says, its owner can write into the sentence; it is the model's values that a caller has to hear.
Where no sentence is written, the tool is named with what it was given, as every built-in tool without one is.
"""

from collections.abc import Mapping

from switchboard.catalog.definitions.variables import unfilled_questions
from switchboard.catalog.tenant_tools.config_parameters import ConfigReader
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.definitions.spoken import QUESTION, question_faults, spoken_faults
from switchboard.contract.json import JsonObject

_LONGEST = 500
_MOST_LANGUAGES = 20


def read_question(
    top: ConfigReader, shown: JsonObject, *, is_reading: bool, is_on_start: bool
) -> tuple[bool, Mapping[str, str]]:
    """Return whether a caller has to agree first, and the question by language; what is wrong with either is noted.

    Args:
        top: The owner's document.
        shown: The schema of the arguments that a model gives, which the question may name.
        is_reading: Whether the tool only looks something up.
        is_on_start: Whether it also runs when a call starts.
    """
    asks = top.flag("confirm", False)
    if asks and is_reading:
        top.add("confirm", "asks before something that is only looked up", "leave it out")
    if asks and is_on_start:
        problem = "cannot be where the tool runs when a call starts: nobody has said anything by then"
        top.add("confirm", problem, "leave it out, or executeOnCallStart")
    if top.part.get("readBack") is None:
        return asks, {}
    questions = top.part["readBack"]
    if not isinstance(questions, Mapping) or len(questions) > _MOST_LANGUAGES:
        top.add("readBack", "is no object with a question by language", f"write it like {QUESTION}")
        return asks, {}
    written = {"readBack": questions, "parameters": shown}
    faults = [*spoken_faults({"readBack": questions}), *question_faults(written)]
    for place, problem, remedy in faults:
        top.add(place[:200], problem, remedy)
    top.found += [DefinitionError(each.field, each.problem, each.remedy) for each in unfilled_questions(questions)]
    for language, words in questions.items():
        if isinstance(words, str) and len(words) > _LONGEST:
            top.add(f"readBack.{language}"[:200], f"has {len(words)} characters", f"use at most {_LONGEST}")
    if not asks and questions:
        top.add("readBack", "is never asked", 'write "confirm": true, or leave it out')
    return asks, {str(language): words.strip() for language, words in questions.items() if isinstance(words, str)}
