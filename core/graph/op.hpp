// SPDX-License-Identifier: Apache-2.0
// What an op is, as the generated table (ops.toml -> generated/op_table.inc) describes it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tenon::graph {

// How the types of the results follow from those of the inputs. rules.cpp says which function each is.
enum class Rule : std::uint8_t {
    kElementwise,    // inputs aligned by name, stretched where 1; result real, or int if all inputs are
    kCompare,        // aligned like elementwise; result bool
    kLogical,        // aligned; inputs and result bool
    kWhere,          // bool, then two aligned values
    kSame,           // the type of the input, real
    kKeep,           // the type of the input, whatever its kind
    kCast,           // the shape of the input, the kind of attribute `to`
    kReduce,         // attribute axis, counted from the end (-1: last size), leaves
    kArgReduce,      // as reduce, result int
    kReduceRows,     // B, T and L leave; sizes must be absent; members stay
    kMeanRows,       // B, T, L and what the graph has made leave; sizes and members stay
    kCountRows,      // a number
    kReduceMembers,  // the members' symbol leaves
    kLeastMembers,   // the type of the input, bool; attribute count
    kSpread,         // a dimension of attributes name and n enters
    kStack,          // a dimension of attribute name enters, as large as there are inputs
    kPick,           // the derived dimension of attribute `of` leaves
    kCollect,        // the derived dimension of attribute `of` becomes the last size
    kGroup,          // the size at attribute axis becomes the leading dimension of attribute name
    kUngroup,        // the leading dimension of attribute name becomes the size at attribute axis
    kTranspose,      // the last two sizes change places
    kGather,         // x [.., n], index int [..] -> [..]
    kArgsort,        // the shape of the input, int; attribute axis
    kTakeAlong,      // x, index int, of as many sizes: aligned but for attribute axis, where the index's counts
    kPutAlong,       // aligned; attribute axis, where attribute size counts
    kOneHot,         // index int [..] -> real [.., n] with attribute n
    kConcat,         // along the last size
    kSlice,          // attributes start, length along the last size
    kUnsqueeze,      // a size 1 enters at attribute axis (-1: at the end)
    kSqueeze,        // a size 1 leaves at attribute axis
    kReshape,        // sizes become attribute shape
    kLinear,         // x [.., in], weight [out, in], bias [out] -> [.., out]; members of any input join
    kConv2d,         // x [.., in, h, w], weight [out, in, kh, kw], bias [out]; attributes stride, padding
    kMaxPool2d,      // x [.., channels, h, w]; attributes kernel, stride, padding
    kPatches,        // x [.., h, w, channels]; attributes height, width, stride, padding
    kUnpatch,        // g [.., places, height * width * channels], like [.., h, w, channels]: the sizes of that one
    kRandom,         // the shape of the input; real; never interned
    kScanLinear,     // decay and x aligned, both over time
    kAtTime,         // T leaves
    kLike,           // the shape of the last input, real
    kPad,            // the last size becomes attribute width
    kSpecial,        // the builder itself decides: columns, parameters, calls, losses, regions
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
    std::string_view name;
    std::uint32_t revision;
    Rule rule;
    std::span<const InputDef> inputs;
    std::span<const AttributeDef> attributes;
    std::uint32_t results;  // 0: an effect; variable for calls and regions (kSpecial)
    bool random;
    bool internal;  // the host's own: no plugin finds it
    std::string_view summary;
};

std::span<const OpDef> op_table();

// The op of exactly that name and revision, or null.
const OpDef* find_op(std::string_view name, std::uint32_t revision);

// The revisions this host has of `name`, newest first (empty: none), for the sentence when one is missing.
std::span<const OpDef> revisions_of(std::string_view name);

}  // namespace tenon::graph
