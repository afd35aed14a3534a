// SPDX-License-Identifier: Apache-2.0
#include "commands/bench/bench_options.hpp"

#include <array>
#include <boost/program_options/value_semantic.hpp>
#include <string_view>
#include <vector>

#include "base/error/problem.hpp"
#include "plugin_options.hpp"

namespace tenon::host {
namespace {

// The subjects that an option applies to; options that are not listed apply to all.
struct About {
    const char* option;
    std::string_view subjects;
};
constexpr auto kAbout =
    std::to_array<About>({{"lanes", "env, act, estimator and buffer"},
                          {"frames", "buffer"},
                          {"rows", "buffer"},
                          {"values", "buffer"},
                          {"path", "buffer"},
                          {"part", "buffer"},
                          {"device", "estimator and buffer"},
                          {"steps", "estimator"},
                          {"dtype", "estimator"},
                          {"threads", "env, objective, update, act, manifest and cluster"},
                          {"workers", "env"},
                          {"backward", "objective"},
                          {"linked", "update"},
                          {"profile", "objective and estimator"},
                          {"mode", "act"},
                          {"executor", "objective, update, act, estimator, manifest and cluster"},
                          {"seconds", "env, objective, update, act, estimator, buffer, abi and cluster"},
                          {"set", "env, buffer, objective, update, act, manifest and cluster"}});

}  // namespace

void add_bench_options(CommandLine& line) {
    using boost::program_options::value;
    add_plugin_options(line);
    line.options()("lanes", integer_value("N"),
                   "estimator: number of lanes (64); env: the manifest's, or 64; buffer: number of lanes (1); act: "
                   "replaces the manifest's")("frames", integer_value("N"), "buffer: number of frames in it (1000000)")(
        "rows", integer_value("N"), "buffer: rows in a batch (256)")("steps", integer_value("N"),
                                                                     "estimator: steps in a batch (512)")(
        "values", integer_value("N"),
        "buffer: also gather the rows, with observations of this many numbers of 4 bytes (0: only choose them)")(
        "path", value<std::string>()->value_name("DIR"),
        "buffer: keep it in files of this folder, which is made, as with storage = \"mmap\"")(
        "part", value<std::string>()->value_name("NAME"),
        "buffer: both (the default), sample or prioritise; priorities are then those of the first rows, with "
        "--device in its memory")(
        "device", value<std::string>()->value_name("NAME"),
        "estimator, buffer: where kernels run, as run.device (\"cpu\"), and where an estimator's columns are")(
        "dtype", value<std::string>()->value_name("NAME"), "estimator: float32 (the default) or float64")(
        "threads", integer_value("N"),
        "env, objective, update, act: number of threads (1); manifest: replaces the manifest's")(
        "workers", integer_value("N"), "env: number of separate processes (0: runs in this one)")(
        "backward", "objective: also compute gradients")(
        "linked",
        "update, on a device: NCCL sums the gradients, of this process alone; what it takes more is the cost of its "
        "calls")(
        "profile",
        "objective, estimator: print the time of each instruction of the compiled program, and the lower limit of its "
        "products and math functions, to stderr; those of a scan's body are below it, indented, with their times in "
        "all steps")("mode", "act: the program that evaluations use, which draws no actions")(
        "executor", value<std::string>()->value_name("NAME"),
        "auto, reference or compiled; replaces the manifest's; estimator: auto by default, compiled with --device")(
        "seconds", number_value("X"),
        "env, objective, update, act, estimator, buffer, cluster, each row of abi: about how many seconds to measure "
        "(1)")("set", value<std::vector<std::string>>()->value_name("KEY=VALUE"),
               "env, objective, update, act, manifest: overrides a value of the manifest, of an env without one as in "
               "env.id=CartPole-v1; buffer: an option, as in buffer.alpha=0.7; may be repeated")(
        "json",
        "one JSON object. env: name, lanes, threads, workers, frames_per_s. objective: name, executor, threads, dtype, "
        "backward, limit_us (compiled only), median_us, min_us, p95_us, cpu_us. update: the same without backward and "
        "limit_us, on a device with works, levels and launches. act: the same with lanes. estimator: the same with "
        "steps and lanes. buffer: name, frames, lanes, rows, values, priorities, part, device and the times. manifest: "
        "name, executor, frames, updates, seconds, frames_per_s and, if it has evaluations, return_mean. cluster: "
        "name, link, exchanges (floats, median_us, p90_us, raw_median_us, raw_p90_us), predicted (shards, exchange_us, "
        "of_ideal)");
}

std::optional<Problem> surplus_option(const CommandLine& line, const std::string& subject) {
    for (const About& about : kAbout) {
        if (line.has(about.option) && about.subjects.find(subject) == std::string_view::npos) {
            return input_problem(
                "--" + std::string(about.option) + " is not for `tenon bench " + subject + "`, only for " +
                    std::string(about.subjects),
                {}, about.option == std::string_view("device") ? "--set run.device=NAME is that of a manifest" : "");
        }
    }
    return std::nullopt;
}

}  // namespace tenon::host
