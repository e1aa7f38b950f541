"""`scripts/train_claims`: training, and the figures that say how good it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from claims.corpus import LANGUAGES, CorpusError, Labelled, labelled, sentences_in
from command_line import CommandLine
from switchboard.contract.definitions.definition import Deed
from switchboard.conversation.claims.classifier import WEIGHTS, ClaimClassifier, classifier

THRESHOLD = 0.45


@dataclass(frozen=True, slots=True)
class Figures:
    """How a classifier does on some sentences.

    Attributes:
        count: How many sentences.
        missed: The share of claims that it takes for none, in percent.
        held: The share of sentences without a claim that it takes for one, in percent.
        deeds: Of the claims that it finds, the share in which it knows one of the deeds, in percent.
    """

    count: int
    missed: float
    held: float
    deeds: float


def figures(reader: ClaimClassifier, sentences: Sequence[Labelled]) -> Figures:
    """Return how a classifier does on these sentences."""
    claims = [(one, reader.read(one.text)) for one in sentences if one.is_claim]
    others = [reader.read(one.text) for one in sentences if not one.is_claim]
    chosen = [(one, reading) for one, reading in claims if reading.claims]
    return Figures(
        len(sentences),
        _percent(len(claims) - len(chosen), len(claims)),
        _percent(sum(bool(reading.claims) for reading in others), len(others)),
        _percent(sum(bool(one.deeds & reading.deeds) for one, reading in chosen), len(chosen)),
    )


def by_deed(reader: ClaimClassifier, sentences: Sequence[Labelled]) -> list[tuple[Deed, float, float]]:
    """Return precision and recall of each deed that is claimed, in percent."""
    read = [(one.deeds if one.is_claim else frozenset(), _first(reader, one)) for one in sentences]
    rows = []
    for deed in Deed:
        right = sum(deed in labelled and deed in read_deeds for labelled, read_deeds in read)
        precision = _percent(right, sum(deed in read_deeds for _, read_deeds in read))
        rows.append((deed, precision, _percent(right, sum(deed in labelled for labelled, _ in read))))
    return rows


def main(arguments: list[str], usage: str) -> int:
    """Train or measure; the exit code is 1 where something cannot be read."""
    summary, _, rest = usage.partition("\n\n")
    line = CommandLine("scripts/train_claims", summary, rest)
    line.add_argument("--figures", action="store_true", help="measure the shipped weights only")
    line.add_argument("--on", type=Path, metavar="FILE", help="measure on the sentences of this file instead")
    options = line.parse_args(arguments)
    try:
        if options.on is not None:
            _print(classifier(), {options.on.stem[:10]: list(sentences_in(options.on))})
            return 0
        sentences = {language: labelled(language) for language in LANGUAGES}
    except CorpusError as error:
        line.error(str(error))
    if not options.figures:
        _train([one for of_language in sentences.values() for one in of_language if not one.is_kept_back])
    kept_back = {language: [one for one in chosen if one.is_kept_back] for language, chosen in sentences.items()}
    _print(classifier(), kept_back)
    return 0


def _train(sentences: Sequence[Labelled]) -> None:
    from claims.training import train, weigh  # PyTorch is a large thing to load for a table of figures

    network = train([one for one in sentences if not one.is_for_weighing], lambda text: print(text, flush=True))
    weigh(network.weights(THRESHOLD), [one for one in sentences if one.is_for_weighing], WEIGHTS)
    classifier.cache_clear()


def _print(reader: ClaimClassifier, sentences: dict[str, list[Labelled]]) -> None:
    print(f"{'':4}{'sentences':>10}{'missed %':>10}{'held %':>10}{'deed %':>10}")
    for language, by_name in sentences.items():
        row = figures(reader, by_name)
        print(f"{language:4}{row.count:>10}{row.missed:>10.1f}{row.held:>10.1f}{row.deeds:>10.1f}")
    print(f"\n{'':14}" + "".join(f"{language + ' p / r':>14}" for language in sentences))
    rows = {language: by_deed(reader, by_name) for language, by_name in sentences.items()}
    for n, deed in enumerate(Deed):
        told_of = (rows[language][n] for language in sentences)
        print(f"{deed:14}" + "".join(f"{f'{p:.0f} / {r:.0f}':>14}" for _, p, r in told_of))


def _first(reader: ClaimClassifier, one: Labelled) -> frozenset[Deed]:
    return frozenset(claim[0] for claim in reader.read(one.text).claims)


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else float(np.nan)
