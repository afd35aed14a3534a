// SPDX-License-Identifier: Apache-2.0
#include "commands/bench/cluster_benchmark.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <utility>

#include "base/file/launch_site.hpp"
#include "base/file/lifeline.hpp"
#include "base/file/spawn.hpp"
#include "commands/bench/raw_exchange.hpp"
#include "compute/exec/build_id.hpp"
#include "compute/parameters/network.hpp"
#include "engines/shards/group.hpp"
#include "engines/shards/link_engine.hpp"
#include "engines/shards/shard_place.hpp"
#include "engines/shards/started_shards.hpp"

namespace tenon {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kFewest = 10;         // exchanges of a size
constexpr std::size_t kMostTogether = 16;   // exchanges of one kind in a turn
constexpr double kTurnUs = 2'000;           // about how long a turn is
constexpr std::string_view kMore = "more";  // words of the first process
constexpr std::string_view kEnough = "enough";

// The other process, if this one has started it: it ends with this object.
struct Other {
    Other() = default;
    Other(const Other&) = delete;
    Other& operator=(const Other&) = delete;
    ~Other() {
        if (id > 0) {
            ::kill(-id, SIGKILL);
            ::waitpid(id, nullptr, 0);
        }
    }
    pid_t id = 0;
    PrivateDescriptor lifeline = {};
};

// Starts the other process, which finds this one at a port of the loopback.
Result<ShardPlace> start_other(const std::vector<std::string>& command, Other& other) {
    int port = 0;
    {
        const RawListener free = TENON_TRY(listen_raw(false));
        port = free.port;
    }
    ShardPlace own{.rank = 0, .endpoint = "tcp://127.0.0.1:" + std::to_string(port), .secret = {}, .by_tenon = true};
    ::setenv("TENON_MEETING", own.endpoint.c_str(), 1);
    ::setenv("RANK", "1", 1);
    ::setenv("WORLD_SIZE", "2", 1);
    Lifeline lifeline = TENON_TRY(make_lifeline());
    other.id = TENON_TRY(spawn(command.front(), command, {{lifeline.given.get(), kShardLifeline}}));
    other.lifeline = std::move(lifeline.held);
    return own;
}

// What both sides measure with: a group of two, and a plain connection.
struct Pair {
    std::unique_ptr<Group> group;
    FileDescriptor raw;
    std::size_t other;
};

// The plain connection goes where the first process is reached. Its word keeps strangers out.
Result<FileDescriptor> connect_plainly(Group& group, const std::string& endpoint) {
    const bool is_tcp = endpoint.starts_with("tcp://");
    const std::string host = is_tcp ? endpoint.substr(6, endpoint.rfind(':') - 6) : "127.0.0.1";
    if (group.rank() == 0) {
        const RawListener listener = TENON_TRY(listen_raw(host != "127.0.0.1" && host != "localhost"));
        std::random_device draw;
        std::string word;
        for (int i = 0; i < 16; ++i) {
            word += static_cast<char>('a' + draw() % 26);
        }
        TENON_TRY(group.tell(1, MessageKind::kWord, word + std::to_string(listener.port)));
        return accept_raw(listener, word);
    }
    const std::string told = TENON_TRY(group.hear(0, MessageKind::kWord));
    return connect_raw(host, static_cast<int>(std::strtol(told.c_str() + 16, nullptr, 10)), told.substr(0, 16));
}

struct Numbers {
    Network network;
    std::vector<float> scratch;

