// SPDX-License-Identifier: Apache-2.0
// What transforms do to columns, as numbers, by their "tenon.arithmetic/1".
#include <algorithm>
#include <optional>

#include "experience/env/lanes_state.hpp"

namespace tenon {
namespace {

// What is wrong with it; empty if nothing is.
std::string fault_of(const ColumnStep& step) {
    const std::int64_t before = step.from.shape.elements();
    if (step.kind == ColumnStep::Kind::kScale) {
        const bool fits = static_cast<std::int64_t>(step.scale.size()) == before && step.from.shape == step.to.shape;
        return !fits                     ? "as many offsets and scales as the column has elements"
               : is_float(step.to.dtype) ? ""
                                         : "a result of float32 or float64";
    }
    const bool fits = step.pieces > 0 && before % step.pieces == 0 && step.frames > 0 &&
                      step.to.shape.elements() / step.frames == before && step.to.shape.elements() % step.frames == 0 &&
                      step.from.dtype == step.to.dtype;
    return fits ? "" : "a result as large as all of its rows, and of their type";
}

}  // namespace

Result<ColumnStep> Lanes::arithmetic(std::size_t transform, const std::string& key) const {
    const Callee<tn_transform_api>& callee = state_->transforms[transform];
    const Spec* from = state_->sides[transform].find(key);
    const Spec* to = state_->sides[transform + 1].find(key);
    if (callee.arithmetic == nullptr || from == nullptr || to == nullptr) {
        return input_problem(
            callee.name + " is a procedure whose arithmetic on the column '" + key + "' is not known to the host",
            callee.place);
    }
    tn_arithmetic told{};
    told.struct_size = sizeof told;
    TENON_TRY(callee.call("describe", callee.arithmetic->describe, tn_str{key.data(), key.size()}, &told));
    ColumnStep out;
    out.transform = callee.name;
    out.from = *from;
    out.to = *to;
    if (told.kind == TN_ARITHMETIC_SCALE && told.offset != nullptr && told.scale != nullptr &&
        told.count == static_cast<std::uint64_t>(from->shape.elements())) {
        out.offset.assign(told.offset, told.offset + told.count);
        out.scale.assign(told.scale, told.scale + told.count);
        out.low = told.low;
        out.high = told.high;
    } else if (told.kind == TN_ARITHMETIC_STACK) {
        constexpr std::uint64_t kMost = std::uint64_t{1} << 31;
        out.kind = ColumnStep::Kind::kStack;
        out.frames = static_cast<std::int64_t>(std::min(told.frames, kMost));
        out.pieces = static_cast<std::int64_t>(std::min(told.pieces, kMost));
        out.repeats = told.repeats != 0;
    } else if (told.kind != TN_ARITHMETIC_SCALE) {
        return callee.problem("its arithmetic on the column '" + key + "' is of a kind that this host does not know");
    }
    if (const std::string fault = fault_of(out); !fault.empty()) {
        return callee.problem("its arithmetic on the column '" + key + "' needs " + fault);
    }
    return out;
}

std::optional<bool> Lanes::changes(std::size_t transform, const std::string& key) const {
    const Callee<tn_transform_api>& callee = state_->transforms[transform];
    const Spec* const from = state_->sides[transform].find(key);
    const Spec* const to = state_->sides[transform + 1].find(key);
    if (from == nullptr || to == nullptr) {
        return from != to;
    }
    if (*from != *to) {
        return true;
    }
    if (from->role == Role::kAction && callee.api->invert == nullptr) {
        return false;
    }
    if (callee.arithmetic == nullptr) {
        return std::nullopt;
    }
    tn_arithmetic told{};
    told.struct_size = sizeof told;
    const tn_status status = call_plugin(callee.name, "describe", callee.place, callee.arithmetic->describe,
                                         callee.self, tn_str{key.data(), key.size()}, &told);
    drop_error();
    return status == TN_NOT_FOUND ? std::optional(false) : std::nullopt;
}

}  // namespace tenon
