// SPDX-License-Identifier: Apache-2.0
// The program tenon-bench-abi, which `tenon bench abi` starts: what it costs that envs are plugins.
#include <boost/program_options/value_semantic.hpp>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "base/json/write.hpp"
#include "command_line.hpp"
#include "measure.hpp"
#include "report.hpp"
#include "table.hpp"

namespace tenon::bench {
namespace {

constexpr int kTimesInspected = 20;

struct Measured {
    std::vector<CallsRow> calls;
    std::vector<ApartRow> apart;
    std::vector<CommandRow> commands;
};

Result<Measured> measure(double seconds) {
    Workshop workshop;
    Result<std::vector<CallsRow>> calls = measure_calls(workshop, seconds);
    if (!calls) {
        return std::move(calls.error());
    }
    Result<std::vector<ApartRow>> apart = measure_apart(workshop, seconds);
    if (!apart) {
        return std::move(apart.error());
    }
    Measured out{.calls = *std::move(calls), .apart = *std::move(apart), .commands = {}};
    for (const auto& [command, times] : {std::pair("inspect", kTimesInspected), std::pair("check", 1)}) {
        Result<CommandRow> row = measure_command(workshop, command, times);
        if (!row) {
            return std::move(row.error());
        }
        out.commands.push_back(*std::move(row));
    }
    return out;
}

std::string text(const Spread& spread) {
    return host::number_text(spread.median);
}

std::string with_quarters(const Spread& spread) {
    return text(spread) + " (" + text({.median = spread.low}) + " to " + text({.median = spread.high}) + ")";
}

void print(const Measured& measured) {
    std::cout
        << "CartPole, nanoseconds per call, which steps all lanes: in one program, by the plugin's function alone, "
           "and by the host\n";
    std::vector<host::Row> rows{{"lanes", "one program", "plugin", "ratio", "more", "host", "ratio", "more"}};
    for (const CallsRow& row : measured.calls) {
        rows.push_back({std::to_string(row.lanes), text(row.inlined_ns), text(row.abi.ns), with_quarters(row.abi.ratio),
                        text(row.abi.more), text(row.host.ns), with_quarters(row.host.ratio), text(row.host.more)});
    }
    host::print_rows(std::cout, rows, "", "rrrrrrrr");
    std::cout << "\nIn a separate process, nanoseconds per step of all lanes\n";
    rows = {{"env", "lanes", "here", "there", "ratio", "more"}};
    for (const ApartRow& row : measured.apart) {
        rows.push_back({row.env, std::to_string(row.lanes), text(row.here_ns), text(row.apart.ns),
                        with_quarters(row.apart.ratio), text(row.apart.more)});
    }
    host::print_rows(std::cout, rows, "", "lrrrrr");
    std::cout << '\n';
    for (const CommandRow& row : measured.commands) {
        std::cout << "tenon " << row.command << ' ' << row.plugin << ": " << host::number_text(1000 * row.seconds)
                  << " ms\n";
    }
}

void write(JsonWriter& json, const char* name, const Spread& spread) {
    json.key(name).begin_array().number(spread.low).number(spread.median).number(spread.high).end_array();
}

void write(JsonWriter& json, const char* name, const Overhead& overhead) {
    json.key(name).begin_object();
    write(json, "ns", overhead.ns);
    write(json, "ratio", overhead.ratio);
    write(json, "more_ns", overhead.more);
    json.end_object();
}

void print_json(const Measured& measured) {
    std::string out;
    JsonWriter json(out);
    json.begin_object().key("calls").begin_array();
    for (const CallsRow& row : measured.calls) {
        json.begin_object().key("lanes").integer(row.lanes);
        write(json, "inlined_ns", row.inlined_ns);
        write(json, "plugin", row.abi);
        write(json, "host", row.host);
        json.end_object();
    }
    json.end_array().key("isolated").begin_array();
    for (const ApartRow& row : measured.apart) {
        json.begin_object().key("env").text(row.env).key("lanes").integer(row.lanes);
        write(json, "here_ns", row.here_ns);
        write(json, "isolated", row.apart);
        json.end_object();
    }
    json.end_array().key("commands").begin_array();
    for (const CommandRow& row : measured.commands) {
        json.begin_object().key("command").text(row.command).key("plugin").text(row.plugin);
        json.key("seconds").number(row.seconds).end_object();
    }
    json.end_array().end_object();
    std::cout << out << '\n';
}

int run(const host::Arguments& words) {
    host::CommandLine line("tenon-bench-abi [options]",
                           "Measures what it costs that envs are plugins. `tenon bench abi` starts it.");
    line.options()("seconds", host::number_value("X"), "for about how long each row (1)")("json", "one JSON object");
    if (const auto code = line.parse(words)) {
        return *code;
    }
    const Result<Measured> measured = measure(line.number("seconds").value_or(1));
    if (!measured) {
        return host::report(measured.error());
    }
    if (line.has("json")) {
        print_json(*measured);
    } else {
        print(*measured);
    }
    return host::kSuccess;
}

}  // namespace
}  // namespace tenon::bench

int main(int argc, char** argv) {
    return tenon::bench::run({argv + 1, argv + argc});
}