    std::span<float> all() { return {network.gradient.as<float>(), scratch.size()}; }
};

Result<Numbers> numbers_of(std::size_t floats) {
    Numbers out{.network = {}, .scratch = std::vector<float>(floats)};
    out.network.gradient = TENON_TRY(Slab::make(floats * sizeof(float)));
    return out;
}

Status exchange(Pair& pair, Numbers& numbers, bool plainly) {
    if (plainly) {
        return exchange_raw(pair.raw.get(), numbers.all(), numbers.scratch);
    }
    ExchangeHead head{.gathered = 1};
    Network* const network = &numbers.network;
    return pair.group->sum(head, std::span(&network, 1), DType::kF32);
}

// One exchange each way, whose sums are known.
Status check_sums(Pair& pair, Numbers& numbers) {
    for (const bool plainly : {true, false}) {
        std::ranges::fill(numbers.all(), static_cast<float>(pair.group->rank() + 1));
        TENON_TRY(exchange(pair, numbers, plainly));
        if (std::ranges::any_of(numbers.all(), [](float sum) { return sum != 3; })) {
            return environment_problem("an exchange has given wrong sums");
        }
    }
    std::ranges::fill(numbers.all(), 0.0F);
    return {};
}

// Measures `together` exchanges in sequence. The first one, which waits for the other process, is not measured.
Status take_turn(Pair& pair, Numbers& numbers, bool plainly, std::size_t together, std::vector<double>& us) {
    for (std::size_t i = 0; i <= together; ++i) {
        const auto began = Clock::now();
        TENON_TRY(exchange(pair, numbers, plainly));
        if (i > 0) {
            us.push_back(std::chrono::duration<double, std::micro>(Clock::now() - began).count());
        }
    }
    return {};
}

double quantile(std::vector<double>& values, double share) {
    std::ranges::sort(values);
    return values[std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

// The first process says before each turn whether there is one more, and of how many exchanges.
Result<MeasuredExchange> measure(Pair& pair, std::size_t floats, double seconds) {
    Numbers numbers = TENON_TRY(numbers_of(floats));
    TENON_TRY(check_sums(pair, numbers));
    std::vector<double> linked;
    std::vector<double> plain;
    const auto began = Clock::now();
    for (std::size_t together = 1;;) {
        std::string word;
        if (pair.group->rank() == 0) {
            const double spent = std::chrono::duration<double>(Clock::now() - began).count();
            const bool more = linked.size() < kFewest || spent < seconds;
            if (!linked.empty()) {
                together = std::clamp<std::size_t>(static_cast<std::size_t>(kTurnUs / linked.back()), 1, kMostTogether);
            }
            word = more ? std::string(kMore) + std::to_string(together) : std::string(kEnough);
            TENON_TRY(pair.group->tell(1, MessageKind::kWord, word));
        } else {
            word = TENON_TRY(pair.group->hear(0, MessageKind::kWord));
        }
        if (word == kEnough) {
            break;
        }
        together = std::strtoul(word.c_str() + kMore.size(), nullptr, 10);
        TENON_TRY(take_turn(pair, numbers, true, together, plain));
        TENON_TRY(take_turn(pair, numbers, false, together, linked));
    }
    return MeasuredExchange{.floats = floats,
                            .median_us = quantile(linked, 0.5),
                            .p90_us = quantile(linked, 0.9),
                            .raw_median_us = quantile(plain, 0.5),
                            .raw_p90_us = quantile(plain, 0.9),
                            .count = linked.size()};
}

// Those of the first process.
Result<std::vector<std::size_t>> agreed_sizes(Pair& pair, const std::vector<std::size_t>& sizes) {
    if (pair.group->rank() == 0) {
        const std::string text(reinterpret_cast<const char*>(sizes.data()), sizes.size() * sizeof(std::size_t));
        TENON_TRY(pair.group->tell(1, MessageKind::kWord, text));
        return sizes;
    }
    const std::string text = TENON_TRY(pair.group->hear(0, MessageKind::kWord));
    std::vector<std::size_t> out(text.size() / sizeof(std::size_t));
    std::memcpy(out.data(), text.data(), out.size() * sizeof(std::size_t));
    return out;
}

}  // namespace

Result<bool> is_second_in_cluster() {
    const std::optional<ShardPlace> place = TENON_TRY(shard_of_launcher(variable_of_process, 2, false));
    return place && place->rank == 1;
}

Result<std::optional<ClusterTimes>> benchmark_cluster(const ClusterBenchmarkRequest& request) {
    const std::string link = link_of_process(variable_of_process);
    const LinkEngine* const engine = TENON_TRY(load_link_engine(link));
    TENON_TRY(engine->find());
    Other other;
    std::optional<ShardPlace> place = TENON_TRY(shard_of_launcher(variable_of_process, 2, engine->meets_at_endpoint));
    if (place && place->by_tenon && !end_with_starter(kShardLifeline)) {
        return environment_problem("the process that has started this one has ended");
    }
    if (!place) {
        place = TENON_TRY(start_other(request.again, other));
    }
    const std::string machine = name_of_this_machine();
    const std::string name = machine + ", process " + std::to_string(::getpid());
    std::unique_ptr<Link> opened = TENON_TRY(engine->open(
        {.rank = place->rank, .count = 2, .endpoint = place->endpoint, .secret = place->secret, .name = name}));
    const auto limit = std::chrono::seconds(30);
    auto group =
        std::make_unique<Group>(std::move(opened), GroupPlace{.rank = place->rank, .count = 2, .limit = limit}, name);
    TENON_TRY(group->meet({{.name = "build of Tenon", .value = build_id()}}));
    FileDescriptor raw = TENON_TRY(connect_plainly(*group, place->endpoint));
    Pair pair{.group = std::move(group), .raw = std::move(raw), .other = 1 - place->rank};
    TENON_TRY(pair.group->tell(pair.other, MessageKind::kWord, machine));
    const std::string theirs = TENON_TRY(pair.group->hear(pair.other, MessageKind::kWord));
    ClusterTimes out{.link = link,
                     .place = theirs == machine ? "2 processes on " + machine : machine + " and " + theirs,
                     .exchanges = {}};
    for (const std::size_t floats : TENON_TRY(agreed_sizes(pair, request.sizes))) {
        const double seconds = request.seconds / static_cast<double>(request.sizes.size());
        out.exchanges.push_back(TENON_TRY(measure(pair, floats, seconds)));
    }
    pair.group->leave(nullptr);
    if (other.id > 0) {
        ::waitpid(std::exchange(other.id, 0), nullptr, 0);
    }
    return place->rank == 0 ? std::optional(std::move(out)) : std::nullopt;
}

double predicted_us(double of_two, std::size_t floats, std::size_t shards) {
    return of_two * sent_by_each(shards, floats * sizeof(float));
}

}  // namespace tenon
