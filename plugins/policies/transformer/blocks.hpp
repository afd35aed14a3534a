// SPDX-License-Identifier: Apache-2.0
// The blocks of a transformer with normalisation before each part: attention, then two dense layers. Both are added to
// their input, or gated as in GTrXL (Parisotto et al. 2019, arXiv 1910.06764, section 3.2). By its options it is that
// of GPT-2 (gelu_tanh) or of Llama (rms, rotary, silu, glu, no biases).
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "tenon/build.hpp"
#include "tenon/nets.hpp"
#include "tenon/norms.hpp"
#include "tenon/options.hpp"
#include "tenon/transformer.hpp"

namespace transformer {

using tenon::Value;

struct Blocks {
    std::int64_t layers = 2;
    std::int64_t width = 64;
    std::int64_t heads = 4;
    std::int64_t key_heads = 0;  // 0: as many as heads
    std::int64_t inner = 0;
    std::string activation;
    bool glu = false;
    bool biases = true;
    std::string norm;
    double norm_eps = 1e-5;
    std::string positions;
    double rotary_base = 10'000;
    std::string gate;
    double gate_bias = 2;

    // x [.., n, width] at positions [.., n]. attend(layer, queries, keys, values) chooses the rows that the queries of
    // a layer see, and is where a cache is read and written.
    template <class Attend>
    Value blocks(const tenon::Graph& g, Value x, Value places, Attend attend) const {
        check_sizes();
        for (std::int64_t layer = 0; layer < layers; ++layer) {
            const std::string name = "block" + std::to_string(layer) + ".";
            const Value all = affine(g, name + "qkv", normed(g, name + "norm1", x), width + 2 * key_width());
            const auto turned = [&](Value of, std::int64_t count) {
                return positions == "rotary" ? tenon::rotary(of, places, count, rotary_base) : of;
            };
            const Value seen = attend(layer, turned(slice(all, 0, width), heads),
                                      turned(slice(all, width, key_width()), key_width() / (width / heads)),
                                      slice(all, width + key_width(), key_width()));
            x = added(g, name + "gate1", x, affine(g, name + "out", seen, width));
            x = added(g, name + "gate2", x, feed_forward(g, name, normed(g, name + "norm2", x)));
        }
        return normed(g, "norm", x);
    }

    // The size of the keys of a token, and of its values.
    [[nodiscard]] std::int64_t key_width() const { return key_heads == 0 ? width : width / heads * key_heads; }

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
        tenon::option<&Blocks::glu>("glu", false, "",
                                    "whether the activations multiply another dense layer (`gate`); with silu this is "
                                    "Llama's SwiGLU"),
        tenon::option<&Blocks::biases>("biases", true, "", "whether the dense layers of a block have biases"),
        tenon::option<&Blocks::norm>("norm", "layer", "layer|rms", "normalisation before each part of a block"),
        tenon::option<&Blocks::norm_eps>("norm_eps", 1e-5, "(0,1]", "added to the variance that a norm divides by"),
        tenon::option<&Blocks::rotary_base>("rotary_base", 10'000.0, "(1,inf)",
                                            "base of the rotary positions' wavelengths"),
        tenon::option<&Blocks::gate>("gate", "none", "none|gru",
                                     "how a part's result joins what came in: added, or by the gate of GTrXL"),
        tenon::option<&Blocks::gate_bias>("gate_bias", 2.0, "(-inf,inf)",
                                          "how closed the gates begin, if gate = \"gru\"")};

private:
    void check_sizes() const {
        if (width % heads != 0 || (positions == "rotary" && width / heads % 2 != 0)) {
            throw tenon::InvalidArgument("a width of " + std::to_string(width) + " cannot be split into " +
                                         std::to_string(heads) + " heads of equal" +
                                         (positions == "rotary" ? " and even" : "") + " size");
        }
        if (key_heads != 0 && heads % key_heads != 0) {
            throw tenon::InvalidArgument(std::to_string(heads) + " heads cannot share " + std::to_string(key_heads) +
                                         " heads of keys: heads is no multiple of key_heads");
        }
    }

    [[nodiscard]] Value affine(const tenon::Graph& g, const std::string& name, Value x, std::int64_t size) const {
        if (biases) {
            return dense(g, name, x, size);
        }
        const std::int64_t inputs = tenon::last_size(x);
        return linear(x, g.parameter((name + ".weight").c_str(), {size, inputs}, tenon::default_init(inputs).weight));
    }

    [[nodiscard]] Value feed_forward(const tenon::Graph& g, const std::string& name, Value x) const {
        const std::int64_t size = inner == 0 ? 4 * width : inner;
        const Value up = affine(g, name + "up", x, size);
        const Value active = tenon::activate(activation, glu ? affine(g, name + "gate", x, size) : up);
        return affine(g, name + "down", glu ? active * up : active, width);
    }

    [[nodiscard]] Value normed(const tenon::Graph& g, const std::string& name, Value x) const {
        return norm == "layer" ? tenon::layer_norm(g, name, x, norm_eps) : tenon::rms_norm(g, name, x, norm_eps);
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
