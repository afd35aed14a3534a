// SPDX-License-Identifier: Apache-2.0
// tenon list: which components there are.
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "command_line.hpp"
#include "plugin_options.hpp"
#include "report.hpp"
#include "table.hpp"
#include "tenon/core.hpp"

namespace tenon::host {
namespace {

// The result of loading a usable file for the first time.
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

void print_json(const PluginFile& file, const Standing& standing) {
    for (const ComponentNote& component : file.note->components) {
        std::string line;
        JsonWriter json(line);
        json.begin_object().key("plugin").text(file.library).key("component").text(component.id);
        json.key("kind").text(component.kind).key("version").text(file.note->version);
        json.key("path").text(file.path.string());
        json.key("devices").begin_array();
        for (const std::string& device : component.devices) {
            json.text(device);
        }
        json.end_array().key("quarantine");
        write(json, standing.quarantine);
        write(json.key("refused"), standing.refusal);
        json.end_object();
        std::cout << line << '\n';
    }
}

void add_rows(std::vector<Row>& rows, const PluginFile& file, const Standing& standing) {
    for (const ComponentNote& component : file.note->components) {
        rows.push_back({file.library + "/" + component.id, component.kind, file.note->version,
                        listed(component.devices), file.path.string(), standing.word()});
    }
}

}  // namespace

int run_list(const Arguments& arguments) {
    CommandLine line("tenon list [options]",
                     "Shows every component of every plugin found, without loading any. Files that are not usable "
                     "plugins,\nand those in quarantine because they ended the first process that loaded them, are "
                     "reported on\nstderr, with the reason.");
    add_plugin_options(line);
    line.options()(
        "json", "one JSON object per component: plugin, component, kind, version, path, devices, quarantine, refused")(
        "rescan", "first test every file again in a separate process, and record the results");
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    if (line.has("rescan")) {
        forget_gone();
    }
    const Registry registry = Registry::scan(plugin_folders(line));
    std::vector<Row> rows = {{"COMPONENT", "KIND", "VERSION", "DEVICES", "FILE"}};
    for (const auto& file : registry.files()) {
        if (file->problem) {
            report_as_warning(*file->problem);
            continue;
        }
        const Standing standing = standing_of(*file, line.has("rescan"));
        for (const auto& problem : {standing.quarantine, standing.refusal}) {
            if (problem) {
                report_as_warning(*problem);
            }
        }
        if (line.has("json")) {
            print_json(*file, standing);
        } else {
            add_rows(rows, *file, standing);
        }
    }
    if (!line.has("json")) {
        print_rows(std::cout, rows);
    }
    return report(registry.problems());
}

}  // namespace tenon::host
