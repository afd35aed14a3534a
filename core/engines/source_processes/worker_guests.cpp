// SPDX-License-Identifier: Apache-2.0
// Workers that others have started, and that connect (collector.listen).
#include <algorithm>
#include <string>

#include "base/file/launch_site.hpp"
#include "base/file/stop_signals.hpp"
#include "base/log/log.hpp"
#include "engines/source_processes/meeting_place.hpp"
#include "engines/source_processes/workers_source.hpp"

namespace tenon {
namespace {

constexpr std::chrono::milliseconds kDoorGlance{100};
constexpr auto kTellAfter = std::chrono::seconds(1);  // before it tells whom it waits for

// Where the workers of other machines find this one: an address that means all of its addresses is its name.
std::string reached_at(const std::string& endpoint) {
    for (const std::string_view all : {"tcp://0.0.0.0:", "tcp://[::]:", "tcp://*:"}) {
        if (endpoint.starts_with(all)) {
            return "tcp://" + name_of_this_machine() + ":" + endpoint.substr(all.size());
        }
    }
    return endpoint;
}

}  // namespace

Status WorkersSource::open_door() {
    if (plan_.listen.empty()) {
        return {};
    }
    TENON_TRY(waiting_limit_of_process());
    const DoorSide side = TENON_TRY(door_side(plan_.listen, "collector.listen"));
    const DoorEngine* const engine = TENON_TRY(load_door_engine());
    door_ = TENON_TRY(engine->open(side));
    return {};
}

// The process that becomes this worker.
Result<DoorGuest> WorkersSource::await_guest(std::size_t index) {
    const auto begun = std::chrono::steady_clock::now();
    const std::string how = "`tenon collect --connect " + reached_at(door_->endpoint()) + "`";
    for (bool told = false;;) {
        std::optional<DoorGuest> guest = TENON_TRY(door_->take(kDoorGlance));
        for (const std::string& notice : door_->take_notices()) {
            log(Level::kWarning, notice);
        }
        if (guest) {
            log(Level::kInfo, name(index) + " is " + guest->name);
            return std::move(*guest);
        }
        const auto waited = std::chrono::steady_clock::now() - begun;
        if (StopSignals::requested()) {
            return environment_problem("the run was stopped while it waited for " + name(index), {},
                                       "`tenon run --resume` continues from the last checkpoint");
        }
        if (waited >= plan_.limit) {
            const auto here = std::ranges::count_if(
                workers_, [](const Worker& worker) { return worker.process.id() != 0 && worker.how.empty(); });
            return environment_problem(
                "workers connected to " + door_->endpoint() + ": " + std::to_string(here) + " of " +
                    std::to_string(workers_.size()) + "; no other has come within " +
                    std::to_string(plan_.limit.count()) + " s (TENON_WAIT)",
                {}, "start " + std::to_string(workers_.size() - static_cast<std::size_t>(here)) + " more: " + how);
        }
        if (waited >= kTellAfter && !told) {
            told = true;
            log(Level::kInfo, name(index) + " is waited for: start " + how);
        }
    }
}

}  // namespace tenon
