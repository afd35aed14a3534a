// SPDX-License-Identifier: Apache-2.0
// Decides which parts of a plan exclude each other, and writes the sentences that name two of them.
#pragma once

#include <string>
#include <vector>

#include "base/error/problem.hpp"
#include "train/plan/capabilities/capability.hpp"

namespace tenon {

// A part that this manifest has.
struct Present {
    Feature feature;
    std::string subject;               // its name in sentences
    Place place;                       // of what chose it
    std::string about = {};            // the buffer or objective that it belongs to; empty: the whole run
    std::vector<std::string> of = {};  // its needs concern parts of these only; empty: all
    std::string clause = {};           // in place of the subject and the declared reason
};

using PresentParts = std::vector<Present>;

// A problem for each part that needs what another takes away. It has both places; the first is that of the part that a
// cure changes.
void refuse_combinations(const PresentParts& parts, Problems& problems);

// Why the first part needs a capability, or takes it away, as a clause; empty: none does.
struct Reason {
    std::string why;
    std::string cure;
};
Reason reason_of(const PresentParts& parts, Relation relation, Capability capability);

}  // namespace tenon
