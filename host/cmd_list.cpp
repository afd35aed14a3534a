// SPDX-License-Identifier: Apache-2.0
// tenon list: which components there are.
#include <iostream>
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

void print_json(const PluginFile& file) {
    for (const ComponentNote& component : file.note->components) {
        std::string line;
        JsonWriter json(line);
        json.begin_object().key("plugin").text(file.library).key("component").text(component.id);
        json.key("kind").text(component.kind).key("version").text(file.note->version);
        json.key("path").text(file.path.string()).end_object();
        std::cout << line << '\n';
    }
}

}  // namespace

int run_list(const Arguments& arguments) {
    CommandLine line(
        "tenon list [options]",
        "Shows every component of every plugin that is found, without loading any. Files that are no usable\n"
        "plugins are named on stderr, with the reason.");
    add_plugin_options(line);
    line.options()("json", "one JSON object a component: plugin, component, kind, version, path");
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    const Registry registry = Registry::scan(plugin_folders(line));
    std::vector<Row> rows = {{"COMPONENT", "KIND", "VERSION", "FILE"}};
    for (const auto& file : registry.files()) {
        if (file->problem) {
            report_as_warning(*file->problem);
        } else if (line.has("json")) {
            print_json(*file);
        } else {
            for (const ComponentNote& component : file->note->components) {
                rows.push_back(
                    {file->library + "/" + component.id, component.kind, file->note->version, file->path.string()});
            }
        }
    }
    if (!line.has("json")) {
        print_rows(std::cout, rows);
    }
    return report(registry.problems());
}

}  // namespace tenon::host
