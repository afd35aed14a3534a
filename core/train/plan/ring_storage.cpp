// SPDX-License-Identifier: Apache-2.0
#include "train/plan/ring_storage.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error/listed.hpp"
#include "base/random/key.hpp"
#include "config/manifest/pace.hpp"
#include "train/checkpoint/frames_file.hpp"
#include "train/plan/left_out.hpp"
#include "train/plan/storage_size.hpp"

namespace tenon {
namespace {

// How many overwritten steps are kept: as many as a run collects between two checkpoints.
std::uint32_t spare_steps(const Wiring& wiring) {
    const Manifest& m = wiring.manifest;
    const std::int64_t between = every(m.checkpoint);
    if (between == 0 || !m.checkpoint.buffer || only_learns(m)) {
        return 0;
    }
    const std::int64_t steps = (between + m.train.batch) / m.env.lanes + 2;
    return static_cast<std::uint32_t>(std::min<std::int64_t>(steps, storage_slots(wiring)));
}

StorageRequest::Begin beginning_of(const Wiring& wiring, const BufferTable& buffer) {
    return wiring.restored           ? StorageRequest::Begin::kCheckpoint
           : begins_in_place(buffer) ? StorageRequest::Begin::kFolder
           : wiring.resumed          ? StorageRequest::Begin::kReplace  // without a checkpoint the run starts again
                                     : StorageRequest::Begin::kNew;
}

}  // namespace

const StorageKind& storage_kind(const Wiring& wiring) {
    static const StorageKind in_memory;
    const BufferTable* const ring = collecting_buffer(wiring.manifest);
    const std::string_view wanted = ring == nullptr ? in_memory.name() : std::string_view(ring->storage);
    const auto& kinds = wiring.host->storages;
    const auto found = std::ranges::find(kinds, wanted, &StorageKind::name);
    return found == kinds.end() ? in_memory : **found;
}

StorageRequest storage_request(const Wiring& wiring) {
    const Manifest& m = wiring.manifest;
    const bool has_folder = storage_kind(wiring).has_folder();
    const std::int64_t rounds = wiring.collects_async() ? 2 : 1;
    StorageRequest out{.columns = wiring.stored,
                       .slots = storage_slots(wiring) + (has_folder ? 0 : slots_held_back(wiring)),
                       .lanes = static_cast<std::uint32_t>(m.env.lanes),
                       .round_steps = static_cast<std::uint32_t>(rounds * (m.train.batch / m.env.lanes))};
    if (has_folder) {
        const BufferTable& ring = *collecting_buffer(m);
        out.folder = ring.path;
        out.spare = spare_steps(wiring);
        out.specs = specs_in_words(wiring.env_specs);
        out.begin = beginning_of(wiring, ring);
    }
    return out;
}

void check_storage(const Wiring& w, Problems& problems) {
    const BufferPlan* const buffer = w.collecting();
    if (buffer == nullptr) {
        return;
    }
    if (storage_kind(w).name() != buffer->table->storage) {
        problems.push_back(left_out("this program has no storage \"" + buffer->table->storage + "\"",
                                    place_of(w.manifest, buffer->table->component.path + ".storage")));
    } else if (const auto refusal = storage_kind(w).check(storage_request(w)); refusal) {
        const std::string path = buffer->table->component.path + "." + refusal->key;
        const std::string value = refusal->key == "capacity" ? std::to_string(buffer->table->capacity.frames)
                                                             : '"' + buffer->table->storage + '"';
        problems.push_back(input_problem(path + " is " + value + ", but " + refusal->why, place_of(w.manifest, path)));
    }
}

bool begins_in_place(const BufferTable& buffer) {
    return buffer.collects && !buffer.path.empty() && buffer.init == buffer.path;
}

Result<Storage> make_storage(const Wiring& wiring) {
    const Manifest& m = wiring.manifest;
    const BufferTable* const ring = collecting_buffer(m);
    const StorageRequest request = storage_request(wiring);
    Result<Storage> made = storage_kind(wiring).make(request);
    if (request.folder.empty()) {
        return placed(std::move(made), place_of(m, ring != nullptr ? ring->component.path + ".capacity" : "env.lanes"));
    }
    const bool opens =
        request.begin == StorageRequest::Begin::kFolder || request.begin == StorageRequest::Begin::kCheckpoint;
    if (!opens && !made && made.error().help.empty() && made.error().fault == Fault::kInput) {
        made.error().help =
            "begin with them by giving the same folder as " + ring->component.path + ".init, or give another path";
    }
    return placed(std::move(made), place_of(m, ring->component.path + ".path"));
}

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
    const tn_key key = make_key(w.seed(), "buffer/write");
    const Keeping keeping = best ? Keeping::kBest : Keeping::kReservoir;
    Keeper made = TENON_TRY(
        placed(Keeper::make(ring, kept_rows(w), {.keeping = keeping, .by = buffer->table->writer_by, .key = key}),
               place_of(w.manifest, buffer->table->component.path + ".capacity")));
    return std::optional<Keeper>(std::move(made));
}

}  // namespace tenon
