// SPDX-License-Identifier: Apache-2.0
#include "commands/run/seeds_output.hpp"

#include <cmath>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "base/error/problem.hpp"
#include "base/error/result.hpp"
#include "base/file/atomic.hpp"
#include "base/json/write.hpp"
#include "base/log/log.hpp"
#include "command_line.hpp"
#include "commands/run/interval.hpp"
#include "folder/records/folder.hpp"
#include "plugins/plugin/search_path.hpp"
#include "report.hpp"
#include "run/start/setup.hpp"
#include "shared/presets/manifest_options.hpp"
#include "shared/seeds/launch_options.hpp"
#include "shared/seeds/seed_list.hpp"
#include "shared/seeds/seeds.hpp"
#include "table.hpp"

namespace tenon::host {
namespace {

std::string cell(double value) {
    return std::isfinite(value) ? number_text(value) : "-";
}

std::vector<double> known(const SeedRuns& runs, double SeedRun::* member) {
    std::vector<double> out;
    for (const SeedRun& run : runs.runs) {
        if (std::isfinite(run.*member)) {
            out.push_back(run.*member);
        }
    }
    return out;
}

std::string interval_text(const std::vector<double>& values) {
    const MeanInterval interval = mean_interval(values);
    return cell(interval.mean) + (std::isfinite(interval.half) ? " +- " + number_text(interval.half) : "");
}

void print_text(const SeedRuns& runs) {
    std::vector<Row> rows = {{"seed", "frames", "last", "best", "seconds", ""}};
    for (const SeedRun& run : runs.runs) {
        const double seconds = std::round(run.seconds * 10) / 10;
        rows.push_back({std::to_string(run.seed), cell(run.frames), cell(run.last), cell(run.best), cell(seconds),
                        run.code < 0   ? "not begun"
                        : run.code > 0 ? "failed"
                                       : ""});
    }
    print_rows(std::cout, rows, "  ", "rrrrr");
    const std::vector<double> last = known(runs, &SeedRun::last);
    if (last.empty()) {
        std::cout << "no run has been evaluated\n";
        return;
    }
    std::cout << "last evaluations: " << interval_text(last) << "; best: " << interval_text(known(runs, &SeedRun::best))
              << " (mean and its 95 % interval)\n";
}

void print_json(const SeedRuns& runs, const std::string& out) {
    std::string text;
    JsonWriter json(text);
    json.begin_object().key("out").text(out).key("stopped").boolean(runs.stopped).key("runs").begin_array();
    for (const SeedRun& run : runs.runs) {
        json.begin_object().key("seed").integer(run.seed).key("out").text(run.folder.string());
        json.key("code").integer(run.code).key("frames").number(run.frames).key("eval_return_mean").number(run.last);
        json.key("best_return_mean").number(run.best).key("seconds").number(run.seconds);
        json.key("error").text(run.error).end_object();
    }
    json.end_array();
    const MeanInterval last = mean_interval(known(runs, &SeedRun::last));
    json.key("eval_return_mean").number(last.mean).key("eval_return_interval").number(last.half).end_object();
    std::cout << text << '\n';
}

// The manifest of an algorithm and an env, as a file in the folder of the runs. --set is in it.
Result<std::string> write_document(const Request& request, const std::filesystem::path& out) {
    TENON_TRY(make_folders(out));
    const std::filesystem::path path = out / "manifest.toml";
    TENON_TRY(write_file(path, init_text(request)));
    return path.string();
}

}  // namespace

int run_several(const CommandLine& line) {
    if (!line.has("seeds")) {
        return report(input_problem("--jobs, --via and --hosts need --seeds"));
    }
    for (const char* other : {"seed", "resume", "from", "trace", "dump-graph", "restarts"}) {
        if (line.has(other)) {
            return report(input_problem("--seeds excludes --" + std::string(other)));
        }
    }
    const Result<std::vector<std::int64_t>> seeds = read_seeds(line.text("seeds"));
    if (!seeds) {
        return report(seeds.error());
    }
    const Result<Machines> machines = machines_of(line);
    if (!machines) {
        return report(machines.error());
    }
    if (seeds->size() == 1 && seeds->front() > 1) {
        const std::string seed = std::to_string(seeds->front());
        log(Level::kInfo, "--seeds " + seed + " is the seed " + seed + " alone; --seeds 0-4 are five seeds");
    }
    Problems problems;
    const Request manifest = manifest_request(line, problems);
    SeedsRequest request{.program = this_program(),
                         .words = {manifest.manifest.string()},
                         .seeds = *seeds,
                         .machines = *machines,
                         .out = line.text("out"),
                         .unit = {},
                         .quiet = line.has("quiet")};
    {
        const Setup setup = set_up_whole(manifest, "--seeds", problems);  // reported once, before anything runs
        if (!problems.empty()) {
            return report(problems);
        }
        set_length(request, setup.wiring->manifest);
        if (request.out.empty()) {
            const Result<std::filesystem::path> made = make_numbered_folder("runs", setup.wiring->manifest.run.name);
            if (!made) {
                return report(made.error());
            }
            request.out = *made;
        }
        if (const Status same = check_same_manifest(request, *setup.wiring); !same) {
            return report(same.error());
        }
    }
    if (manifest.document) {  // the runs share the manifest of an algorithm and an env as a file
        const Result<std::string> file = write_document(manifest, request.out);
        if (!file) {
            return report(file.error());
        }
        request.words = {*file};
    }
    for (const char* passed : {"set", "plugins"}) {
        for (const std::string& text : line.texts(passed)) {
            request.words.insert(request.words.end(), {"--" + std::string(passed), text});
        }
    }
    if (line.has("profile")) {
        request.words.emplace_back("--profile");
    }
    if (line.has("log-level")) {
        request.words.insert(request.words.end(), {"--log-level", line.text("log-level")});
    }
    const Result<SeedRuns> runs = run_seeds(request);
    if (!runs) {
        return report(runs.error());
    }
    const bool is_named = line.has("out");
    if (line.has("json")) {
        print_json(*runs, request.out.string());
    } else {
        print_text(*runs);
        std::cout << (is_named ? "" : "run folders: in " + request.out.string() + "\n");
    }
    int exit_code = kSuccess;
    for (const SeedRun& run : runs->runs) {
        if (run.code > 0) {
            exit_code = exit_code == kSuccess ? run.code : exit_code;
            report(environment_problem("the run with seed " + std::to_string(run.seed) + " failed" +
                                           (run.error.empty() ? "" : ": " + run.error),
                                       {}, "its log is " + run.folder.string() + ".log"));
        }
    }
    if (runs->stopped) {
        std::cerr << "stopped; the same command" << (is_named ? "" : " with --out " + request.out.string())
                  << " goes on\n";
    }
    return exit_code;
}

}  // namespace tenon::host
