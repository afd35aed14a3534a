// SPDX-License-Identifier: Apache-2.0
// tenon sweep: trials of a manifest, and the best of them.
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

#include "command.hpp"
#include "command_line.hpp"
#include "commands/sweep/sweep.hpp"
#include "commands/sweep/sweep_file.hpp"
#include "commands/sweep/sweep_output.hpp"
#include "plugin_options.hpp"
#include "report.hpp"
#include "shared/seeds/launch_options.hpp"

namespace tenon::host {
namespace {

// Failed trials are reported, but are part of a search: only if all have failed, the exit code is theirs.
int end_of(const Sweep& sweep, const std::filesystem::path& out) {
    int code = kSuccess;
    for (const SweepTrial& trial : sweep.journal) {
        if (!trial.error.empty()) {
            const std::string number = std::to_string(trial.number);
            report_as_warning(input_problem("trial " + number + ": " + trial.error, {},
                                            "its logs are in " + (out / ("trial-" + number)).string()));
            code = code == kSuccess ? (trial.code != 0 ? trial.code : static_cast<int>(Fault::kInput)) : code;
        }
    }
    if (sweep.stopped) {
        std::cerr << "stopped; the same command goes on\n";
    }
    return sweep.best >= 0 ? kSuccess : code;
}

}  // namespace

int command_sweep(const Arguments& arguments) {
    CommandLine line(
        "tenon sweep SWEEP.toml --out DIR [options]",
        "Runs a manifest with other values, and writes the best ones to DIR/best.toml: a grid, random\n"
        "values, TPE, a search that weighs costs, with or without successive halving, or a population. The\n"
        "same command goes on after Ctrl-C or a crash. docs/sweep.md has the keys of SWEEP.toml.");
    line.options()("out", text_value("DIR"), "the folder of the trials: DIR/trial-0/0 is trial 0 with seed 0");
    add_launch_options(line, "");
    add_plugin_options(line);
    line.options()("quiet", "no progress line");
    line.options()("json", "print one JSON object at the end: out, stopped, metric, best, front, trials");
    line.positional("sweep", 1);
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    if (line.texts("sweep").empty() || line.text("out").empty()) {
        return report(input_problem("name a file and a folder: tenon sweep SWEEP.toml --out DIR"));
    }
    const Result<Machines> machines = machines_of(line);
    if (!machines) {
        return report(machines.error());
    }
    SweepRequest request{.program = this_program(),
                         .words = {},
                         .plugins = given_plugin_folders(line),
                         .machines = *machines,
                         .out = line.text("out"),
                         .quiet = line.has("quiet")};
    Problems problems;
    const std::optional<SweepFile> file = read_sweep(line.texts("sweep").front(), problems);
    const std::optional<SweepLength> length = file ? check_sweep(*file, request, problems) : std::nullopt;
    if (!length) {
        return report(problems);
    }
    for (const std::string& folder : line.texts("plugins")) {
        request.words.insert(request.words.end(), {"--plugins", folder});
    }
    const Result<Sweep> sweep = run_sweep(*file, request, *length);
    if (!sweep) {
        return report(sweep.error());
    }
    line.has("json") ? print_sweep_json(*file, *sweep, request.out.string()) : print_sweep(*file, *sweep);
    return end_of(*sweep, request.out);
}

}  // namespace tenon::host
