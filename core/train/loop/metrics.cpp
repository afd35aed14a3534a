// SPDX-License-Identifier: Apache-2.0
#include "train/loop/metrics.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "base/error/listed.hpp"
#include "compute/exec/exchange.hpp"
#include "compute/graph/metric_names.hpp"
#include "folder/records/metric_names.hpp"
#include "train/loop/trainer.hpp"
#include "train/plan/evaluations.hpp"
#include "train/plan/ring_storage.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

namespace {

constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

class MetricList {
public:
    template <class Read>
    void add(std::string_view name, Read read) {
        metrics.push_back({std::string(name), [read](const Moment& at) { return static_cast<double>(read(at)); }});
    }
    template <class Read>
    void add_late(std::string_view name, Read read) {
        add(name, read);
        metrics.back().late = true;
    }

    std::vector<Metric> metrics;
};

std::string below_train(std::string_view name, std::string_view of = {}) {
    return std::string(metric::kTrain).append(name).append(of);
}

void add_progress(MetricList& list, const std::vector<std::string>& groups) {
    const auto mean_of = [](const Moment& at, double (Episodes::*mean)() const) {
        const Episodes& episodes = at.trainer->source().episodes();
        return episodes.finished() > 0 ? (episodes.*mean)() : kNotMeasured;
    };
    list.add_late(metric::kFrames, [](const Moment& at) { return at.frames; });
    list.add(metric::kEpisodes, [](const Moment& at) { return at.trainer->source().episodes().finished(); });
    list.add(metric::kEpisodeReturnMean, [=](const Moment& at) { return mean_of(at, &Episodes::mean_return); });
    for (std::size_t i = 0; i < groups.size(); ++i) {
        list.add("rollout/" + groups[i] + "/ep_rew_mean", [i](const Moment& at) {
            const Episodes& episodes = at.trainer->source().episodes_of_groups()[i];
            return episodes.finished() > 0 ? episodes.mean_return() : kNotMeasured;
        });
    }
    list.add(metric::kEpisodeLengthMean, [=](const Moment& at) { return mean_of(at, &Episodes::mean_length); });
}

// The name of a live value in the records; `below`: by what changes it.
std::string live_name(const char* below, const std::string& option) {
    if (option == "optimiser.lr") {
        return below_train(metric::kLearningRate);
    }
    return option == "exploration.epsilon" ? std::string(metric::kExplorationRate) : below + option;
}

void add_live(MetricList& list, const LivePlan& live) {
    const auto value = [](std::uint32_t index) {
        return [index](const Moment& at) { return at.trainer->numbers().live[index]; };
    };
    for (const Schedule& schedule : live.schedules) {
        list.add(live_name("schedule/", live.names[schedule.index]), value(schedule.index));
    }
    for (const MovedOption& option : live.moved) {
        list.add(live_name("live/", option.name), value(option.index));
    }
}

void add_collecting(MetricList& list, const Wiring& wiring) {
    if (storage_kind(wiring).packs_rows()) {
        list.add(metric::kBufferBytes,
                 [](const Moment& at) { return at.trainer->source().experience().backing().packed_bytes(); });
    }
    if (wiring.acts_by_version()) {
        list.add(metric::kPolicyLag, [](const Moment& at) { return at.trainer->progress().versions.behind; });
    }
    if (wiring.manifest.parameter_noise) {
        list.add(metric::kParameterNoise,
                 [](const Moment& at) { return at.trainer->parameter_noise()->sigma(at.trainer->numbers()); });
        list.add(metric::kParameterNoiseDistance,
                 [](const Moment& at) { return at.trainer->parameter_noise()->distance(); });
    }
}

double value_of(const Mean& mean, const Moment& at) {
    return at.newest ? mean.newest : mean.value();
}

void add_unit(MetricList& list, const ObjectivePlan& plan, std::size_t unit) {
    const std::string of = plan.name.empty() ? "" : plan.name + "/";
    const auto add_means = [&](std::string_view below, const auto& named, auto name, auto means) {
        for (std::size_t i = 0; i < named.size(); ++i) {
            list.add(below_train(of + std::string(below), std::invoke(name, named[i])),
                     [=](const Moment& at) { return value_of((at.trainer->units()[unit].means().*means)[i], at); });
        }
    };
    list.add(below_train(of, metric::kLoss), [unit](const Moment& at) {
        double sum = 0;
        for (const Mean& mean : at.trainer->units()[unit].means().losses) {
            sum += value_of(mean, at);
        }
        return sum;
    });
    add_means(metric::kLossOf, plan.update.graph.losses, &graph::Loss::name, &UpdateMeans::losses);
    add_means("", metrics_of(plan), std::identity(), &UpdateMeans::metrics);
    add_means(metric::kGradNormOf, plan.update.graph.stages, &graph::Stage::name, &UpdateMeans::gradient_norms);
}

void add_learning(MetricList& list, const Wiring& wiring) {
    if (wiring.learns()) {
        const bool leaves_out = wiring.manifest.train.on_not_finite == "leave_out";
        list.add_late(below_train(metric::kUpdates), [](const Moment& at) { return at.updates; });
        list.add(below_train(metric::kLeftOut), [leaves_out](const Moment& at) {
            return leaves_out ? static_cast<double>(at.trainer->standing().left_out) : kNotMeasured;
        });
    }
    for (std::size_t unit = 0; unit < wiring.objectives.size(); ++unit) {
        add_unit(list, wiring.objectives[unit], unit);
    }
}

// Always, so that a resumed run with other [eval] settings has the same columns.
void add_scores(MetricList& list, const Wiring& wiring) {
    const std::vector<std::string> names = score_names(wiring.manifest, wiring.rewarded);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string prefix = "eval/" + names[i] + (names[i].empty() ? "" : "/");
        const auto add = [&](std::string_view own, double Score::* value) {
            list.add_late(prefix + std::string(own), [i, value](const Moment& at) {
                return at.scores.empty() ? kNotMeasured : at.scores[i].*value;
            });
        };
        add(metric::kEvalReturnMean, &Score::return_mean);
        add(metric::kEvalReturnStd, &Score::return_std);
        add(metric::kEvalLengthMean, &Score::length_mean);
    }
}

