// SPDX-License-Identifier: Apache-2.0
// tenon bench: measures performance.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "base/error/listed.hpp"
#include "base/file/spawn.hpp"
#include "base/json/write.hpp"
#include "base/log/log.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "commands/bench/bench_options.hpp"
#include "commands/bench/buffer_benchmark.hpp"
#include "commands/bench/cluster_command.hpp"
#include "commands/bench/env_benchmark.hpp"
#include "commands/bench/estimator_benchmark.hpp"
#include "commands/bench/manifest_benchmark.hpp"
#include "commands/bench/program_benchmark.hpp"
#include "plugin_options.hpp"
#include "report.hpp"
#include "table.hpp"

namespace tenon::host {
namespace {

// One JSON object on a line: the name, then the keys that `rest` adds.
template <class Rest>
void print_object(const std::string& name, const Rest& rest) {
    std::string text;
    JsonWriter json(text);
    json.begin_object().key("name").text(name);
    rest(json);
    json.end_object();
    std::cout << text << '\n';
}

double seconds_of(const CommandLine& line) {
    return line.number("seconds").value_or(1);
}

int bench_env(const CommandLine& line, const std::string& name) {
    const EnvBenchmarkRequest request{.env = name,
                                      .overrides = given_by_set(line.texts("set")),
                                      .lanes = line.integer("lanes"),
                                      .threads = line.integer("threads").value_or(1),
                                      .workers = line.integer("workers").value_or(0),
                                      .seconds = seconds_of(line),
                                      .plugins = given_plugin_folders(line)};
    const std::int64_t lanes = request.lanes.value_or(1);
    if (lanes < 1 || lanes > 65536 || request.threads < 1 || request.threads > 1024 || request.workers < 0 ||
        request.workers > 1024) {
        return report(input_problem("--lanes must be 1 to 65536, --threads 1 to 1024 and --workers 0 to 1024"));
    }
    Problems problems;
    const auto result = benchmark_env(request, problems);
    if (!result) {
        return report(problems);
    }
    if (line.has("json")) {
        print_object(name, [&](JsonWriter& json) {
            json.key("lanes").integer(result->lanes).key("threads").integer(result->threads);
            json.key("workers").integer(request.workers).key("frames_per_s").number(result->frames_per_s);
        });
    } else {
        std::cout << name << ": " << result->frames_per_s / 1e6 << " million frames/s ("
                  << counted(result->lanes, "lane") << ", " << counted(result->threads, "thread")
                  << (request.workers > 0 ? ", " + counted(request.workers, "separate process", "separate processes")
                                          : "")
                  << ")\n";
    }
    return kSuccess;
}

void write_times(JsonWriter& json, const Times& times) {
    json.key("median_us").number(times.median_us).key("min_us").number(times.min_us);
    json.key("p95_us").number(times.p95_us).key("cpu_us").number(times.cpu_us);
}

void print_line(const std::string& name, const Times& times, const std::string& what) {
    std::cout << name << ": " << number_text(times.median_us) << " us (median; best " << number_text(times.min_us)
              << ", 95% within " << number_text(times.p95_us) << ", of the processor " << number_text(times.cpu_us)
              << "), " << what << '\n';
}

struct Timed {
    std::string name;
    std::string executor;
    std::string device;
    std::string dtype;
    std::int64_t threads;
    Times times;
};

// Prints what was timed, and its time: as an object with the keys that `more` adds, or as text.
template <class More>
void print_times(const CommandLine& line, const Timed& timed, const std::string& what, const More& more) {
    const Times& times = timed.times;
    if (line.has("json")) {
        print_object(timed.name, [&](JsonWriter& json) {
            json.key("executor").text(timed.executor).key("device").text(timed.device);
            json.key("threads").integer(timed.threads).key("dtype").text(timed.dtype);
            more(json);
            write_times(json, times);
        });
        return;
    }
    const std::string device = timed.device == "cpu" ? "" : " on " + timed.device;
    print_line(timed.name, times, what + ", " + timed.executor + " executor" + device + ", " + timed.dtype);
}

// The problem of a requested profile of a program that has none.
std::optional<Problem> missing_profile(const CommandLine& line, const std::vector<Spent>& spent) {
    if (!line.has("profile") || !spent.empty()) {
        return std::nullopt;
    }
    return input_problem("--profile shows compiled programs, but the reference executor computes this one", {},
                         "leave out --profile; --executor compiled compiles it, or says why it cannot");
}

// The slowest instructions first, and after each of them its own parts in the same order.
std::vector<Spent> slowest_first(std::span<const Spent> spent) {
    std::vector<std::span<const Spent>> wholes;
    for (std::size_t i = 0; i < spent.size(); ++i) {
        if (spent[i].depth == spent.front().depth) {
            const auto is_next = [&](const Spent& other) { return other.depth <= spent[i].depth; };
            const auto end = std::find_if(spent.begin() + static_cast<std::ptrdiff_t>(i) + 1, spent.end(), is_next);
            wholes.emplace_back(spent.begin() + static_cast<std::ptrdiff_t>(i), end);
        }
    }
    std::ranges::stable_sort(wholes, std::greater(), [](const auto& whole) { return whole.front().us; });
    std::vector<Spent> out;
    for (const std::span<const Spent> whole : wholes) {
        out.push_back(whole.front());
        const std::vector<Spent> parts = slowest_first(whole.subspan(1));
        out.insert(out.end(), parts.begin(), parts.end());
    }
    return out;
}

// Prints the slowest instructions first, and those of the bodies of scans indented; on stderr if the output is JSON.
void print_profile(std::span<const Spent> measured) {
    const std::vector<Spent> spent = slowest_first(measured);
    double total = 0;
    for (const Spent& each : spent) {
        total += each.depth == 0 ? each.us : 0;
    }
    // No limit is known on a device, or for a program without products and math functions.
    const bool limited = std::ranges::any_of(spent, [](const Spent& each) { return each.limit_us > 0; });
    std::vector<Row> rows{{"us", "%", "limit", "instruction"}};
    for (const Spent& each : spent) {
        rows.push_back({number_text(each.us), number_text(100 * each.us / total), number_text(each.limit_us),
                        std::string(4 * each.depth, ' ') + each.what});
    }
    if (!limited) {
        for (Row& row : rows) {
            row.erase(row.begin() + 2);
        }
    }
    print_rows(std::cerr, rows, "", limited ? "rrrl" : "rrl");
}

Request program_request(const CommandLine& line, const std::string& name) {
    Request request{.manifest = benchmark_manifest(name),
                    .overrides = given_by_set(line.texts("set")),
                    .plugins = given_plugin_folders(line)};
    if (line.has("executor")) {
        request.overrides.push_back({line.text("executor"), "--executor", "run.executor"});
    }
    request.overrides.push_back({std::to_string(line.integer("threads").value_or(1)), "--threads", "run.threads"});
    return request;
}

Timed timed(const std::string& name, const ProgramTimes& result) {
    return {name, result.executor, result.device, result.dtype, result.threads, result.times};
}

int bench_objective(const CommandLine& line, const std::string& name) {
    const bool backward = line.has("backward");
    Problems problems;
    const auto result = benchmark_program(program_request(line, name), backward ? Subject::kGradients : Subject::kTerms,
                                          seconds_of(line), problems);
    if (!result) {
        return report(problems);
    }
    if (const auto problem = missing_profile(line, result->spent)) {
        return report(*problem);
    }
    double limit = 0;
    for (const Spent& each : result->spent) {
        limit += each.depth == 0 ? each.limit_us : 0;
    }
    print_times(line, timed(name, *result), backward ? "loss and gradients" : "loss only", [&](JsonWriter& json) {
        json.key("backward").boolean(backward);
        if (limit > 0) {
            json.key("limit_us").number(limit);
        }
    });
    if (!line.has("json") && limit > 0) {
        std::cout << "limit: " << limit << " us for its products and math functions alone, each at its fastest\n";
    }
    if (line.has("profile")) {
        print_profile(result->spent);
    }
    return kSuccess;
}

int bench_update(const CommandLine& line, const std::string& name) {
    Problems problems;
    const auto result = benchmark_program(program_request(line, name), Subject::kUpdate, seconds_of(line), problems,
                                          line.has("linked"));
    if (!result) {
        return report(problems);
    }
    const Enqueued& enqueued = result->enqueued;
    const auto count = [](std::size_t number) { return static_cast<std::int64_t>(number); };
    print_times(line, timed(name, *result), line.has("linked") ? "one update with NCCL" : "one update",
                [&](JsonWriter& json) {
                    if (enqueued.launches > 0) {
                        json.key("works").integer(count(enqueued.works)).key("levels").integer(count(enqueued.levels));
                        json.key("launches").integer(count(enqueued.launches));
                    }
                });
    if (!line.has("json") && enqueued.launches > 0) {
        std::cout << "on the device: " << counted(enqueued.works, "work") << " in " << counted(enqueued.levels, "level")
                  << " that wait for each other, " << counted(enqueued.launches, "launch", "launches") << '\n';
    }
    return kSuccess;
}

int bench_act(const CommandLine& line, const std::string& name) {
    Request request = program_request(line, name);
    if (line.has("lanes")) {
        request.overrides.push_back({std::to_string(*line.integer("lanes")), "--lanes", "env.lanes"});
    }
    Problems problems;
    const auto result =
        benchmark_program(request, line.has("mode") ? Subject::kMode : Subject::kAct, seconds_of(line), problems);
    if (!result) {
        return report(problems);
    }
    print_times(line, timed(name, *result), "acting in " + counted(result->lanes, "lane"),
                [&](JsonWriter& json) { json.key("lanes").integer(result->lanes); });
    return kSuccess;
}

int bench_estimator(const CommandLine& line, const std::string& name) {
    const std::string dtype = line.has("dtype") ? line.text("dtype") : "float32";
    const std::string device = line.has("device") ? line.text("device") : "cpu";
    const EstimatorBenchmarkRequest request{.name = name,
                                            .executor = line.has("executor") ? line.text("executor")
                                                        : device == "cpu"    ? "auto"
                                                                             : "compiled",
                                            .real = dtype == "float64" ? DType::kF64 : DType::kF32,
                                            .steps = line.integer("steps").value_or(512),
                                            .lanes = line.integer("lanes").value_or(64),
                                            .seconds = seconds_of(line),
                                            .device = device};
    if (device != "cpu" && dtype != "float32") {
        return report(input_problem("kernels compute in float32: --dtype " + dtype + " is not for --device " + device));
    }
    if (request.executor != "auto" && request.executor != "reference" && request.executor != "compiled") {
        return report(input_problem("--executor must be auto, reference or compiled, not " + request.executor));
    }
    if (dtype != "float32" && dtype != "float64") {
        return report(input_problem("--dtype must be float32 or float64, not " + dtype));
    }
    if (request.lanes < 1 || request.lanes > 65536 || request.steps < 1 || request.steps > 65536) {
        return report(input_problem("--lanes and --steps must be 1 to 65536"));
    }
    Problems problems;
    const auto result = benchmark_estimator(request, problems);
    if (!result) {
        return report(problems);
    }
    if (const auto problem = missing_profile(line, result->spent)) {
        return report(*problem);
    }
    print_times(line, {name, result->executor, request.device, dtype, 1, result->times},
                counted(request.steps, "step") + " of " + counted(request.lanes, "lane"), [&](JsonWriter& json) {
                    json.key("steps").integer(request.steps).key("lanes").integer(request.lanes);
                });
    if (line.has("profile")) {
        print_profile(result->spent);
    }
    return kSuccess;
}

int bench_buffer(const CommandLine& line, const std::string& name) {
    const BufferBenchmarkRequest request{.component = name,
                                         .overrides = given_by_set(line.texts("set")),
                                         .frames = line.integer("frames").value_or(1'000'000),
                                         .lanes = line.integer("lanes").value_or(1),
                                         .rows = line.integer("rows").value_or(256),
                                         .values = line.integer("values").value_or(0),
                                         .path = line.has("path") ? line.text("path") : "",
                                         .seconds = seconds_of(line),
                                         .plugins = given_plugin_folders(line),
                                         .device = line.has("device") ? line.text("device") : "cpu",
                                         .part = line.has("part") ? line.text("part") : "both"};
    if (request.part != "both" && request.part != "sample" && request.part != "prioritise") {
        return report(input_problem("--part must be both, sample or prioritise, not " + request.part));
    }
    if (request.lanes < 1 || request.lanes > 65536 || request.frames < 2 * request.lanes ||
        request.frames > 1'000'000'000 || request.rows < 1 || request.rows > 65536 || request.values < 0 ||
        request.values > 10'000'000) {
        return report(
            input_problem("--lanes and --rows must be 1 to 65536, --frames two for each lane to 1000000000, "
                          "--values 0 to 10000000"));
    }
    Problems problems;
    const auto result = benchmark_buffer(request, problems);
    if (!result) {
        return report(problems);
    }
    const Times& times = result->times;
    if (line.has("json")) {
        print_object(name, [&](JsonWriter& json) {
            json.key("frames").integer(request.frames).key("lanes").integer(request.lanes);
            json.key("rows")
                .integer(request.rows)
                .key("values")
                .integer(request.values)
                .key("priorities")
                .boolean(result->takes_priorities);
            json.key("part").text(request.part).key("device").text(request.device);
            write_times(json, times);
        });
        return kSuccess;
    }
    print_line(name, times,
               counted(request.rows, "row") + " of " + counted(request.frames, "frame") + " in " +
                   counted(request.lanes, "lane") +
                   (request.part == "prioritise"                         ? ", prioritised"
                    : result->takes_priorities && request.part == "both" ? ", sampled and prioritised"
                                                                         : ", sampled") +
                   (request.device == "cpu" ? "" : " on " + request.device) +
                   (request.values > 0 ? ", and gathered, with " + counted(request.values, "number") + " each" : ""));
    return kSuccess;
}

int bench_manifest(const CommandLine& line, const std::string& name) {
    Request request{
        .manifest = name, .overrides = given_by_set(line.texts("set")), .plugins = given_plugin_folders(line)};
    if (line.has("executor")) {
        request.overrides.push_back({line.text("executor"), "--executor", "run.executor"});
    }
    if (line.has("threads")) {
        request.overrides.push_back({std::to_string(*line.integer("threads")), "--threads", "run.threads"});
    }
    Problems problems;
    const auto result =
        benchmark_manifest(std::move(request), [](std::string_view text) { log(Level::kWarning, text); }, problems);
    if (!result) {
        return report(problems);
    }
    if (line.has("json")) {
        print_object(name, [&](JsonWriter& json) {
            json.key("executor").text(result->executor).key("frames").integer(result->frames);
            json.key("updates").integer(result->updates).key("seconds").number(result->seconds);
            json.key("frames_per_s").number(result->frames_per_s);
            if (result->return_mean) {
                json.key("return_mean").number(*result->return_mean);
            }
        });
        return kSuccess;
    }
    const bool collects = result->frames > 0;
    const double rate = collects ? result->frames_per_s : static_cast<double>(result->updates) / result->seconds;
    std::cout << name << ": " << (collects ? counted(result->frames, "frame") + " and " : "")
              << counted(result->updates, "update") << " in " << result->seconds << " s, " << rate
              << (collects ? " frames/s" : " updates/s")
              << (result->executor.empty() ? "" : ", " + result->executor + " executor");
    if (result->return_mean) {
        std::cout << ", mean return " << *result->return_mean << " at the end";
    }
    std::cout << '\n';
    return kSuccess;
}

// Replaces this process by the program that measures the ABI. That program knows a plugin and its source, which this
// one must not know.
int bench_abi(const CommandLine& line) {
    const std::string name = "tenon-bench-abi";
    const auto program = find_program(name);
    if (!program) {
        return report(
            environment_problem("there is no " + name + " in " + program_folder().string() +
                                    ", which measures the plugin ABI: it is built from the sources, but not installed",
                                {}, "`./test` in tenon's sources builds it, or `ninja -C build/release " + name + "`"));
    }
    std::vector<std::string> words = {name, "--seconds", number_text(seconds_of(line))};
    if (line.has("json")) {
        words.emplace_back("--json");
    }
    const std::vector<char*> arguments = exec_words(words);
    ::execv(program->c_str(), arguments.data());
    return report(environment_problem(program->string() + " could not be started: " + std::strerror(errno)));
}

struct NamedSubject {
    std::string_view name;
    int (*bench)(const CommandLine& line, const std::string& name);
};

constexpr NamedSubject kNamedSubjects[] = {
    {"env", bench_env},          {"objective", bench_objective}, {"update", bench_update},
    {"act", bench_act},          {"estimator", bench_estimator}, {"buffer", bench_buffer},
    {"manifest", bench_manifest}};

std::optional<Problem> unknown_subject(const std::string& subject) {
    const std::vector<std::string_view> subjects = {"env",       "buffer",   "objective", "update", "act",
                                                    "estimator", "manifest", "abi",       "cluster"};
    if (std::ranges::find(subjects, subject) != subjects.end()) {
        return std::nullopt;
    }
    return input_problem("bench does not measure '" + subject + "'" + did_you_mean(subject, subjects), {},
                         "it measures " + listed(subjects));
}

// Subjects are those of TorchRL's benchmark, or a file.
std::optional<Problem> unknown_name(const std::string& name) {
    const std::vector<std::string> names = benchmark_names();
    if (name.ends_with(".toml") || std::ranges::find(names, name) != names.end()) {
        return std::nullopt;
    }
    return input_problem("there is no benchmark '" + name + "'" + did_you_mean(name, {names.begin(), names.end()}), {},
                         "known names are " + listed(names) + "; name a manifest of your own with its .toml");
}

}  // namespace

int command_bench(const Arguments& arguments) {
    CommandLine line(
        "tenon bench env COMPONENT|MANIFEST | buffer COMPONENT | objective|update|act NAME|MANIFEST | estimator NAME | "
        "manifest MANIFEST | abi | cluster [NAME|MANIFEST] [options]",
        "Measures speed:\n  env        frames per second, with actions drawn in advance, or at each step if masked\n  "
        "objective  the loss of one "
        "minibatch\n  update     one update, with the optimiser's step\n  act        one call of the acting policy\n  "
        "estimator  gae, td_lambda, vtrace or reward_to_go of one batch\n  buffer     sampling a batch and updating "
        "its priorities\n  manifest   a whole run without evaluations, records and checkpoints\n  abi        costs of "
        "the plugin ABI; needs a build of the sources: env steps against the same loop in\n             one program, "
        "separate processes against none, `inspect` and `check`\n  cluster    how long two shards take to exchange "
        "gradients, next to plain TCP, and what to expect of 2 to 64;\n             two processes of this machine, or "
        "those of a launcher; with the update of NAME or MANIFEST\nNAME is one of TorchRL's benchmark of losses (dqn, "
        "ddpg, td3, sac, redq, cql, iql, a2c, ppo), or\ncrossq, ppo_fused or reinforce.");
    add_bench_options(line);
    line.positional("what", 2);
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    const std::vector<std::string> words = line.texts("what");
    if (!(seconds_of(line) >= 0.01 && seconds_of(line) <= 3600)) {
        return report(input_problem("--seconds must be 0.01 to 3600"));
    }
    if (!words.empty()) {
        if (const auto problem = unknown_subject(words.front())) {
            return report(*problem);
        }
        if (const auto problem = surplus_option(line, words.front())) {
            return report(*problem);
        }
    }
    if (words.size() == 1 && words.front() == "abi") {
        return bench_abi(line);
    }
    const bool is_program = words.size() == 2 && (words[0] == "objective" || words[0] == "update" ||
                                                  words[0] == "act" || words[0] == "cluster");
    if (is_program) {
        if (const auto problem = unknown_name(words.back())) {
            return report(*problem);
        }
    }
    if (!words.empty() && words.front() == "cluster") {
        return bench_cluster(
            line, words.size() == 1 ? std::nullopt : std::optional(program_request(line, words.back())), arguments);
    }
    const auto* const named =
        std::ranges::find(kNamedSubjects, words.empty() ? "" : words.front(), &NamedSubject::name);
    if (words.size() == 2 && named != std::end(kNamedSubjects)) {
        return named->bench(line, words.back());
    }
    return report(input_problem(
        "bench needs what to measure and its name: `tenon bench env LIBRARY/COMPONENT|MANIFEST`, `tenon bench buffer "
        "LIBRARY/COMPONENT`, `tenon bench objective|update|act NAME|MANIFEST`, `tenon bench estimator NAME`, `tenon "
        "bench manifest MANIFEST`, `tenon bench abi` or `tenon bench cluster`"));
}

}  // namespace tenon::host
