// SPDX-License-Identifier: Apache-2.0
// The state of a run at one moment, as another process can see it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "shared/history/run_info.hpp"
#include "shared/history/run_state.hpp"
#include "shared/watch/curves.hpp"

namespace tenon {

struct WatchedRun {
    std::string id;     // 12 digits that stand for its folder, the same in every process
    std::string name;   // its path below the named folder
    std::string group;  // the name of its parent
    RunInfo info;
    RunState state = RunState::kDied;
    RunCurves curves;
    double position = 0;       // of info.length
    double per_second = 0;     // of the latest records; 0: unknown
    double seconds_left = 0;   // 0: unknown
    int process = 0;           // that holds its lock; 0: unknown
    std::uint64_t memory = 0;  // of the process, bytes in RAM
    double changed = 0;        // when it recorded last, in seconds since 1970
    std::string problem;       // what is wrong with its files
};

// Follows one run. Not safe to call from several threads.
class RunFollower {
public:
    RunFollower(std::filesystem::path folder, std::string name, std::string group);

    // The run as it is now; the same object as before if nothing has changed.
    std::shared_ptr<const WatchedRun> look();

private:
    struct Signature {
        std::int64_t manifest_time = 0, metrics_time = 0;
        std::uint64_t metrics_size = 0;
        int lock = 0;
        bool operator==(const Signature&) const = default;
    };
    [[nodiscard]] Signature signature() const;

    WatchedRun blank_;
    Signature seen_;
    std::optional<HistoryReader> history_;  // while the run is running
    std::shared_ptr<const WatchedRun> latest_;
};

}  // namespace tenon
