// SPDX-License-Identifier: Apache-2.0
// What a policy wrote, looked at before an env acts on it: a choice that there is not, or a NaN, is the policy's fault,
// and no env is to stumble over it. A number outside of its bounds passes: distributions without bounds are common, and
// envs clip.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/spec.hpp"
#include "replay/storage.hpp"

namespace tenon {

// Whether an env with that action can take the one that stands there.
bool can_take(const Spec& spec, const View& view, std::uint32_t slot, std::uint32_t lane);

class ActionCheck {
public:
    // Of the actions among the specs. The storage may be moved, not destroyed.
    ActionCheck(const Composite& specs, const Storage& storage);
    ActionCheck() = default;

    // The rest of a sentence that begins with the policy's name, about the first lane at the storage's head that is not
    // parked and has an impossible action; empty where there is none.
    [[nodiscard]] std::string fault(const Storage& storage) const;

private:
    struct Watched {
        Spec spec;
        View view;
    };
    std::vector<Watched> actions_;
};

}  // namespace tenon
