// SPDX-License-Identifier: Apache-2.0
#include "run/sessions/resume.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "base/error/listed.hpp"
#include "config/manifest/document_text.hpp"
#include "config/manifest/pace.hpp"
#include "config/manifest/parse.hpp"
#include "run/start/fingerprints.hpp"
#include "train/checkpoint/store.hpp"

namespace tenon {
namespace {

bool may_differ(std::string_view key) {
    if (key.starts_with("eval.env.") && key.ends_with("name")) {
        return false;  // they are columns of the metric files
    }
    if (key.starts_with("buffer.") && key.ends_with(".prefetch")) {
        return true;  // it changes no result
    }
    constexpr std::array<std::string_view, 10> kKeys = {"run.threads",
                                                        "run.device",
                                                        "run.learn_on",
                                                        "run.jit",
                                                        "run.name",
                                                        "run.total_frames",
                                                        "run.stop_at_episodes",
                                                        "train.total_updates",
                                                        "train.on_not_finite",
                                                        "collector.workers"};
    constexpr std::array<std::string_view, 7> kTables = {
        "eval.", "log.", "checkpoint.", "plugins.search", "validate.", "collector.via", "collector.listen"};
    return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end() ||
           std::any_of(kTables.begin(), kTables.end(), [&](std::string_view table) { return key.starts_with(table); });
}

// Checks that each --change is a key or a table of the run's manifest, before or now.
Status check_known(const std::vector<std::string>& changed, const std::map<std::string, std::string>& old_values,
                   const std::map<std::string, std::string>& new_values) {
    std::vector<std::string_view> keys;
    for (const auto* values : {&old_values, &new_values}) {
        for (const auto& [key, value] : *values) {
            keys.push_back(key);
        }
    }
    for (const std::string& each : changed) {
        const auto names = [&](std::string_view key) { return key == each || key.starts_with(each + "."); };
        if (std::ranges::none_of(keys, names)) {
            return input_problem("--change names '" + each + "', which is no key of the run" + did_you_mean(each, keys),
                                 {}, "write it with its table, as after --set: objective.gamma");
        }
    }
    return {};
}

}  // namespace

std::optional<Document> document_to_resume(const std::filesystem::path& folder, const Request& request,
                                           Problems& problems) {
    const std::filesystem::path manifest = request.manifest.empty() ? folder / "manifest.lock.toml" : request.manifest;
    return read_manifest(manifest.string(), request.overrides, problems);
}

Setup set_up_resumed(const std::filesystem::path& folder, const Request& request,
                     const std::vector<std::string>& changed, Problems& problems) {
    if (!is_done(check_holds_run(folder), problems)) {
        return {};
    }
    const std::optional<Document> document = document_to_resume(folder, request, problems);
    if (!document) {
        return {};
    }
    Request resumed = request;
    resumed.resumed = true;
    resumed.restored = has_checkpoint(folder / "checkpoints");  // otherwise it starts from the beginning
    Setup setup = set_up(*document, resumed, problems);
    if (!problems.empty()) {
        return setup;
    }
    const std::optional<Document> before = read_manifest((folder / "manifest.lock.toml").string(), {}, problems);
    if (!before) {
        return setup;
    }
    const auto check_same = [&]() -> Status {
        TENON_TRY(check_same_components(*setup.wiring, folder, *before));
        TomlTable now = TENON_TRY(parse_toml(resolved_manifest(*setup.wiring), document->place.file));
        TENON_TRY(check_same_run(*before, Document{std::move(now), document->place}, folder, changed));
        return check_same_plugins(*setup.wiring, folder);
    };
    is_done(check_same(), problems);
    return setup;
}

Status check_same_run(const Document& before, const Document& now, const std::filesystem::path& folder,
                      const std::vector<std::string>& changed) {
    const std::map<std::string, std::string> old_values = flatten(before);
    const std::map<std::string, std::string> new_values = flatten(now);
    TENON_TRY(check_known(changed, old_values, new_values));
    std::string differences;
    const auto add = [&](const std::string& key, const std::string& old_text, const std::string& new_text) {
        const bool may_change = std::ranges::any_of(
            changed, [&](const std::string& each) { return key == each || key.starts_with(each + "."); });
        if (!may_differ(key) && !may_change) {
            differences += (differences.empty() ? "" : ", ") + key + " was " + old_text + " and is now " + new_text;
        }
    };
    for (const auto& [key, value] : old_values) {
        const auto found = new_values.find(key);
        if (found == new_values.end() || found->second != value) {
            add(key, value, found == new_values.end() ? "absent" : found->second);
        }
    }
    for (const auto& [key, value] : new_values) {
        if (!old_values.contains(key)) {
            add(key, "absent", value);
        }
    }
    if (differences.empty()) {
        return {};
    }
    return input_problem(
        "the run in " + folder.string() + " cannot be resumed with a different manifest: " + differences, now.place,
        "restore these values, name with --change KEY those that leave networks and storage as they are, or begin a "
        "new run with the old one's weights: --from " +
            folder.string());
}

Status check_length(const RunFolder& folder, const Manifest& now, std::int64_t had) {
    if (run_length(now) >= had) {
        return {};
    }
    Problems problems;
    const std::optional<Document> before = read_manifest(folder.manifest().string(), {}, problems);
    if (!before) {
        return std::move(problems.front());
    }
    const std::string key = length_key(now);
    const std::string length = std::to_string(run_length(now));
    const std::map<std::string, std::string> old_values = flatten(*before);
    const auto given = old_values.find(key);
    if (given != old_values.end() && given->second == length) {
        return {};
    }
    return input_problem(
        "the run in " + folder.path().string() + " has " + counted(had, unit_of(now)) + "; " + key + " is " + length,
        {}, "give a larger " + key + (given == old_values.end() ? "" : "; the run's own is " + given->second));
}

}  // namespace tenon
