// SPDX-License-Identifier: Apache-2.0
#include "run/sessions/return_watch.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/data/key.hpp"
#include "config/manifest/pace.hpp"
#include "train/plan/wiring_learning.hpp"

namespace tenon {
namespace {

constexpr std::size_t kNewest = 30;   // episodes of training that the evaluated policy may have played
constexpr std::int64_t kFewest = 10;  // episodes of training and of an evaluation, for a comparison
constexpr std::int64_t kFewestFirst = 20;
constexpr std::int64_t kFewestLast = 50;
constexpr double kEarly = 0.2;  // part of a run in which little is learnt
constexpr double kFar = 4;      // standard errors
constexpr double kChance = 2;   // the same
constexpr double kLuck = 3;     // the same, for the best of several evaluations

// The mean and spread of the newest `most` episodes.
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

// How many standard errors the mean of `one` is above that of `other` (Welch's t).
double difference(const Score& one, const Score& other) {
    const double above = one.return_mean - other.return_mean;
    return above == 0 ? 0 : above / std::sqrt(squared_error(one) + squared_error(other));
}

// Whether both groups of episodes have the same mean and spread, as far as chance allows. Learning between them changes
// one or the other.
bool is_alike(const Score& one, const Score& other) {
    const auto [less, more] = std::minmax(one.return_std, other.return_std);
    return std::abs(difference(one, other)) <= kChance && more <= 2 * less;
}

bool is_far_above(const Score& one, const Score& other) {
    const double spread = std::sqrt((one.return_std * one.return_std + other.return_std * other.return_std) / 2);
    return one.episodes >= kFewest && other.episodes >= kFewest && difference(one, other) > kFar &&
           one.return_mean - other.return_mean > spread;
}

bool is_env_option(const std::string& path) {
    return path.starts_with("env.");
}

// Whether the policy draws its actions at random.
bool draws(const Wiring& w) {
    const auto is_random = [](const graph::Node& node) { return node.op != nullptr && node.op->random; };
    return w.learns() && w.explorations.empty() && !w.manifest.parameter_noise &&
           std::ranges::any_of(w.act.graph.nodes, is_random);
}

// Whether an objective reads a reward of the env, or a column that is made of it while rows are gathered.
bool learns_from_rewards(const Wiring& w) {
    const auto is_wanted = [&](const BufferPlan* buffer, const std::string& key) {
        return learning_wants(w, buffer, key) || learning_wants(w, buffer, next_key(key));
    };
    return std::ranges::any_of(w.env_specs.specs, [&](const Spec& spec) {
        const auto from = [&](const BufferPlan& buffer) { return is_wanted(&buffer, spec.key); };
        return spec.role == Role::kReward && (is_wanted(nullptr, spec.key) || std::ranges::any_of(w.buffers, from));
    });
}

// Whether a policy without skill learns a task that stays the same, from the env's own rewards. Otherwise equal returns
// mean nothing: a policy that plays against itself, in turns or in a group, may have the same returns however good it
// becomes.
bool learns_anew(const Wiring& w) {
    const Manifest& m = w.manifest;
    const bool has_frames = std::ranges::any_of(
        m.buffers, [](const BufferTable& buffer) { return !buffer.init.empty() || !buffer.collects; });
    const bool has_weights =
        std::ranges::any_of(m.policies, [](const PolicyTable& policy) { return !policy.init.empty(); });
    const bool moves = std::ranges::any_of(m.schedules, is_env_option, &ScheduleTable::option) ||
                       std::ranges::any_of(w.hooks, [](const HookPlan& hook) {
                           return std::ranges::any_of(hook.options, is_env_option);
                       });
    return w.learns() && !only_learns(m) && !has_frames && !has_weights && m.columns.empty() && !moves &&
           w.groups.empty() && w.env_specs.find("turn") == nullptr && learns_from_rewards(w);
}

}  // namespace

ActingFacts acting_facts(const Wiring& wiring) {
    const EvalTable& eval = wiring.manifest.eval;
    return {.draws = draws(wiring) && eval.actions != "sample" && eval.envs.empty(),
            .explores = !wiring.explorations.empty() || wiring.manifest.parameter_noise,
            .learns_anew = learns_anew(wiring)};
}

// The first episodes are those before the first update. If these are too few, later ones are added, as long as they end
// early in the run.
void ReturnWatch::collected(const Episodes& episodes, std::int64_t updates, double progress) {
    const bool has_updated = std::exchange(updates_, updates) > 0;
    if (has_first_ || !facts_.learns_anew || episodes.finished() == seen_) {
        return;
    }
    if (has_updated && progress > kEarly) {
        facts_.learns_anew = false;
        return;
    }
    first_ = newest_returns(episodes, Episodes::kWindow, returns_);
    seen_ = episodes.finished();
    has_first_ = updates > 0 && first_.episodes >= kFewestFirst;
}

void ReturnWatch::evaluated(const Score& score, const Episodes& episodes) {
    evaluated_ = {.training = newest_returns(episodes, kNewest, returns_), .other = score};
    behind_ = is_far_above(evaluated_->training, score) ? behind_ + 1 : 0;
}

std::optional<ReturnPair> ReturnWatch::drawn_is_better() const {
    return facts_.draws && behind_ >= 2 ? evaluated_ : std::nullopt;
}

std::optional<ReturnPair> ReturnWatch::not_learnt(const Episodes& episodes, std::optional<double> best) const {
    std::vector<double> returns;
    const Score last = newest_returns(episodes, episodes.finished() - seen_, returns);
    if (!facts_.learns_anew || !has_first_ || last.episodes < kFewestLast || !is_alike(last, first_)) {
        return std::nullopt;
    }
    if (evaluated_) {
        const Score& score = evaluated_->other;
        const double error = std::sqrt(squared_error(first_) + std::max(squared_error(score), squared_error(first_)));
        if (!(difference(score, first_) <= kChance) ||
            !(best.value_or(score.return_mean) - first_.return_mean <= kLuck * error)) {
            return std::nullopt;
        }
    } else if (facts_.explores) {
        return std::nullopt;  // exploration may hide what was learnt
    }
    return ReturnPair{.training = last, .other = first_};
}

}  // namespace tenon
