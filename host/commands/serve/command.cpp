// SPDX-License-Identifier: Apache-2.0
// tenon serve: the actions of a policy for other programs.
#include <cstdint>
#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/write.hpp"
#include "base/log/log.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "commands/serve/serve.hpp"
#include "plugin_options.hpp"
#include "report.hpp"

namespace tenon::host {
namespace {

// A script waits for this line, so it is not kept in a buffer.
void print_address(const ServeAddress& address, bool as_json) {
    if (as_json) {
        std::string line;
        JsonWriter json(line);
        json.begin_object();
        if (!address.http.empty()) {
            json.key("address").text(address.http);
        }
        if (!address.socket.empty()) {
            json.key("socket").text(address.socket.string());
        }
        json.end_object();
        std::cout << line << std::endl;
        return;
    }
    if (!address.http.empty()) {
        std::cout << "serving " << address.http << '\n';
    }
    if (!address.socket.empty()) {
        std::cout << "serving the socket " << address.socket.string() << '\n';
    }
    std::cout << "Ctrl-C ends it\n" << std::flush;
}

// A number between bounds, or a sentence.
Result<std::int64_t> bounded(const CommandLine& line, const char* name, std::int64_t otherwise, std::int64_t least,
                             std::int64_t most) {
    const std::int64_t value = line.integer(name).value_or(otherwise);
    if (value < least || value > most) {
        return input_problem("--" + std::string(name) + " is a number from " + std::to_string(least) + " to " +
                             std::to_string(most));
    }
    return value;
}

Result<ServeOptions> serve_options(const CommandLine& line) {
    ServeOptions out;
    const ServeOptions usual;
    const auto port = bounded(line, "port", 0, 0, UINT16_MAX);
    const auto rows = bounded(line, "batch", usual.batch.rows, 1, 4096);
    const auto window = bounded(line, "window", usual.batch.window.count(), 0, 1'000'000);
    const auto clients = bounded(line, "clients", usual.clients, 1, 65'536);
    const auto idle = bounded(line, "idle", usual.idle.count(), 1, 1'000'000'000);
    for (const auto* const each : {&port, &rows, &window, &clients, &idle}) {
        if (!*each) {
            return each->error();
        }
    }
    out.socket = line.text("socket");
    out.port = std::nullopt;
    if (line.has("port") || out.socket.empty()) {
        out.port = static_cast<std::uint16_t>(*port);
    }
    out.open_to_network = line.has("open-to-network");
    out.follows = line.has("follow");
    const std::string checkpoint = line.text("checkpoint");
    if (out.follows && line.has("checkpoint") && checkpoint != "best" && checkpoint != "last") {
        return input_problem("--follow takes newer checkpoints, so --checkpoint is best or last, but it is '" +
                             checkpoint + "'");
    }
    out.batch = {.rows = static_cast<std::uint32_t>(*rows), .window = std::chrono::microseconds(*window)};
    out.clients = static_cast<std::uint32_t>(*clients);
    out.idle = std::chrono::seconds(*idle);
    return out;
}

Result<ScoringRequest> policy_of(const CommandLine& line) {
    const std::vector<std::string> words = line.texts("folder");
    if (words.empty()) {
        return input_problem("serve needs the folder of a run");
    }
    ScoringRequest out{.folder = words.front(),
                       .checkpoint = {},
                       .env = {},
                       .episodes = {},
                       .seed = line.integer("seed"),
                       .actions = {},
                       .plugins = given_plugin_folders(line)};
    if (out.seed.value_or(0) < 0) {
        return input_problem("--seed must be at least 0, but is " + std::to_string(*out.seed));
    }
    if (line.has("checkpoint")) {
        out.checkpoint = line.text("checkpoint");
    }
    if (line.has("actions")) {
        out.actions = line.text("actions");
        if (*out.actions != "mode" && *out.actions != "mean" && *out.actions != "sample") {
            return input_problem("--actions must be mode, mean or sample, but is '" + *out.actions + "'");
        }
    }
    return out;
}

}  // namespace

int command_serve(const Arguments& arguments) {
    CommandLine line(
        "tenon serve DIR [options]",
        "Answers observations with actions of the policy in DIR, over HTTP on loopback or on a Unix socket. "
        "Requests\nthat arrive together are answered by one call of the policy. The address has a token, which "
        "clients send as\nthe header 'Authorization: Bearer TOKEN'.");
    add_plugin_options(line);
    line.options()("port", integer_value("PORT"), "the port to listen on; 0 (the default) is a free one")(
        "socket", text_value("PATH"),
        "listen on a Unix socket in this file, which only you can open: no token is needed; without --port nothing "
        "else")("open-to-network",
                "listen on all addresses of this machine: everybody who knows the token gets actions, and the "
                "connection is not "
                "encrypted")(
        "checkpoint", text_value("WHICH"),
        "best, last, a number of frames, or the folder of a checkpoint; the default is best, or last if the "
        "run has had no evaluations")(
        "follow",
        "as training goes on, take the newer checkpoints that it writes; the header Tenon-Frames of each answer says "
        "which one has answered")(
        "actions", text_value("HOW"),
        "mode, mean or sample, for requests that do not say so; the default is the manifest's eval.actions")(
        "seed", integer_value("N"), "seed of drawn actions; the default is the manifest's")(
        "batch", integer_value("N"), "observations of one call of the policy, at most; the default is 64")(
        "window", integer_value("MICROSECONDS"),
        "how long a request may wait for as many others as recent calls had; the default is 500")(
        "clients", integer_value("N"), "observations whose memory is kept, of all clients; the default is 128")(
        "idle", integer_value("SECONDS"), "after which a silent client is forgotten; the default is 600")(
        "json", "print the address as one JSON object: address, socket");
    line.positional("folder", 1);
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    const Result<ScoringRequest> request = policy_of(line);
    if (!request) {
        return report(request.error());
    }
    const Result<ServeOptions> options = serve_options(line);
    if (!options) {
        return report(options.error());
    }
    const bool as_json = line.has("json");
    Problems problems;
    serve_policy(
        *request, *options, [](std::string_view sentence) { log(Level::kWarning, sentence); },
        [&](const ServeAddress& address) { print_address(address, as_json); }, problems);
    return problems.empty() ? kSuccess : report(problems);
}

}  // namespace tenon::host
