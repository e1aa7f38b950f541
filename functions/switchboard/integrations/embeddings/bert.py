"""The forward pass of a small BERT: token ids in, one unit vector per text out.

The graph of all-MiniLM-L6-v2 (6 layers of 384 dimensions, 12 heads) is written down here with the names of its tensors,
and onnxruntime carries it out; numbers agree with torch's to six places. torch itself would bring five gigabytes and
sixteen seconds of loading for the same vectors.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper

Floats: TypeAlias = NDArray[np.float32]

DIMENSION = 384
_LAYERS, _HEADS, _WIDE = 6, 12, 1536
_EACH = DIMENSION // _HEADS
_WORDS, _PLACES = 30_522, 512
_EPSILON = 1e-12
# Added to what a text may not look at: nothing is left of it after the exponential.
_NEVER = -1e9
# The oldest set of operators that has all of these, and the format that came with it.
_OPERATORS, _FORMAT = 20, 9


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

        graph = _Graph()
        model = graph.model()
        try:
            tensors = load_file(weights)
        except SafetensorError as error:
            raise ValueError(f"{weights.name}: {error}") from error
        for name, shape in graph.weights.items():
            if tensors[name].shape != shape:
                raise ValueError(f"{weights.name} has {tensors[name].shape} as {name}, not {shape}")
        options = onnxruntime.SessionOptions()
        # One thread a pass: several would wait for each other by spinning, on a machine that has other work.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        values = [onnxruntime.OrtValue.ortvalue_from_numpy(tensors[name]) for name in graph.weights]
        options.add_external_initializers(list(graph.weights), values)
        self._session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])

    def vectors(self, texts: Sequence[Sequence[int]]) -> Floats:
        """Return a unit vector per text, the mean over its tokens; a text has at least one token and at most 512."""
        length = max(map(len, texts))
        ids = np.zeros((len(texts), length), np.int64)
        present = np.zeros((len(texts), length), np.float32)
        for row, tokens in enumerate(texts):
            ids[row, : len(tokens)] = tokens
            present[row, : len(tokens)] = 1
        (vectors,) = self._session.run(None, {"ids": ids, "present": present, "places": np.arange(length)})
        found: Floats = vectors
        return found


class _Graph:
    """The operations, in order; what an operation gives out is known to the next one by its name.

    Rows of what goes from layer to layer are tokens, text after text, all padded to one length.
    """

    def __init__(self) -> None:
        self.weights: dict[str, tuple[int, ...]] = {}
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []

    def model(self) -> ModelProto:
        """Return the whole of it, with `weights` to be given to whoever carries it out."""
        words = self._add("Gather", self._weight("embeddings.word_embeddings.weight", _WORDS, DIMENSION), "ids")
        places = self._add(
            "Gather", self._weight("embeddings.position_embeddings.weight", _PLACES, DIMENSION), "places"
        )
        kinds = self._weight("embeddings.token_type_embeddings.weight", 2, DIMENSION)
        x = self._add("Add", self._add("Add", words, places), self._add("Gather", kinds, self._integers(0, one=True)))
        texts = self._add("Shape", x)
        heads = self._add("Slice", texts, self._integers(0), self._integers(2))
        heads = self._add("Concat", heads, self._integers(_HEADS, _EACH), axis=0)
        absent = self._add("Sub", self._number(1), "present")
        hidden = self._add("Unsqueeze", self._add("Mul", absent, self._number(_NEVER)), self._integers(1, 2))
        x = self._add("Reshape", self._norm(x, "embeddings.LayerNorm"), self._integers(-1, DIMENSION))
        for number in range(_LAYERS):
            x = self._layer(x, f"encoder.layer.{number}.", heads, hidden)
        seen = self._add("Mul", self._add("Reshape", x, texts), self._add("Unsqueeze", "present", self._integers(2)))
        # The length of a vector does not depend on whether it was a sum or a mean.
        sums = self._add("ReduceSum", seen, self._integers(1), keepdims=0)
        self._nodes.append(helper.make_node("LpNormalization", [sums], ["vectors"], axis=-1, p=2))
        given = [_value("ids", TensorProto.INT64, "texts", "length"), _value("places", TensorProto.INT64, "length")]
        given.append(_value("present", TensorProto.FLOAT, "texts", "length"))
        found = [_value("vectors", TensorProto.FLOAT, "texts", DIMENSION)]
        tensors = [*self._constants, *(_elsewhere(name, shape) for name, shape in self.weights.items())]
        graph = helper.make_graph(self._nodes, "minilm", given, found, tensors)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPERATORS)], ir_version=_FORMAT)

    def _layer(self, x: str, prefix: str, heads: str, hidden: str) -> str:
        own = f"{prefix}attention.self."
        queries, keys, values = (
            self._add("Transpose", self._add("Reshape", self._linear(x, own + part), heads), perm=order)
            for part, order in (("query", (0, 2, 1, 3)), ("key", (0, 2, 3, 1)), ("value", (0, 2, 1, 3)))
        )
        looks = self._add("MatMul", self._add("Mul", queries, self._number(_EACH**-0.5)), keys)
        looks = self._add("Softmax", self._add("Add", looks, hidden), axis=-1)
        seen = self._add("Transpose", self._add("MatMul", looks, values), perm=(0, 2, 1, 3))
        seen = self._add("Reshape", seen, self._integers(-1, DIMENSION))
        attended = self._add("Add", x, self._linear(seen, f"{prefix}attention.output.dense"))
        x = self._norm(attended, f"{prefix}attention.output.LayerNorm")
        wide = self._add("Gelu", self._linear(x, f"{prefix}intermediate.dense", _WIDE))
        narrow = self._linear(wide, f"{prefix}output.dense", DIMENSION, _WIDE)
        return self._norm(self._add("Add", x, narrow), f"{prefix}output.LayerNorm")

    def _linear(self, x: str, name: str, out: int = DIMENSION, into: int = DIMENSION) -> str:
        weight, bias = self._weight(f"{name}.weight", out, into), self._weight(f"{name}.bias", out)
        return self._add("Gemm", x, weight, bias, transB=1)

    def _norm(self, x: str, name: str) -> str:
        weight, bias = self._weight(f"{name}.weight", DIMENSION), self._weight(f"{name}.bias", DIMENSION)
        return self._add("LayerNormalization", x, weight, bias, axis=-1, epsilon=_EPSILON)

    def _add(self, operation: str, *inputs: str, **settings: Any) -> str:
        name = f"{operation} {len(self._nodes)}"
        self._nodes.append(helper.make_node(operation, inputs, [name], **settings))
        return name

    def _weight(self, name: str, *shape: int) -> str:
        self.weights[name] = shape
        return name

    def _integers(self, *numbers: int, one: bool = False) -> str:
        return self._constant(TensorProto.INT64, () if one else (len(numbers),), numbers)

    def _number(self, number: float) -> str:
        return self._constant(TensorProto.FLOAT, (), (number,))

    def _constant(self, kind: int, shape: Sequence[int], numbers: Sequence[float]) -> str:
        name = f"constant {len(self._constants)}"
        self._constants.append(helper.make_tensor(name, kind, shape, numbers))
        return name


def _value(name: str, kind: int, *shape: int | str) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, shape)


def _elsewhere(name: str, shape: Sequence[int]) -> TensorProto:
    """Return a tensor whose numbers are given beside the graph, which would else be written and read once more."""
    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=shape, data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value=name)
    return tensor
