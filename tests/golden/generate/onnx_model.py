# SPDX-License-Identifier: Apache-2.0
# Peer: the Python package onnx 1.17.0.
#
#   python onnx_model.py ../onnx_model.onnx    the model that host/commands/export/tests writes, made by onnx.helper
import sys

import numpy
import onnx
from onnx import TensorProto, helper


def tensor(name, kind, array):
    return helper.make_tensor(name, kind, array.shape, array.tobytes(), raw=True)


nodes = [
    helper.make_node("Gemm", ["observation", "actor/0.weight", "actor/0.bias"], ["v0"], name="Gemm_0", transB=1),
    helper.make_node("Unsqueeze", ["is_init", "constant:2"], ["v1"], name="Unsqueeze_1"),
    helper.make_node("Where", ["v1", "actor.memory", "v0"], ["next.actor.memory"], name="Where_2"),
    helper.make_node("ReduceMean", ["next.actor.memory"], ["v2"], name="ReduceMean_3", axes=[-1], keepdims=1),
    helper.make_node("Sub", ["next.actor.memory", "v2"], ["v3"], name="Sub_4"),
    helper.make_node("ArgMax", ["v3"], ["action"], name="ArgMax_5", axis=-1, keepdims=0),
]
value = helper.make_tensor_value_info
graph = helper.make_graph(
    nodes,
    "policy",
    [
        value("observation", TensorProto.FLOAT, ["batch", 300]),
        value("is_init", TensorProto.BOOL, ["batch"]),
        value("actor.memory", TensorProto.FLOAT, ["batch", 2]),
    ],
    [value("action", TensorProto.INT64, ["batch"]), value("next.actor.memory", TensorProto.FLOAT, ["batch", 2])],
    [
        tensor("actor/0.weight", TensorProto.FLOAT, (numpy.arange(600, dtype=numpy.float32) / 8 - 20).reshape(2, 300)),
        tensor("actor/0.bias", TensorProto.FLOAT, numpy.array([0.1, -1e30], dtype=numpy.float32)),
        tensor("constant:2", TensorProto.INT64, numpy.array([-1])),
    ],
)
model = helper.make_model(graph, producer_name="tenon", ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
helper.set_model_props(model, {"frames": "64", "memory.actor.memory": "next.actor.memory"})
onnx.checker.check_model(model, full_check=True)
with open(sys.argv[1], "wb") as file:
    file.write(model.SerializeToString(deterministic=True))
