// SPDX-License-Identifier: Apache-2.0
// tenon inspect: what a plugin says about itself, without loading or running it.
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "base/error/problem.hpp"
#include "base/error/result.hpp"
#include "base/file/sha256.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "commands/inspect/note_output.hpp"
#include "plugin_options.hpp"
#include "plugins/plugin/note.hpp"
#include "plugins/plugin/scan.hpp"
#include "report.hpp"
#include "shared/named_plugin/named_plugin.hpp"

namespace tenon::host {
namespace {

Result<ShownPlugin> look_up(const std::string& word, const CommandLine& line) {
    const NamedPlugin named = TENON_TRY(named_plugin(word, line));
    Note note = TENON_TRY(read_note(named.path));
    if (const Status suits = check_file_name(named.path, note); !suits) {
        report_as_warning(suits.error());  // no manifest can refer to it
    }
    if (!named.component.empty()) {
        std::erase_if(note.components, [&](const ComponentNote& component) { return component.id != named.component; });
    }
    return ShownPlugin{named.path, {}, std::move(note)};
}

}  // namespace

int command_inspect(const Arguments& arguments) {
    CommandLine line("tenon inspect FILE | LIBRARY | LIBRARY/COMPONENT [options]",
                     "Shows the version, components and all options of a plugin. It reads only the plugin's note and "
                     "runs\nnone of its code.");
    add_plugin_options(line);
    line.options()("json", "one JSON object");
    line.positional("what", 1);
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    const std::vector<std::string> words = line.texts("what");
    if (words.empty()) {
        return report(input_problem("inspect needs the name of a plugin or component, or a file", {},
                                    "`tenon list` shows all components"));
    }
    Result<ShownPlugin> plugin = look_up(words.front(), line);
    if (!plugin) {
        return report(plugin.error());
    }
    const Result<std::string> hash = sha256_of_file(plugin->path);
    if (!hash) {
        return report(hash.error());
    }
    plugin->sha256 = *hash;
    line.has("json") ? print_note_as_json(std::cout, *plugin) : print_note(std::cout, *plugin);
    return kSuccess;
}

}  // namespace tenon::host
