// SPDX-License-Identifier: Apache-2.0
#include "engines/trust/slopes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>

#include "compute/graph/text.hpp"
#include "engines/trust/buffers.hpp"

namespace tenon {
namespace {

constexpr std::size_t kTried = 16;  // elements of an input

DType widest(const graph::FusedKernel& kernel) {
    return kernel.takes(true) ? DType::kF64 : DType::kF32;
}

Problem wrong_gradient(const graph::Graph& graph, graph::NodeId node, std::size_t input, std::size_t element,
                       double said, const Slope& slope, DType real) {
    const graph::FusedKernel& kernel = graph::kernel_of(graph, graph.nodes[node]);
    const std::string forward = slope.high - slope.low > 1e-3 * std::abs(slope.high)
                                    ? "between " + short_text(slope.low) + " and " + short_text(slope.high)
                                    : short_text(0.5 * (slope.low + slope.high));
    return graph::problem_at(graph, node,
                             kernel.component + ": backward of the kernel '" + kernel.name() + "' gives " +
                                 short_text(said) + " for in_gradient[" + std::to_string(input) + "] at element " +
                                 std::to_string(element) + (real == DType::kF64 ? "" : ", in float32") +
                                 ", but finite differences of its forward are " + forward);
}

}  // namespace

std::string short_text(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.6g", value);
    return text.data();
}

Slopes::Slopes(const graph::Graph& graph, const FusedSample& sample)
    : kernel_(graph::kernel_of(graph, graph.nodes[sample.use.node])),
      sample_(sample),
      place_(graph::place_of(graph, graph.nodes[sample.use.node].source)),
      real_(widest(kernel_)),
      in_(sample.seen) {}

std::vector<double> Slopes::weights(std::size_t output, std::size_t count) {
    std::vector<double> out(count);
    std::uint64_t state = 0x9E3779B97F4A7C15U * (output + 1);
    for (double& weight : out) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        weight = 0.5 + static_cast<double>(state >> 40U) / static_cast<double>(1U << 24U);
    }
    return out;
}

Result<std::vector<std::vector<double>>> Slopes::outputs() {
    FusedCall call(kernel_, sample_.shapes, real_, place_);
    Buffers in(sample_.shapes.in, real_);
    Buffers out(sample_.shapes.out, real_);
    for (std::size_t i = 0; i < in.count(); ++i) {
        in.fill(i, in_[i]);
        call.set_in(i, in.data(i));
    }
    for (std::size_t i = 0; i < out.count(); ++i) {
        call.set_out(i, out.data(i));
    }
    TENON_TRY(call.forward());
    return out.values();
}

Result<Slope> Slopes::at(std::size_t input, std::size_t element) {
    double& x = in_[input][element];
    const double middle = x;
    const double step = (real_ == DType::kF64 ? 1e-6 : 1e-2) * std::max(1.0, std::abs(middle));
    std::vector<std::vector<std::vector<double>>> made;
    std::vector<double> places;
    for (const double place : {middle - step, middle, middle + step}) {
        x = real_ == DType::kF64 ? place : static_cast<double>(static_cast<float>(place));
        places.push_back(x);
        Result<std::vector<std::vector<double>>> values = outputs();
        if (!values) {
            x = middle;
            return values.error();
        }
        made.push_back(std::move(*values));
    }
    x = middle;
    Slope out;
    for (std::size_t o = 0; o < made[0].size(); ++o) {
        const std::vector<double> weight = weights(o, made[0][o].size());
        for (std::size_t e = 0; e < weight.size(); ++e) {
            out.low += weight[e] * (made[1][o][e] - made[0][o][e]);
            out.high += weight[e] * (made[2][o][e] - made[1][o][e]);
        }
    }
    out.low /= places[1] - places[0];
    out.high /= places[2] - places[1];
    if (!std::isfinite(out.low) || !std::isfinite(out.high)) {
        constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
        return Slope{kUnknown, kUnknown};
    }
    return Slope{std::min(out.low, out.high), std::max(out.low, out.high)};
}

Result<std::vector<std::vector<double>>> Slopes::gradients(DType real) const {
    FusedCall call(kernel_, sample_.shapes, real, place_);
    Buffers in(sample_.shapes.in, real);
    Buffers out(sample_.shapes.out, real);
    Buffers out_gradient(sample_.shapes.out, real);
    Buffers in_gradient(sample_.shapes.in, real);
    for (std::size_t i = 0; i < in.count(); ++i) {
        in.fill(i, sample_.seen[i]);
        call.set_in(i, in.data(i));
        if (sample_.use.wanted[i]) {
            call.set_in_gradient(i, in_gradient.data(i));
        }
    }
    for (std::size_t i = 0; i < out.count(); ++i) {
        call.set_out(i, out.data(i));
    }
    TENON_TRY(call.forward());
    for (std::size_t i = 0; i < out.count(); ++i) {
        out_gradient.fill(i, weights(i, out.size(i)));
        call.set_out_gradient(i, out_gradient.data(i));
    }
    TENON_TRY(call.backward());
    std::vector<std::vector<double>> all = in_gradient.values();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!sample_.use.wanted[i]) {
            all[i].clear();
        }
    }
    return all;
}

double Slopes::tolerance(DType real, double scale) const {
    if (real_ == DType::kF32) {
        return 5e-2 * scale + 1e-3;
    }
    return real == DType::kF64 ? 1e-4 * scale + 1e-8 : 2e-3 * scale + 1e-5;
}

Status check_slopes(const graph::Graph& graph, const FusedSample& sample, DType real) {
    const graph::FusedKernel& kernel = graph::kernel_of(graph, graph.nodes[sample.use.node]);
    Slopes slopes(graph, sample);
    std::vector<DType> computed{widest(kernel)};
    if (real != computed.front()) {
        computed.push_back(real);
    }
    for (std::size_t i = 0; i < sample.use.wanted.size(); ++i) {
        if (!sample.use.wanted[i] || sample.seen[i].empty()) {
            continue;
        }
        const std::size_t count = sample.seen[i].size();
        const std::size_t tried = std::min(count, kTried);
        std::vector<std::size_t> elements;
        std::vector<Slope> found;
        double scale = 0;
        for (std::size_t n = 0; n < tried; ++n) {
            elements.push_back(count <= kTried ? n : (n * (count / kTried) + n) % count);  // from different columns
            Slope slope = TENON_TRY(slopes.at(i, elements.back()));
            scale = slope.is_known() ? std::max({scale, std::abs(slope.low), std::abs(slope.high)}) : scale;
            found.push_back(slope);
        }
        for (const DType each : computed) {
            const std::vector<std::vector<double>> gradients = TENON_TRY(slopes.gradients(each));
            const double most = slopes.tolerance(each, scale);
            for (std::size_t n = 0; n < tried; ++n) {
                const double said = gradients[i][elements[n]];
                const bool fits = said >= found[n].low - most && said <= found[n].high + most;
                if (found[n].is_known() && !fits) {
                    return wrong_gradient(graph, sample.use.node, i, elements[n], said, found[n], each);
                }
            }
        }
    }
    return {};
}

}  // namespace tenon
