// SPDX-License-Identifier: Apache-2.0
#include "train/plan/metric_names.hpp"

#include "base/profile/profile.hpp"
#include "compute/graph/metric_names.hpp"
#include "folder/records/metric_names.hpp"
#include "train/plan/evaluations.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

std::string below_train(std::string_view name, std::string_view of = {}) {
    return std::string(metric::kTrain).append(name).append(of);
}

// The name of a live value in the records; `below`: by what changes it.
std::string live_name(const char* below, const std::string& option) {
    if (option == "optimiser.lr") {
        return below_train(metric::kLearningRate);
    }
    return option == "exploration.epsilon" ? std::string(metric::kExplorationRate) : below + option;
}

}  // namespace

std::vector<std::string> measured_names(const Wiring& wiring) {
    std::vector<std::string> names;
    for (const auto name :
         {metric::kFrames, metric::kEpisodes, metric::kEpisodeReturnMean, metric::kEpisodeLengthMean}) {
        names.emplace_back(name);
    }
    for (const Schedule& schedule : wiring.live.schedules) {
        names.push_back(live_name("schedule/", wiring.live.names[schedule.index]));
    }
    for (const MovedOption& option : wiring.live.moved) {
        names.push_back(live_name("live/", option.name));
    }
    if (const BufferTable* const buffer = collecting_buffer(wiring.manifest);
        buffer != nullptr && buffer->storage == "compressed") {
        names.emplace_back(metric::kBufferBytes);
    }
    if (wiring.acts_by_version()) {
        names.emplace_back(metric::kPolicyLag);
    }
    if (wiring.manifest.parameter_noise) {
        names.emplace_back(metric::kParameterNoise);
        names.emplace_back(metric::kParameterNoiseDistance);
    }
    if (wiring.learns()) {
        names.push_back(below_train(metric::kUpdates));
        names.push_back(below_train(metric::kLeftOut));
    }
    for (const ObjectivePlan& plan : wiring.objectives) {
        const graph::Graph& graph = plan.update.graph;
        const std::string of = plan.name.empty() ? "" : plan.name + "/";
        const auto add = [&](std::string_view name, std::string_view what = {}) {
            names.push_back(below_train(of + std::string(name), what));
        };
        add(metric::kLoss);
        for (const graph::Loss& loss : graph.losses) {
            add(metric::kLossOf, loss.name);
        }
        for (const std::string& name : metrics_of(plan)) {
            add(name);
        }
        for (const graph::Stage& stage : graph.stages) {
            add(metric::kGradNormOf, stage.name);
        }
    }
    // always, so that a resumed run with other [eval] settings has the same columns
    for (const std::string& name : score_names(wiring.manifest)) {
        const std::string prefix = "eval/" + name + (name.empty() ? "" : "/");
        for (const auto own : {metric::kEvalReturnMean, metric::kEvalReturnStd, metric::kEvalLengthMean}) {
            names.push_back(prefix + std::string(own));
        }
    }
    for (const HookPlan& hook : wiring.hooks) {
        names.insert(names.end(), hook.metrics.begin(), hook.metrics.end());
    }
    return names;
}

std::vector<std::string> metric_names(const Wiring& wiring) {
    std::vector<std::string> names = measured_names(wiring);
    names.emplace_back(metric::kFramesPerSecond);
    names.emplace_back(metric::kSeconds);
    for (std::size_t work = 0; wiring.manifest.log.profile && work < kWorks; ++work) {
        names.push_back(std::string(metric::kTime).append(name_of(static_cast<Work>(work))));
    }
    return names;
}

}  // namespace tenon
