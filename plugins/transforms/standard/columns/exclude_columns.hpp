// SPDX-License-Identifier: Apache-2.0
// Removes some columns.
#pragma once

#include <string>
#include <vector>

#include "tenon/transform.hpp"

struct ExcludeColumns {
    std::vector<std::string> columns;

    static constexpr auto options =
        std::tuple{tenon::required<&ExcludeColumns::columns>("columns", "", "the keys of the columns to remove")};

    void wire(tenon::TransformSpecs& specs) const {
        for (const std::string& key : columns) {
            specs.remove(key);
        }
    }
};
