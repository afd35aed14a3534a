// SPDX-License-Identifier: Apache-2.0
#include "commands/bench/cluster_command.hpp"

#include <array>
#include <cmath>
#include <iostream>
#include <optional>
#include <vector>

#include "base/error/listed.hpp"
#include "base/json/write.hpp"
#include "commands/bench/cluster_benchmark.hpp"
#include "commands/bench/program_benchmark.hpp"
#include "plugins/plugin/search_path.hpp"
#include "report.hpp"
#include "table.hpp"

namespace tenon::host {
namespace {

// Sizes of exchanges, and how many times longer than plain TCP each may take: tests/e2e and docs/scale.md.
struct Bar {
    std::size_t floats;
    double most;
};
constexpr auto kBars = std::to_array<Bar>({{5'000, 5}, {70'000, 2.5}, {300'000, 1.5}, {3'000'000, 1.5}});
constexpr double kIdleLoad = 0.5;  // a load average up to which the machine counts as idle
constexpr std::array<std::size_t, 6> kShards = {2, 4, 8, 16, 32, 64};

// The update that shards would share.
struct Update {
    double us;
    std::size_t floats;
    std::size_t messages;  // of some numbers, before the gradients
    std::int64_t lanes;    // of a shard
};
constexpr std::size_t kSomeNumbers = 16;

// The part of the ideal speed that is left when each update waits for its exchange.
double of_ideal(double computing_us, double exchange_us) {
    return computing_us / (computing_us + exchange_us);
}

// What an update waits for. If it has messages before its gradients, the first of the exchanges is one of them.
double exchange_us(const ClusterTimes& times, const std::optional<Update>& update, std::size_t shards) {
    const MeasuredExchange& small = times.exchanges.front();
    const MeasuredExchange& gradients = times.exchanges.back();
    const double before = update ? static_cast<double>(update->messages) * small.median_us : 0;
    return predicted_us(before, small.floats, shards) + predicted_us(gradients.median_us, gradients.floats, shards);
}

std::string percent(double share) {
    return std::to_string(std::lround(100 * share)) + "%";
}

// The machine's load average of the last minute; 0: unknown.
double load_average() {
    std::array<double, 1> load{};
    return ::getloadavg(load.data(), 1) == 1 ? load[0] : 0;
}

void print_exchanges(const ClusterTimes& times, double load) {
    std::cout << times.place << ", link " << times.link << "; an exchange of gradients and their sum, in us:\n";
    std::string over;
    std::vector<Row> rows{{"floats", "median", "p90", "plain TCP", "p90", "ratio", "at most"}};
    for (const MeasuredExchange& each : times.exchanges) {
        const double ratio = each.median_us / each.raw_median_us;
        std::string most;
        for (const Bar& bar : kBars) {
            if (bar.floats == each.floats) {
                most = number_text(bar.most);
                over += ratio > bar.most ? over_bar(each.floats, ratio, bar.most, load) + "\n" : "";
            }
        }
        rows.push_back({std::to_string(each.floats), number_text(each.median_us), number_text(each.p90_us),
                        number_text(each.raw_median_us), number_text(each.raw_p90_us), number_text(ratio), most});
    }
    print_rows(std::cout, rows, "  ", "rrrrrrr");
    std::cout << over;
}

void print_predicted(const ClusterTimes& times, const std::optional<Update>& update) {
    std::cout << "predicted for more shards, on a network as fast as this one for each pair, in us:\n";
    std::vector<Row> rows{{"shards"}};
    for (const MeasuredExchange& each : times.exchanges) {
        rows[0].push_back(std::to_string(each.floats) + " floats");
    }
    if (update) {
        rows[0].emplace_back("of the ideal speed");
    }
    for (const std::size_t shards : kShards) {
        Row row{std::to_string(shards)};
        for (const MeasuredExchange& each : times.exchanges) {
            row.push_back(number_text(predicted_us(each.median_us, each.floats, shards)));
        }
        if (update) {
            row.push_back(percent(of_ideal(update->us, exchange_us(times, update, shards))));
        }
        rows.push_back(std::move(row));
    }
    print_rows(std::cout, rows, "  ", "rrrrrrrr");
    if (update) {
        std::cout << "one update of a shard with " << counted(update->lanes, "lane") << " computes "
                  << number_text(update->us) << " us and exchanges " << update->floats << " floats"
                  << (update->messages == 0
                          ? ""
                          : ", after " + counted(update->messages, "message") + " with values of all rows")
                  << "; each shard computes as much\n";
    } else {
        std::cout << "shards have 90% of the ideal speed if an update computes nine times as long as its exchange "
                     "takes: `tenon bench cluster MANIFEST` measures both\n";
    }
}

void print_as_json(const std::string& name, const ClusterTimes& times, const std::optional<Update>& update) {
    std::string text;
    JsonWriter json(text);
    const auto count = [](std::size_t number) { return static_cast<std::int64_t>(number); };
    json.begin_object().key("name").text(name).key("link").text(times.link).key("exchanges").begin_array();
    for (const MeasuredExchange& each : times.exchanges) {
        json.begin_object().key("floats").integer(count(each.floats)).key("median_us").number(each.median_us);
        json.key("p90_us").number(each.p90_us).key("raw_median_us").number(each.raw_median_us);
        json.key("raw_p90_us").number(each.raw_p90_us).end_object();
    }
    json.end_array().key("predicted").begin_array();
    for (const std::size_t shards : kShards) {
        const double exchange = exchange_us(times, update, shards);
        json.begin_object().key("shards").integer(count(shards)).key("exchange_us").number(exchange);
        if (update) {
            json.key("of_ideal").number(of_ideal(update->us, exchange));
        }
        json.end_object();
    }
    json.end_array().end_object();
    std::cout << text << '\n';
}

}  // namespace

std::string over_bar(std::size_t floats, double ratio, double most, double load) {
    const std::string reason =
        load > kIdleLoad ? "; the likely reason is the machine's load, " + number_text(load) + " before the measurement"
                         : "";
    return "the exchange of " + std::to_string(floats) + " floats takes " + number_text(ratio) +
           " times as long as plain TCP, more than " + number_text(most) + reason;
}

int bench_cluster(const CommandLine& line, const std::optional<Request>& program, const Arguments& arguments) {
    const double seconds = line.number("seconds").value_or(1);
    const double load = load_average();  // before this command adds to it
    ClusterBenchmarkRequest request{
        .again = {program_to_start_again().string(), "bench"}, .sizes = {}, .seconds = seconds};
    request.again.insert(request.again.end(), arguments.begin(), arguments.end());
    for (const Bar& bar : kBars) {
        request.sizes.push_back(bar.floats);
    }
    std::optional<Update> update;
    const Result<bool> second = is_second_in_cluster();
    if (!second) {
        return report(second.error());
    }
    if (program && !*second) {
        Problems problems;
        Request share = *program;
        share.shard = 0;  // the whole run, unless run.shards divides it
        const auto measured = benchmark_program(share, Subject::kUpdate, seconds, problems);
        if (!measured) {
            return report(problems);
        }
        update = Update{.us = measured->times.median_us,
                        .floats = measured->gradients,
                        .messages = measured->messages,
                        .lanes = measured->lanes};
        request.sizes = {update->floats};
        if (update->messages > 0) {
            request.sizes.insert(request.sizes.begin(), kSomeNumbers);
        }
    }
    const Result<std::optional<ClusterTimes>> times = benchmark_cluster(request);
    if (!times) {
        return report(times.error());
    }
    if (*times) {
        if (line.has("json")) {
            print_as_json(program ? program->manifest.stem().string() : "cluster", **times, update);
        } else {
            print_exchanges(**times, load);
            print_predicted(**times, update);
        }
    }
    return kSuccess;
}

}  // namespace tenon::host
