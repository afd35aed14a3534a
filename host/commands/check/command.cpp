// SPDX-License-Identifier: Apache-2.0
// tenon check: whether a plugin keeps the contract.
#include <iostream>
#include <string>
#include <vector>

#include "base/file/atomic.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "commands/check/check_output.hpp"
#include "commands/check/check_plugin.hpp"
#include "plugin_options.hpp"
#include "report.hpp"
#include "shared/named_plugin/named_plugin.hpp"

namespace tenon::host {
namespace {

constexpr std::int64_t kLongest = 3600;

}  // namespace

int command_check(const Arguments& arguments) {
    CommandLine line("tenon check FILE | LIBRARY | LIBRARY/COMPONENT [options]",
                     "Tests a plugin against the promises of the headers in tenon/abi/. Each check runs in a "
                     "separate\nprocess: a crash or a hang is one failed check, and the others continue. The exit code "
                     "is 0 if all\nchecks pass, and 3 if one fails.");
    add_plugin_options(line);
    line.options()("component", text_value("NAME"), "check only this component");
    line.options()("only", boost::program_options::value<std::vector<std::string>>()->value_name("TEXT"),
                   "only checks with this in their names, and those that they rest on; may be repeated");
    line.options()("set", boost::program_options::value<std::vector<std::string>>()->value_name("OPTION=VALUE"),
                   "an option of the components that have it; may be repeated");
    line.options()(
        "manifest", text_value("FILE"),
        "for graphs (objectives, policies): a manifest that uses it; the default is one of tenon bench objective");
    line.options()("seed", integer_value("N"), "seed of envs and of the random draws of the checks (0)");
    line.options()("timeout", integer_value("SECONDS"), "time limit of a check (30)");
    line.options()("lanes", integer_value("N"), "of envs, 6 to 11: fewer for one that is slow to make (11)");
    line.options()("junit", text_value("FILE"), "also write the results as JUnit XML");
    line.options()("json", "one JSON object, on the last line");
    line.positional("what", 1);
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    const std::vector<std::string> words = line.texts("what");
    if (words.empty()) {
        return report(input_problem("check needs the file of a plugin, or the name of a plugin or component", {},
                                    "`tenon check build/NAME.so`"));
    }
    const std::int64_t seconds = line.integer("timeout").value_or(30);
    const std::int64_t seed = line.integer("seed").value_or(0);
    const std::int64_t lanes = line.integer("lanes").value_or(kUsualLanes);
    if (seconds < 1 || seconds > kLongest || seed < 0) {
        return report(input_problem("--timeout must be 1 to 3600 and --seed not negative"));
    }
    if (lanes < kFewestLanes || lanes > kUsualLanes) {
        return report(input_problem("--lanes must be 6 to 11"));
    }
    Result<NamedPlugin> named = named_plugin(words.front(), line);
    if (!named) {
        return report(named.error());
    }
    if (line.has("component")) {
        named->component = line.text("component");
    }
    const bool is_json = line.has("json");
    CheckPrinter printer(std::cout);
    CheckRequest request{.file = named->path,
                         .component = named->component,
                         .only = line.texts("only"),
                         .sets = line.texts("set"),
                         .manifest = line.text("manifest"),
                         .plugins = given_plugin_folders(line),
                         .seed = static_cast<std::uint64_t>(seed),
                         .seconds = static_cast<double>(seconds),
                         .lanes = static_cast<std::uint32_t>(lanes)};
    if (!is_json) {
        request.on_row = [&](const CheckRow& row) { printer.row(row); };
    }
    Problems problems;
    const auto list = check_plugin(request, problems);
    if (!list) {
        return report(problems);
    }
    if (is_json) {
        std::cout << check_json(*list) << '\n';
    } else {
        printer.sum(*list);
    }
    if (line.has("junit")) {
        if (Status written = write_file(line.text("junit"), check_junit(*list)); !written) {
            return report(written.error());
        }
    }
    return list->count(CheckOutcome::kFail) == 0 ? kSuccess : static_cast<int>(Fault::kPlugin);
}

}  // namespace tenon::host
