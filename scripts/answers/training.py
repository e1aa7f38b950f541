"""Trains the reader of answers with PyTorch, and writes its weights as numpy reads them."""

import random
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from answers.corpus import Labelled
from claims.network import WordNetwork, array, short
from switchboard.pipeline.answer_reader import MEANINGS, words_beside

NETWORKS = 3
PIECES, VECTOR, NEAR, WIDE = 1 << 13, 32, 48, 64
EPOCHS, BATCH, RATE, DECAY = 16, 32, 3e-3, 1e-2
_WORDS_HIDDEN, _SMOOTHING = 0.08, 0.03
_UNMARKED, _UNACCENTED, _UNENDED = 0.15, 0.1, 0.05


class Network(nn.Module):
    """What `AnswerReader` reads from an answer, as it is trained."""

    def __init__(self) -> None:
        """Begin with weights by chance."""
        super().__init__()
        self.words = WordNetwork(PIECES, VECTOR, NEAR, WIDE)
        self.meaning = nn.Linear(self.words.made, len(MEANINGS))

    def forward(self, answers: Sequence[Sequence[str]], hidden: float = 0.0) -> torch.Tensor:
        """Return the score of each of `MEANINGS`, unscaled."""
        scores: torch.Tensor = self.meaning(self.words(answers, hidden))
        return scores

    def weights(self) -> dict[str, Any]:
        """Return what `AnswerReader` reads."""
        head = {"meaning": short(array(self.meaning.weight).T), "meaning_bias": short(array(self.meaning.bias))}
        return self.words.weights() | head


def train(answers: Sequence[Labelled], told: Callable[[str], None]) -> list[Network]:
    """Return networks that have learned these, each by itself; the same library makes the same ones of the same."""
    return [_trained(list(answers), seed, told) for seed in range(1, NETWORKS + 1)]


def write(networks: Sequence[Network], path: Path) -> None:
    """Write the weights of networks, those of the n-th under names that begin with `n/`."""
    named = {f"{n}/{name}": given for n, one in enumerate(networks) for name, given in one.weights().items()}
    np.savez_compressed(path, **named)


def _trained(answers: list[Labelled], seed: int, told: Callable[[str], None]) -> Network:
    random.seed(seed)
    torch.manual_seed(seed)
    network = Network()
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    steps = EPOCHS * (len(answers) // BATCH) + 1
    rate = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)
    for epoch in range(1, EPOCHS + 1):
        network.train()
        random.shuffle(answers)
        total = 0.0
        for at in range(0, len(answers) - BATCH + 1, BATCH):
            batch = answers[at : at + BATCH]
            words = [_words(_disguised(one.text), one.language, one.question, one.deed) for one in batch]
            found = network(words, _WORDS_HIDDEN)
            wanted = torch.tensor([MEANINGS.index(one.meaning) for one in batch])
            loss = functional.cross_entropy(found, wanted, label_smoothing=_SMOOTHING)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            rate.step()
            total += loss.item()
        told(f"network {seed}, epoch {epoch} of {EPOCHS}: loss {total * BATCH / len(answers):.3f}")
    return network.eval()


@lru_cache(maxsize=200_000)
def _words(text: str, language: str, question: str, deed: str) -> list[str]:
    return words_beside(text, language, question, deed)


def _disguised(text: str) -> str:
    """Return an answer now and then without marks, accents or its end, as it is heard or typed."""
    chance = random.random()
    if chance < _UNMARKED:
        return re.sub(r"[^\w\s']", "", text)
    if chance < _UNMARKED + _UNACCENTED:
        return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    if chance < _UNMARKED + _UNACCENTED + _UNENDED:
        return text.rstrip(" .!")
    return text
