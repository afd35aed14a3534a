// SPDX-License-Identifier: Apache-2.0
#include "train/plan/ring_writer.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error/listed.hpp"
#include "base/random/key.hpp"
#include "train/plan/storage_size.hpp"

namespace tenon {
void check_ranking(const Wiring& w, Problems& problems) {
    const BufferPlan* const buffer = w.collecting();
    if (buffer == nullptr || !buffer->keeps() || buffer->table->writer != "keep_best") {
        return;
    }
    const std::string key = buffer->table->component.path + ".writer_by";
    const auto column = std::ranges::find(w.stored, buffer->table->writer_by, &StorageColumn::key);
    const std::string is = key + " is \"" + buffer->table->writer_by + "\", ";
    if (column == w.stored.end()) {
        problems.push_back(
            input_problem(is + "which is no stored column (they are " + listed(w.stored, &StorageColumn::key) + ")",
                          place_of(w.manifest, key)));
    } else if (const std::string fault = fault_of_ranking(*column); !fault.empty()) {
        problems.push_back(input_problem(is + "which " + fault, place_of(w.manifest, key)));
    }
}

Result<std::optional<Keeper>> make_keeper(const Wiring& w, const Storage& ring) {
    const BufferPlan* const buffer = w.collecting();
    if (buffer == nullptr || !buffer->keeps()) {
        return std::optional<Keeper>();
    }
    const bool best = buffer->table->writer == "keep_best";
    Result<Keeper> made =
        Keeper::make(ring, kept_rows(w),
                     {.keeping = best ? Keeping::kBest : Keeping::kReservoir,
                      .by = buffer->table->writer_by,
                      .key = make_key(static_cast<std::uint64_t>(w.manifest.run.seed), "buffer/write")});
    if (!made) {
        made.error().place = place_of(w.manifest, buffer->table->component.path + ".capacity");
        return std::move(made).error();
    }
    return std::optional<Keeper>(std::move(*made));
}

}  // namespace tenon
