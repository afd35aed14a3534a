// SPDX-License-Identifier: Apache-2.0
// What an op is, as the generated table (ops.toml -> generated/op_table.inc) describes it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

namespace tenon::graph {

// Identifies an op and its revision: another revision is another op. The number is the op's place in the table, so that
// a module with its own copy of the table uses the same numbers.
enum class OpId : std::uint16_t {
#include "compute/graph/generated/op_ids.inc"
    kCount
};

// How the types of the results follow from those of the inputs. ops.toml describes each rule.
enum class Rule : std::uint8_t {
#define RULE(function, name) name,
#include "compute/graph/generated/rules.inc"
#undef RULE
    kSpecial,
};

enum class InputKind : std::uint8_t {
    kReal,
    kInt,
    kBool,
    kNumber,
    kAny
};  // kNumber: real or int, bool counts as 0 and 1

enum class AttributeType : std::uint8_t { kInt, kFloat, kString, kInts, kStrings };

struct InputDef {
    std::string_view name;
    InputKind kind;
    bool optional;
    bool variadic;  // the last input only: one or more
};

struct AttributeDef {
    std::string_view name;
    AttributeType type;
    bool required;
    std::string_view standard;  // the default as text, where not required; empty: absent means absent
};

struct OpDef {
    OpId id;
    std::string_view name;
    std::uint32_t revision;
    Rule rule;
    std::span<const InputDef> inputs;
    std::span<const AttributeDef> attributes;
    std::uint32_t results;  // 0: an effect; variable for calls and regions (kSpecial)
    bool random;
    bool internal;  // only the host uses it: plugins cannot find it
    std::string_view summary;
};

std::span<const OpDef> op_table();

const OpDef& op_of(OpId id);

// A table with an entry for each op; T{} for those that are not listed.
template <class T>
class ByOp {
public:
    struct Entry {
        OpId op;
        T entry;
    };

    constexpr ByOp(std::initializer_list<Entry> entries) {
        for (const Entry& each : entries) {
            all_[static_cast<std::size_t>(each.op)] = each.entry;
        }
    }
    constexpr const T& operator[](OpId op) const { return all_[static_cast<std::size_t>(op)]; }

private:
    std::array<T, static_cast<std::size_t>(OpId::kCount)> all_{};
};

// A set of ops.
class OpSet {
public:
    constexpr OpSet(std::initializer_list<OpId> ops) {
        for (const OpId op : ops) {
            all_[static_cast<std::size_t>(op)] = true;
        }
    }
    [[nodiscard]] constexpr bool has(OpId op) const { return all_[static_cast<std::size_t>(op)]; }

private:
    std::array<bool, static_cast<std::size_t>(OpId::kCount)> all_{};
};

// The op of exactly that name and revision, or null.
const OpDef* find_op(std::string_view name, std::uint32_t revision);

// The revisions of scan: nodes with a region that runs once per step.
inline constexpr OpSet kScans{OpId::kScan_1, OpId::kScan_2, OpId::kScan_3};
constexpr OpId scan_op(std::int64_t revision) {
    return revision == 3 ? OpId::kScan_3 : revision == 2 ? OpId::kScan_2 : OpId::kScan_1;
}

// The revisions of `name` that this host has, newest first (empty: none), for the message when one is missing.
std::span<const OpDef> revisions_of(std::string_view name);

}  // namespace tenon::graph
