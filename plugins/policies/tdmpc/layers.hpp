// SPDX-License-Identifier: Apache-2.0
// The layers of TD-MPC2 (Hansen et al. 2024, arXiv 2310.16828): dense, layer norm, Mish. If the result is a latent
// state, groups of its numbers go through a softmax instead, so that over many steps it neither grows nor collapses.
// Real numbers are learnt as probabilities of the symlog of numbers, from -10 to 10 in even steps.
#pragma once

#include <cstdint>
#include <string>

#include "tenon/heads/action.hpp"
#include "tenon/nets.hpp"
#include "tenon/noisy.hpp"
#include "tenon/norms.hpp"

namespace tdmpc {

using tenon::Graph;
using tenon::Value;

inline Value plain(const Graph& g, const std::string& name, Value x, std::int64_t width, double deviation = 0.02) {
    return tenon::dense(g, name, x, width,
                        {deviation == 0 ? tenon::zeros() : tenon::normal(deviation), tenon::zeros()});
}

// Two hidden layers NAME.0 and NAME.1; the first one has dropout in updates.
inline Value hidden_layers(const Graph& g, const std::string& name, Value x, std::int64_t width, double dropout = 0) {
    for (int i = 0; i < 2; ++i) {
        const std::string layer = name + "." + std::to_string(i);
        const Value out = tenon::dropout(layer, plain(g, layer, x, width), i == 0 ? dropout : 0);
        x = tenon::activate("mish", tenon::layer_norm(g, layer + ".norm", out));
    }
    return x;
}

struct Simplices {
    std::int64_t size;
    std::int64_t each;

    void check() const {
        if (size % each != 0) {
            throw tenon::InvalidArgument("'latent' is " + std::to_string(size) +
                                         ", but must be a multiple of 'simplex', " + std::to_string(each));
        }
    }
    [[nodiscard]] Value out(const Graph& g, const std::string& name, Value x) const {
        const Value normed = tenon::layer_norm(g, name + ".norm", plain(g, name, x, size));
        return reshape(softmax(reshape(normed, {size / each, each})), {size});
    }
};

struct Bins {
    std::int64_t count;

    [[nodiscard]] Value decoded(Value logits) const {
        const Value x = sum(softmax(logits) * places());
        return sign(x) * expm1(abs(x));
    }
    // The cross-entropy with a number, which its two neighbours share by distance.
    [[nodiscard]] Value error(Value logits, Value number) const {
        const Value place = clamp(sign(number) * log1p(abs(number)), -10.0, 10.0);
        const Value share = max(1 - abs(unsqueeze(place) - places()) / step(), 0.0);
        return -sum(share * log_softmax(logits));
    }

private:
    [[nodiscard]] double step() const { return 20.0 / static_cast<double>(count - 1); }
    [[nodiscard]] Value places() const { return tenon::count_up(count) * step() - 10; }
};

// An action as networks read it, between -1 and 1.
inline Value seen(const Graph& g, Value action) {
    const tn_spec* const spec = g.spec("action");
    if (spec == nullptr) {
        return action;
    }
    const tenon::ActionBounds bounds = tenon::finite_bounds_of(*spec, "it learns actions between bounds");
    return (tenon::join({action}) - bounds.low) / bounds.half() - 1;
}

}  // namespace tdmpc
