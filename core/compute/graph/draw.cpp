// SPDX-License-Identifier: Apache-2.0
#include "compute/graph/draw.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/random/key.hpp"
#include "base/random/normal.hpp"
#include "base/simd/blocks.hpp"

namespace tenon::graph {
namespace {

// The finalizer of splitmix64: 0 stays 0, so the first member's first step has the stream itself.
std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
}

tn_key key_of(const Draw& draw) {
    return {.seed = draw.key.seed, .stream = draw.key.stream ^ mix(draw.member << 32U | draw.time)};
}

std::uint64_t first_element(const Draw& draw) {
    return (draw.counter << 32U) | (draw.first_row * draw.width);
}

template <class Real>
void uniform(const Draw& draw, Real* out) {
    std::array<tn_random_block, 64> blocks;
    const tn_key key = key_of(draw);
    const std::uint64_t first = first_element(draw);
    const std::uint64_t all = draw.rows * draw.width;
    for (std::uint64_t done = 0; done < all; done += blocks.size()) {
        const std::uint64_t count = std::min<std::uint64_t>(blocks.size(), all - done);
        simd::random_blocks(key, first + done, count, blocks.data());
        std::transform(blocks.data(), blocks.data() + count, out + done, [](const tn_random_block& block) {
            return (static_cast<Real>(block.word[0] >> 9U) + Real{0.5}) * Real{0x1p-23F};
        });
    }
}

}  // namespace

tn_key stream_key(std::uint64_t seed, const Graph& graph, const Node& node) {
    const AttributeValue* stream = find_attribute(node, "stream");
    const std::string name = stream == nullptr ? std::string(node.op->name) : std::get<std::string>(*stream);
    return make_key(seed, graph.sources[node.source].component + "/" + name);
}

void draw_uniform(const Draw& draw, float* out) {
    uniform(draw, out);
}

void draw_uniform(const Draw& draw, double* out) {
    uniform(draw, out);
}

void draw_normal(const Draw& draw, float* out) {
    fill_normal(key_of(draw), first_element(draw), out, draw.rows * draw.width);
}

void draw_normal(const Draw& draw, double* out) {
    fill_normal(key_of(draw), first_element(draw), out, draw.rows * draw.width);
}

}  // namespace tenon::graph
