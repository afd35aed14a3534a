// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

#include "base/error/listed.hpp"
#include "shared/compare/group_naming.hpp"
#include "shared/compare/grouping.hpp"
#include "shared/history/natural_order.hpp"

namespace tenon {
namespace {

struct Natural {
    bool operator()(const std::string& a, const std::string& b) const { return natural_less(a, b); }
};
using Values = std::set<std::string, Natural>;  // of one group; a run without the key has none

struct OfKey {
    std::vector<Values> values;     // of each group
    std::vector<std::size_t> runs;  // of each group, the runs that have it
};

std::map<std::string, OfKey> values_by_key(const std::vector<ComparedGroup>& groups) {
    std::map<std::string, OfKey> out;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        for (const ComparedRun& run : groups[i].runs) {
            for (const auto& [key, value] : run.record.info.values) {
                OfKey& of = out[key];
                of.values.resize(groups.size());
                of.runs.resize(groups.size());
                of.values[i].insert(plain_value(run.record.info.values, key));
                ++of.runs[i];
            }
        }
    }
    return out;
}

}  // namespace

std::vector<ValueDifference> differences_of(const std::vector<ComparedGroup>& groups) {
    std::vector<std::size_t> runs;
    for (const ComparedGroup& group : groups) {
        runs.push_back(group.runs.size());
    }
    std::vector<ValueDifference> out;
    for (const auto& [key, of] : values_by_key(groups)) {
        const bool same = std::ranges::all_of(of.values, [&](const Values& values) { return values == of.values[0]; });
        if (same || key == "run.name") {
            continue;
        }
        ValueDifference& difference =
            out.emplace_back(ValueDifference{.key = key, .values = {}, .everywhere = of.runs == runs});
        for (const Values& values : of.values) {
            difference.values.push_back(listed(values));
        }
    }
    return out;
}

void note_mixed_groups(const std::vector<ComparedGroup>& groups, std::size_t tasks, std::vector<std::string>& notes) {
    for (const ComparedGroup& group : groups) {
        std::set<std::string> mixed;
        for (std::size_t task = 0; task < tasks; ++task) {
            std::vector<RunInfo> runs;
            for (const ComparedRun& run : group.runs) {
                if (run.task == task) {
                    runs.push_back(run.record.info);
                }
            }
            for (const std::string& key : differing_keys(runs)) {
                mixed.insert(key);
            }
        }
        mixed.erase("run.seed");
        mixed.erase("run.name");
        if (!mixed.empty() && mixed.size() <= 6) {
            notes.push_back("the runs of " + group.name + " differ not only in their seeds: " + listed(mixed));
        } else if (!mixed.empty()) {
            notes.push_back("the runs of " + group.name + " differ in " + std::to_string(mixed.size()) +
                            " values of their manifests besides their seeds; --group-by KEY groups them by one");
        }
    }
}

void note_repeated_seeds(const std::vector<ComparedGroup>& groups, std::vector<std::string>& notes) {
    for (const ComparedGroup& group : groups) {
        std::set<ManifestValues> seen;
        std::vector<std::string> repeated;
        for (const ComparedRun& run : group.runs) {
            ManifestValues values = run.record.info.values;
            std::erase_if(values, [](const auto& each) { return each.first != "run.seed" && !is_setting(each.first); });
            if (!seen.insert(std::move(values)).second) {
                repeated.push_back(run.record.info.folder.string());
            }
        }
        if (!repeated.empty()) {
            notes.push_back(group.name + " has several runs of one seed (" + listed(repeated) +
                            (repeated.size() == 1 ? " repeats one" : " repeat others") +
                            "); each counts, so its intervals are too narrow: leave out or delete all but one");
        }
    }
}

}  // namespace tenon
