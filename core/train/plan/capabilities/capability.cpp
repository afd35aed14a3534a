// SPDX-License-Identifier: Apache-2.0
#include "train/plan/capabilities/capability.hpp"

namespace tenon {
namespace {

// NOLINTBEGIN(cppcoreguidelines-macro-usage)
constexpr Declaration kDeclarations[] = {
#define CAPABILITY(name, text)
#define FEATURE(name, text)
#define NEEDS(feature, capability, why, cure) {Feature::feature, Relation::kNeeds, Capability::capability, why, cure},
#define TAKES(feature, capability, why, cure) {Feature::feature, Relation::kTakes, Capability::capability, why, cure},
#include "train/plan/capabilities/declarations.inc"
#undef CAPABILITY
#undef FEATURE
#undef NEEDS
#undef TAKES
};
// NOLINTEND(cppcoreguidelines-macro-usage)

}  // namespace

std::span<const Declaration> declarations() {
    return kDeclarations;
}

}  // namespace tenon
