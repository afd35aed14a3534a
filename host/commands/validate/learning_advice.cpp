// SPDX-License-Identifier: Apache-2.0
// Warnings about the returns and entropies of objectives.
#include <cmath>
#include <cstdint>

#include "base/error/listed.hpp"
#include "commands/validate/advices.hpp"
#include "commands/validate/known_option.hpp"

namespace tenon {
namespace {

constexpr double kLong = 20;         // horizons as long as that many time limits
constexpr double kShort = 40;        // time limits as long as that many horizons
constexpr double kShortSteps = 50;   // steps of a horizon that is short for any task; 100 steps are usual
constexpr double kLeastTarget = -3;  // of the entropy per element: a normal distribution of width 0.01 has that

// The mean over the elements of the largest entropy, that of a uniform distribution; nothing without bounds.
std::optional<double> largest_entropy(const Spec& action) {
    if (action.kind != SpecKind::kBounded) {
        return std::nullopt;
    }
    double sum = 0;
    const auto elements = static_cast<std::size_t>(action.shape.elements());
    for (std::size_t i = 0; i < elements; ++i) {
        sum += std::log(action.high_of(i) - action.low_of(i));
    }
    return elements == 0 || !std::isfinite(sum) ? std::nullopt : std::optional(sum / static_cast<double>(elements));
}

const Spec* action_of(const Composite& specs) {
    const Spec* out = nullptr;
    for (const Spec& spec : specs.specs) {
        if (spec.role == Role::kAction) {
            out = out == nullptr ? &spec : nullptr;
        }
    }
    return out;
}

// Whether returns are sums of the rewards of a whole episode.
bool sums_to_the_end(const Wiring& w, const Part& part) {
    const std::string estimator = text_of(part, "estimator");
    const bool by_lambda = estimator == "gae" || estimator == "td_lambda";
    return estimator == "mc" || (by_lambda && number_of(w, part, "lambda") == 1.0);
}

}  // namespace

void advise_horizon(const Wiring& w, Problems& problems) {
    const auto limit = static_cast<double>(w.episode_limit);
    for (const Part& part : w.parts.objectives) {
        const std::optional<double> gamma = number_of(w, part, "gamma");
        if (!gamma || w.episode_limit == 0 || text_of(part, "estimator") == "mc") {
            continue;
        }
        const double horizon = 1 / (1 - *gamma);  // infinite for 1
        const std::string key = key_of(part, "gamma");
        const std::string looks = *gamma == 1 ? "does not discount" : "looks " + short_number(horizon) + " steps ahead";
        const std::string sentence = key + " = " + short_number(*gamma) + " " + looks + ", but episodes end after " +
                                     short_number(limit) + " steps";
        if (horizon > kLong * limit) {
            problems.push_back(
                input_problem(sentence + ": values are mostly of what comes after a time limit, and grow slowly",
                              place_of(w.manifest, key), "set " + key + " to about " + short_number(1 - 1 / limit)));
        } else if (horizon < kShortSteps && limit > kShort * horizon) {
            problems.push_back(input_problem(sentence + ": rewards that come late do not count",
                                             place_of(w.manifest, key), "set " + key + " to 0.99 or more"));
        }
    }
}

void advise_target_entropy(const Wiring& w, Problems& problems) {
    const Spec* const action = action_of(w.env_specs);
    for (const Part& part : w.parts.objectives) {
        const std::optional<double> target = number_of(w, part, "target_entropy");
        if (!target || action == nullptr) {
            continue;
        }
        const std::string key = key_of(part, "target_entropy");
        const std::string sentence = key + " = " + short_number(*target) + " is per element of the action, which has " +
                                     std::to_string(action->shape.elements()) + ": ";
        const std::optional<double> most = largest_entropy(*action);
        if (most && *target > *most) {
            problems.push_back(input_problem(sentence + "no policy within the action's bounds has more than " +
                                                 short_number(*most) + ", so the temperature grows without end",
                                             place_of(w.manifest, key),
                                             "set " + key + " to a lower value; -1 is usual"));
        } else if (*target < kLeastTarget) {
            problems.push_back(input_problem(sentence + "so low a target leaves no exploration",
                                             place_of(w.manifest, key), "set " + key + " to -1, which is usual"));
        }
    }
}

void advise_short_batch(const Wiring& w, Problems& problems) {
    const std::int64_t steps = w.manifest.train.batch / w.manifest.env.lanes;
    for (const ObjectivePlan& plan : w.objectives) {
        const Part& part = w.parts.objectives[static_cast<std::size_t>(&plan - w.objectives.data())];
        if (!plan.by_batch() || w.manifest.train.episodes || steps >= w.episode_limit || !sums_to_the_end(w, part)) {
            continue;
        }
        problems.push_back(
            input_problem(part.info.name + " sums rewards to the end of an episode, which may take " +
                              counted(w.episode_limit, "step") + ", but a batch has " + counted(steps, "step") +
                              " of a lane: most episodes are cut, and a value estimates the rest of their rewards",
                          place_of(w.manifest, "train.batch"),
                          "set train.episodes, which collects whole episodes, in place of train.batch; or lower " +
                              key_of(part, "lambda")));
    }
}

}  // namespace tenon
