// SPDX-License-Identifier: Apache-2.0
#include "experience/replay/sampler_plan.hpp"

#include <algorithm>

#include "base/data/key.hpp"
#include "plugins/plugin/abi_text.hpp"
#include "plugins/plugin/inside.hpp"

namespace tenon {
namespace {

// A larger number would be a defect: an array is one time offset, or one relabelled goal, for all rows of a batch.
constexpr std::uint32_t kMaxArrays = 4096;

Shape row_of(const tn_sampler_column& column) {
    const std::uint32_t size = inside(column, &tn_sampler_column::size) ? column.size : 0;
    return size > 0 ? Shape{size} : Shape{};
}

std::string fault_of(const GatherLine& line, std::uint32_t arrays) {
    if (line.array >= arrays || line.count > arrays - line.array) {
        return "reads index array " + std::to_string(std::uint64_t{line.array} + line.count - 1) + " of " +
               std::to_string(arrays);
    }
    if (!line.names_column()) {
        return line.target != line.source ? "gives '" + line.source + "' the name '" + line.target + "'"
               : line.count > 1           ? "gathers '" + line.source + "' at several index arrays"
               : line.keeps_size ? "keeps the size of '" + line.source + "', which only a line of one column can"
                                 : "";
    }
    if (const std::string fault = key_fault(line.source); !fault.empty()) {
        return "has the source '" + line.source + "', which is not a valid key: it " + fault;
    }
    if (const std::string fault = key_fault(line.target); !fault.empty()) {
        return "has the target '" + line.target + "', which is not a valid key: it " + fault;
    }
    return "";
}

}  // namespace

const GatherLine* SamplerPlan::line_for(std::string_view key) const {
    const auto with_source = [&](std::string_view source) -> const GatherLine* {
        const auto found = std::ranges::find(lines, source, &GatherLine::source);
        return found == lines.end() ? nullptr : &*found;
    };
    const auto named =
        std::ranges::find_if(lines, [&](const GatherLine& line) { return line.names_column() && line.target == key; });
    if (named != lines.end()) {
        return &*named;
    }
    const GatherLine* const next = is_next(key) ? with_source(kEveryNext) : nullptr;
    return next != nullptr ? next : with_source(kEveryColumn);
}

Result<SamplerPlan> read_plan(const tn_sampler_info& info, std::string_view sampler) {
    SamplerPlan out;
    out.sampler = sampler;
    const auto wrong = [&](const std::string& what) {
        return plugin_problem(out.sampler + ": its gather plan " + what);
    };
    if (info.array_count < 1 || info.array_count > kMaxArrays) {
        return wrong("has " + std::to_string(info.array_count) + " index arrays; it must have 1 to " +
                     std::to_string(kMaxArrays));
    }
    if ((info.gather_count > 0 && info.gathers == nullptr) || (info.column_count > 0 && info.columns == nullptr)) {
        return wrong("announces lines or columns, but its array of them is null");
    }
    out.array_count = info.array_count;
    out.time = info.time;
    std::vector<std::string> targets;
    const auto is_new = [&](const std::string& target) {
        for (const std::string& other : targets) {
            if (other == target) {
                return false;
            }
        }
        targets.push_back(target);
        return true;
    };
    for (std::uint32_t i = 0; i < info.gather_count; ++i) {
        const std::string number = "line " + std::to_string(i) + " ";
        if (info.gathers[i] == nullptr) {
            return wrong(number + "is a null pointer");
        }
        const tn_gather& gather = *info.gathers[i];
        GatherLine line{.array = gather.array, .source = text_of(gather.source), .target = text_of(gather.target)};
        line.count = inside(gather, &tn_gather::count) ? std::max(gather.count, 1U) : 1;
        const std::uint32_t flags = inside(gather, &tn_gather::flags) ? gather.flags : 0;
        if ((flags & ~std::uint32_t{TN_GATHER_KEEP_SIZE}) != 0) {
            return wrong(number + "has the flags " + std::to_string(flags) + ", some of which this host does not know");
        }
        line.keeps_size = (flags & TN_GATHER_KEEP_SIZE) != 0;
        if (line.target.empty()) {
            line.target = line.source;
        }
        if (const std::string fault = fault_of(line, out.array_count); !fault.empty()) {
            return wrong(number + fault);
        }
        if (!is_new(line.target)) {
            return wrong(number + "provides '" + line.target + "' twice");
        }
        out.lines.push_back(std::move(line));
    }
    for (std::uint32_t i = 0; i < info.column_count; ++i) {
        if (info.columns[i] == nullptr) {
            return wrong("has a null pointer as column " + std::to_string(i));
        }
        const std::string key = text_of(info.columns[i]->key);
        const auto dtype = to_dtype(info.columns[i]->dtype);
        if (const std::string fault = key_fault(key); !fault.empty()) {
            return wrong("has a column '" + key + "', which is not a valid key: it " + fault);
        }
        if (!dtype) {
            return wrong("has a column '" + key + "' of the element type " + std::to_string(info.columns[i]->dtype) +
                         ", which no column can have");
        }
        if (!is_new(key)) {
            return wrong("provides '" + key + "' twice");
        }
        const Shape row = row_of(*info.columns[i]);
        if (row.elements() > kMaxArrays) {
            return wrong("has a column '" + key + "' of " + std::to_string(row.elements()) +
                         " elements per row; it may have at most " + std::to_string(kMaxArrays));
        }
        out.columns.push_back({.key = key, .dtype = *dtype, .row = row});
    }
    return out;
}

std::vector<std::uint32_t> column_sizes(const tn_sampler_info& info) {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < info.column_count; ++i) {
        const auto dtype = to_dtype(info.columns[i]->dtype);
        const std::size_t bytes =
            dtype ? row_bytes(Port{.key = {}, .dtype = *dtype, .row = row_of(*info.columns[i])}) : 0;
        out.push_back(static_cast<std::uint32_t>(bytes));
    }
    return out;
}

bool alike(const SamplerPlan& a, const SamplerPlan& b) {
    const auto same_line = [](const GatherLine& x, const GatherLine& y) {
        return x.source == y.source && x.target == y.target && x.count == y.count && x.keeps_size == y.keeps_size;
    };
    const auto same_column = [](const Port& x, const Port& y) {
        return x.key == y.key && x.dtype == y.dtype && x.row == y.row;
    };
    return a.time == b.time && std::ranges::equal(a.lines, b.lines, same_line) &&
           std::ranges::equal(a.columns, b.columns, same_column);
}

}  // namespace tenon
