// SPDX-License-Identifier: Apache-2.0
// The permitted values of a column: the host's own copy of a tn_spec, and lists of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/dtype.hpp"
#include "base/data/shape.hpp"
#include "base/error/result.hpp"
#include "tenon/abi/spec.h"

namespace tenon {

enum class SpecKind : std::int32_t {
    kUnbounded = TN_SPEC_UNBOUNDED,
    kBounded = TN_SPEC_BOUNDED,
    kCategorical = TN_SPEC_CATEGORICAL,
    kOneHot = TN_SPEC_ONE_HOT,
    kMultiCategorical = TN_SPEC_MULTI_CATEGORICAL,
    kBinary = TN_SPEC_BINARY,
};

enum class Role : std::int32_t {
    kObservation = TN_ROLE_OBSERVATION,
    kAction = TN_ROLE_ACTION,
    kReward = TN_ROLE_REWARD,
    kState = TN_ROLE_STATE,
    kExtra = TN_ROLE_EXTRA,
    kEnd = TN_ROLE_END,
};

// Whether step writes the column about the transition, so that it is read under "next.".
constexpr bool is_outcome(Role role) {
    return role == Role::kReward || role == Role::kEnd;
}

struct Spec {
    std::string key;
    SpecKind kind = SpecKind::kUnbounded;
    Role role = Role::kObservation;
    DType dtype = DType::kF32;
    Shape shape;              // without slot and lane
    std::vector<double> low;  // bounded: one for all elements, or one per element
    std::vector<double> high;
    std::vector<std::int64_t>
        categories;  // categorical, one-hot: one number; multi-categorical: one for each index of the last extent
    // the group of agents, or empty. With a group, the first extent is the number of its agents
    std::string group = {};
    std::uint32_t flags = 0;  // TN_SPEC_TEXT and TN_SPEC_TEXT_LAST

    [[nodiscard]] bool is_text() const { return (flags & TN_SPEC_TEXT) != 0; }
    // The bounds of an element, rounded to the dtype: an env's 4.8f is within its own bound 4.8.
    [[nodiscard]] double low_of(std::size_t element) const;
    [[nodiscard]] double high_of(std::size_t element) const;
    bool operator==(const Spec&) const = default;
};

// A composite: the columns of an env, of a transform's outer side, or of a batch. Keys express nesting.
struct Composite {
    std::vector<Spec> specs;

    [[nodiscard]] const Spec* find(std::string_view key) const;
    // The names of all groups of agents, each once.
    [[nodiscard]] std::vector<std::string_view> groups() const;
    // The number of agents of a group; 0 if there is no such group.
    [[nodiscard]] std::int64_t agents(std::string_view group) const;
    bool operator==(const Composite&) const = default;
};

// The maximal rank of a spec: slot and lane precede its dimensions.
inline constexpr std::uint32_t kMaxSpecRank = kMaxRank - 2;

// Empty if the spec is valid; otherwise the rest of a sentence that begins with the column's name.
std::string fault_of(const Spec& spec);

// Checks all specs, and that no key occurs twice or inside another ("a" and "a.b"). The problem is the plugin's, named
// by `who`.
Status check(const Composite& composite, std::string_view who);

std::string_view name_of(SpecKind kind);
std::string_view name_of(Role role);

// "observation: float32 [4] in [-4.8, 4.8]"; bounds that differ by element are listed up to the fourth.
std::string to_string(const Spec& spec);

// One sentence that names the column and both sides; empty if they are equal. Roles are compared as well.
std::string difference(const Spec& a, std::string_view a_side, const Spec& b, std::string_view b_side);
// The difference of the first column that differs or is missing on one side; the order of columns does not matter.
std::string difference(const Composite& a, std::string_view a_side, const Composite& b, std::string_view b_side);

}  // namespace tenon
