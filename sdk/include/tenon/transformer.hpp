// SPDX-License-Identifier: Apache-2.0
// Layers of transformers: attention, positions, embeddings and blocks. A sequence is [.., rows, width]; each row has
// the heads next to each other. `attention` itself is an op, which says what its options do (docs/reference/ops.md).
//
//     Value x = embedding(g, "token", tokens, 256, 64);        // [.., rows, 64]
//     x = learnt_positions(g, "position", x, 128);
//     for (int i = 0; i < 2; ++i) {
//         x = transformer_block(g, "block" + std::to_string(i), x, {.heads = 4}, {.causal = true});
//     }
//     x = layer_norm(g, "norm", x);
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <type_traits>
#include <vector>

#include "tenon/build.hpp"
#include "tenon/guard.hpp"
#include "tenon/nets.hpp"
#include "tenon/norms.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct Attending {
    bool causal = false;             // no row attends to later ones
    std::int64_t window = 0;         // causal: only to the last ones up to itself; 0: to all
    std::optional<Value> allowed{};  // bool [.., keys] or [.., rows, keys]; or int [.., rows], the first key
    double scale = 0;                // of the scores; 0: 1 / sqrt(width of a head)
};

inline Value attention(Value query, Value key, Value value, std::int64_t heads, const Attending& options,
                       std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const std::int64_t causal = options.causal ? 1 : 0;
    return options.allowed
               ? attention(query, key, value, *options.allowed, heads, causal, options.window, options.scale)
               : attention(query, key, value, heads, causal, options.window, options.scale);
}

// The rows of the parameter NAME.weight [count, width] at indices: [..] -> [.., width].
inline Value embedding(const Graph& g, const std::string& name, Value index, std::int64_t count, std::int64_t width,
                       Init init = normal(0.02), std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    return take(g.parameter((name + ".weight").c_str(), {count, width}, init), index);
}

// Adds row i of the parameter NAME.weight [longest, width] to row i of x [.., rows, width].
inline Value learnt_positions(const Graph& g, const std::string& name, Value x, std::int64_t longest,
                              Init init = normal(0.02), std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const std::vector<std::int64_t> sizes = sizes_of(x);
    const Value table = g.parameter((name + ".weight").c_str(), {longest, last_size(x)}, init);
    return x + slice(table, 0, sizes.size() < 2 ? 1 : sizes[sizes.size() - 2], -2);
}

// Rotates pairs of elements of each head by an angle that grows with the row's position (Su et al. 2021), so that the
// scores of queries and keys depend on how far they are apart. Apply it to both. x is [.., rows, heads * width],
// position [.., rows]. A pair is an element of a head's first half and one of its second half, as in Llama and
// GPT-NeoX.
inline Value rotary(Value x, Value position, std::int64_t heads, double base = 10'000,
                    std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    if (x.id == 0) {
        return x;  // a poisoned value, whose size of 1 has no halves
    }
    if (heads < 1 || last_size(x) % (2 * heads) != 0) {
        throw InvalidArgument("rotary turns pairs of elements, but " + std::to_string(last_size(x)) +
                              " cannot be split into " + std::to_string(heads) + " heads of equal and even size");
    }
    const std::vector<std::int64_t> sizes = sizes_of(x);
    const std::int64_t width = last_size(x) / heads;
    const std::int64_t half = width / 2;
    std::vector<double> frequencies;
    for (std::int64_t i = 0; i < half; ++i) {
        frequencies.push_back(std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(width)));
    }
    Value frequency = constants(frequencies);
    frequency = half > 1 ? frequency : unsqueeze(frequency);
    const Value angle = unsqueeze(unsqueeze(position) * unsqueeze(frequency, -2), -2);  // [.., rows, 1, half]
    const Value pairs = reshape(x, {sizes[sizes.size() - 2], heads, width});
    const Value first = slice(pairs, 0, half, -1);
    const Value second = slice(pairs, half, half, -1);
    const Value rotated = concat({first * cos(angle) - second * sin(angle), first * sin(angle) + second * cos(angle)});
    return reshape(rotated, {sizes[sizes.size() - 2], heads * width});
}

struct BlockOptions {
    std::int64_t heads = 4;
    std::int64_t hidden = 0;          // width between the two layers after the attention; 0: four times that of x
    std::string activation = "gelu";  // one of kActivations
    bool gated = false;               // the activations multiply a layer of their own: with "silu", Llama's SwiGLU
    bool rms = false;                 // rms_norm instead of layer_norm
};

// Two layers on each row: [.., width] -> [.., width].
inline Value feed_forward(const Graph& g, const std::string& name, Value x, const BlockOptions& options,
                          std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const std::int64_t width = last_size(x);
    const std::int64_t hidden = options.hidden > 0 ? options.hidden : 4 * width;
    Value inner = activate(options.activation, dense(g, name + ".in", x, hidden, default_init(width)));
    if (options.gated) {
        inner = inner * dense(g, name + ".gate", x, hidden, default_init(width));
    }
    return dense(g, name + ".out", inner, width, default_init(hidden));
}

// A block with the norms before its layers: x + attention, then x + feed_forward. `attend(query, key, value)` returns
// the attended rows, as wide as x; it may rotate queries and keys, or read keys and values of earlier steps.
template <class Attend>
Value transformer_block(const Graph& g, const std::string& name, Value x, const BlockOptions& options, Attend attend,
                        std::source_location at = std::source_location::current())
    requires std::is_invocable_r_v<Value, Attend, Value, Value, Value>
{
    const detail::CalledFrom caller(at);
    const std::int64_t width = last_size(x);
    const auto norm = [&](const char* number, Value rows) {
        return options.rms ? rms_norm(g, name + number, rows) : layer_norm(g, name + number, rows);
    };
    const Value rows = norm(".norm0", x);
    const auto layer = [&](const char* layer_name, Value of) {
        return dense(g, name + layer_name, of, width, default_init(width));
    };
    const Value attended = attend(layer(".query", rows), layer(".key", rows), layer(".value", rows));
    x = x + layer(".attended", attended);
    return x + feed_forward(g, name + ".mlp", norm(".norm1", x), options);
}

// The same with attention among the rows of x.
inline Value transformer_block(const Graph& g, const std::string& name, Value x, const BlockOptions& options,
                               const Attending& attending = {},
                               std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    return transformer_block(g, name, x, options, [&](Value query, Value key, Value value) {
        return attention(query, key, value, options.heads, attending);
    });
}

}  // namespace TENON_SDK
}  // namespace tenon
