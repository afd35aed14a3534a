// SPDX-License-Identifier: Apache-2.0
// tenon dash: a live page of runs, served by the program itself.
#include <cstdint>
#include <iostream>
#include <string>

#include "base/json/write.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "commands/dash/dash.hpp"
#include "report.hpp"

namespace tenon::host {
namespace {

// A script waits for this line, so it is not kept in a buffer.
void print_address(const std::string& address, bool as_json) {
    if (!as_json) {
        std::cout << "open " << address << "\nCtrl-C ends the page; runs go on without it\n" << std::flush;
        return;
    }
    std::string line;
    JsonWriter(line).begin_object().key("address").text(address).end_object();
    std::cout << line << std::endl;
}

}  // namespace

int command_dash(const Arguments& arguments) {
    CommandLine line(
        "tenon dash DIR... [options]",
        "Serves a page with the runs in these folders as they grow: curves, options that differ, the wiring, "
        "logs,\nvideos, and where the time goes. A DIR is a run, or has runs at most 3 folders below it. The "
        "address has a\ntoken, which stays the same for a user. The page only reads: runs do not notice it.");
    line.options()("port", integer_value("PORT"), "the port to listen on; 0 (the default) is a free one")(
        "open-to-network",
        "listen on all addresses of this machine: everybody who knows the token can read the runs, "
        "and the connection is not encrypted")("json", "print the address as one JSON object: address");
    line.positional("folder", -1);
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    DashOptions options{.paths = {}, .open_to_network = line.has("open-to-network")};
    for (const std::string& folder : line.texts("folder")) {
        options.paths.emplace_back(folder);
    }
    if (options.paths.empty()) {
        return report(input_problem("dash needs a folder of runs"));
    }
    const std::int64_t port = line.integer("port").value_or(0);
    if (port < 0 || port > UINT16_MAX) {
        return report(input_problem("--port is a number from 0 to 65535"));
    }
    options.port = static_cast<std::uint16_t>(port);
    const bool as_json = line.has("json");
    if (Status served = serve_dash(options, [&](const std::string& address) { print_address(address, as_json); });
        !served) {
        return report(served.error());
    }
    return kSuccess;
}

}  // namespace tenon::host
