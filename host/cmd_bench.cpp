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

int bench_objective(const CommandLine& line, const std::string& name) {
    const bool backward = line.has("backward");
    Request request{
        .manifest = benchmark_manifest(name), .overrides = line.texts("set"), .plugins = given_plugin_folders(line)};
    request.overrides.push_back("run.executor=" + (line.has("executor") ? line.text("executor") : "auto"));
    request.overrides.push_back("run.threads=" + std::to_string(line.integer("threads").value_or(1)));
    Problems problems;
    const auto times = benchmark_objective(request, backward, 1.0, problems);
    if (!times) {
        return report(problems);
    }
    if (line.has("json")) {
        std::string text;
        JsonWriter json(text);
        json.begin_object().key("name").text(name).key("executor").text(times->executor);
        json.key("threads").integer(times->threads).key("dtype").text(times->dtype).key("backward").boolean(backward);
        json.key("median_us").number(times->median_us).key("min_us").number(times->min_us);
        json.key("p95_us").number(times->p95_us).end_object();
        std::cout << text << '\n';
    } else {
        std::cout << name << ": " << times->median_us << " us (median; best " << times->min_us << ", 95% within "
                  << times->p95_us << "), " << (backward ? "terms and gradients" : "terms alone") << ", "
                  << times->executor << " executor, " << times->dtype << '\n';
    }
    return kSuccess;
}

}  // namespace

int run_bench(const Arguments& arguments) {
    CommandLine line("tenon bench env COMPONENT | tenon bench objective NAME|MANIFEST [options]",
                     "Measures how many frames an env makes in a second, with actions drawn beforehand, or how long an "
                     "objective takes for one minibatch.");
    add_plugin_options(line);
    line.options()("lanes", integer_value("N"), "env: how many lanes (64)")(
        "threads", integer_value("N"), "how many threads (1)")("backward", "objective: gradients, too")(
        "executor", boost::program_options::value<std::string>()->value_name("NAME"), "objective: auto or reference")(
        "set", boost::program_options::value<std::vector<std::string>>()->value_name("KEY=VALUE"),
        "objective: puts a value over the manifest's; may be repeated")(
        "json",
        "one JSON object of an env: name, lanes, threads, frames_per_s; of an objective: name, executor, threads, "
        "dtype, "
        "backward, median_us, min_us, p95_us");
    line.positional("what", 2);
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    const std::vector<std::string> words = line.texts("what");
    if (words.size() == 2 && words.front() == "env") {
        return bench_env(line, words.back());
    }
    if (words.size() == 2 && words.front() == "objective") {
        return bench_objective(line, words.back());
    }
    return report(
        input_problem("bench wants what to measure and its name: `tenon bench env LIBRARY/COMPONENT` or `tenon bench "
                      "objective NAME`"));
}

}  // namespace tenon::host
