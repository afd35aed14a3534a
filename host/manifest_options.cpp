// SPDX-License-Identifier: Apache-2.0
#include "manifest_options.hpp"

#include <boost/program_options/value_semantic.hpp>
#include <string>
#include <vector>

#include "plugin_options.hpp"

namespace tenon::host {

void add_manifest_options(CommandLine& line) {
    add_plugin_options(line);
    line.options()("set", boost::program_options::value<std::vector<std::string>>()->value_name("KEY=VALUE"),
                   "overrides a value of the manifest, for example objective.gamma=0.98; may be repeated")(
        "seed", integer_value("N"), "short for --set run.seed=N");
    line.positional("manifest", 1);
}

Request manifest_request(const CommandLine& line) {
    Request request{
        .manifest = {}, .overrides = given_by_set(line.texts("set")), .plugins = given_plugin_folders(line)};
    if (const auto words = line.texts("manifest"); !words.empty()) {
        request.manifest = words.front();
    }
    if (const auto seed = line.integer("seed")) {
        request.overrides.push_back({std::to_string(*seed), "--seed", "run.seed"});
    }
    return request;
}

}  // namespace tenon::host
