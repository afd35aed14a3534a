// SPDX-License-Identifier: Apache-2.0
#include "base/data/spec_abi.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "base/error/listed.hpp"

namespace tenon {
namespace {

// The size of a spec in the first minor.
constexpr std::size_t kFirstSize = offsetof(tn_spec, flags) + sizeof(tn_spec::flags);

void simplify_bounds(Spec& spec) {
    for (std::size_t i = 0; i < spec.low.size(); ++i) {
        const double low = spec.low_of(i);
        const double high = spec.high_of(i);
        spec.low[i] = low;
        spec.high[i] = high;
    }
    const auto all_equal = [](const std::vector<double>& values) {
        return std::all_of(values.begin(), values.end(), [&](double x) { return x == values.front(); });
    };
    if (spec.low.size() > 1 && all_equal(spec.low) && all_equal(spec.high)) {
        spec.low.resize(1);
        spec.high.resize(1);
    }
}

// Larger counts indicate uninitialised memory; real arrays are never that long.
constexpr std::uint32_t kMost = 1U << 24U;
constexpr std::uint32_t kMostColumns = 1U << 16U;
constexpr std::uint64_t kLongestKey = 1U << 12U;

// Why the struct itself is invalid, checked before any of its pointers is followed.
std::string fault_of_struct(const tn_spec& spec) {
    if (spec.kind < TN_SPEC_UNBOUNDED || spec.kind > TN_SPEC_BINARY) {
        return "is of kind " + std::to_string(spec.kind) + ", which this host does not know";
    }
    if (spec.role < TN_ROLE_OBSERVATION || spec.role > TN_ROLE_END) {
        return "has the role " + std::to_string(spec.role) + ", which this host does not know";
    }
    if (!to_dtype(spec.dtype)) {
        return "has the element type " + std::to_string(spec.dtype) + ", which no column can have";
    }
    if (spec.rank > kMaxSpecRank) {
        return "has " + std::to_string(spec.rank) + " dimensions; the maximum is " + std::to_string(kMaxSpecRank);
    }
    if (spec.rank > 0 && spec.shape == nullptr) {
        return "has " + counted(spec.rank, "dimension") + ", but no shape";
    }
    if (spec.bound_count > kMost || spec.category_count > kMost) {
        return "has " + std::to_string(std::max(spec.bound_count, spec.category_count)) +
               " bounds or categories, which is too many";
    }
    if (spec.bound_count > 0 && (spec.low == nullptr || spec.high == nullptr)) {
        return "has " + counted(spec.bound_count, "bound") + ", but no array of them";
    }
    if (spec.category_count > 0 && spec.categories == nullptr) {
        return "has " + counted(spec.category_count, "category", "categories") + ", but no array of them";
    }
    return "";
}

}  // namespace

Result<Spec> read_spec(const tn_spec& spec, std::string_view who) {
    const std::string plugin(who);
    if (spec.struct_size < kFirstSize) {
        return plugin_problem(plugin + ": a spec has a struct_size of " + counted(spec.struct_size, "byte") +
                              "; it must be at least " + std::to_string(kFirstSize));
    }
    if (spec.key.data == nullptr || spec.key.size == 0) {
        return plugin_problem(plugin + ": a column has no key");
    }
    if (spec.key.size > kLongestKey) {
        return plugin_problem(plugin + ": a column has a key of " + std::to_string(spec.key.size) +
                              " bytes, which is too long");
    }
    Spec out;
    out.key.assign(spec.key.data, spec.key.size);
    const std::string column = plugin + ": column '" + out.key + "' ";
    if (const std::string fault = fault_of_struct(spec); !fault.empty()) {
        return plugin_problem(column + fault);
    }
    out.kind = static_cast<SpecKind>(spec.kind);
    out.role = static_cast<Role>(spec.role);
    out.dtype = *to_dtype(spec.dtype);
    out.shape = Shape(std::span(spec.shape, spec.rank));
    out.flags = spec.flags & (TN_SPEC_TEXT | TN_SPEC_TEXT_LAST);
    if (spec.bound_count > 0) {
        out.low.assign(spec.low, spec.low + spec.bound_count);
        out.high.assign(spec.high, spec.high + spec.bound_count);
    }
    if (spec.category_count > 0) {
        out.categories.assign(spec.categories, spec.categories + spec.category_count);
    }
    if (spec.struct_size >= offsetof(tn_spec, group) + sizeof(tn_spec::group) && spec.group.size > 0) {
        if (spec.group.data == nullptr || spec.group.size > kLongestKey) {
            return plugin_problem(column + "is of a group whose name is null or too long");
        }
        out.group.assign(spec.group.data, spec.group.size);
    }
    if (const std::string fault = fault_of(out); !fault.empty()) {
        return plugin_problem(column + fault);
    }
    simplify_bounds(out);
    return out;
}

Result<Composite> read_specs(const tn_spec* const* specs, std::uint32_t count, std::string_view who) {
    const std::string plugin(who);
    if (count > kMostColumns) {
        return plugin_problem(plugin + ": it announces " + std::to_string(count) + " columns, which is too many");
    }
    if (count > 0 && specs == nullptr) {
        return plugin_problem(plugin + ": it announces " + counted(count, "column") +
                              ", but the array of them is null");
    }
    Composite out;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (specs[i] == nullptr) {
            return plugin_problem(plugin + ": the spec of column number " + std::to_string(i) + " is a null pointer");
        }
        out.specs.push_back(TENON_TRY(read_spec(*specs[i], who)));
    }
    TENON_TRY(check(out, who));
    return out;
}

tn_spec to_abi(const Spec& spec) {
    tn_spec out{};
    out.struct_size = sizeof out;
    out.kind = static_cast<std::int32_t>(spec.kind);
    out.role = static_cast<std::int32_t>(spec.role);
    out.dtype = static_cast<std::int32_t>(spec.dtype);
    out.key = {spec.key.data(), spec.key.size()};
    out.shape = spec.shape.rank == 0 ? nullptr : spec.shape.extent.data();
    out.rank = spec.shape.rank;
    out.bound_count = static_cast<std::uint32_t>(spec.low.size());
    out.low = spec.low.empty() ? nullptr : spec.low.data();
    out.high = spec.high.empty() ? nullptr : spec.high.data();
    out.categories = spec.categories.empty() ? nullptr : spec.categories.data();
    out.category_count = static_cast<std::uint32_t>(spec.categories.size());
    out.flags = spec.flags;
    out.group = spec.group.empty() ? tn_str{} : tn_str{spec.group.data(), spec.group.size()};
    return out;
}

SpecTable::SpecTable(const Composite& composite) {
    for (const Spec& spec : composite.specs) {
        specs_.push_back(to_abi(spec));
    }
    for (const tn_spec& spec : specs_) {
        pointers_.push_back(&spec);
    }
}

}  // namespace tenon
