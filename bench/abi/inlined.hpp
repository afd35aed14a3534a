// SPDX-License-Identifier: Apache-2.0
// CartPole and the loop over its lanes in one program: what the plugin ABI is measured against. No table of functions,
// no strides, no check: the arrays are where the compiler knows them to be, and nothing is looked at twice.
#pragma once

#include <cstdint>
#include <memory>

#include "tenon/abi/plugin.h"

namespace tenon::bench {

// Dense arrays [slot][lane], observations [slot][lane][4].
struct InlinedColumns {
    std::uint32_t slots;
    std::uint32_t lanes;
    const std::int64_t* action;
    float* reward;
    bool* terminated;
    bool* truncated;
    float* observation;
    float* last;  // what an episode ended with, at the slot of its last step
};

class Inlined {
public:
    // The options as a plugin gets them.
    Inlined(const tn_create_args& args, const InlinedColumns& columns);
    Inlined(const Inlined&) = delete;
    ~Inlined();

    // All lanes, at slot 0.
    void reset(const std::uint64_t* seeds);
    // So many steps of all lanes, from slot 0 on.
    void run(std::uint32_t steps);

private:
    struct Lanes;
    std::unique_ptr<Lanes> lanes_;
};

}  // namespace tenon::bench
