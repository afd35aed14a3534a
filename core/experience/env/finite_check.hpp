// SPDX-License-Identifier: Apache-2.0
// Checks that the output of lanes is finite before anything reads it. A lane whose reward or observation is not finite
// is parked, as if its env had given it up. The env's own columns are checked first, then those after each transform.
// So transforms that learn from all lanes never see NaN, and the component that makes a NaN is named.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/data/spec.hpp"
#include "experience/env/env_stack.hpp"
#include "experience/env/lane_columns.hpp"
#include "experience/env/lane_faults.hpp"
#include "experience/replay/callee.hpp"
#include "experience/replay/storage.hpp"
#include "tenon/abi/transform.h"

namespace tenon {

class FiniteCheck {
public:
    // The component that made the columns of a side: the env, or the transform inside of it. Both must outlive the next
    // bind.
    struct Makers {
        const EnvStack* env = nullptr;
        std::span<const Callee<tn_transform_api>> transforms;
    };
    void bind(Makers makers, std::span<const Composite> sides, const LaneColumns& columns, const Storage& storage);
    // Turns the checks off.
    void trust() { trusted_ = true; }

    // Checks a step of a range of lanes, in the columns of `side`.
    void step(LaneFaults& faults, std::size_t side, std::uint32_t slot, std::uint32_t next, std::uint32_t first,
              std::uint32_t count) const {
        if (!trusted_) {
            check_step(faults, side, slot, next, first, count);
        }
    }
    // Checks the first observations of the lanes of the mask. Removes lanes that cannot begin from the mask.
    void reset(LaneFaults& faults, std::size_t side, std::uint32_t slot, std::vector<std::uint8_t>& mask) const;

private:
    // A column whose numbers must be finite.
    struct Watched {
        std::string key;
        View view;
        View final;  // without data if there is none
    };
    // The columns of float types on one side of the transforms.
    struct Side {
        std::vector<Watched> rewards;
        std::vector<Watched> observations;
    };

    static bool all_finite(const std::vector<Watched>& columns, std::uint32_t slot, std::uint32_t first,
                           std::uint32_t count);
    void check_step(LaneFaults& faults, std::size_t side, std::uint32_t slot, std::uint32_t next, std::uint32_t first,
                    std::uint32_t count) const;
    void check_final(LaneFaults& faults, std::size_t side, std::uint32_t slot, std::uint32_t lane) const;
    void distrust(LaneFaults& faults, std::uint32_t lane, const View& column, std::uint32_t slot,
                  const std::string& key, std::size_t side) const;

    Makers makers_;
    const Storage* storage_ = nullptr;
    std::vector<Side> sides_;
    bool trusted_ = false;
};

}  // namespace tenon
