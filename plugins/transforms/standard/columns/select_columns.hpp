// SPDX-License-Identifier: Apache-2.0
// Keeps only some observations and extras; actions and rewards stay.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tenon/transform.hpp"

struct SelectColumns {
    std::vector<std::string> columns;

    static constexpr auto options =
        std::tuple{tenon::required<&SelectColumns::columns>("columns", "", "the keys of the observations to keep")};

    void wire(tenon::TransformSpecs& specs) const {
        for (const std::string& key : columns) {
            static_cast<void>(specs.find(key));  // throws if there is none
        }
        for (const tenon::Spec& spec : specs.inner()) {
            const bool optional = spec.role == TN_ROLE_OBSERVATION || spec.role == TN_ROLE_EXTRA;
            if (optional && std::ranges::find(columns, spec.key) == columns.end()) {
                specs.remove(spec.key);
            }
        }
    }
};
