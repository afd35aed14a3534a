// SPDX-License-Identifier: Apache-2.0
#include "run/compare/group_names.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace tenon {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostKeys = 3;  // in the name of a group

std::vector<std::string> parts_of(const fs::path& folder) {
    std::error_code code;
    std::vector<std::string> out;
    for (const fs::path& part : fs::absolute(folder, code).lexically_normal()) {
        if (!part.empty() && part != "/") {
            out.push_back(part.string());
        }
    }
    return out;
}

// The shortest end of each path that tells it from the others: "dqn" and "ppo", or "a/dqn" and "b/dqn".
std::vector<std::string> short_names(const std::vector<fs::path>& folders) {
    std::vector<std::vector<std::string>> parts;
    std::size_t longest = 1;
    for (const fs::path& folder : folders) {
        longest = std::max(longest, parts.emplace_back(parts_of(folder)).size());
    }
    std::vector<std::string> out;
    for (std::size_t length = 1; length <= longest; ++length) {
        out.clear();
        for (const std::vector<std::string>& names : parts) {
            std::string name;
            for (std::size_t i = names.size() - std::min(length, names.size()); i < names.size(); ++i) {
                name += (name.empty() ? "" : "/") + names[i];
            }
            out.push_back(name.empty() ? "/" : name);
        }
        if (std::set<std::string>(out.begin(), out.end()).size() == out.size()) {
            break;
        }
    }
    return out;
}

// What the result of a run may depend on, but for its seed.
ManifestValues settings_of(const RunInfo& run) {
    constexpr std::array<std::string_view, 4> kKeys = {"run.seed", "run.name", "run.threads", "plugins.search"};
    ManifestValues out = run.values;
    std::erase_if(out, [&](const auto& each) {
        return std::ranges::find(kKeys, each.first) != kKeys.end() || each.first.starts_with("log.") ||
               each.first.starts_with("checkpoint.");
    });
    return out;
}

// The first run of a group.
struct First {
    const RunInfo* run;
    std::string folder;  // its name
};

// "optimiser.lr=0.01 train.batch=64" for the keys in which the runs differ, or the folder if there are many.
std::string values_text(const First& first, const std::vector<std::string>& keys) {
    std::string out;
    for (const std::string& key : keys) {
        const std::string value = plain_value(first.run->values, key);
        out += (out.empty() ? "" : " ") + key + "=" + (value.empty() ? "none" : value);
    }
    return keys.empty() || keys.size() > kMostKeys ? first.folder : out;
}

std::vector<std::string> names_by_manifest(const std::vector<First>& firsts) {
    std::map<std::string, std::vector<RunInfo>> of_name;
    for (const First& first : firsts) {
        RunInfo bare{.folder = first.run->folder, .values = settings_of(*first.run)};
        of_name[plain_value(first.run->values, "run.name")].push_back(std::move(bare));
    }
    std::vector<std::string> out;
    for (const First& first : firsts) {
        const std::string name = plain_value(first.run->values, "run.name");
        const std::vector<RunInfo>& same_name = of_name[name];
        const bool enough = same_name.size() == 1 && !name.empty();
        const bool common = of_name.size() == 1;  // then the name says nothing
        const std::string values = enough ? "" : values_text(first, differing_keys(same_name));
        out.push_back(enough ? name : (common || name.empty() ? "" : name + " ") + values);
    }
    return out;
}

}  // namespace

std::vector<std::string> group_names(const CompareRequest& request, const std::vector<FoundRun>& runs) {
    const std::vector<std::string> folders = short_names(request.folders);
    std::vector<std::string> out;
    std::map<ManifestValues, std::size_t> group_of;
    std::vector<First> firsts;
    for (const FoundRun& run : runs) {
        const RunInfo& info = run.record.info;
        if (!request.group_by.empty()) {
            out.push_back(plain_value(info.values, request.group_by));
        } else if (!run.given && request.folders.size() > 1) {
            out.push_back(folders[run.folder]);
        } else {
            if (group_of.emplace(settings_of(info), firsts.size()).second) {
                firsts.push_back({.run = &info, .folder = run.given ? folders[run.folder] : info.folder.string()});
            }
            out.emplace_back();
        }
    }
    const std::vector<std::string> names = names_by_manifest(firsts);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (out[i].empty() && request.group_by.empty()) {
            const RunInfo& info = runs[i].record.info;
            const bool alone = firsts.size() == 1 && request.folders.size() == 1;
            out[i] = alone ? folders.front() : names[group_of.at(settings_of(info))];
        }
    }
    return out;
}

}  // namespace tenon
