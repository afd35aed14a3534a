// SPDX-License-Identifier: Apache-2.0
// Lanes that cannot go on: which, why, and which component caused it. They are parked, and the reason is reported once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/data/flags.hpp"
#include "experience/env/env_stack.hpp"
#include "experience/replay/callee.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

struct LaneFaults {
    std::vector<std::uint8_t> status;  // [lane] written by the env; 0: the lane can go on
    std::vector<std::string> reasons;  // [lane] the message when the lane was given up
    std::vector<Blamed> blamed;        // [lane] who gave it up
    bool all_needed = false;           // the caller ends the run when a lane is parked

    void resize(std::uint32_t lanes, const Callee<tn_env_api>& env);
    // Keeps why the env has given up lanes of a range. It is inline because nearly every step finds none; the code for
    // the others is not.
    void note(const EnvStack& env, const Storage& storage, std::uint32_t first, std::uint32_t count) {
        if (any_set(std::span(status).subspan(first, count))) {
            note_reasons(env, storage, first, count);
        }
    }
    void note_reasons(const EnvStack& env, const Storage& storage, std::uint32_t first, std::uint32_t count);
    // Parks the lanes that were given up since the last call, and adds a problem for each reason.
    void park(const EnvStack& env, Storage& storage, Problems& warnings) const;
    // The problem if all lanes are parked.
    [[nodiscard]] Problem none_left() const;
};

}  // namespace tenon
