// SPDX-License-Identifier: Apache-2.0
#include "by_hand.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "compute/graph/draw.hpp"
#include "support/catch.hpp"

namespace tenon::test {
namespace {

double activate(const std::string& name, double x) {
    if (name == "relu") {
        return x > 0 ? x : 0;
    }
    return name == "silu" ? x / (1 + std::exp(-x)) : std::tanh(x);
}

}  // namespace

Vector mlp(const Network& network, const Slab& slab, const Vector& input, const std::string& activation,
           std::size_t member, const std::string& before) {
    Vector x = input;
    for (std::size_t layer = 0;; ++layer) {
        const Parameter* weight = network.layout.find(before + std::to_string(layer) + ".weight");
        const Parameter* bias = network.layout.find(before + std::to_string(layer) + ".bias");
        if (weight == nullptr) {
            return x;
        }
        const auto width = static_cast<std::size_t>(weight->shape[0]);
        REQUIRE(static_cast<std::size_t>(weight->shape[1]) == x.size());
        const double* w = slab.as<double>() + weight->offset + member * width * x.size();
        const double* b = slab.as<double>() + bias->offset + member * width;
        const bool last = before.empty() && network.layout.find(std::to_string(layer + 1) + ".weight") == nullptr;
        Vector y(width);
        for (std::size_t o = 0; o < width; ++o) {
            y[o] = b[o];
            for (std::size_t i = 0; i < x.size(); ++i) {
                y[o] += w[o * x.size() + i] * x[i];
            }
            y[o] = last ? y[o] : activate(activation, y[o]);
        }
        x = y;
    }
}

double smooth_l1(double error) {
    const double size = std::abs(error);
    return size < 1 ? 0.5 * size * size : size - 0.5;
}

Vector log_softmax(const Vector& logits) {
    double total = 0;
    for (const double logit : logits) {
        total += std::exp(logit);
    }
    Vector out = logits;
    for (double& logit : out) {
        logit -= std::log(total);
    }
    return out;
}

double softplus(double x) {
    return std::log1p(std::exp(x));
}

Squashed squash(const Vector& out, const Vector& noise, const Vector& low, const Vector& high) {
    const std::size_t n = low.size();
    Squashed result;
    for (std::size_t i = 0; i < n; ++i) {
        const double scale = std::max(softplus(out[n + i] + std::log(std::expm1(0.99))) + 0.01, 1e-4);
        const double pre = out[i] + scale * noise[i];
        const double t = std::tanh(pre);
        const double half = (high[i] - low[i]) / 2;
        result.action.push_back(low[i] + (t + 1) * half);
        result.log_prob += -0.5 * noise[i] * noise[i] - 0.5 * std::log(2 * std::numbers::pi) - std::log(scale) -
                           std::log(1 - t * t) - std::log(half);
    }
    return result;
}

Vector noise_of(const graph::Graph& graph, std::size_t index, std::uint64_t seed, std::uint64_t counter,
                std::size_t rows, std::size_t width) {
    for (const graph::Node& node : graph.nodes) {
        if (node.op == nullptr || node.op->name != "random_normal" || index-- > 0) {
            continue;
        }
        Vector out(rows * width);
        graph::draw_normal({.key = graph::stream_key(seed, graph, node),
                            .counter = counter,
                            .first_row = 0,
                            .rows = rows,
                            .width = width,
                            .member = 0,
                            .time = 0},
                           out.data());
        return out;
    }
    FAIL("there are fewer random nodes");
    return {};
}

}  // namespace tenon::test
