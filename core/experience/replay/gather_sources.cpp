// SPDX-License-Identifier: Apache-2.0
#include "experience/replay/gather_sources.hpp"

#include <algorithm>
#include <utility>

namespace tenon {

Result<std::vector<GatherSource>> gather_sources(const Storage& storage, const SamplerPlan& sampler,
                                                 std::span<const std::string> keys, std::string_view reader) {
    // Checks every line, even unused ones: a sampler that names a missing column is wired incorrectly.
    for (const GatherLine& line : sampler.lines) {
        if (line.names_column()) {
            TENON_TRY(resolve(storage, line.source, sampler.sampler));
        }
    }
    std::vector<GatherSource> out;
    for (const std::string& key : keys) {
        if (std::ranges::any_of(out, [&](const GatherSource& source) { return source.port.key == key; })) {
            continue;
        }
        if (const auto own = std::ranges::find(sampler.columns, key, &Port::key); own != sampler.columns.end()) {
            out.push_back({.port = {.key = key, .dtype = own->dtype, .row = {}},
                           .column = {},
                           .array = static_cast<std::uint32_t>(own - sampler.columns.begin()),
                           .is_own = true});
            continue;
        }
        const GatherLine* const line = sampler.line_for(key);
        if (line == nullptr) {
            std::vector<std::string_view> provided;
            for (const GatherLine& each : sampler.lines) {
                provided.emplace_back(each.target);
            }
            for (const Port& each : sampler.columns) {
                provided.emplace_back(each.key);
            }
            return input_problem(std::string(reader) + " reads '" + key + "', which the batches of " + sampler.sampler +
                                 " do not have" + did_you_mean(key, provided));
        }
        ReaderColumn column = TENON_TRY(line->names_column() ? resolve(storage, line->source, sampler.sampler)
                                                             : resolve(storage, key, reader));
        Port port{.key = key, .dtype = column.port.dtype, .row = line->row(column.port.row)};
        out.push_back(
            {.port = std::move(port), .column = std::move(column), .array = line->array, .count = line->count});
    }
    return out;
}

}  // namespace tenon
