// SPDX-License-Identifier: Apache-2.0
// Checks a policy's actions before an env acts on them. An invalid category or a NaN is the policy's fault and must not
// reach the env. A number outside of its bounds is accepted: unbounded distributions are common, and envs clip.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/data/spec.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

// Whether an env with that action spec can take a stored action.
bool can_take(const Spec& spec, const View& view, std::uint32_t slot, std::uint32_t lane);

class ActionCheck {
public:
    // Checks the actions among the specs. The storage may be moved, but not destroyed.
    ActionCheck(const Composite& specs, const Storage& storage);
    ActionCheck() = default;

    // Looks for the first lane at the storage's head that is not parked and has an invalid action. Returns the rest of
    // a sentence that begins with the policy's name; empty if there is none.
    [[nodiscard]] std::string fault(const Storage& storage) const { return fault(storage, storage.lanes()); }
    // The same among the first `lanes` lanes.
    [[nodiscard]] std::string fault(const Storage& storage, std::uint32_t lanes) const;

private:
    struct Watched {
        Spec spec;
        View view;
    };
    std::vector<Watched> actions_;
};

}  // namespace tenon
