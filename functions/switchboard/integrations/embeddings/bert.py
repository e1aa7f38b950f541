"""The forward pass of a small BERT in numpy: token ids in, one unit vector per text out.

Written for all-MiniLM-L6-v2 (6 layers of 384 dimensions, 12 heads) by the names of its tensors; numbers agree with
torch's to six places. torch itself would bring five gigabytes and sixteen seconds of loading for the same vectors.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from switchboard.contract.python.dataclass import dataclass

Floats: TypeAlias = NDArray[np.float32]

DIMENSION = 384
_LAYERS, _HEADS = 6, 12
_EACH = DIMENSION // _HEADS
_EPSILON = np.float32(1e-12)
_SCALE = np.float32(_EACH**-0.5)
# Added to what a text may not look at: nothing is left of it after the exponential.
_NEVER = np.float32(-1e9)
# erf after Abramowitz and Stegun 7.1.26, wrong by less than two in ten million; numpy has none of its own.
_ERF = tuple(map(np.float32, (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)))
_ERF_P = np.float32(0.3275911)


@dataclass(frozen=True, slots=True)
class _Linear:
    weight: Floats
    bias: Floats

    def __call__(self, x: Floats) -> Floats:
        y: Floats = x @ self.weight
        y += self.bias
        return y


@dataclass(frozen=True, slots=True)
class _Norm:
    weight: Floats
    bias: Floats

    def __call__(self, x: Floats) -> Floats:
        x = x - x.mean(-1, keepdims=True)
        variance = np.einsum("ij,ij->i", x, x)[:, None] / np.float32(DIMENSION)
        x *= self.weight / np.sqrt(variance + _EPSILON)
        x += self.bias
        return x


@dataclass(frozen=True, slots=True)
class _Layer:
    queries_keys_values: _Linear
    attended: _Linear
    attended_norm: _Norm
    wide: _Linear
    narrow: _Linear
    narrow_norm: _Norm

    def __call__(self, x: Floats, texts: int, hidden: Floats) -> Floats:
        """Return the next layer's input; rows of `x` are tokens, text after text, all padded to one length."""
        shape = (texts, -1, 3, _HEADS, _EACH)
        queries, keys, values = self.queries_keys_values(x).reshape(shape).transpose(2, 0, 3, 1, 4)
        looks: Floats = np.matmul(queries * _SCALE, keys.transpose(0, 1, 3, 2))
        looks += hidden
        looks -= looks.max(-1, keepdims=True)
        np.exp(looks, out=looks)
        looks /= looks.sum(-1, keepdims=True)
        seen = (looks @ values).transpose(0, 2, 1, 3).reshape(-1, DIMENSION)
        x = self.attended_norm(x + self.attended(seen))
        return self.narrow_norm(x + self.narrow(_gelu(self.wide(x))))


class Bert:
    """A model in memory; may be used by one thread at a time or by many.

    Args:
        weights: A safetensors file.

    Raises:
        OSError, KeyError, ValueError: It cannot be read, or is another model's.
    """

    def __init__(self, weights: Path) -> None:
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        try:
            tensors = load_file(weights)
        except SafetensorError as error:
            raise ValueError(f"{weights.name}: {error}") from error
        self._words: Floats = tensors["embeddings.word_embeddings.weight"]
        if self._words.shape[1] != DIMENSION:
            raise ValueError(f"{weights.name} has {self._words.shape[1]} dimensions, not {DIMENSION}")
        kind = tensors["embeddings.token_type_embeddings.weight"][0]
        self._places: Floats = tensors["embeddings.position_embeddings.weight"] + kind
        self._norm = _norm(tensors, "embeddings.LayerNorm")
        self._layers = [_layer(tensors, f"encoder.layer.{number}.") for number in range(_LAYERS)]

    def vectors(self, texts: Sequence[Sequence[int]]) -> Floats:
        """Return a unit vector per text, the mean over its tokens; a text has at least one token and at most 512."""
        length = max(map(len, texts))
        ids = np.zeros((len(texts), length), np.int64)
        present = np.zeros((len(texts), length), np.float32)
        for row, tokens in enumerate(texts):
            ids[row, : len(tokens)] = tokens
            present[row, : len(tokens)] = 1
        hidden = ((1 - present) * _NEVER)[:, None, None, :]
        x = self._norm((self._words[ids] + self._places[:length]).reshape(-1, DIMENSION))
        for layer in self._layers:
            x = layer(x, len(texts), hidden)
        # The length of a vector does not depend on whether it was a sum or a mean.
        sums: Floats = np.einsum("tld,tl->td", x.reshape(len(texts), length, DIMENSION), present)
        sums /= np.linalg.norm(sums, axis=1, keepdims=True)
        return sums


def _gelu(x: Floats) -> Floats:
    z = x * np.float32(0.5**0.5)
    size = np.abs(z)
    t = 1 / (1 + _ERF_P * size)
    rest = t * _ERF[0]
    for factor in _ERF[1:]:
        rest += factor
        rest *= t
    size *= size
    np.negative(size, out=size)
    np.exp(size, out=size)
    rest *= size
    erf: Floats = np.copysign(1 - rest, z)
    erf += 1
    erf *= x
    erf *= np.float32(0.5)
    return erf


def _layer(tensors: dict[str, Floats], prefix: str) -> _Layer:
    # One product instead of three.
    own = [_linear(tensors, f"{prefix}attention.self.{part}") for part in ("query", "key", "value")]
    return _Layer(
        _Linear(np.concatenate([part.weight for part in own], 1), np.concatenate([part.bias for part in own])),
        _linear(tensors, f"{prefix}attention.output.dense"),
        _norm(tensors, f"{prefix}attention.output.LayerNorm"),
        _linear(tensors, f"{prefix}intermediate.dense"),
        _linear(tensors, f"{prefix}output.dense"),
        _norm(tensors, f"{prefix}output.LayerNorm"),
    )


def _linear(tensors: dict[str, Floats], name: str) -> _Linear:
    return _Linear(np.ascontiguousarray(tensors[f"{name}.weight"].T), tensors[f"{name}.bias"])


def _norm(tensors: dict[str, Floats], name: str) -> _Norm:
    return _Norm(tensors[f"{name}.weight"], tensors[f"{name}.bias"])
