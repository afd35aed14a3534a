// SPDX-License-Identifier: Apache-2.0
// How a person's keys set an env's actions. A terminal does not report when a key is released, so an action stays until
// another key changes it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/action_mask.hpp"
#include "base/data/spec.hpp"
#include "base/error/result.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

class Controls {
public:
    // `who`: the env's name.
    static Result<Controls> make(const Composite& specs, const std::string& who);

    // A key by its name: "left", "right", "up", "down", "space", or its character. False: it does nothing.
    bool press(std::string_view key);

    // Writes the actions of all lanes at the storage's head.
    void write(const Storage& storage) const;
    // Whether the masks at the head allow them in lane 0.
    [[nodiscard]] bool is_allowed(const Storage& storage) const;

    // Whether the masks at the head leave lane 0 more than one action.
    [[nodiscard]] bool has_choice(const Storage& storage) const;

    // "left: 0, right: 1" and "action: 1".
    [[nodiscard]] std::string keys() const;
    [[nodiscard]] std::string now() const;

private:
    // A number that keys change.
    struct Knob {
        std::size_t column = 0;   // among the actions
        std::size_t element = 0;  // of its row
        double low = 0;
        double high = 0;
        double step = 1;
        double neutral = 0;
        double value = 0;
    };

    std::vector<Spec> actions_;
    std::vector<ActionMask> masks_;
    std::vector<Knob> knobs_;
    bool is_choice_ = false;  // the only action is one choice
};

}  // namespace tenon
