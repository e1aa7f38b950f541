"""Trains the claim classifier with PyTorch, and writes its weights as numpy reads them."""

import random
import re
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from claims.corpus import Labelled, names, openings
from claims.network import WordNetwork, array, short
from switchboard.conversation.claims.classifier import DEEDS, TELLINGS, ClaimClassifier, signs, words_in

PIECES, VECTOR, NEAR, WIDE = 1 << 14, 48, 64, 112
EPOCHS, BATCH, RATE = 24, 64, 3e-3
_WORDS_DROPPED = 0.06
# Targets are a little off 0 and 1: labels are people's, and the corpus is small.
_SMOOTHING = 0.01
_UNMARKED, _UNACCENTED, _UNENDED, _OPENED = 0.08, 0.04, 0.04, 0.08
_RENAMED, _INVENTED = 0.5, 0.5
_NAMES = names()
_NAME = re.compile(rf"\b(?:{'|'.join(_NAMES)})\b")
# What names that nobody has are made of.
_BEGINNINGS = (*"bdfghjklmnprstvz", "br", "dr", "fl", "gr", "kl")
_VOWELS = (*"aeiouøåöy", "aa", "ai", "ee", "ei", "ie", "oo", "ou")
_ENDINGS = ("", "", "n", "l", "r", "s", "t", "ck", "nd", "sson", "ski", "man")
# How much large weights cost where the readings of the network are weighed, and how many signs there are.
_RIDGE, _SIGNS = 5e-4, 5 + 2 * len(TELLINGS)
# What is longer has words enough before what it claims.
_LONGEST_OPENED = 150


