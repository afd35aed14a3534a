// SPDX-License-Identifier: Apache-2.0
// The recurrent core of the third Dreamer: a GRU whose memory is made of blocks. Each block reads its own part of the
// memory, and features of the whole memory and of the inputs; the update gate begins as nearly closed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layers3.hpp"

namespace world {

struct BlockGru {
    std::int64_t size;    // of the memory
    std::int64_t blocks;  // divide it
    std::int64_t hidden;  // of the features of each input

    void check() const {
        if (size % blocks != 0) {
            throw tenon::InvalidArgument("'memory_size' is " + std::to_string(size) +
                                         ", but must be a multiple of 'blocks', " + std::to_string(blocks));
        }
    }

    // The memory after a step.
    [[nodiscard]] Value operator()(const Graph& g, Value memory, const std::vector<Value>& inputs) const {
        std::vector<tenon::In> features{layers3(g, "core.memory", memory, 1, hidden)};
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            features.emplace_back(layers3(g, "core.input" + std::to_string(i), inputs[i], 1, hidden));
        }
        const Value mixed = dense3(g, "core.mix", concat(features), size) + own(g, "core.mix", memory, 1);
        const Value gates = own(g, "core.gates", activated(g, "core.mix.norm", mixed), 3);
        const Value bias = g.parameter("core.gates.bias", {3 * size}, tenon::zeros());
        const Value all = gates + bias;
        const Value reset = sigmoid(slice(all, 0, size));
        const Value fresh = tanh(reset * slice(all, size, size));
        const Value update = sigmoid(slice(all, 2 * size, size) - 1);
        return update * fresh + (1 - update) * memory;
    }

private:
    // Multiplies each block by its own weights, `times` times with different ones. The result is `times` rows as long
    // as x, concatenated.
    [[nodiscard]] Value own(const Graph& g, const std::string& name, Value x, std::int64_t times) const {
        const std::int64_t width = size / blocks;
        std::vector<tenon::In> out;
        for (std::int64_t time = 0; time < times; ++time) {
            for (std::int64_t block = 0; block < blocks; ++block) {
                const std::string weight =
                    name + ".block" + std::to_string(block) + (times > 1 ? "." + std::to_string(time) : "");
                out.emplace_back(
                    linear(slice(x, block * width, width),
                           g.parameter((weight + ".weight").c_str(), {width, width}, fan_in(size).weight)));
            }
        }
        return concat(out);
    }
};

}  // namespace world
