// SPDX-License-Identifier: Apache-2.0
// The result of `tenon check`, one row per check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "commands/check/verdict.hpp"

namespace tenon {

struct CheckRow {
    std::string component;  // empty: the file as a whole
    std::string kind;       // of the component
    std::string name;
    Verdict verdict;  // always names what it breaks
    double seconds = 0;
};

struct Checklist {
    std::string path;
    std::string library;
    std::string version;
    std::uint64_t seed = 0;
    std::vector<CheckRow> rows;
    double seconds = 0;

    [[nodiscard]] std::size_t count(CheckOutcome outcome) const {
        std::size_t found = 0;
        for (const CheckRow& row : rows) {
            found += row.verdict.outcome == outcome ? 1 : 0;
        }
        return found;
    }
};

}  // namespace tenon
