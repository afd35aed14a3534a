// SPDX-License-Identifier: Apache-2.0
#include "train/plan/ring_storage.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error/listed.hpp"
#include "base/random/key.hpp"
#include "config/manifest/pace.hpp"
#include "experience/replay/disk_folder.hpp"
#include "experience/replay/disk_layout.hpp"
#include "experience/replay/packed_rows.hpp"
#include "experience/replay/storage_on_disk.hpp"
#include "train/checkpoint/frames_file.hpp"
#include "train/plan/storage_size.hpp"

namespace tenon {
namespace {

// Why the folder's buffer cannot be used for this run; empty: it can.
std::string other_layout(const Wiring& wiring, const BufferTable& buffer, const DiskLayout& existing) {
    const auto lanes = static_cast<std::uint32_t>(wiring.manifest.env.lanes);
    const std::string has = layout_text(existing.slots, existing.lanes, existing.columns);
    const std::string wants = layout_text(storage_slots(wiring), lanes, wiring.stored);
    return has == wants ? "" : "the buffer in " + buffer.path + " has " + has + ", but this run has " + wants;
}

Result<Storage> open_folder(const Wiring& wiring, const BufferTable& buffer) {
    const std::filesystem::path folder = buffer.path;
    if (!holds_buffer(folder)) {
        return input_problem("there is no buffer in " + buffer.path, {},
                             wiring.restored
                                 ? "the run needs the frames that it had; begin a new run with its weights: "
                                   "--from"
                                 : "");
    }
    const DiskLayout existing = TENON_TRY(read_layout(folder / kLayoutFile));
    if (const std::string other = other_layout(wiring, buffer, existing); !other.empty()) {
        return input_problem(other);
    }
    return wiring.restored ? reopen_on_disk(folder) : open_on_disk(folder, true);
}

std::uint32_t spare_steps(const Wiring& wiring) {
    const Manifest& m = wiring.manifest;
    const std::int64_t between = every(m.checkpoint);
    if (between == 0 || !m.checkpoint.buffer || only_learns(m)) {
        return 0;
    }
    const std::int64_t steps = (between + m.train.batch) / m.env.lanes + 2;
    return static_cast<std::uint32_t>(std::min<std::int64_t>(steps, storage_slots(wiring)));
}

Result<Storage> make_on_disk(const Wiring& wiring, const BufferTable& buffer) {
    if (wiring.restored || begins_in_place(buffer)) {
        return open_folder(wiring, buffer);
    }
    const DiskLayout layout = layout_on_disk(wiring);
    Result<Storage> made = create_on_disk(wiring.stored, layout.slots, layout.lanes,
                                          {.folder = buffer.path,
                                           .spare = layout.spare,
                                           .specs = layout.specs,
                                           .replace = wiring.resumed});  // without a checkpoint the run starts again
    if (!made && made.error().help.empty() && made.error().fault == Fault::kInput) {
        made.error().help =
            "begin with them by giving the same folder as " + buffer.component.path + ".init, or give another path";
    }
    return made;
}

}  // namespace

DiskLayout layout_on_disk(const Wiring& wiring) {
    DiskLayout out{.slots = storage_slots(wiring),
                   .lanes = static_cast<std::uint32_t>(wiring.manifest.env.lanes),
                   .spare = spare_steps(wiring),
                   .specs = specs_in_words(wiring.env_specs)};
    if (Result<std::vector<StorageColumn>> columns = complete_columns(wiring.stored, out.slots, out.lanes)) {
        out.columns = std::move(*columns);
    }
    return out;
}

void check_compressed(const Wiring& w, Problems& problems) {
    const BufferPlan* const buffer = w.collecting();
    if (buffer == nullptr || buffer->table->storage != "compressed") {
        return;
    }
    const auto refuse = [&](const char* key, const std::string& why) {
        const std::string path = buffer->table->component.path + "." + key;
        problems.push_back(input_problem(path + " " + why, place_of(w.manifest, path)));
    };
    if (std::ranges::none_of(w.stored, PackedRows::packs)) {
        refuse("storage", "is \"compressed\", but no column has rows of " + std::to_string(PackedRows::kLeastRowBytes) +
                              " bytes or more, and smaller ones stay as they are");
    }
    const std::int64_t rounds = w.collects_async() ? 2 : 1;
    const std::int64_t lanes = w.manifest.env.lanes;
    const std::int64_t least = rounds * (w.manifest.train.batch / lanes) + 3 * std::int64_t{PackedRows::kBlock};
    if (std::int64_t{storage_slots(w)} - 1 < least) {
        refuse("capacity", "is " + std::to_string(buffer->table->capacity.frames) + ", but a compressed buffer needs " +
                               std::to_string(least * lanes) + " frames: those of its rounds, and three blocks of " +
                               std::to_string(PackedRows::kBlock) + " steps");
    }
}

bool begins_in_place(const BufferTable& buffer) {
    return buffer.collects && buffer.storage == "mmap" && buffer.init == buffer.path;
}

Result<Storage> make_storage(const Wiring& wiring) {
    const Manifest& m = wiring.manifest;
    const BufferTable* const ring = collecting_buffer(m);
    if (ring != nullptr && ring->storage == "mmap") {
        return placed(make_on_disk(wiring, *ring), place_of(m, ring->component.path + ".path"));
    }
    const std::uint32_t slots = storage_slots(wiring) + slots_held_back(wiring);
    return placed(Storage::make(wiring.stored, slots, static_cast<std::uint32_t>(m.env.lanes),
                                ring != nullptr && ring->storage == "compressed"),
                  place_of(m, ring != nullptr ? ring->component.path + ".capacity" : "env.lanes"));
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
    const tn_key key = make_key(static_cast<std::uint64_t>(w.manifest.run.seed), "buffer/write");
    const Keeping keeping = best ? Keeping::kBest : Keeping::kReservoir;
    Keeper made = TENON_TRY(
        placed(Keeper::make(ring, kept_rows(w), {.keeping = keeping, .by = buffer->table->writer_by, .key = key}),
               place_of(w.manifest, buffer->table->component.path + ".capacity")));
    return std::optional<Keeper>(std::move(made));
}

}  // namespace tenon
