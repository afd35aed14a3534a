// SPDX-License-Identifier: Apache-2.0
// Prepares the next minibatch of a unit on another thread while the present update runs.
//
// A sampler that is prefetched depends only on the frames and on the minibatch's number. The plan refuses others, such
// as samplers by priorities, which updates change. So a prefetched minibatch has the same bytes as one that is prepared
// when it is needed, and may be dropped at any time.
#pragma once

#include <cstdint>
#include <optional>

#include "base/error/result.hpp"
#include "base/thread/companion.hpp"
#include "compute/exec/program.hpp"

namespace tenon {

class Prefetch {
public:
    // Chooses and gathers the rows of the minibatch with this number.
    using Prepare = Result<Sizes> (*)(void* self, std::uint64_t counter);

    Prefetch() = default;
    Prefetch(const Prefetch&) = delete;
    Prefetch& operator=(const Prefetch&) = delete;
    ~Prefetch() { settle(); }

    // Starts to prepare a minibatch. Allocates nothing. `self` must live until settle or take.
    void begin(Prepare prepare, void* self, std::uint64_t counter);

    // Waits for the minibatch of this number. Nothing: another minibatch has been begun, or none.
    std::optional<Result<Sizes>> take(std::uint64_t counter);

    // Waits until the other thread is idle. What it has prepared can still be taken.
    void settle();
    // Drops the prepared minibatch; call it if the frames of its rows may have changed.
    void drop() {
        settle();
        prepared_.reset();
    }

private:
    void run();

    Prepare prepare_ = nullptr;
    void* self_ = nullptr;
    std::uint64_t counter_ = 0;
    bool runs_ = false;
    std::optional<Result<Sizes>> prepared_;
    Companion companion_;
};

}  // namespace tenon