void add_hooks(MetricList& list, const Wiring& wiring) {
    std::size_t which = 0;
    for (const HookPlan& hook : wiring.hooks) {
        for (const std::string& name : hook.metrics) {
            list.add(name, [which](const Moment& at) { return at.trainer->hooks().reported()[which]; });
            ++which;
        }
    }
}

MetricList measured(const Wiring& wiring) {
    MetricList list;
    add_progress(list, wiring.rewarded);
    add_live(list, wiring.live);
    add_collecting(list, wiring);
    add_learning(list, wiring);
    add_scores(list, wiring);
    add_hooks(list, wiring);
    return list;
}

}  // namespace

std::vector<Metric> measured_metrics(const Wiring& wiring) {
    return measured(wiring).metrics;
}

std::vector<Metric> recorded_metrics(const Wiring& wiring, bool of_shards) {
    MetricList list = measured(wiring);
    list.add(metric::kFramesPerSecond, [](const Moment& at) { return at.per_second; });
    list.add(metric::kSeconds, [](const Moment& at) { return at.seconds; });
    const auto add_time = [&](std::string_view name, auto member) {
        list.add(name, [=](const Moment& at) {
            const Exchange* const exchange = at.trainer->exchange();
            return exchange == nullptr ? kNotMeasured : static_cast<double>(exchange->times().*member);
        });
    };
    if (of_shards) {
        add_time(metric::kExchange, &ExchangeTimes::exchange_s);
        add_time(metric::kWait, &ExchangeTimes::wait_s);
        add_time(metric::kSlowest, &ExchangeTimes::slowest);
    }
    for (std::size_t work = 0; wiring.manifest.log.profile && work < kWorks; ++work) {
        list.add(std::string(metric::kTime).append(name_of(static_cast<Work>(work))),
                 [work](const Moment& at) { return at.works[work]; });
    }
    return std::move(list.metrics);
}

namespace {

void check_read_metrics(const HookPlan& hook, const std::vector<std::string>& names, Problems& problems) {
    const std::vector<std::string_view> known(names.begin(), names.end());
    for (const std::string& name : hook.reads) {
        if (name.starts_with(metric::kTime)) {
            problems.push_back(hook_problem(hook, "reads the metric '" + name + "', which differs between equal runs"));
        } else if (std::ranges::find(names, name) == names.end()) {
            const std::string suggestion = did_you_mean(name, known);
            problems.push_back(
                hook_problem(hook, "reads the metric '" + name + "', which this run does not have" + suggestion));
            problems.back().help = suggestion.empty() ? "it has: " + listed(known) : "";
        }
    }
}

void check_own_metrics(const HookPlan& hook, const std::vector<std::string>& names, Problems& problems) {
    for (const std::string& name : hook.metrics) {
        if (std::ranges::count(names, name) > 1) {
            problems.push_back(
                hook_problem(hook, "has the metric '" + name + "', and another hook has one of the same name"));
            problems.back().help = "give the hooks different names: name = \"...\"";
        }
    }
}

}  // namespace

void check_hook_metrics(const Wiring& wiring, Problems& problems) {
    std::vector<std::string> names;
    std::ranges::transform(recorded_metrics(wiring), std::back_inserter(names), &Metric::name);
    for (const HookPlan& hook : wiring.hooks) {
        check_read_metrics(hook, names, problems);
        check_own_metrics(hook, names, problems);
    }
}

}  // namespace tenon
