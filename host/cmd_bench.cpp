// SPDX-License-Identifier: Apache-2.0
// tenon bench: how fast things are.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "command.hpp"
#include "command_line.hpp"
#include "plugin_options.hpp"
#include "report.hpp"
#include "tenon/core.hpp"

namespace tenon::host {
namespace {

int bench_env(const CommandLine& line, const std::string& name) {
    const EnvBenchmarkRequest request{.component = name,
                                      .lanes = line.integer("lanes").value_or(64),
                                      .threads = line.integer("threads").value_or(1),
                                      .plugins = given_plugin_folders(line)};
    if (request.lanes < 1 || request.lanes > 65536 || request.threads < 1 || request.threads > 1024) {
        return report(input_problem("--lanes must be 1 to 65536 and --threads 1 to 1024"));
    }
    Problems problems;
    const auto result = benchmark_env(request, problems);
    if (!result) {
        return report(problems);
    }
    if (line.has("json")) {
        std::string text;
        JsonWriter json(text);
        json.begin_object()
            .key("name")
            .text(name)
            .key("lanes")
            .integer(result->lanes)
            .key("threads")
            .integer(result->threads);
        json.key("frames_per_s").number(result->frames_per_s).end_object();
        std::cout << text << '\n';
    } else {
        std::cout << name << ": " << result->frames_per_s / 1e6 << " million frames/s (" << result->lanes << " lanes, "
                  << result->threads << " thread" << (result->threads == 1 ? "" : "s") << ")\n";
    }
    return kSuccess;
}

}  // namespace

int run_bench(const Arguments& arguments) {
    CommandLine line("tenon bench env COMPONENT [options]",
                     "Measures how many frames an env makes in a second, with actions drawn beforehand.");
    add_plugin_options(line);
    line.options()("lanes", integer_value("N"), "how many lanes (64)")(
        "threads", integer_value("N"), "how many threads (1)")("json",
                                                               "one JSON object: name, lanes, threads, frames_per_s");
    line.positional("what", 2);
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    const std::vector<std::string> words = line.texts("what");
    if (words.size() != 2 || words.front() != "env") {
        return report(input_problem("bench wants what to measure and its name: `tenon bench env LIBRARY/COMPONENT`"));
    }
    return bench_env(line, words.back());
}

}  // namespace tenon::host
