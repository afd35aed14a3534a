// SPDX-License-Identifier: Apache-2.0
#include "shared/compare/group_naming.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/data/mapped.hpp"

namespace tenon {
namespace {

constexpr std::size_t kMostKeys = 3;  // in the name of a group

bool is_of_env(std::string_view key) {
    return key.starts_with("env.") || key.starts_with("eval.env.");
}

ManifestValues settings_of(const RunInfo& run) {
    ManifestValues out = run.values;
    std::erase_if(out, [](const auto& each) { return !is_setting(each.first); });
    return out;
}

ManifestValues without_env(ManifestValues values) {
    std::erase_if(values, [](const auto& each) { return is_of_env(each.first); });
    return values;
}

// Whether runs of one task have different envs, so that the comparison is between envs.
bool compares_envs(const std::vector<ManifestValues>& settings, const std::string& task_key) {
    std::map<std::string, ManifestValues> env_of;
    return std::ranges::any_of(settings, [&](const ManifestValues& values) {
        ManifestValues env = values;
        std::erase_if(env, [](const auto& each) { return !is_of_env(each.first); });
        const auto known = env_of.emplace(plain_value(values, task_key), env).first;
        return known->second != env;
    });
}

struct Group {
    RunInfo settings;             // what its runs have in common, and the folder of the first
    std::set<std::string> names;  // of its runs

    [[nodiscard]] std::string name() const { return names.size() == 1 ? *names.begin() : ""; }
};

// Shortens the values in which the groups differ, as in names.
void shorten_values(std::vector<Group>& groups) {
    std::vector<RunInfo> settings;
    std::ranges::transform(groups, std::back_inserter(settings), &Group::settings);
    for (const std::string& key : differing_keys(settings)) {
        std::vector<std::string*> places;
        std::vector<std::string> values;
        for (Group& group : groups) {
            if (const auto found = group.settings.values.find(key); found != group.settings.values.end()) {
                places.push_back(&found->second);
                values.push_back(found->second);
            }
        }
        values = short_values(values);
        for (std::size_t i = 0; i < values.size(); ++i) {
            *places[i] = values[i];
        }
    }
}

// "optimiser.lr=0.01 train.batch=64", or nothing if there are too many keys for a name.
std::string values_text(const Group& group, const std::vector<std::string>& keys) {
    std::string out;
    for (const std::string& key : keys) {
        const std::string value = plain_value(group.settings.values, key);
        out += (out.empty() ? "" : " ") + key + "=" + (value.empty() ? "none" : value);
    }
    return keys.size() > kMostKeys ? "" : out;
}

// The names of the groups: those of the runs if these differ, otherwise the values that differ, otherwise folders.
std::vector<std::string> names_of(std::vector<Group> groups) {
    shorten_values(groups);
    std::map<std::string, std::vector<RunInfo>> of_name;
    std::vector<std::filesystem::path> folders;
    for (const Group& group : groups) {
        of_name[group.name()].push_back(group.settings);
        folders.push_back(group.settings.folder);
    }
    std::vector<std::string> out;
    for (const Group& group : groups) {
        const std::string name = group.name();
        const std::vector<RunInfo>& same = of_name[name];
        if (same.size() == 1 && !name.empty()) {
            out.push_back(name);
            continue;
        }
        const std::string values = values_text(group, differing_keys(same));
        const bool says_something = of_name.size() > 1 && !name.empty();
        out.push_back(values.empty() || !says_something ? values : name + " " + values);
    }
    const bool named = std::ranges::none_of(out, &std::string::empty) &&
                       std::set<std::string>(out.begin(), out.end()).size() == out.size();
    return named ? out : short_names(folders);
}

}  // namespace

bool is_setting(std::string_view key) {
    constexpr std::array<std::string_view, 8> kOthers = {"run.seed",       "run.name",        "run.threads",
                                                         "run.jit",        "eval.video",      "collector.workers",
                                                         "plugins.search", "collector.record"};
    constexpr std::array<std::string_view, 5> kTables = {"log.", "checkpoint.", "validate.", "collector.via",
                                                         "collector.listen"};
    const bool prefetches = key.starts_with("buffer.") && key.ends_with(".prefetch");
    return !prefetches && std::ranges::find(kOthers, key) == kOthers.end() &&
           std::ranges::none_of(kTables, [&](std::string_view table) { return key.starts_with(table); });
}

std::vector<std::string> manifest_groups(const std::vector<const RunInfo*>& runs, const std::string& task_key) {
    auto settings = mapped<ManifestValues>(runs, [&](const RunInfo* run) { return settings_of(*run); });
    if (!compares_envs(settings, task_key)) {
        std::ranges::for_each(settings, [](ManifestValues& values) { values = without_env(std::move(values)); });
    }
    std::map<ManifestValues, std::size_t> group_of;
    std::vector<Group> groups;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto [found, is_new] = group_of.emplace(settings[i], groups.size());
        if (is_new) {
            groups.emplace_back().settings = {.folder = runs[i]->folder, .values = settings[i]};
        }
        groups[found->second].names.insert(plain_value(runs[i]->values, "run.name"));
    }
    const std::vector<std::string> names = names_of(std::move(groups));
    return mapped<std::string>(settings, [&](const ManifestValues& values) { return names[group_of.at(values)]; });
}

}  // namespace tenon
