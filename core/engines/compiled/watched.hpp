// SPDX-License-Identifier: Apache-2.0
// Compares the first runs of a compiled program with the reference executor. After a disagreement the reference takes
// over, for this program and all others. If columns are on a device, a compared run fetches its columns to the host.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compute/exec/exchange.hpp"
#include "compute/exec/program.hpp"

namespace tenon::compiled {

// Shared by the programs of an executor.
struct Trust {
    bool lost = false;             // by this process
    Exchange* exchange = nullptr;  // with other processes, if there are any

    // Programs that exchange something are computed by the same executor in all processes, because equal values must
    // have equal bits. Others change it at once where they must.
    [[nodiscard]] bool is_lost(bool exchanges) const {
        return exchange == nullptr ? lost : exchange->is_distrusted() || (lost && !exchanges);
    }
    void lose() {
        lost = true;
        if (exchange != nullptr) {
            exchange->distrust();
        }
    }
};

// Compares updates with a number below this one, and as many first runs of a program without stages.
inline constexpr int kWatched = 3;

struct Watch {
    ProgramSpec spec;  // of the reference: its columns are in the host's memory
    std::vector<StagePlan> stages;
    Learner& learner;
    std::shared_ptr<Trust> trust;
    std::shared_ptr<Device> device = nullptr;  // where inputs of calls are; null: in the host's memory
    bool writes_on_device = false;             // outputs as well
    // Reports what differs. `call`: the run that showed it, with columns in the host's memory.
    std::function<void(const Watch& watch, const Call& call, const std::string& difference)> disagreed;
};

std::unique_ptr<Program> watch(std::unique_ptr<Program> compiled, std::shared_ptr<Program> reference, Watch watch);

}  // namespace tenon::compiled
