// SPDX-License-Identifier: Apache-2.0
// tenon inspect: what a plugin says about itself. Nothing of it is loaded or run.
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>

#include "command.hpp"
#include "command_line.hpp"
#include "note_output.hpp"
#include "plugin_options.hpp"
#include "report.hpp"
#include "tenon/core.hpp"

namespace tenon::host {
namespace {

bool names_a_file(std::string_view word) {
    std::error_code code;
    return word.substr(0, 1) == "/" || word.substr(0, 1) == "." ||
           (word.size() > 3 && word.substr(word.size() - 3) == ".so") || std::filesystem::is_regular_file(word, code);
}

Result<ShownPlugin> look_up(const std::string& word, const CommandLine& line) {
    if (names_a_file(word)) {
        const Result<Note> note = read_note(word);
        if (const Status named = note ? check_file_name(word, *note) : Status(); !named) {
            report_as_warning(named.error());  // no manifest can name it, whatever is shown here
        }
        return note ? Result<ShownPlugin>(ShownPlugin{word, {}, *note}) : note.error();
    }
    const Registry registry = Registry::scan(plugin_folders(line));
    if (!registry.problems().empty()) {
        return registry.problems().front();
    }
    if (word.find('/') == std::string::npos) {
        const auto file = registry.find_library(word);
        return file ? Result<ShownPlugin>(ShownPlugin{(*file)->path, {}, *(*file)->note}) : file.error();
    }
    const Result<ComponentInfo> info = registry.find(word);
    if (!info) {
        return info.error();
    }
    ShownPlugin shown{info->plugin->path, {}, *info->plugin->note};
    shown.note.components = {*info->note};
    return shown;
}

}  // namespace

int run_inspect(const Arguments& arguments) {
    CommandLine line(
        "tenon inspect FILE | LIBRARY | LIBRARY/COMPONENT [options]",
        "Shows version, components and every option of a plugin. Reads its note only: no code of it runs.");
    add_plugin_options(line);
    line.options()("json", "one JSON object");
    line.positional("what", 1);
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    const std::vector<std::string> words = line.texts("what");
    if (words.empty()) {
        return report(input_problem("inspect wants the name of a plugin, a component or a file", {},
                                    "`tenon list` shows what there is"));
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
