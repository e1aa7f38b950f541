"""`scripts/train_answers`: training, and the figures that say how good it is."""

from collections.abc import Iterable
from pathlib import Path

from answers.corpus import LANGUAGES, CorpusError, Labelled, answers_in, labelled
from command_line import CommandLine
from switchboard.pipeline.answer_reader import WEIGHTS, reader
from switchboard.pipeline.proposal import said_of


def main(arguments: list[str], usage: str) -> int:
    """Train or measure; the exit code is 1 where something cannot be read."""
    summary, _, rest = usage.partition("\n\n")
    line = CommandLine("scripts/train_answers", summary, rest)
    line.add_argument("--figures", action="store_true", help="measure the shipped weights only")
    line.add_argument("--on", type=Path, metavar="FILE", help="measure on the answers of this file, such as de_new.tsv")
    options = line.parse_args(arguments)
    try:
        if options.on is not None:
            language = options.on.stem[:2]
            if language not in LANGUAGES:
                raise CorpusError(f"name the file by its language first: {', '.join(LANGUAGES)}")
            _print({language: list(answers_in(options.on, language))})
            return 0
        answers = {language: labelled(language) for language in LANGUAGES}
    except CorpusError as error:
        line.error(str(error))
    if not options.figures:
        _train(one for of_language in answers.values() for one in of_language if not one.is_kept_back)
    _print({language: [one for one in found if one.is_kept_back] for language, found in answers.items()})
    return 0


def _train(answers: Iterable[Labelled]) -> None:
    from answers.training import train, write  # PyTorch is a large thing to load for a table of figures

    write(train(list(answers), lambda text: print(text, flush=True)), WEIGHTS)
    reader.cache_clear()


def _print(answers: dict[str, list[Labelled]]) -> None:
    print(f"{'':4}{'clear yeses':>12}{'understood %':>14}{'others':>8}{'taken for a yes':>17}")
    for language, found in answers.items():
        yeses = [one for one in found if one.meaning == "yes"]
        others = [one for one in found if one.meaning != "yes"]
        understood = sum(_is_yes(one) for one in yeses)
        false = [one for one in others if _is_yes(one)]
        percent = 100 * understood / len(yeses) if yeses else 0.0
        print(f"{language:4}{len(yeses):>12}{percent:>14.1f}{len(others):>8}{len(false):>17}")
        for one in false:
            print(f"      {one.deed}: {one.text}")


def _is_yes(one: Labelled) -> bool:
    return said_of(one.text, one.language, one.question, (one.deed,)) == "yes"
