// SPDX-License-Identifier: Apache-2.0
#include "train/plan/evaluations.hpp"

#include <algorithm>
#include <utility>

#include "base/data/mapped.hpp"
#include "base/error/listed.hpp"
#include "experience/env/summed_reward.hpp"
#include "train/plan/env_lanes.hpp"

namespace tenon {
namespace {

// The columns that the policy reads and writes, without the bounds of observations, because a harder env may have wider
// ones.
Composite seen_by_policy(const Composite& specs) {
    Composite out;
    for (Spec spec : specs.specs) {
        if (spec.role == Role::kObservation && spec.kind == SpecKind::kBounded) {
            spec.kind = SpecKind::kUnbounded;
            spec.low.clear();
            spec.high.clear();
        }
        if (spec.role == Role::kObservation || spec.role == Role::kAction) {
            out.specs.push_back(std::move(spec));
        }
    }
    return out;
}

// The metrics of groups are those of all evaluations.
void check_groups(const Wiring& wiring, const Lanes& lanes, std::size_t which, Problems& problems) {
    const EvalEnvTable& table = wiring.manifest.eval.envs[which];
    const std::vector<std::string_view> groups = groups_with_rewards(lanes.env_info().specs);
    if (!std::ranges::equal(groups, wiring.rewarded)) {
        const auto text = [](const auto& list) {
            return list.empty() ? std::string("no several groups") : listed(list);
        };
        problems.push_back(input_problem("the evaluation in " + lanes.name() + " has rewards of " + text(groups) +
                                             ", but the training has rewards of " + text(wiring.rewarded) +
                                             "; both need rewards of the same groups",
                                         table.component.ref.place));
    }
    if (std::ranges::find(wiring.rewarded, table.name.value_or("")) != wiring.rewarded.end()) {
        problems.push_back(input_problem("the evaluation '" + *table.name +
                                             "' has the name of a group of agents, whose returns have metrics of that "
                                             "name; give it another name",
                                         place_of(wiring.manifest, table.component.path + ".name")));
    }
}

void check_video(const Manifest& manifest, const Lanes& lanes, Problems& problems) {
    if (manifest.eval.video && !is_done(lanes.pictures(), problems)) {
        problems.back().also.push_back(place_of(manifest, "eval.video"));
    }
}

}  // namespace

std::vector<std::string> evaluation_names(const Manifest& manifest) {
    const auto out =
        mapped<std::string>(manifest.eval.envs, [&](const EvalEnvTable& env) { return env.name.value_or(""); });
    return out.empty() ? std::vector<std::string>{""} : out;
}

const std::vector<TaskTable>& evaluation_tasks(const Manifest& manifest, std::size_t which) {
    return manifest.eval.envs.empty() ? manifest.env.tasks : manifest.eval.envs[which].tasks;
}

std::vector<std::string> score_names(const Manifest& manifest, std::span<const std::string> groups) {
    std::vector<std::string> out;
    const std::vector<std::string> envs = evaluation_names(manifest);
    for (std::size_t i = 0; i < envs.size(); ++i) {
        const std::string prefix = envs[i] + (envs[i].empty() ? "" : "/");
        out.push_back(envs[i]);
        for (const TaskTable& task : evaluation_tasks(manifest, i)) {
            out.push_back(prefix + *task.name);
        }
        for (const std::string& group : groups) {
            out.push_back(prefix + group);
        }
    }
    return out;
}

std::optional<Scored> find_scored(const Manifest& manifest, const std::string& name) {
    const std::vector<std::string> names = score_names(manifest);
    const auto found = name.empty() ? names.begin() : std::ranges::find(names, name);
    auto left = static_cast<std::size_t>(found - names.begin());
    for (std::size_t which = 0; found != names.end(); ++which) {
        const std::size_t tasks = evaluation_tasks(manifest, which).size();
        if (left <= tasks) {
            return Scored{.which = which, .task = left == 0 ? std::nullopt : std::optional(left - 1)};
        }
        left -= tasks + 1;
    }
    return std::nullopt;
}

std::uint32_t evaluation_lanes(const Manifest& manifest, std::size_t which, std::int64_t episodes, std::size_t parts) {
    std::int64_t wanted = manifest.eval.lanes.value_or(episodes);
    if (!manifest.eval.envs.empty()) {
        wanted = manifest.eval.envs[which].lanes.value_or(wanted);
    }
    wanted = std::max(wanted, static_cast<std::int64_t>(parts));
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(wanted, 1, episodes));
}

std::int64_t longest_evaluated(const Manifest& manifest, std::int64_t episode_limit) {
    constexpr std::int64_t kHalfAnHourOfAtari = 27'000;  // the longest usual episodes without a declared limit
    return manifest.eval.max_steps.value_or(episode_limit == 0 ? kHalfAnHourOfAtari : 0);
}

Result<Lanes> make_evaluation_env(const Wiring& wiring, std::size_t which, std::span<const std::uint32_t> lanes,
                                  std::uint64_t seed, Pool& pool) {
    const Parts& parts = wiring.parts;
    const bool own = !parts.evaluations.empty();
    const EnvParts& env = own ? parts.evaluations[which] : parts.training;
    Lanes out = TENON_TRY(make_lanes(env, wiring.live, lanes, seed, "eval/", pool));
    TENON_TRY(sum_returns(out, wiring.manifest));
    return out;
}

void check_evaluations(const Wiring& wiring, const Lanes& training, Pool& pool, Problems& problems) {
    for (std::size_t i = 0; i < wiring.parts.evaluations.size(); ++i) {
        const std::vector<std::uint32_t> one_each(std::max<std::size_t>(wiring.parts.evaluations[i].tasks.size(), 1),
                                                  1);
        Result<Lanes> lanes = make_evaluation_env(wiring, i, one_each, wiring.seed(), pool);
        if (!is_done(lanes, problems)) {
            continue;
        }
        const std::string text = difference(seen_by_policy(wiring.env_specs), "the training",
                                            seen_by_policy(lanes->specs()), "the evaluation");
        if (!text.empty()) {
            problems.push_back(input_problem("the policy cannot be evaluated in " + lanes->name() + ": column " + text,
                                             wiring.manifest.eval.envs[i].component.ref.place));
            problems.back().also.push_back(wiring.manifest.env.component.ref.place);
            continue;
        }
        check_groups(wiring, *lanes, i, problems);
        if (is_done(lanes->follow(training), problems) && i == 0) {
            check_video(wiring.manifest, *lanes, problems);
        }
    }
    if (wiring.parts.evaluations.empty()) {
        check_video(wiring.manifest, training, problems);
    }
}

}  // namespace tenon
