// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/optimisers.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "config/manifest/table_reader.hpp"
#include "config/manifest/tables.hpp"

namespace tenon {
namespace {

struct KeyOfKinds {
    std::string_view key;
    std::array<std::string_view, 4> kinds;
};
// All other keys belong to all kinds.
constexpr KeyOfKinds kOfSome[] = {
    {"beta1", {"adam", "adamw", "lamb"}},
    {"beta2", {"adam", "adamw", "lamb"}},
    {"eps", {"adam", "adamw", "rmsprop", "lamb"}},
    {"alpha", {"rmsprop"}},
    {"momentum", {"sgd", "rmsprop"}},
    {"dampening", {"sgd"}},
    {"nesterov", {"sgd"}},
    {"centered", {"rmsprop"}},
};

// The default of a key, if the kind has it.
std::optional<OptionValue> standard_of(std::string_view kind, std::string_view key) {
    const auto some = std::ranges::find(kOfSome, key, &KeyOfKinds::key);
    if (some != std::end(kOfSome) && std::ranges::find(some->kinds, kind) == some->kinds.end()) {
        return std::nullopt;
    }
    if ((kind == "adamw" || kind == "lamb") && key == "weight_decay") {
        return 0.01;
    }
    if (kind == "lamb" && key == "eps") {
        return 1e-6;
    }
    for (const OptionSchema& schema : table_schema("optimiser").keys) {
        if (schema.name == key) {
            return schema.standard;
        }
    }
    return std::nullopt;
}

// "adam, adamw and rmsprop": the kinds with that key.
std::string kinds_with(std::string_view key) {
    const auto some = std::ranges::find(kOfSome, key, &KeyOfKinds::key);
    std::string out;
    for (std::size_t i = 0; i < some->kinds.size() && !some->kinds[i].empty(); ++i) {
        const bool last = i + 1 == some->kinds.size() || some->kinds[i + 1].empty();
        out.append(i == 0 ? "" : last ? " and " : ", ").append(some->kinds[i]);
    }
    return out;
}

std::string kind_of(const OptimiserTable& table, const OptimiserTable& base) {
    return table.kind.value_or(base.kind.value_or(std::get<std::string>(*standard_of("", "kind"))));
}

std::string not_of(std::string_view key, std::string_view kind) {
    return "it is a key of " + kinds_with(key) + ", but this optimiser is " + std::string(kind);
}

class Completion {
public:
    Completion(Manifest& manifest, Problems& problems) : manifest_(manifest), problems_(problems) {}

    // `inherits(key)`: whether the table may omit the key.
    template <class Inherits>
    void complete(const std::string& path, OptimiserTable& table, Inherits inherits) {
        const std::string kind = kind_of(table, manifest_.optimiser);
        const bool kind_is_known = table.kind || !manifest_.given.contains(path_of(path, "kind"));
        each_field(table, [&]<class T>(std::string_view key, std::optional<T>& field) {
            const std::optional<OptionValue> standard = standard_of(kind, key);
            if (key == "clip_norm" || (!field && inherits(key))) {
                return;
            }
            if (field && !standard && kind_is_known) {
                report(path, key, not_of(key, kind));
            }
            field = field && standard ? field : standard ? std::optional(std::get<T>(*standard)) : std::nullopt;
        });
    }

    void check_nesterov(const std::string& path, const OptimiserTable& table) {
        const auto value = [&](auto field) { return table.*field ? table.*field : manifest_.optimiser.*field; };
        if (!value(&OptimiserTable::nesterov).value_or(false)) {
            return;
        }
        if (value(&OptimiserTable::momentum).value_or(0) <= 0) {
            report(path, "nesterov", "it needs a momentum above 0");
        } else if (value(&OptimiserTable::dampening).value_or(0) != 0) {
            report(path, "nesterov", "it needs a dampening of 0");
        }
    }

private:
    void report(const std::string& table, std::string_view key, const std::string& why) {
        const std::string path = path_of(table, key);
        problems_.push_back(input_problem(path + " cannot be given: " + why, place_of(manifest_, path)));
    }

    Manifest& manifest_;
    Problems& problems_;
};

bool has(const OptimiserTable& table, std::string_view wanted) {
    bool found = false;
    each_field(table, [&](std::string_view key, const auto& field) { found = found || (key == wanted && field); });
    return found;
}

}  // namespace

void complete_optimisers(Manifest& manifest, Problems& problems) {
    Completion completion(manifest, problems);
    const OptimiserTable given = manifest.optimiser;
    OptimiserTable& base = manifest.optimiser;
    completion.complete("optimiser", base, [](std::string_view) { return false; });
    completion.check_nesterov("optimiser", base);
    for (OptimiserStage& stage : manifest.optimiser_stages) {
        const std::string path = path_of("optimiser", stage.name);
        const std::string kind = kind_of(stage.table, base);
        completion.complete(path, stage.table, [&](std::string_view key) {
            return has(base, key) && (has(given, key) || standard_of(kind, key) == standard_of(*base.kind, key));
        });
        if (stage.table.nesterov || stage.table.momentum || stage.table.dampening) {
            completion.check_nesterov(path, stage.table);
        }
    }
}

void complete_target(Manifest& manifest, Problems& problems) {
    TargetTable& target = manifest.target;
    if (target.kind != "hard") {
        return;
    }
    if (manifest.given.contains("target.tau")) {
        problems.push_back(input_problem("target.tau cannot be given: " + why_not_of_kind(manifest, "target", "tau"),
                                         place_of(manifest, "target.tau")));
    }
    target.tau.reset();
}

std::string why_not_of_kind(const Manifest& manifest, std::string_view table, std::string_view key) {
    if (table == "target") {
        return key == "tau" && manifest.target.kind == "hard" ? "it is a key of soft targets, but target.kind is 'hard'"
                                                              : "";
    }
    const OptimiserTable* own = &manifest.optimiser;
    for (const OptimiserStage& stage : manifest.optimiser_stages) {
        if (table == path_of("optimiser", stage.name)) {
            own = &stage.table;
        }
    }
    const std::string kind = kind_of(*own, manifest.optimiser);
    return table.starts_with("optimiser") && !standard_of(kind, key) ? not_of(key, kind) : "";
}

}  // namespace tenon
