// SPDX-License-Identifier: Apache-2.0
#include "run/sessions/return_watch.hpp"

#include <algorithm>
#include <cmath>

namespace tenon {
namespace {

constexpr std::size_t kNewest = 30;   // episodes that the policy of an evaluation may have played
constexpr std::int64_t kFewest = 10;  // of training and of an evaluation, to tell them apart
constexpr double kFar = 4;            // standard errors

// Of the newest `most` episodes.
Score newest_returns(const Episodes& episodes, std::uint64_t most, std::vector<double>& returns) {
    returns.clear();
    std::int64_t steps = 0;
    const std::uint64_t count = std::min({most, episodes.finished(), std::uint64_t{Episodes::kWindow}});
    for (std::size_t i = 0; i < count; ++i) {
        returns.push_back(episodes.newest(i).total);
        steps += episodes.newest(i).length;
    }
    return score_of(returns, steps);
}

double squared_error(const Score& score) {
    return score.return_std * score.return_std / static_cast<double>(std::max<std::int64_t>(score.episodes - 1, 1));
}

// By how many standard errors the mean of one is above that of the other (Welch's t).
double difference(const Score& one, const Score& other) {
    const double above = one.return_mean - other.return_mean;
    return above == 0 ? 0 : above / std::sqrt(squared_error(one) + squared_error(other));
}

bool is_far_above(const Score& one, const Score& other) {
    const double spread = std::sqrt((one.return_std * one.return_std + other.return_std * other.return_std) / 2);
    return one.episodes >= kFewest && other.episodes >= kFewest && difference(one, other) > kFar &&
           one.return_mean - other.return_mean > spread;
}

// Whether the policy acts by numbers that it draws itself.
bool draws(const Wiring& w) {
    const auto is_random = [](const graph::Node& node) { return node.op != nullptr && node.op->random; };
    return w.learns() && !w.exploration && !w.manifest.parameter_noise &&
           std::ranges::any_of(w.act.graph.nodes, is_random);
}

}  // namespace

ActingFacts acting_facts(const Wiring& wiring) {
    const EvalTable& eval = wiring.manifest.eval;
    return {.draws = draws(wiring) && eval.actions != "sample" && eval.envs.empty()};
}

void ReturnWatch::evaluated(const Score& score, const Episodes& episodes) {
    evaluated_ = {.training = newest_returns(episodes, kNewest, returns_), .other = score};
    behind_ = is_far_above(evaluated_->training, score) ? behind_ + 1 : 0;
}

std::optional<ReturnPair> ReturnWatch::drawn_is_better() const {
    return facts_.draws && behind_ >= 2 ? evaluated_ : std::nullopt;
}

}  // namespace tenon
