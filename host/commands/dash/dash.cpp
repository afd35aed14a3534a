// SPDX-License-Identifier: Apache-2.0
#include "commands/dash/dash.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "base/file/state_folder.hpp"
#include "base/file/stop_signals.hpp"
#include "commands/dash/comparisons.hpp"
#include "commands/dash/explain_process.hpp"
#include "commands/dash/page_files.hpp"
#include "commands/dash/prometheus.hpp"
#include "commands/dash/run_files.hpp"
#include "commands/dash/runs_json.hpp"
#include "plugins/plugin/search_path.hpp"
#include "shared/http/answer_file.hpp"
#include "shared/http/server.hpp"
#include "shared/http/token.hpp"

namespace tenon {
namespace {

constexpr std::size_t kMostPoints = 1024;
constexpr int kThreads = 4;  // one may wait for `tenon explain`, and one may compare runs

std::string_view parameter(const HttpRequest& request, std::string_view name) {
    const auto found = request.query.find(name);
    return found == request.query.end() ? std::string_view() : found->second;
}

std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> out;
    while (!text.empty()) {
        out.push_back(text.substr(0, text.find(',')));
        text.remove_prefix(std::min(text.size(), out.back().size() + 1));
    }
    return out;
}

std::optional<CurveAxis> axis_of(const HttpRequest& request) {
    constexpr std::pair<std::string_view, CurveAxis> kAxisNames[] = {
        {"frames", CurveAxis::kFrames}, {"updates", CurveAxis::kUpdates}, {"time", CurveAxis::kSeconds}};
    const auto* axis =
        std::ranges::find(kAxisNames, parameter(request, "x"), [](const auto& each) { return each.first; });
    return axis == std::end(kAxisNames) ? std::nullopt : std::optional(axis->second);
}

// The number of points, at most kMostPoints; 0: the text is no such number.
std::size_t points_of(const HttpRequest& request) {
    const std::string_view text = parameter(request, "points");
    std::size_t points = 400;
    std::from_chars(text.data(), text.data() + text.size(), points);
    return std::min(points, kMostPoints);
}

constexpr std::string_view kAxisOrPoints = "the request needs x=frames, updates or time, and points from 1";

HttpResponse curves(const RunsView& view, const HttpRequest& request) {
    const std::optional<CurveAxis> axis = axis_of(request);
    const std::size_t points = points_of(request);
    if (!axis || points == 0) {
        return refusal(400, kAxisOrPoints);
    }
    return json_response(
        curves_as_json(view, split(parameter(request, "runs")), parameter(request, "metric"), *axis, points));
}

HttpResponse histograms(const WatchedRun& run, const HttpRequest& request) {
    const std::optional<CurveAxis> axis = axis_of(request);
    const std::size_t points = points_of(request);
    return axis && points > 0 ? json_response(histograms_as_json(run, *axis, points)) : refusal(400, kAxisOrPoints);
}

HttpResponse video(const WatchedRun& run, const HttpRequest& request) {
    for (const RunVideo& each : run_videos(run.info.folder)) {
        if (each.name == parameter(request, "name")) {
            return answer_file(each.path, std::string(each.type), request);
        }
    }
    return refusal(404, "the run has no such video");
}

HttpResponse events(const RunWatch& watch) {
    return event_stream([&watch, sent = std::uint64_t{0}]() mutable -> std::optional<std::string> {
        const std::uint64_t version = watch.view()->version;
        if (version == sent) {
            return std::string();
        }
        sent = version;
        return server_event("runs", std::to_string(version));
    });
}

// Explaining takes a second of a processor, so each run is explained once, and one at a time.
struct Wirings {
    std::mutex mutex;
    std::map<std::string, std::string, std::less<>> known;

    std::string of(const WatchedRun& run, const std::filesystem::path& program) {
        const std::scoped_lock lock(mutex);
        const auto found = known.find(run.id);
        if (found != known.end()) {
            return found->second;
        }
        return known[run.id] = explained_by_process(program, run.info.folder);
    }
};

HttpResponse of_one_run(const RunsView& view, const HttpRequest& request, Wirings& wirings,
                        const std::filesystem::path& program) {
    const WatchedRun* run = view.find(parameter(request, "id"));
    if (run == nullptr) {
        return refusal(404, "there is no such run");
    }
    if (request.path == "/api/run") {
        return json_response(run_as_json(*run));
    }
    if (request.path == "/api/histograms") {
        return histograms(*run, request);
    }
    return request.path == "/api/wiring" ? json_response(wirings.of(*run, program)) : video(*run, request);
}

}  // namespace

HttpHandler dash_routes(const RunWatch& watch, std::filesystem::path program) {
    return [&watch, program = std::move(program), wirings = std::make_shared<Wirings>(),
            comparisons = std::make_shared<Comparisons>()](const HttpRequest& request) {
        if (request.method != "GET") {
            return refusal(405, "this page only shows runs: there is nothing to send");
        }
        if (const std::optional<PageFile> file = page_file(request.path)) {
            return HttpResponse{.type = std::string(file->type), .body = std::string(file->text)};
        }
        const std::shared_ptr<const RunsView> view = watch.view();
        if (request.path == "/api/runs") {
            return json_response(runs_as_json(*view));
        }
        if (request.path == "/api/curves") {
            return curves(*view, request);
        }
        if (request.path == "/api/compare") {
            return json_response(comparisons->of(*view, {.runs = split(parameter(request, "runs")),
                                                         .metric = parameter(request, "metric"),
                                                         .group_by = parameter(request, "group")}));
        }
        if (request.path == "/api/events") {
            return events(watch);
        }
        if (request.path == "/metrics") {
            return HttpResponse{.type = "text/plain; version=0.0.4; charset=utf-8", .body = runs_for_prometheus(*view)};
        }
        if (request.path == "/api/run" || request.path == "/api/wiring" || request.path == "/api/histograms" ||
            request.path == "/api/video") {
            return of_one_run(*view, request, *wirings, program);
        }
        return refusal(404, "there is no such page");
    };
}

Status serve_dash(const DashOptions& options, const std::function<void(const std::string& address)>& listening) {
    std::unique_ptr<RunWatch> watch = TENON_TRY(RunWatch::open(options.paths));
    const std::string token = TENON_TRY(token_in(state_folder()));
    const StopSignals signals;
    const HttpServer server = TENON_TRY(HttpServer::open(
        {.port = options.port, .open_to_network = options.open_to_network, .token = token, .threads = kThreads},
        dash_routes(*watch, this_program())));
    watch->follow();
    listening(server.address());
    while (!StopSignals::requested()) {
        StopSignals::wait();
    }
    return {};
}

}  // namespace tenon
