// SPDX-License-Identifier: Apache-2.0
// tenon list: the available components.
#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error/listed.hpp"
#include "base/error/problem.hpp"
#include "base/error/result.hpp"
#include "base/json/write.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "engines/quarantine/gate.hpp"
#include "engines/quarantine/known.hpp"
#include "plugin_options.hpp"
#include "plugins/plugin/component.hpp"
#include "plugins/plugin/note.hpp"
#include "plugins/plugin/registry.hpp"
#include "report.hpp"
#include "table.hpp"

namespace tenon::host {
namespace {

constexpr std::size_t kFew = 24;  // if a library has more components of one kind, they share a row

// The result of loading a file in a separate process for the first time.
struct Standing {
    std::optional<Problem> quarantine;
    std::optional<Problem> refusal;  // if it was tried: another reason why it would not be loaded

    [[nodiscard]] std::string word() const { return quarantine ? "in quarantine" : refusal ? "refused" : ""; }
};

Standing standing_of(const PluginFile& file, bool rescan) {
    Standing out;
    const Status tried = rescan ? try_again(file) : Status();
    out.quarantine = quarantine_of(file);
    if (!tried && !out.quarantine) {
        out.refusal = tried.error();
    }
    return out;
}

void write(JsonWriter& json, const std::optional<Problem>& problem) {
    problem ? json.text(problem->sentence) : json.null();
}

struct Listed {
    const PluginFile* file;
    const ComponentNote* component;
    const Standing* standing;

    [[nodiscard]] std::string name() const { return file->library + "/" + component->id; }

    // What distinguishes it from most others.
    [[nodiscard]] std::string remark() const {
        const std::string where = file->in_place_of.empty() ? "" : "in place of " + file->in_place_of.string();
        std::string out = component->example ? "an example" : "";
        for (const std::string& more : {where, standing->word()}) {
            out += (out.empty() || more.empty() ? "" : ", ") + more;
        }
        return out;
    }
};

void print_json(const Listed& each) {
    std::string line;
    JsonWriter json(line);
    json.begin_object().key("plugin").text(each.file->library).key("component").text(each.component->id);
    json.key("kind").text(each.component->kind).key("version").text(each.file->note->version);
    json.key("path").text(each.file->path.string());
    json.key("devices").begin_array();
    for (const std::string& device : each.component->devices) {
        json.text(device);
    }
    json.end_array().key("quarantine");
    write(json, each.standing->quarantine);
    write(json.key("refused"), each.standing->refusal);
    json.key("in_place_of");
    each.file->in_place_of.empty() ? json.null() : json.text(each.file->in_place_of.string());
    json.end_object();
    std::cout << line << '\n';
}

// Kinds in the order in which a run meets them; others follow.
std::size_t place_of(std::string_view kind) {
    constexpr auto kKinds = std::to_array<std::string_view>(
        {"env", "wrapper", "transform", "policy", "buffer", "objective", "hook", "dataset"});
    return static_cast<std::size_t>(std::ranges::find(kKinds, kind) - kKinds.begin());
}

bool is_meant(const Listed& each, const std::vector<std::string>& words) {
    return words.empty() || std::ranges::any_of(words, [&](const std::string& word) {
               const std::size_t slash = word.find('/');
               const bool of_library = each.file->answers_to(std::string_view(word).substr(0, slash));
               return each.component->kind == word ||
                      (of_library &&
                       (slash == std::string::npos || each.component->id.starts_with(word.substr(slash + 1))));
           });
}

Problem none_meant(const std::vector<Listed>& all, const std::vector<std::string>& words) {
    std::set<std::string_view> names;
    for (const Listed& each : all) {
        names.insert({each.component->kind, each.file->library});
    }
    const std::string& word = words.front();
    return input_problem(
        "no component is of the kind or library '" + word + "'" + did_you_mean(word, {names.begin(), names.end()}), {},
        "kinds and libraries: " + listed(names));
}

// The rows, by kind. Unless the command has words, all components of a large library share one row, after the others of
// their kind.
std::vector<Row> rows_of(const std::vector<Listed>& all, bool whole) {
    std::map<std::pair<std::string_view, std::string_view>, std::size_t> counts;  // by kind and library
    for (const Listed& each : all) {
        ++counts[{each.component->kind, each.file->library}];
    }
    std::map<std::pair<std::size_t, bool>, std::vector<const Listed*>> groups;  // by place of the kind, whether large
    for (const Listed& each : all) {
        const bool large = !whole && counts[{each.component->kind, each.file->library}] > kFew;
        groups[{place_of(each.component->kind), large}].push_back(&each);
    }
    std::vector<Row> rows = {{"COMPONENT", "KIND", "DEVICES", "WHAT IT IS"}};
    for (const auto& [key, group] : groups) {
        const bool large = key.second;
        for (const Listed* const each : group) {
            const ComponentNote& component = *each->component;
            const std::string& library = each->file->library;
            if (!large) {
                rows.push_back(
                    {each->name(), component.kind, listed(component.devices), component.help, each->remark()});
            } else if (rows.back().front() != library + "/*") {
                const std::size_t count = counts[{component.kind, library}];
                rows.push_back({library + "/*", component.kind, "",
                                std::to_string(count) + " components: tenon list " + library, each->remark()});
            }
        }
    }
    return rows;
}

}  // namespace

int command_list(const Arguments& arguments) {
    CommandLine line("tenon list [KIND | LIBRARY | LIBRARY/BEGINNING]... [options]",
                     "Shows the components of all plugins found, without loading any: those of a kind (env, policy, "
                     "...), of a\nlibrary, or whose names begin so. Without words it shows all, but of a large library "
                     "only how many.\n`tenon inspect` shows the options of one. Files that are not usable plugins, and "
                     "those in quarantine\nbecause they ended the first process that loaded them, are reported on "
                     "stderr, with the reason.");
    add_plugin_options(line);
    line.options()(
        "json",
        "one JSON object per component: plugin, component, kind, version, path, devices, quarantine, refused, "
        "in_place_of")("rescan", "first test every file again in a separate process, and record the results");
    line.positional("words", -1);
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    if (line.has("rescan")) {
        forget_gone();
    }
    const std::vector<std::string> words = line.texts("words");
    const Registry registry = Registry::scan(plugin_folders(line));
    std::deque<Standing> standings;
    std::vector<Listed> all;
    for (const auto& file : registry.files()) {
        if (file->problem) {
            report_as_warning(*file->problem);
            continue;
        }
        const Standing& standing = standings.emplace_back(standing_of(*file, line.has("rescan")));
        for (const auto& problem : {standing.quarantine, standing.refusal}) {
            if (problem) {
                report_as_warning(*problem);
            }
        }
        for (const ComponentNote& component : file->note->components) {
            all.push_back({.file = file.get(), .component = &component, .standing = &standing});
        }
    }
    std::vector<Listed> meant;
    std::ranges::copy_if(all, std::back_inserter(meant), [&](const Listed& each) { return is_meant(each, words); });
    if (meant.empty() && !words.empty()) {
        Problems problems = registry.problems();  // a missing folder may be the reason
        problems.push_back(none_meant(all, words));
        return report(problems);
    }
    if (line.has("json")) {
        std::ranges::for_each(meant, print_json);
    } else {
        print_rows(std::cout, rows_of(meant, !words.empty()));
    }
    return report(registry.problems());
}

}  // namespace tenon::host
