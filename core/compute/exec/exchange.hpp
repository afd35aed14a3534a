// SPDX-License-Identifier: Apache-2.0
// What the processes that make one step together exchange between their gradients and the step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error/result.hpp"
#include "compute/parameters/network.hpp"

namespace tenon {

// What must be decided alike by all of them.
struct ExchangeHead {
    std::int64_t gathered = 0;  // minibatches whose gradients are summed in the slabs; if 0, the slabs are not read
    bool stops_epochs = false;  // whether one of these minibatches ends the epochs of its batch (kStopEpochs)
};

struct ExchangeTimes {
    double exchange_s = 0;    // sending and adding gradients
    double wait_s = 0;        // waiting for other processes, whatever they do
    std::size_t slowest = 0;  // the process that has waited least
};

class Exchange {
public:
    virtual ~Exchange() = default;
    // Replaces the networks' gradients, and the head, by the sums over all processes. The bits of the sums are the same
    // in each. Every process must call it with the same networks. The problem names a process that does not answer.
    virtual Status sum(ExchangeHead& head, std::span<Network* const> networks, DType real) = 0;
    // Of this process, since the latest call of forget_times.
    [[nodiscard]] virtual ExchangeTimes times() const = 0;
    virtual void forget_times() = 0;
};

}  // namespace tenon
