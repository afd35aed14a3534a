# SPDX-License-Identifier: Apache-2.0
"""Computes a model of ONNX with numpy: the operations that `tenon export` writes, as the specification of opset 17 has them.

Like a checker it refuses what the specification does not allow: an operation or an attribute that is not here, a name
without a value, operands of different types."""

import math

import numpy as np
from protobuf_fields import all_of, fields

TYPES = {1: np.float32, 2: np.uint8, 6: np.int32, 7: np.int64, 9: np.bool_, 11: np.float64}


def text(data, field):
    return all_of(data, field)[0].decode()


def attribute_of(data):
    one = all_of(data, 3)
    return text(data, 1), one[0] if one else all_of(data, 8)


def gemm(a, b, c=0, transB=0):
    return a @ (b.T if transB else b) + c


def scatter(x, index, row, axis):
    out = x.copy()
    np.put_along_axis(out, index, row, axis)
    return out


def unsqueeze(x, axes):
    return np.expand_dims(x, tuple(int(axis) for axis in axes))


def squeeze(x, axes):
    return np.squeeze(x, tuple(int(axis) for axis in axes))


def reshape(x, shape):
    return x.reshape([x.shape[i] if size == 0 else int(size) for i, size in enumerate(shape)])


def expand(x, shape):
    return np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(int(size) for size in shape)))


def slices(x, starts, ends, axes):
    cut = [slice(None)] * x.ndim
    for start, end, axis in zip(starts, ends, axes):
        cut[axis] = slice(int(start), int(end))
    return x[tuple(cut)]


def cumsum(x, axis, reverse=0):
    axis = int(axis)
    return np.flip(np.cumsum(np.flip(x, axis), axis), axis) if reverse else np.cumsum(x, axis)


def topk(x, k, axis, largest, sorted):
    """Of equal values the one with the lower index comes first."""
    assert sorted and k.tolist() == [x.shape[axis]]
    order = np.argsort(-x if largest else x, axis, kind="stable")
    return np.take_along_axis(x, order, axis), order


def shifted(x):
    return x - np.max(x, -1, keepdims=True)


def log_softmax(x, axis):
    assert axis == -1
    return shifted(x) - np.log(np.sum(np.exp(shifted(x)), -1, keepdims=True))


def log_sum_exp(x, axes, keepdims):
    return np.logaddexp.reduce(x, axes[0], keepdims=bool(keepdims))


def reduced(function):
    return lambda x, axes, keepdims: function(x, tuple(int(axis) for axis in axes), keepdims=bool(keepdims))


def windows(x, kernel_shape, strides, pads, fill):
    """The pieces of images under a kernel: [.., height, width, kernel height, kernel width]."""
    up, left, down, right = pads
    x = np.pad(x, [(0, 0), (0, 0), (up, down), (left, right)], constant_values=fill)
    return np.lib.stride_tricks.sliding_window_view(x, kernel_shape, (2, 3))[:, :, :: strides[0], :: strides[1]]


def conv(x, weight, bias=None, *, strides, pads, kernel_shape):
    out = np.einsum("nchwij,ocij->nohw", windows(x, kernel_shape, strides, pads, 0), weight)
    return out if bias is None else out + bias[:, None, None]


def conv_transpose(x, weight, bias=None, *, strides, pads, kernel_shape):
    up, left, down, right = pads
    height, width = ((size - 1) * stride + kernel for size, stride, kernel in zip(x.shape[2:], strides, kernel_shape))
    out = np.zeros([x.shape[0], weight.shape[1], height, width], x.dtype)
    for i in range(x.shape[2]):
        for j in range(x.shape[3]):
            at = np.s_[:, :, i * strides[0] : i * strides[0] + kernel_shape[0], j * strides[1] : j * strides[1] + kernel_shape[1]]
            out[at] += np.einsum("nc,coij->noij", x[:, :, i, j], weight)
    out = out[:, :, up : height - down, left : width - right]
    return out if bias is None else out + bias[:, None, None]


def max_pool(x, strides, pads, kernel_shape):
    return windows(x, kernel_shape, strides, pads, -np.inf).max((-2, -1))


