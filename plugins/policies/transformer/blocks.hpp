// SPDX-License-Identifier: Apache-2.0
// The blocks of a transformer with normalisation before each part: attention, then two dense layers. Both are added to
// what comes in, or gated as in GTrXL (Parisotto et al. 2019, arXiv 1910.06764, section 3.2).
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "attention.hpp"
#include "tenon/norms.hpp"
#include "tenon/options.hpp"
#include "tenon/transformer.hpp"

namespace transformer {

struct Blocks {
    std::int64_t layers = 2;
    std::int64_t width = 64;
    std::int64_t heads = 4;
    std::int64_t inner = 0;
    std::string activation;
    std::string norm;
    std::string positions;
    std::string gate;
    double gate_bias = 2;

    // x [.., n, width] at positions [.., n]. attend(layer, queries, keys, values) chooses the rows that the queries of
    // a layer see, and is where a cache is read and written.
    template <class Attend>
    Value blocks(const tenon::Graph& g, Value x, Value places, Attend attend) const {
        if (width % heads != 0 || (positions == "rotary" && width / heads % 2 != 0)) {
            throw tenon::InvalidArgument("a width of " + std::to_string(width) + " cannot be split into " +
                                         std::to_string(heads) + " heads of equal" +
                                         (positions == "rotary" ? " and even" : "") + " size");
        }
        for (std::int64_t layer = 0; layer < layers; ++layer) {
            const std::string name = "block" + std::to_string(layer) + ".";
            const Value all = dense(g, name + "qkv", normed(g, name + "norm1", x), 3 * width);
            const auto part = [&](std::int64_t i) { return slice(all, i * width, width); };
            const auto turned = [&](Value of) { return positions == "rotary" ? tenon::rotary(of, places, heads) : of; };
            const Value seen = attend(layer, turned(part(0)), turned(part(1)), part(2));
            x = added(g, name + "gate1", x, dense(g, name + "out", seen, width));
            const Value wide = dense(g, name + "up", normed(g, name + "norm2", x), inner == 0 ? 4 * width : inner);
            x = added(g, name + "gate2", x, dense(g, name + "down", tenon::activate(activation, wide), width));
        }
        return normed(g, "norm", x);
    }

    [[nodiscard]] static Value dense(const tenon::Graph& g, const std::string& name, Value x, std::int64_t size) {
        return tenon::dense(g, name, x, size, tenon::default_init(tenon::last_size(x)));
    }

    static constexpr auto options = std::tuple{
        tenon::option<&Blocks::layers>("layers", 2, "[1,1000]", "number of blocks"),
        tenon::option<&Blocks::width>("width", 64, "[1,1000000]", "size of a token's vector"),
        tenon::option<&Blocks::heads>("heads", 4, "[1,1000]", "heads of the attention, which share the width"),
        tenon::option<&Blocks::inner>("inner", 0, "[0,1000000]",
                                      "size of the layer inside of a block; 0: four times the width"),
        tenon::option<&Blocks::activation>("activation", "silu", tenon::kActivations, "activation inside of a block"),
        tenon::option<&Blocks::norm>("norm", "layer", "layer|rms", "normalisation before each part of a block"),
        tenon::option<&Blocks::gate>("gate", "none", "none|gru",
                                     "how a part's result joins what came in: added, or by the gate of GTrXL"),
        tenon::option<&Blocks::gate_bias>("gate_bias", 2.0, "(-inf,inf)",
                                          "how closed the gates begin, if gate = \"gru\"")};

private:
    [[nodiscard]] Value normed(const tenon::Graph& g, const std::string& name, Value x) const {
        return norm == "layer" ? tenon::layer_norm(g, name, x) : tenon::rms_norm(g, name, x, 1e-5);
    }

    [[nodiscard]] Value added(const tenon::Graph& g, const std::string& name, Value x, Value result) const {
        if (gate == "none") {
            return x + result;
        }
        const Value y = relu(result);
        const auto of = [&](const char* which, Value value) {
            const tenon::Init init = tenon::default_init(width).weight;
            return linear(value, g.parameter((name + "." + which).c_str(), {width, width}, init));
        };
        const Value reset = sigmoid(of("wr", y) + of("ur", x));
        const Value update = sigmoid(of("wz", y) + of("uz", x) - gate_bias);
        return x + update * (tanh(of("wg", y) + of("ug", reset * x)) - x);
    }
};

}  // namespace transformer
