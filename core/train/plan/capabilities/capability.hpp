// SPDX-License-Identifier: Apache-2.0
// Capabilities that one part of a plan needs, and another part may take away (declarations.inc).
#pragma once

#include <span>
#include <string_view>

namespace tenon {

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

}  // namespace tenon
