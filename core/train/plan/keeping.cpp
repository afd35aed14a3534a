// SPDX-License-Identifier: Apache-2.0
#include "train/plan/keeping.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error/listed.hpp"
#include "base/random/key.hpp"
#include "train/plan/storage_size.hpp"

namespace tenon {
namespace {

void check_ranking(const Wiring& w, const BufferPlan& buffer, Problems& problems) {
    const std::string key = buffer.table->component.path + ".writer_by";
    const auto column = std::ranges::find(w.stored, buffer.table->writer_by, &StorageColumn::key);
    const std::string is = key + " is \"" + buffer.table->writer_by + "\", ";
    if (column == w.stored.end()) {
        problems.push_back(
            input_problem(is + "which is no stored column (they are " + listed(w.stored, &StorageColumn::key) + ")",
                          place_of(w.manifest, key)));
    } else if (const std::string fault = fault_of_ranking(*column); !fault.empty()) {
        problems.push_back(input_problem(is + "which " + fault, place_of(w.manifest, key)));
    }
}

}  // namespace

void check_writer(const Wiring& w, Problems& problems) {
    const BufferPlan* const buffer = w.collecting();
    if (buffer == nullptr || !buffer->keeps()) {
        return;
    }
    const std::string key = buffer->table->component.path + ".writer";
    const auto refuse = [&](const std::string& why) {
        problems.push_back(
            input_problem(key + " is \"" + buffer->table->writer + "\", " + why, place_of(w.manifest, key)));
    };
    const std::string& sampler = buffer->sampling.sampler;
    if (buffer->on_device || buffer->takes_priorities || buffer->remembers) {
        refuse("which replaces frames anywhere in the buffer, but " + sampler +
               " remembers them by the order in which they came");
    } else if (buffer->table->writer == "reservoir" &&
               (buffer->sampling.time > 0 || buffer->sampling.array_count > 1)) {
        refuse("which keeps single frames, but " + sampler + " needs consecutive steps of an episode");
    }
    for (const ObjectivePlan& plan : w.objectives) {
        if (plan.by_batch()) {
            refuse("but " + plan.unit.component + " learns from whole batches of the ring that it would replace");
        } else if (plan.prepare.there()) {
            refuse("but " + plan.unit.component + " computes columns of the frames in the order in which they come");
        }
    }
    if (buffer->table->writer == "keep_best") {
        check_ranking(w, *buffer, problems);
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
