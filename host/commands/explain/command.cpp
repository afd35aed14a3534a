// SPDX-License-Identifier: Apache-2.0
// tenon explain: wires everything, runs nothing, and shows the result.
#include <iostream>

#include "command.hpp"
#include "command_line.hpp"
#include "commands/explain/explain.hpp"
#include "commands/explain/explain_output.hpp"
#include "report.hpp"
#include "shared/presets/manifest_options.hpp"

namespace tenon::host {

int command_explain(const Arguments& arguments) {
    CommandLine line(
        "tenon explain MANIFEST|ALGORITHM ENV [options]",
        "Shows the wiring of a manifest without running it: columns with their writers, readers and "
        "sizes,\nbuffers, networks and the sizes between filters, stages, schedules, hooks, the loop and its memory.");
    add_manifest_options(line);
    line.options()("json",
                   "one JSON object: columns, buffers, stand_ins, categories, networks, layers, stages, schedules, "
                   "hooks, loop, memory");
    line.options()("graph", text_value("PROGRAM"),
                   "print this program (act, mode, update, ...) instead, one line per node");
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    Problems problems;
    const Setup setup = set_up_whole(manifest_request(line, problems), "explain", problems);
    if (!problems.empty()) {
        return report(problems);
    }
    if (line.has("graph")) {
        const Result<std::string> text = graph_text(*setup.wiring, line.text("graph"));
        if (!text) {
            return report(text.error());
        }
        std::cout << *text;
        return kSuccess;
    }
    const Explanation explanation = explain(*setup.wiring, setup.running);
    line.has("json") ? print_explanation_as_json(std::cout, explanation) : print_explanation(std::cout, explanation);
    return kSuccess;
}

}  // namespace tenon::host
