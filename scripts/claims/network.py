"""The network of `switchboard.conversation.claims.classifier`, as it is trained."""

import math
import random
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from switchboard.conversation.claims.classifier import pieces_of

_DROPPED = 0.2
# The same words come in every epoch.
_pieces_of = lru_cache(maxsize=200_000)(pieces_of)


class WordNetwork(nn.Module):
    """Makes a row of numbers of each text; what is read from those is learned with it."""

    def __init__(self, pieces: int, vector: int, near: int, wide: int) -> None:
        """Begin with weights by chance.

        Args:
            pieces: How many vectors there are for pieces of words.
            vector: How many numbers one has.
            near: How many patterns are looked for in a word and its neighbours.
            wide: How many in what those make of some words.
        """
        super().__init__()
        self._pieces, self._vector = pieces, vector
        self.vectors = nn.EmbeddingBag(pieces, vector, mode="sum")
        nn.init.normal_(self.vectors.weight, 0, 0.1)
        self.near = nn.Conv1d(vector, near, 3, padding=1)
        self.wide = nn.Conv1d(near, wide, 5, padding=2)
        self.around = nn.Linear(near, wide, bias=False)
        self.drop = nn.Dropout(_DROPPED)
        self.made = 2 * wide + near + vector

    def forward(self, texts: Sequence[Sequence[str]], hidden: float = 0.0) -> torch.Tensor:
        """Return a row of `made` numbers for each text, given as its words; so large a share of them is hidden."""
        batch = _Batch(texts, self._pieces, hidden)
        words = self.vectors(batch.pieces, batch.starts) * batch.scale[:, None]
        there = torch.arange(max(batch.lengths))[None] < torch.tensor(batch.lengths)[:, None]
        rows = words.new_zeros(*there.shape, self._vector)
        rows[there] = words
        x, mask = self.drop(rows).transpose(1, 2), there[:, None].float()
        near = functional.relu(self.near(x)) * mask
        strongest = near.max(2).values
        wide = self.wide(self.drop(near)) + self.around(self.drop(strongest))[:, :, None]
        wide = functional.relu(wide) * mask
        count = mask.sum(2)
        whole = torch.cat([wide.max(2).values, wide.sum(2) / count, strongest, x.sum(2) / count.sqrt()], 1)
        made: torch.Tensor = self.drop(whole)
        return made

    def weights(self) -> dict[str, Any]:
        """Return what is read later: vectors in a byte a number, the rest in two."""
        vectors = array(self.vectors.weight)
        scale = np.abs(vectors).max(0) / 127
        arrays = {"vectors": np.round(vectors / scale).astype(np.int8), "scale": scale.astype(np.float32)}
        for name, layer in (("near", self.near), ("wide", self.wide)):
            arrays |= {name: short(array(layer.weight).transpose(2, 1, 0)), f"{name}_bias": short(array(layer.bias))}
        return arrays | {"around": short(array(self.around.weight).T)}


def array(tensor: torch.Tensor) -> Any:
    """Return the numbers of a tensor."""
    return tensor.detach().numpy()


def short(numbers: Any) -> Any:
    """Return numbers in two bytes each."""
    return numbers.astype(np.float16)


class _Batch:
    """Some texts laid out: the pieces of all words, one behind the other."""

    def __init__(self, texts: Sequence[Sequence[str]], count: int, hidden: float) -> None:
        pieces: list[int] = []
        starts, scale = [], []
        self.lengths = [max(1, len(words)) for words in texts]
        for words in texts:
            for word in words or ["."]:
                pieces_of_word = (0,) if random.random() < hidden else _pieces_of(word, count)
                starts.append(len(pieces))
                scale.append(1 / math.sqrt(len(pieces_of_word)))
                pieces += pieces_of_word
        self.pieces, self.starts, self.scale = torch.tensor(pieces), torch.tensor(starts), torch.tensor(scale)
