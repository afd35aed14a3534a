// SPDX-License-Identifier: Apache-2.0
#include "plugin_options.hpp"

#include <boost/program_options/value_semantic.hpp>
#include <string>

#include "base/data/mapped.hpp"
#include "plugins/plugin/search_path.hpp"

namespace tenon::host {

void add_plugin_options(CommandLine& line) {
    line.options()(
        "plugins", boost::program_options::value<std::vector<std::string>>()->value_name("DIR"),
        "also search for plugins in DIR; they have priority over shipped ones of the same name; may be repeated");
}

std::vector<SearchFolder> given_plugin_folders(const CommandLine& line) {
    return mapped<SearchFolder>(line.texts("plugins"),
                                [&](const std::string& folder) { return SearchFolder{folder, "--plugins", {}}; });
}

std::vector<SearchFolder> plugin_folders(const CommandLine& line) {
    return search_folders(given_plugin_folders(line));
}

}  // namespace tenon::host
