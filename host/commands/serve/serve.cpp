// SPDX-License-Identifier: Apache-2.0
#include "commands/serve/serve.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <variant>

#include "base/file/state_folder.hpp"
#include "base/file/stop_signals.hpp"
#include "base/json/write.hpp"
#include "commands/serve/act_bytes.hpp"
#include "commands/serve/column_text.hpp"
#include "commands/serve/serving.hpp"
#include "run/drive/drive_text.hpp"
#include "run/sessions/opened_run.hpp"
#include "shared/http/server.hpp"
#include "shared/http/token.hpp"

namespace tenon {
namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(500);
constexpr std::size_t kConnections = 512;
constexpr std::uint64_t kLargestBody = std::uint64_t{64} << 20U;
constexpr std::uint64_t kAllBodies = std::uint64_t{256} << 20U;
constexpr std::string_view kRoutes =
    "POST /act     {\"observation\": ..., \"client\": \"NAME\", \"mode\": \"deterministic\" or \"sample\", \"first\": "
    "true, \"stream\": true}\n"
    "POST /reset   {\"client\": \"NAME\"}\n"
    "GET /spec     what goes in and out\n"
    "GET /metrics  counts, for Prometheus\n";

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The largest body: enough for the digits of a full batch of rows.
std::uint64_t body_limit(const ServedColumns& columns, std::uint32_t rows) {
    constexpr std::uint64_t kDigits = 26;  // of a number, with what is around it
    std::uint64_t elements = 0;
    for (const Spec& spec : columns.inputs) {
        elements += static_cast<std::uint64_t>(spec.shape.elements());
    }
    return std::clamp(elements * kDigits * rows, std::uint64_t{65'536}, kLargestBody);
}

// Looks for a newer checkpoint of the run, between batches and while there are none, and gives the policy its weights.
// If that fails, because it is deleted at this moment, the policy stays as it is.
class Follower {
public:
    Follower(ServedPolicy& policy, const ScoringRequest& request, const Notice& notice, ServeMetrics& metrics)
        : policy_(policy), request_(request), notice_(notice), metrics_(metrics) {
        metrics_.follows(policy_.policy().frames);
    }

    void look() {
        const auto now = std::chrono::steady_clock::now();
        if (now - looked_ < kBetweenLooks) {
            return;
        }
        looked_ = now;
        const Result<Checkpoint> newest =
            chosen_checkpoint(request_.folder, request_.checkpoint, "served", [](std::string_view) {});
        if (newest && newest->folder != policy_.policy().checkpoint) {
            if (const Status followed = policy_.follow(newest->folder); !followed) {
                notice_(followed.error().sentence);
            }
            metrics_.follows(policy_.policy().frames);
        }
    }

private:
    ServedPolicy& policy_;
    const ScoringRequest& request_;
    const Notice& notice_;
    ServeMetrics& metrics_;
    std::chrono::steady_clock::time_point looked_ = {};
};

struct Routes {
    const ServedColumns& columns;
    std::string spec;
    Batcher& batcher;
    ServeMetrics& metrics;

    // Counts the response of a request that began at that time.
    [[nodiscard]] HttpResponse noted(std::string_view path, std::chrono::steady_clock::time_point begun,
                                     HttpResponse response) const {
        metrics.answered(path, response.status, seconds_since(begun));
        return response;
    }

    // Answers later, on the thread of the batcher.
    [[nodiscard]] HttpResponse later(std::string_view path, ServeJob job,
                                     std::function<HttpResponse(ServeJob&)> answer) const {
        auto kept = std::make_shared<ServeJob>(std::move(job));  // a std::function must be copyable
        return {.later = [this, path, kept, answer = std::move(answer)](const HttpReply& reply) {
            kept->done = [this, path, answer, reply](ServeJob& done) {
                reply(noted(path, done.arrived, answer(done)));
            };
            batcher.add(std::make_unique<ServeJob>(std::move(*kept)));
        }};
    }

    [[nodiscard]] HttpResponse act(const HttpRequest& request, std::string_view body) const {
        ServeJob job;
        const bool in_bytes = request.type == kBytesType;
        auto read = in_bytes ? read_act_bytes(body, request.query, columns) : read_act_request(body, columns);
        if (const auto* const refused = std::get_if<Refusal>(&read)) {
            return noted("/act", job.arrived, refusal(refused->status, refused->sentence));
        }
        job.request = std::move(std::get<ActRequest>(read));
        if (job.request.streams) {
            return streamed(std::move(job));
        }
        return later("/act", std::move(job), [this, in_bytes](ServeJob& done) {
            if (const auto* const refused = std::get_if<Refusal>(&done.result)) {
                return refusal(refused->status, refused->sentence);
            }
            const Rows& actions = std::get<Rows>(done.result);
            HttpResponse out = in_bytes
                                   ? HttpResponse{.type = std::string(kBytesType), .body = act_answer_bytes(actions)}
                                   : json_response(act_answer(done.request, actions, columns));
            out.headers.emplace_back("Tenon-Frames", std::to_string(done.frames));
            return out;
        });
    }

    // An event for each element of the action, and at the end one with the whole answer or with what went wrong.
    [[nodiscard]] HttpResponse streamed(ServeJob job) const {
        auto stream = std::make_shared<TokenStream>();
        job.stream = stream;
        job.done = [this](ServeJob& done) {
            const auto* const refused = std::get_if<Refusal>(&done.result);
            const HttpResponse whole =
                refused != nullptr ? refusal(refused->status, refused->sentence)
                                   : json_response(act_answer(done.request, std::get<Rows>(done.result), columns));
            done.stream->put(server_event(refused != nullptr ? "error" : "answer",
                                          std::string_view(whole.body).substr(0, whole.body.size() - 1)));
            done.stream->end();
            metrics.answered("/act", whole.status, seconds_since(done.arrived));
        };
        batcher.add(std::make_unique<ServeJob>(std::move(job)));
        return event_stream([stream] { return stream->take(); });
    }

    [[nodiscard]] HttpResponse reset(std::string_view body) const {
        ServeJob job;
        auto read = read_reset_request(body);
        if (const auto* const refused = std::get_if<Refusal>(&read)) {
            return noted("/reset", job.arrived, refusal(refused->status, refused->sentence));
        }
        job.request.client = std::move(std::get<std::string>(read));
        job.resets = true;
        return later("/reset", std::move(job), [](ServeJob& done) {
            return json_response(done.forgotten ? "{\"forgotten\":true}\n" : "{\"forgotten\":false}\n");
        });
    }

    HttpResponse operator()(const HttpRequest& request) const {
        const bool posts = request.path == "/act" || request.path == "/reset";
        if (!posts && request.path != "/" && request.path != "/spec" && request.path != "/metrics") {
            return refusal(404, "there is no such page; there are /act, /reset, /spec and /metrics");
        }
        if (posts ? request.method != "POST" : request.method != "GET") {
            return refusal(405, posts ? "send this with POST" : "only /act and /reset take something: ask with GET");
        }
        if (posts) {
            return {.with_body = [this, &request](const std::string& body) {
                return request.path == "/act" ? act(request, body) : reset(body);
            }};
        }
        if (request.path == "/spec") {
            return json_response(spec);
        }
        if (request.path == "/metrics") {
            return {.type = "text/plain; version=0.0.4; charset=utf-8", .body = metrics.text()};
        }
        return {.body = std::string(kRoutes)};
    }
};

void put_columns(JsonWriter& json, std::string_view key, const std::vector<Spec>& specs,
                 const std::vector<bool>* needed) {
    json.key(key).begin_array();
    for (std::size_t i = 0; i < specs.size(); ++i) {
        json.begin_object();
        put_spec(json, specs[i]);
        if (needed != nullptr) {
            json.key("needed").boolean((*needed)[i]);
        }
        json.end_object();
    }
    json.end_array();
}

}  // namespace

std::string spec_text(const ServedPolicy& policy, const ServeOptions& options) {
    const ServedColumns& columns = policy.columns();
    std::string out;
    JsonWriter json(out);
    json.begin_object();
    put_columns(json, "observation", columns.inputs, &columns.needed);
    put_columns(json, "action", columns.outputs, nullptr);
    json.key("mode").text(columns.usually_samples ? "sample" : "deterministic");
    json.key("modes").begin_array().text("deterministic");
    if (columns.samples) {
        json.text("sample");
    }
    json.end_array().key("memory").boolean(policy.remembers());
    json.key("checkpoint").text(policy.policy().checkpoint.string()).key("frames").integer(policy.policy().frames);
    json.key("limits").begin_object().key("rows").integer(columns.most_rows);
    json.key("clients").integer(options.clients).key("idle_seconds").integer(options.idle.count());
    json.key("body_bytes").integer(static_cast<std::int64_t>(body_limit(columns, options.batch.rows)));
    json.end_object().end_object();
    return out + "\n";
}

HttpHandler serve_routes(const ServedColumns& columns, std::string spec, Batcher& batcher, ServeMetrics& metrics) {
    // The routes are called later, so their address must not change.
    const auto routes = std::make_shared<const Routes>(Routes{columns, std::move(spec), batcher, metrics});
    return [routes](const HttpRequest& request) { return (*routes)(request); };
}

void serve_policy(const ScoringRequest& request, const ServeOptions& options, const Notice& notice,
                  const std::function<void(const ServeAddress&)>& listening, Problems& problems) {
    const std::unique_ptr<ServedPolicy> policy =
        ServedPolicy::open(request, options.clients, options.batch.rows, notice, problems);
    if (!policy) {
        return;
    }
    const Result<std::string> token = token_in(state_folder());
    if (!token) {
        problems.push_back(token.error());
        return;
    }
    const StopSignals signals;
    ServeMetrics metrics;
    Serving serving(*policy, options.clients, options.idle, metrics);
    Follower follower(*policy, request, notice, metrics);
    BatchOptions batches = options.batch;
    batches.idle = options.follows ? kBetweenLooks : std::chrono::milliseconds(0);
    Batcher batcher(batches, [&](std::span<const std::unique_ptr<ServeJob>> jobs) {
        if (options.follows) {
            follower.look();
        }
        serving.answer(jobs);
    });
    const HttpLimits limits{.body_bytes = body_limit(policy->columns(), options.batch.rows),
                            .all_body_bytes = kAllBodies,
                            .connections = kConnections,
                            .requests = SIZE_MAX,
                            .request = std::chrono::seconds(30),
                            .poll = std::chrono::milliseconds(2)};  // of streamed answers
    Result<HttpServer> server =
        HttpServer::open({.port = options.port,
                          .open_to_network = options.open_to_network,
                          .token = *token,
                          .socket = options.socket,
                          .limits = limits},
                         serve_routes(policy->columns(), spec_text(*policy, options), batcher, metrics));
    if (!server) {
        problems.push_back(std::move(server).error());
        return;
    }
    listening({server->address(), options.socket});
    while (!StopSignals::requested()) {
        StopSignals::wait();
    }
    server->stop();  // before the batcher, whose answers need it
    batcher.stop();
}

}  // namespace tenon
