// SPDX-License-Identifier: Apache-2.0
#include "engines/trust/against_body.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "compute/graph/text.hpp"
#include "engines/trust/slopes.hpp"
#include "engines/trust/trial.hpp"

namespace tenon {
namespace {

using graph::NodeId;

// How much outputs near 0 may differ if everything cancels: some roundings of numbers as large as the inputs.
double roundings(const FusedSample& sample, DType real) {
    constexpr double kRoundings = 16;
    double scale = 0;
    for (const std::vector<double>& input : sample.seen) {
        for (const double value : input) {
            scale = std::isfinite(value) ? std::max(scale, std::abs(value)) : scale;
        }
    }
    return kRoundings * scale *
           (real == DType::kF64 ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon());
}

// The elements that differ, relative to the largest one: a number near 0 is often a sum of others that cancel.
std::vector<std::size_t> differing(const std::vector<double>& ours, const std::vector<double>& theirs, double most,
                                   double floor = 0) {
    double scale = 0;
    for (const double value : theirs) {
        scale = std::isfinite(value) ? std::max(scale, std::abs(value)) : scale;
    }
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        const bool both = std::isfinite(ours[i]) && std::isfinite(theirs[i]);
        const bool same = both ? std::abs(ours[i] - theirs[i]) <= std::max(most * (scale + most), floor)
                               : std::isfinite(ours[i]) == std::isfinite(theirs[i]);
        if (!same) {
            out.push_back(i);
        }
    }
    return out;
}

struct Gradients {
    std::size_t input;
    const std::vector<double>& kernel;
    const std::vector<double>& body;
};

// Where the function has a kink, anything between its one-sided slopes is a valid gradient. Only some of many differing
// elements are checked.
Result<std::optional<std::size_t>> wrong_element(Slopes& slopes, const FusedSample& sample, const Gradients& pair,
                                                 DType real) {
    constexpr std::size_t kAsked = 32;
    const std::vector<std::size_t> apart = differing(pair.kernel, pair.body, real == DType::kF64 ? 1e-8 : 1e-3);
    const std::size_t seen = sample.seen[pair.input].size();
    const std::size_t asked = std::min(apart.size(), kAsked);
    for (std::size_t n = 0; n < asked; ++n) {
        const std::size_t e = apart[n * apart.size() / asked];
        if (seen != 1 && seen != pair.kernel.size()) {
            return std::optional(e);  // its gradient is a sum over the dimensions that it is broadcast along
        }
        const Slope slope = TENON_TRY(slopes.at(pair.input, seen == 1 ? 0 : e));
        const double most = slopes.tolerance(real, std::max(std::abs(slope.low), std::abs(slope.high)));
        const bool kink = slope.high - slope.low > most;
        if (!kink || pair.kernel[e] < slope.low - most || pair.kernel[e] > slope.high + most) {
            return std::optional(e);
        }
    }
    return std::optional<std::size_t>();
}

}  // namespace

Status check_body(Executor& executor, const graph::Graph& graph, const FusedSample& sample, Learner& learner,
                  const Sizes& sizes) {
    const NodeId id = sample.use.node;
    const graph::FusedKernel& kernel = graph::kernel_of(graph, graph.nodes[id]);
    const std::optional<Trial> tried = TENON_TRY(try_body(executor, graph, sample, learner, sizes));
    if (!tried) {
        return check_slopes(graph, sample, learner.real);
    }
    const Trial& trial = *tried;
    const bool in_double = learner.real == DType::kF64;
    const double floor = roundings(sample, learner.real);
    for (std::size_t i = 0; i < trial.body.size(); ++i) {
        const std::vector<std::size_t> apart =
            differing(trial.kernel[i], trial.body[i], in_double ? 1e-9 : 1e-4, floor);
        if (!apart.empty()) {
            const std::size_t e = apart.front();
            return graph::problem_at(graph, id,
                                     kernel.component + ": forward of the kernel '" + kernel.name() + "' gives " +
                                         short_text(trial.kernel[i][e]) + " for out[" + std::to_string(i) +
                                         "] at element " + std::to_string(e) + ", but its body " +
                                         short_text(trial.body[i][e]));
        }
    }
    if (!trial.differentiated) {
        return check_slopes(graph, sample, learner.real);
    }
    Slopes slopes(graph, sample);
    for (std::size_t n = 0; n < trial.inputs.size(); ++n) {
        const Gradients pair{trial.inputs[n], trial.kernel_gradients[n], trial.body_gradients[n]};
        const std::optional<std::size_t> wrong = TENON_TRY(wrong_element(slopes, sample, pair, learner.real));
        if (wrong) {
            return graph::problem_at(graph, id,
                                     kernel.component + ": backward of the kernel '" + kernel.name() + "' gives " +
                                         short_text(pair.kernel[*wrong]) + " for in_gradient[" +
                                         std::to_string(pair.input) + "] at element " + std::to_string(*wrong) +
                                         ", but the gradient of its body is " + short_text(pair.body[*wrong]));
        }
    }
    return {};
}

}  // namespace tenon
