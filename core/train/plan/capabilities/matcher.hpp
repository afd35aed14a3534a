// SPDX-License-Identifier: Apache-2.0
// Decides which parts of a plan exclude each other, and writes the sentences that name two of them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error/problem.hpp"

namespace tenon {

// Capabilities that one part of a plan needs, and another part may take away (declarations.inc).
// NOLINTBEGIN(cppcoreguidelines-macro-usage): the declarations are one list, of which each reader takes some lines
enum class Capability {
#define CAPABILITY(name, text) name,
#define FEATURE(name, text)
#define NEEDS(feature, capability, why, cure)
#define TAKES(feature, capability, why, cure)
#include "train/plan/capabilities/declarations.inc"
#undef CAPABILITY
#undef FEATURE
};

enum class Feature {
#define CAPABILITY(name, text)
#define FEATURE(name, text) name,
#include "train/plan/capabilities/declarations.inc"
#undef CAPABILITY
#undef FEATURE
#undef NEEDS
#undef TAKES
};
// NOLINTEND(cppcoreguidelines-macro-usage)

enum class Relation { kNeeds, kTakes };

struct Declaration {
    Feature feature;
    Relation relation;
    Capability capability;
    std::string_view why;   // what the feature does, as a predicate
    std::string_view cure;  // empty: only leaving one of the two parts out helps
};
std::span<const Declaration> declarations();

// A part that this manifest has.
struct Present {
    Feature feature;
    std::string subject;               // its name in sentences
    Place place;                       // of the key that chose it
    std::string about = {};            // the buffer or objective that it belongs to; empty: the whole run
    std::vector<std::string> of = {};  // its needs concern only parts of these buffers or objectives; empty: all parts
    std::string clause = {};           // replaces the subject and the declared reason
};

using PresentParts = std::vector<Present>;

inline void add_part(PresentParts& parts, bool has, Present part) {
    if (has) {
        parts.push_back(std::move(part));
    }
}

// Adds a problem for each part that needs what another one takes away, unless it has been reported. It has both places;
// the first is that of the part that the cure changes.
void refuse_combinations(const PresentParts& parts, Problems& problems);

// Why the first part that needs a capability, or takes it away, does so, as a clause; empty: no part does.
struct Reason {
    std::string why;
    std::string cure;
};
Reason reason_of(const PresentParts& parts, Relation relation, Capability capability);

}  // namespace tenon
