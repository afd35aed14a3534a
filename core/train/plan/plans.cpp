// SPDX-License-Identifier: Apache-2.0
#include "train/plan/plans.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>

#include "config/manifest/tables.hpp"
#include "train/plan/schedules.hpp"

namespace tenon {
namespace {

std::optional<double> number_called(std::string_view key, const OptimiserTable& table) {
    std::optional<double> out;
    each_field(table, [&](std::string_view name, const auto& field) {
        if constexpr (std::is_same_v<decltype(field), const std::optional<double>&>) {
            out = name == key ? field : out;
        }
    });
    return out;
}

const OptimiserStage* stage_of(const Manifest& manifest, std::string_view name) {
    const auto found = std::ranges::find(manifest.optimiser_stages, name, &OptimiserStage::name);
    return found == manifest.optimiser_stages.end() ? nullptr : &*found;
}

// The value of a key in the stage's optimiser table; without a stage, in [optimiser].
template <class T>
std::optional<T> value_of(const Manifest& manifest, const OptimiserStage* stage,
                          std::optional<T> OptimiserTable::* field) {
    return stage != nullptr && stage->table.*field ? stage->table.*field : manifest.optimiser.*field;
}

bool moves(const LivePlan& live, std::uint32_t index) {
    return std::ranges::find(live.schedules, index, &Schedule::index) != live.schedules.end() ||
           live.is_moved(live.names[index]);
}

}  // namespace

bool is_of_host(std::string_view option) {
    return option.starts_with("optimiser.") || option.starts_with("target.") || option.starts_with("parameter_noise.");
}

void check_host_schedule(const Manifest& manifest, const ScheduleTable& schedule, Problems& problems) {
    const std::size_t dot = schedule.option.rfind('.');
    const std::string key = schedule.option.substr(dot + 1);
    const std::string table = schedule.option.substr(0, dot);
    double own = manifest.target.tau.value_or(0);
    if (table == "parameter_noise" && manifest.parameter_noise) {
        own = key == "sigma" ? manifest.parameter_noise->sigma : manifest.parameter_noise->target;
    }
    if (table.starts_with("optimiser")) {
        const std::size_t stage = table.find('.');
        own = number_called(key, manifest.optimiser).value_or(0);
        if (const OptimiserStage* of =
                stage == std::string::npos ? nullptr : stage_of(manifest, table.substr(stage + 1))) {
            own = number_called(key, of->table).value_or(own);
        }
    }
    for (const OptionSchema& option : table_schema(table.starts_with("optimiser") ? "optimiser" : table).keys) {
        if (option.name == key) {
            check_schedule(manifest, schedule, option, own, problems);
        }
    }
}

OptimiserPlan add_optimiser(LivePlan& live, const Manifest& manifest, std::string_view objective,
                            std::string_view stage) {
    const std::string inner =
        objective.empty() ? std::string(stage) : std::string(objective) + "." + std::string(stage);
    const OptimiserStage* own = stage_of(manifest, inner);
    own = own == nullptr && !objective.empty() ? stage_of(manifest, objective) : own;
    const auto add = [&](const char* key, std::optional<double> OptimiserTable::* field) {
        const std::string path = "optimiser." + (own == nullptr ? "" : own->name + ".") + key;
        const bool is_own =
            own != nullptr && (own->table.*field || schedule_of(manifest, path) != nullptr || live.is_moved(path));
        return add_scheduled(live, manifest, is_own ? path : std::string("optimiser.") + key,
                             value_of(manifest, own, field).value_or(0));
    };
    const auto flag = [&](std::optional<bool> OptimiserTable::* field) {
        return value_of(manifest, own, field).value_or(false);
    };
    const auto kept = [&](std::uint32_t index) { return live.values[index] != 0 || moves(live, index); };
    using Table = OptimiserTable;
    OptimiserPlan out{.rule = {}, .clip_norm = manifest.train.clip_norm.value_or(0)};
    if (own != nullptr && own->table.clip_norm) {
        out.clip_norm = *own->table.clip_norm;
    }
    const std::string kind = value_of(manifest, own, &Table::kind).value_or("adam");
    const std::uint32_t lr = add("lr", &Table::lr);
    const std::uint32_t weight_decay = add("weight_decay", &Table::weight_decay);
    if (kind == "sgd") {
        const std::uint32_t momentum = add("momentum", &Table::momentum);
        out.rule = SgdPlan{.lr = lr,
                           .momentum = momentum,
                           .dampening = add("dampening", &Table::dampening),
                           .weight_decay = weight_decay,
                           .nesterov = flag(&Table::nesterov),
                           .keeps_momentum = kept(momentum)};
    } else if (kind == "rmsprop") {
        const std::uint32_t momentum = add("momentum", &Table::momentum);
        out.rule = RmspropPlan{.lr = lr,
                               .alpha = add("alpha", &Table::alpha),
                               .eps = add("eps", &Table::eps),
                               .momentum = momentum,
                               .weight_decay = weight_decay,
                               .centered = flag(&Table::centered),
                               .keeps_momentum = kept(momentum)};
    } else if (kind == "lamb") {
        out.rule = LambPlan{.lr = lr,
                            .beta1 = add("beta1", &Table::beta1),
                            .beta2 = add("beta2", &Table::beta2),
                            .eps = add("eps", &Table::eps),
                            .weight_decay = weight_decay};
    } else {
        out.rule = AdamPlan{.lr = lr,
                            .beta1 = add("beta1", &Table::beta1),
                            .beta2 = add("beta2", &Table::beta2),
                            .eps = add("eps", &Table::eps),
                            .weight_decay = weight_decay,
                            .decoupled = kind == "adamw"};
    }
    return out;
}

TargetPlan add_target(LivePlan& live, const Manifest& manifest) {
    const bool soft = manifest.target.kind == "soft";
    return TargetPlan{.soft = soft,
                      .tau = soft ? add_scheduled(live, manifest, "target.tau", manifest.target.tau.value_or(0)) : 0,
                      .every = manifest.target.every.value_or(soft ? 1 : 1000)};
}

std::int64_t reference_every(const Manifest& manifest, std::string_view role) {
    const auto policy = std::ranges::find(manifest.policies, role, &PolicyTable::name);
    return policy == manifest.policies.end() || !policy->reference ? 0 : policy->reference->every;
}

}  // namespace tenon
