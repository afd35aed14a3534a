// SPDX-License-Identifier: Apache-2.0
// The compiled forms of one program, by plan and sizes; there is a limit to their number.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "engines/compiled/specialised.hpp"

namespace tenon::compiled {

class KnownPrograms {
public:
    struct Found {
        Specialised* program = nullptr;  // valid until the next call
        bool is_new = false;
    };

    // Finds or makes the program for the request's plan and sizes.
    Result<Found> find(const Request& request);

private:
    Result<std::unique_ptr<Specialised>> make(const Request& request);
    [[nodiscard]] Span span_for(const Request& request) const;

    std::vector<std::unique_ptr<Specialised>> known_;          // most recently used first
    std::vector<std::pair<const PhasePlan*, Span>> unserved_;  // spans that no single program can serve
};

}  // namespace tenon::compiled