OPERATIONS = {
    "Identity": lambda x: x, "Cast": lambda x, to: x.astype(TYPES[to]), "Shape": lambda x, start, end: np.array(x.shape[start:end]),
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Pow": np.power, "Min": np.minimum, "Max": np.maximum,
    "Where": np.where, "Neg": np.negative, "Abs": np.abs, "Exp": np.exp, "Log": np.log, "Sqrt": np.sqrt, "Tanh": np.tanh,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)), "Softplus": lambda x: np.logaddexp(x, x.dtype.type(0)), "Erf": lambda x: np.vectorize(math.erf)(x).astype(x.dtype),
    "Relu": lambda x: np.maximum(x, x.dtype.type(0)), "Floor": np.floor, "Sign": lambda x: ((x > 0) * 1 - (x < 0)).astype(x.dtype), "Sin": np.sin, "Cos": np.cos,
    "Equal": np.equal, "Less": np.less, "LessOrEqual": np.less_equal, "Greater": np.greater, "GreaterOrEqual": np.greater_equal,
    "And": np.logical_and, "Or": np.logical_or, "Not": np.logical_not,
    "ArgMax": lambda x, axis, keepdims: np.argmax(x, axis, keepdims=bool(keepdims)), "ReduceSum": reduced(np.sum),
    "ReduceMean": reduced(np.mean), "ReduceMax": reduced(np.max), "ReduceMin": reduced(np.min), "ReduceLogSumExp": log_sum_exp,
    "Softmax": lambda x, axis: np.exp(log_softmax(x, axis)), "LogSoftmax": log_softmax, "CumSum": cumsum, "TopK": topk,
    "Gather": lambda x, index, axis: np.take(x, index, axis), "GatherElements": lambda x, index, axis: np.take_along_axis(x, index, axis),
    "ScatterElements": scatter, "Concat": lambda *parts, axis: np.concatenate(parts, axis), "Expand": expand, "Reshape": reshape, "Slice": slices,
    "Transpose": lambda x, perm: np.transpose(x, perm), "Unsqueeze": unsqueeze, "Squeeze": squeeze,
    "MatMul": np.matmul, "Gemm": gemm, "Conv": conv, "ConvTranspose": conv_transpose, "MaxPool": max_pool,
}  # fmt: skip
# Their operands have one type.
SAME_TYPES = set("Add Sub Mul Div Pow Min Max Equal Less LessOrEqual Greater GreaterOrEqual Concat MatMul Gemm Conv ConvTranspose".split())
LOGICAL = {"And", "Or", "Not"}


def check_types(operation, inputs):
    types = [x.dtype for x in inputs]
    if operation in SAME_TYPES and len(set(types)) > 1 or operation == "Where" and (types[0] != bool or types[1] != types[2]):
        raise TypeError(f"{operation} of {types}")
    if operation in LOGICAL and set(types) != {np.dtype(bool)}:
        raise TypeError(f"{operation} of {types}")


class Model:
    def __init__(self, data):
        graph = all_of(data, 7)[0]
        self.name = text(graph, 2)
        self.metadata = {text(each, 1): text(each, 2) for each in all_of(data, 14)}
        self.nodes = []
        for node in all_of(graph, 1):
            names = [[name.decode() for name in all_of(node, field)] for field in (1, 2)]
            self.nodes.append((text(node, 4), *names, dict(map(attribute_of, all_of(node, 5)))))
        self.tensors = {}
        for tensor in all_of(graph, 5):
            kind = TYPES[all_of(tensor, 2)[0]]
            self.tensors[text(tensor, 8)] = np.frombuffer(all_of(tensor, 9)[0], kind).reshape(all_of(tensor, 1))
        self.inputs = {text(value, 1): self.type_of(value) for value in all_of(graph, 11)}
        self.outputs = {text(value, 1): self.type_of(value) for value in all_of(graph, 12)}

    @staticmethod
    def type_of(value):
        """The dtype and the dimensions, which are sizes or names."""
        tensor = all_of(all_of(value, 2)[0], 1)[0]
        dims = [next(size if field == 1 else size.decode() for field, size in fields(dim)) for dim in all_of(all_of(tensor, 2)[0], 1)]
        return TYPES[all_of(tensor, 1)[0]], dims

    def run(self, values):
        """The outputs, by their names."""
        values = self.tensors | values
        for operation, inputs, outputs, attributes in self.nodes:
            operands = [values[name] for name in inputs]
            check_types(operation, operands)
            with np.errstate(all="ignore"):
                results = OPERATIONS[operation](*operands, **attributes)
            values.update(zip(outputs, results if isinstance(results, tuple) else [np.asarray(results)]))
        for name, (dtype, _) in self.outputs.items():
            if values[name].dtype != dtype:
                raise TypeError(f"{name} is of {values[name].dtype} instead of {np.dtype(dtype)}")
        return {name: values[name] for name in self.outputs}
