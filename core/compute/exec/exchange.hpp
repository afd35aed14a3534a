// SPDX-License-Identifier: Apache-2.0
// What the processes that make one step together exchange between their gradients and the step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error/result.hpp"
#include "compute/exec/call.hpp"
#include "compute/parameters/network.hpp"

namespace tenon {

class DeviceSlabs;

struct ExchangeHead {
    std::int64_t gathered = 0;  // minibatches whose gradients are summed in the slabs; if 0, the slabs are not read
    // Outputs that have been written, of values of all rows (over_shards.hpp); the columns of these are then filled.
    std::span<const std::size_t> outputs = {};
    const Call* call = nullptr;      // that has both
    bool alone = false;              // a dry run: the values are those of this process, which tells nobody
    std::span<double> numbers = {};  // summed like gradients
    double distrusting = 0;          // processes that no longer trust compiled programs; the exchange sets it
};

struct ExchangeTimes {
    double exchange_s = 0;    // sending and adding gradients
    double wait_s = 0;        // waiting for other processes, whatever they do
    std::size_t slowest = 0;  // the process that has waited least
};

class Exchange {
public:
    virtual ~Exchange() = default;
    // Replaces the networks' gradients, and the head's numbers, by the sums over all processes. The bits of the sums
    // are the same in each. Every process must call it with the same networks and as many numbers. The problem names a
    // process that does not answer.
    virtual Status sum(ExchangeHead& head, std::span<Network* const> networks, DType real) = 0;
    // Whether devices of all processes are linked, so that they sum gradients that are in their memory.
    [[nodiscard]] virtual bool links_devices() const { return false; }
    // As sum, on the devices' streams, if links_devices. All processes have gathered equally many minibatches.
    virtual Status sum_on_device(ExchangeHead& head, std::span<Network* const> networks, DeviceSlabs& slabs) = 0;
    // Programs that all compute together change their executor together: says that this process no longer trusts
    // compiled programs (run.executor = "auto"), which the next sum tells all others.
    virtual void distrust() = 0;
    // Whether any process has said so before the latest sum: the same in all.
    [[nodiscard]] virtual bool is_distrusted() const = 0;
    // The times of this process since the latest call of forget_times.
    [[nodiscard]] virtual ExchangeTimes times() const = 0;
    virtual void forget_times() = 0;
};

}  // namespace tenon