class Network(nn.Module):
    """What `switchboard.conversation.claims.classifier` reads from sentences, as it is trained."""

    def __init__(self) -> None:
        """Begin with weights by chance."""
        super().__init__()
        self.words = WordNetwork(PIECES, VECTOR, NEAR, WIDE)
        whole = self.words.made
        self.any, self.claim = nn.Linear(whole, 1), nn.Linear(whole, len(DEEDS))
        self.tell, self.deed = nn.Linear(whole, len(TELLINGS)), nn.Linear(whole, len(DEEDS))

    def forward(
        self, sentences: Sequence[Sequence[str]], hidden: float
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return, unscaled: whether anything is claimed, which deed, how it is told, and which deed is spoken of."""
        whole = self.words(sentences, hidden)
        return self.any(whole)[:, 0], self.claim(whole), self.tell(whole), self.deed(whole)

    def weights(self, threshold: float) -> dict[str, Any]:
        """Return what `ClaimClassifier` reads."""
        arrays = self.words.weights()
        for name, head in (("claim", self.claim), ("tell", self.tell), ("deed", self.deed)):
            arrays |= {name: short(array(head.weight).T), f"{name}_bias": short(array(head.bias))}
        arrays |= {"any": short(array(self.any.weight)[0]), "any_bias": short(array(self.any.bias))}
        return arrays | {"threshold": np.float32(threshold)}


def train(sentences: Sequence[Labelled], report: Callable[[str], None], epochs: int = EPOCHS, seed: int = 1) -> Network:
    """Return a network that has learned these; the same seed, sentences and library make the same network."""
    random.seed(seed)
    torch.manual_seed(seed)
    network = Network()
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=1e-3)
    steps = epochs * (len(sentences) // BATCH) + 1
    rate = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)
    for epoch in range(1, epochs + 1):
        network.train()
        began, total = time.monotonic(), 0.0
        for batch in _batches(sentences):
            chosen = network([words_in(_disguised(one.text)) for one in batch], _WORDS_DROPPED)
            loss = _loss(chosen, batch)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            rate.step()
            total += loss.item()
        report(
            f"epoch {epoch} of {epochs}: loss {total * BATCH / len(sentences):.3f}, {time.monotonic() - began:.0f} s"
        )
    return network.eval()


def weigh(arrays: dict[str, Any], sentences: Sequence[Labelled], path: Path) -> None:
    """Learn how to weigh what a network reads in sentences that it has not seen, and write all weights.

    Args:
        arrays: The network's, as `Network.weights` returns them.
        sentences: None of which it was trained on.
        path: Where they are written.
    """
    reader = ClaimClassifier(arrays | {"weights": np.zeros(_SIGNS), "weights_bias": np.zeros(())})
    rows = []
    for one in sentences:
        whole, clause, _ = reader.weighed(one.text)
        rows.append(signs(whole, clause, is_one=clause is whole))
    seen = torch.tensor(rows, dtype=torch.float32)
    chosen = torch.tensor([float(one.is_claim) for one in sentences])
    mean, spread = seen.mean(0), seen.std(0) + 1e-6
    layer = nn.Linear(_SIGNS, 1)
    nn.init.zeros_(layer.weight)
    nn.init.zeros_(layer.bias)
    optimizer = torch.optim.LBFGS(layer.parameters(), max_iter=500, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        odds = layer((seen - mean) / spread)[:, 0]
        error = functional.binary_cross_entropy_with_logits(odds, chosen) + _RIDGE * layer.weight.square().sum()
        error.backward()  # type: ignore[no-untyped-call]
        return error

    optimizer.step(loss)
    weights = (layer.weight[0] / spread).detach()
    bias = layer.bias[0].detach() - (weights * mean).sum()
    np.savez_compressed(path, **arrays, weights=weights.numpy().astype(np.float32), weights_bias=bias.numpy())


def _batches(sentences: Sequence[Labelled]) -> Iterator[list[Labelled]]:
    known = {language: openings(language) for language in {one.language for one in sentences}}
    order = [_opened(one, known[one.language]) for one in sentences]
    random.shuffle(order)
    for at in range(0, len(order) - BATCH + 1, BATCH):
        yield order[at : at + BATCH]


def _opened(one: Labelled, openings: Sequence[str]) -> Labelled:
    """Return a sentence now and then behind words that change nothing."""
    if random.random() >= _OPENED or len(one.text) > _LONGEST_OPENED:
        return one
    return replace(one, text=f"{random.choice(openings)} {one.text[:1].lower()}{one.text[1:]}")


def _loss(found: tuple[torch.Tensor, ...], batch: Sequence[Labelled]) -> torch.Tensor:
    anything, claimed, telling, spoken_of = found
    deeds = torch.tensor([[float(deed in one.deeds) for deed in DEEDS] for one in batch])
    is_claim = torch.tensor([float(one.is_claim) for one in batch])
    tellings = torch.tensor([TELLINGS.index(one.telling) for one in batch])

    def apart(scores: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        soft = target * (1 - 2 * _SMOOTHING) + _SMOOTHING
        loss = functional.binary_cross_entropy_with_logits(scores, soft, reduction="none")
        return (loss.sum(1) if loss.dim() > 1 else loss).mean()

    return (
        2 * apart(anything, is_claim)
        + 2 * apart(claimed, deeds * is_claim[:, None])
        + apart(spoken_of, deeds)
        + 0.5 * functional.cross_entropy(telling, tellings, label_smoothing=0.05)
    )


def _disguised(text: str) -> str:
    """Return a sentence with other names, now and then without marks, accents or its end, as it is heard or typed."""
    if random.random() < _RENAMED:
        text = _NAME.sub(_other_name, text)
    chance = random.random()
    if chance < _UNMARKED:
        return re.sub(r"[^\w\s']", "", text)
    if chance < _UNMARKED + _UNACCENTED:
        return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    if chance < _UNMARKED + _UNACCENTED + _UNENDED:
        return text.rstrip(" .!")
    return text


def _other_name(match: re.Match[str]) -> str:
    if random.random() >= _INVENTED:
        return random.choice(_NAMES)
    syllables = random.choice((1, 2, 2, 3))
    made = "".join(random.choice(_BEGINNINGS) + random.choice(_VOWELS) for _ in range(syllables))
    return made.capitalize() + random.choice(_ENDINGS)
