// SPDX-License-Identifier: Apache-2.0
// One choice of the policy is a sequence of actions of the env. Rewards are added up, and the end of an episode ends
// the sequence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "tenon/options.hpp"
#include "tenon/wrapper.hpp"

struct MacroAction {
    std::vector<std::string> sequences;
    std::vector<std::vector<std::int64_t>> actions;  // [sequence]

    static constexpr auto options = std::tuple{
        tenon::required<&MacroAction::sequences>(
            "sequences", {},
            "actions of the env separated by blanks, one text for each choice: [\"0 0\", \"1\", \"2 2\"]"),
    };

    void setup() {
        for (const std::string& text : sequences) {
            std::istringstream words(text);
            std::vector<std::int64_t>& sequence = actions.emplace_back();
            for (std::int64_t one = 0; words >> one;) {
                sequence.push_back(one);
            }
            if (!words.eof() || sequence.empty()) {
                throw tenon::InvalidArgument("option 'sequences' has \"" + text +
                                             "\", which are not numbers of actions separated by blanks");
            }
        }
        if (actions.empty()) {
            throw tenon::InvalidArgument("option 'sequences' is empty; give at least one sequence of actions");
        }
    }

    tenon::EnvSpec spec(tenon::EnvSpec inner) const {
        tenon::Spec& action = inner.actions[0];
        if (inner.actions.size() != 1 || action.kind != TN_SPEC_CATEGORICAL || action.dtype != TN_I64) {
            throw tenon::InvalidArgument("the action '" + action.key +
                                         "' is not one choice, of which sequences are made");
        }
        for (const std::vector<std::int64_t>& sequence : actions) {
            for (const std::int64_t one : sequence) {
                if (one < 0 || one >= action.categories[0]) {
                    throw tenon::InvalidArgument("option 'sequences' has the action " + std::to_string(one) +
                                                 ", and the env has 0 to " + std::to_string(action.categories[0] - 1));
                }
            }
        }
        action.categories = {static_cast<std::int64_t>(actions.size())};
        return inner;
    }

    void act(const tenon::WrapperRow& row) const {
        row.inner_action<std::int64_t>()[0] = chosen(row)[static_cast<std::size_t>(row.steps())];
    }
    bool step(const tenon::WrapperRow& row) const { return static_cast<std::size_t>(row.steps()) < chosen(row).size(); }

private:
    [[nodiscard]] const std::vector<std::int64_t>& chosen(const tenon::WrapperRow& row) const {
        return actions[static_cast<std::size_t>(row.choice())];
    }
};
