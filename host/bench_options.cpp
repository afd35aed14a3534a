// SPDX-License-Identifier: Apache-2.0
#include "bench_options.hpp"

#include <array>
#include <boost/program_options/value_semantic.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "plugin_options.hpp"

namespace tenon::host {
namespace {

// The subjects that an option applies to; options that are not listed apply to all.
struct About {
    const char* option;
    std::string_view subjects;
};
constexpr auto kAbout = std::to_array<About>({{"lanes", "env, act, estimator and buffer"},
                                              {"frames", "buffer"},
                                              {"rows", "buffer"},
                                              {"steps", "estimator"},
                                              {"dtype", "estimator"},
                                              {"threads", "env, objective, update, act and manifest"},
                                              {"workers", "env"},
                                              {"backward", "objective"},
                                              {"profile", "objective"},
                                              {"mode", "act"},
                                              {"executor", "objective, update, act, estimator and manifest"},
                                              {"seconds", "objective, update, act, estimator, buffer and abi"},
                                              {"set", "objective, update, act and manifest"}});

}  // namespace

void add_bench_options(CommandLine& line) {
    using boost::program_options::value;
    add_plugin_options(line);
    line.options()("lanes", integer_value("N"),
                   "env, estimator: how many lanes (64); buffer (1); act: in place of the manifest's")(
        "frames", integer_value("N"), "buffer: how many it holds (1000000)")(
        "rows", integer_value("N"), "buffer: of a batch (256)")("steps", integer_value("N"),
                                                                "estimator: how many steps of them (512)")(
        "dtype", value<std::string>()->value_name("NAME"), "estimator: float32, the default, or float64")(
        "threads", integer_value("N"),
        "env, objective, update, act: how many threads (1); manifest: in place of its own")(
        "workers", integer_value("N"), "env: in how many processes of its own (0: in this one)")(
        "backward", "objective: gradients, too")(
        "profile",
        "objective: what each instruction of the compiled program takes, and its products and functions of numbers at "
        "their best, on stderr")("mode", "act: what evaluations play where nothing is drawn")(
        "executor", value<std::string>()->value_name("NAME"),
        "auto, reference or compiled, in place of the manifest's; estimator: auto unless it is given")(
        "seconds", integer_value("N"),
        "objective, update, act, estimator, buffer, each row of abi: for about how many whole seconds (1)")(
        "set", value<std::vector<std::string>>()->value_name("KEY=VALUE"),
        "objective, update, act, manifest: puts a value over the manifest's; may be repeated")(
        "json",
        "one JSON object of an env: name, lanes, threads, workers, frames_per_s; of an objective: name, executor, "
        "threads, "
        "dtype, backward, limit_us (compiled only), median_us, min_us, p95_us, cpu_us; of an update the same without "
        "backward and limit_us, of acting with lanes; of an estimator with steps, lanes; "
        "of a buffer: name, frames, lanes, rows, priorities and the times; "
        "of a manifest: name, executor, frames, updates, seconds, frames_per_s and, if it has evaluations, "
        "return_mean");
}

std::optional<Problem> surplus_option(const CommandLine& line, const std::string& subject) {
    for (const About& about : kAbout) {
        if (line.has(about.option) && about.subjects.find(subject) == std::string_view::npos) {
            return input_problem("--" + std::string(about.option) + " is not for `tenon bench " + subject +
                                 "`, only for " + std::string(about.subjects));
        }
    }
    return std::nullopt;
}

}  // namespace tenon::host
