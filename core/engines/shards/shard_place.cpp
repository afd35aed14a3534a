// SPDX-License-Identifier: Apache-2.0
#include "engines/shards/shard_place.hpp"

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/file/launch_site.hpp"

namespace tenon {
namespace {

struct Launcher {
    const char* rank;
    const char* count;
    const char* name;
};

// In the order in which they are asked.
constexpr Launcher kLaunchers[] = {
    {"RANK", "WORLD_SIZE", "RANK"},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_PROCID"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    {"PMIX_RANK", "PMIX_SIZE", "PMIX_RANK"},
    {"PMI_RANK", "PMI_SIZE", "PMI_RANK"},
    {"JOB_COMPLETION_INDEX", "", "JOB_COMPLETION_INDEX"},
};

constexpr std::uint64_t kFirstPort = 20'000;  // this and the next: of the port that a job of Slurm has
constexpr std::uint64_t kPorts = 20'000;

std::optional<std::uint64_t> number(std::string_view text) {
    std::uint64_t out = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
    return read.ec == std::errc() && read.ptr == text.data() + text.size() ? std::optional(out) : std::nullopt;
}

// Where shard 0 waits: a port, or a file if all shards are on one machine, such as in containers without a network.
Result<std::string> endpoint_of(const Variable& variable) {
    std::string host = variable("MASTER_ADDR");
    std::string port = variable("MASTER_PORT");
    if (host.starts_with('/')) {
        return "ipc://" + host;
    }
    if (host.empty() && !variable("SLURM_STEP_NODELIST").empty()) {
        host = first_host(variable("SLURM_STEP_NODELIST"));
    }
    if (port.empty() && !variable("SLURM_JOB_ID").empty()) {
        port = std::to_string(kFirstPort + number(variable("SLURM_JOB_ID")).value_or(0) % kPorts);
    }
    const auto at = number(port);
    if (!port.empty() && (!at || *at == 0 || *at >= 65'535)) {
        return input_problem("MASTER_PORT is '" + port + "', but must be a port, 1 to 65534");
    }
    if (host.empty() || !at) {
        return input_problem("a launcher has started this shard, but does not say where shard 0 is", {},
                             "set MASTER_ADDR and MASTER_PORT, the same for all shards");
    }
    // torchrun's agent listens at the port itself
    const bool is_taken = variable("TORCHELASTIC_USE_AGENT_STORE") == "True";
    return "tcp://" + host + ":" + std::to_string(*at + (is_taken ? 1 : 0));
}

}  // namespace

std::string variable_of_process(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

Result<std::chrono::milliseconds> limit_of_meeting(const Variable& variable) {
    const std::chrono::seconds limit = TENON_TRY(waiting_limit(variable("TENON_WAIT")));
    return std::chrono::milliseconds(limit);
}

std::string link_of_process(const Variable& variable) {
    const auto is_set = [&](const char* name) { return !variable(name).empty(); };
    if (is_set("TENON_LINK")) {
        return variable("TENON_LINK");
    }
    if (is_set("TENON_MEETING") || is_set("MASTER_ADDR") || is_set("RANK") || is_set("SLURM_PROCID")) {
        return "zmq";
    }
    const auto starts_several = [&](const char* rank, const char* count) {
        return is_set(rank) && is_set(count) && variable(count) != "1";
    };
    return starts_several("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE") ? "openmpi"
           : starts_several("PMI_RANK", "PMI_SIZE")                       ? "mpich"
                                                                          : "zmq";
}

std::string first_host(const std::string& list) {
    const std::size_t bracket = list.find_first_of("[,");
    if (bracket == std::string::npos || list[bracket] == ',') {
        return list.substr(0, bracket);
    }
    const std::size_t end = list.find_first_of("-,]", bracket);
    return list.substr(0, bracket) + list.substr(bracket + 1, end - bracket - 1);
}

std::size_t launched_processes(const Variable& variable) {
    for (const Launcher& launcher : kLaunchers) {
        if (!variable(launcher.rank).empty() && *launcher.count != '\0') {
            return static_cast<std::size_t>(number(variable(launcher.count)).value_or(0));
        }
    }
    return 0;
}

std::string unshared_launch(const Variable& variable) {
    const std::size_t count = launched_processes(variable);
    return count > 1 && !variable("MASTER_ADDR").empty()
               ? "a launcher has started " + std::to_string(count) + " processes that are to meet at " +
                     variable("MASTER_ADDR") + " (MASTER_ADDR), but run.shards is 1, so each of them makes a whole run"
               : "";
}

Result<std::optional<ShardPlace>> shard_of_launcher(const Variable& variable, std::size_t shards, bool asks_endpoint) {
    ShardPlace out{.endpoint = variable("TENON_MEETING"), .secret = variable("TENON_KEY")};
    out.by_tenon = !out.endpoint.empty();
    out.limit = TENON_TRY(limit_of_meeting(variable));
    for (const Launcher& launcher : kLaunchers) {
        const std::string rank = variable(launcher.rank);
        const std::string count = *launcher.count == '\0' ? std::to_string(shards) : variable(launcher.count);
        if (rank.empty() || count == "1") {  // a batch script of Slurm is process 0 of 1
            continue;
        }
        const auto at = number(rank);
        if (!at) {
            return input_problem(std::string(launcher.name) + " is '" + rank + "', but must be the number of a shard");
        }
        if (number(count) != shards) {
            return input_problem("the run has " + std::to_string(shards) + " shards, but " + launcher.name + " is " +
                                     rank + " and " + launcher.count + " is " + (count.empty() ? "not set" : count),
                                 {}, "start as many processes as run.shards says");
        }
        if (*at >= shards) {
            return input_problem(std::string(launcher.name) + " is " + rank + ", but the run has shards 0 to " +
                                 std::to_string(shards - 1));
        }
        out.rank = static_cast<std::size_t>(*at);
        if (!out.by_tenon && asks_endpoint) {
            out.endpoint = TENON_TRY(endpoint_of(variable));
            TENON_TRY(check_secret(out.endpoint, out.secret,
                                   "the shards of this run open ports on the network, at " + out.endpoint,
                                   "all shards"));
        }
        return std::optional(out);
    }
    return std::optional<ShardPlace>();
}

}  // namespace tenon
