// SPDX-License-Identifier: Apache-2.0
// tenon import: weights of another program as a run.
#include <algorithm>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/log/log.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "commands/import/import_policy.hpp"
#include "commands/import/layouts.hpp"
#include "plugin_options.hpp"
#include "report.hpp"

namespace tenon::host {
namespace {

// Prints one line for each parameter, so that a wrong choice is noticed.
void print(const Taken& taken) {
    for (const TakenTensor& each : taken.tensors) {
        std::cout << each.parameter << " <- " << each.tensor << '\n';
    }
    for (const std::string& network : taken.kept) {
        log(Level::kWarning, "the file has nothing for the network " + network + ": it keeps its initial weights");
    }
    for (const std::string& tensor : taken.unused) {
        log(Level::kWarning, "the tensor " + tensor + " of the file is not used");
    }
}

}  // namespace

int command_import(const Arguments& arguments) {
    CommandLine line(
        "tenon import FILE --manifest MANIFEST --out DIR [options]",
        "Writes a run whose policy has the weights of FILE: a model of Stable-Baselines3 (.zip), a file of\n"
        "torch.save with tensors by name, or safetensors. Nothing in the file is executed.");
    add_plugin_options(line);
    line.options()("manifest", text_value("FILE"), "the manifest whose policy gets the weights")(
        "out", text_value("DIR"), "the folder of the new run")(
        "map", boost::program_options::value<std::vector<std::string>>()->composing()->value_name("FROM=TO"),
        "tensors whose names begin with FROM belong to TO, such as pi.=actor/; repeatable. docs/import.md has the "
        "forms for layers by number, transposed tensors and parts")(
        "layout", text_value("NAME[=NETWORK]"),
        ("names and shapes of a family of models, for the network actor or another one: " + layout_names() +
         ", or a file with a FROM=TO a line")
            .c_str());
    line.positional("file", 1);
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    const std::vector<std::string> words = line.texts("file");
    if (words.empty() || !line.has("manifest") || !line.has("out")) {
        return report(input_problem("import needs a file of weights, --manifest FILE and --out DIR"));
    }
    ImportRequest request{.file = words.front(), .request = {}, .rules = {}, .out = line.text("out")};
    request.request.manifest = line.text("manifest");
    request.request.plugins = given_plugin_folders(line);
    for (const std::string& text : line.texts("map")) {
        Result<NameRule> rule = read_name_rule(text);
        if (!rule) {
            return report(rule.error());
        }
        request.rules.push_back(std::move(*rule));
    }
    if (line.has("layout")) {
        Result<std::vector<NameRule>> rules = rules_of_layout(line.text("layout"));
        if (!rules) {
            return report(rules.error());
        }
        std::ranges::move(*rules, std::back_inserter(request.rules));  // after those of --map, which come first
    }
    Problems problems;
    const std::optional<Taken> taken = import_policy(request, problems);
    if (!taken) {
        return report(problems);
    }
    print(*taken);
    return kSuccess;
}

}  // namespace tenon::host
