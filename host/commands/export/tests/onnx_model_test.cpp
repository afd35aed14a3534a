// SPDX-License-Identifier: Apache-2.0
// The bytes of an ONNX model, against those that the package onnx writes for the same one.
#include "commands/export/onnx_model.hpp"

#include <cstring>
#include <string>
#include <vector>

#include "commands/export/protobuf.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace onnx_model_test {

namespace {

using tenon::DType;
using tenon::OnnxDim;
using tenon::OnnxModel;

template <class T>
std::string bytes_of(const std::vector<T>& values) {
    std::string out(values.size() * sizeof(T), '\0');
    std::memcpy(out.data(), values.data(), out.size());
    return out;
}

// The model of tests/golden/generate/onnx_model.py.
OnnxModel peer_model() {
    std::vector<float> weight;
    for (int i = 0; i < 600; ++i) {
        weight.push_back(static_cast<float>(i) / 8 - 20);
    }
    const OnnxDim batch = std::string("batch");
    OnnxModel out;
    out.name = "policy";
    out.nodes = {{"Gemm", {"observation", "actor/0.weight", "actor/0.bias"}, {"v0"}, {{"transB", std::int64_t{1}}}},
                 {"Unsqueeze", {"is_init", "constant:2"}, {"v1"}, {}},
                 {"Where", {"v1", "actor.memory", "v0"}, {"next.actor.memory"}, {}},
                 {"ReduceMean",
                  {"next.actor.memory"},
                  {"v2"},
                  {{"axes", std::vector<std::int64_t>{-1}}, {"keepdims", std::int64_t{1}}}},
                 {"Sub", {"next.actor.memory", "v2"}, {"v3"}, {}},
                 {"ArgMax", {"v3"}, {"action"}, {{"axis", std::int64_t{-1}}, {"keepdims", std::int64_t{0}}}}};
    out.initialisers = {{"actor/0.weight", DType::kF32, {2, 300}, bytes_of(weight)},
                        {"actor/0.bias", DType::kF32, {2}, bytes_of(std::vector{0.1F, -1e30F})},
                        {"constant:2", DType::kI64, {1}, bytes_of(std::vector{std::int64_t{-1}})}};
    out.inputs = {{"observation", DType::kF32, {batch, std::int64_t{300}}},
                  {"is_init", DType::kBool, {batch}},
                  {"actor.memory", DType::kF32, {batch, std::int64_t{2}}}};
    out.outputs = {{"action", DType::kI64, {batch}}, {"next.actor.memory", DType::kF32, {batch, std::int64_t{2}}}};
    out.metadata = {{"frames", "64"}, {"memory.actor.memory", "next.actor.memory"}};
    return out;
}

}  // namespace

TEST_CASE("a model has the bytes that the package onnx writes") {
    const std::string wanted = tenon::test::slurp(TENON_GOLDEN "/onnx_model.onnx");
    const std::string written = onnx_bytes(peer_model());
    REQUIRE(written.size() == wanted.size());
    CHECK((written == wanted));
}

TEST_CASE("numbers of protobuf take as many bytes as they need, and negative ones ten") {
    const auto written = [](std::int64_t value) { return tenon::ProtobufMessage().number(1, value).text(); };
    CHECK(written(0) == std::string("\x08\x00", 2));
    CHECK(written(127) == "\x08\x7f");
    CHECK(written(128) == "\x08\x80\x01");
    CHECK(written(-1) == "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    CHECK(tenon::ProtobufMessage().bytes(16, "ab").text() ==
          "\x82\x01\x02"
          "ab");
}

}  // namespace onnx_model_test
