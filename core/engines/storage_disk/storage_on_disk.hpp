// SPDX-License-Identifier: Apache-2.0
// A storage whose columns are the files of a folder (disk_ring.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error/result.hpp"
#include "engines/storage_disk/disk_ring.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

class DiskMarks;

// What is behind a storage on a disk; null for another storage.
DiskMarks* disk_marks(const Storage& storage);

// The latest `spare` steps that are overwritten are kept as well; see go_back. specs: the permitted values of columns,
// in words. replace: a buffer that the folder holds may have steps, which are lost.
struct DiskFolder {
    std::filesystem::path folder;
    std::uint32_t spare = 0;
    std::map<std::string, std::string> specs = {};
    bool replace = false;
};
Result<Storage> create_on_disk(std::vector<StorageColumn> columns, std::uint32_t slots, std::uint32_t lanes,
                               const DiskFolder& disk);
// The steps of that folder that were complete when its writer last called mark, verified by their checksums. The
// newest one is the head. Without to_write the files stay as they are, and other processes may read them, too.
Result<Storage> open_on_disk(const std::filesystem::path& folder, bool to_write);
// Opens the folder to go back to a checkpoint. Until then the storage is empty, and its head is in a slot whose
// content is lost anyway.
Result<Storage> reopen_on_disk(const std::filesystem::path& folder);

// A position of the past, and the sum of the checksums of the steps before its newest transition.
struct Past {
    Ring::Position position;
    std::uint64_t checksum = 0;
};
// For a checkpoint: from now on the steps that it means are kept when they are overwritten. Call mark before.
[[nodiscard]] Past past_of(const Storage& storage);  // this and the next: of a storage on a disk
// Returns to it, as far as its steps have not been overwritten, and says how many are gone: the oldest ones. The
// caller restores the rows of the head and of the slot before it, and then calls mark. A problem, with nothing
// changed, if the steps are other ones, or if some are damaged that cannot have been overwritten.
Result<std::uint64_t> go_back(Storage& storage, const Past& past);

// The files behind a storage: which steps of the ring are marked as whole, and which a checkpoint needs.
class DiskMarks final : public Backing {
public:
    // Steps before `marked` are.
    DiskMarks(std::unique_ptr<DiskRing> files, std::uint64_t marked) : files_(std::move(files)), marked_(marked) {}
    [[nodiscard]] DiskRing& files() const { return *files_; }

    void on_advance(const Ring& ring) override { keep_next(ring); }
    void on_end(const Ring& ring) override;
    void on_park(const Ring& ring) override { write_lanes(ring); }
    void on_move(const Ring& ring) override;
    void on_clear() override { forget_from(0); }
    [[nodiscard]] bool permits(const Ring::Position& position) const override {
        return position.appended % files_->layout().slots == position.head;
    }
    // All steps before the head are whole.
    void mark(const Storage& storage) override;
    // This step and all later ones will be marked again.
    void rewrite_from(std::uint64_t step) override { marked_ = std::min(marked_, step); }
    // The same, and their marks are removed.
    void forget_from(std::uint64_t step);
    // Steps before this one are kept when they are overwritten: a checkpoint needs them.
    void need(std::uint64_t step) { needed_ = step; }
    // The slot after the head is written next, before the head moves to it.
    void keep_next(const Ring& ring);

    [[nodiscard]] std::filesystem::path folder() const override { return files_->folder(); }
    Status save(Storage& storage, const std::filesystem::path& checkpoint) override;
    Result<std::uint64_t> restore(Storage& storage, const std::filesystem::path& checkpoint) override;

private:
    void write_lanes(const Ring& ring);

    std::unique_ptr<DiskRing> files_;
    std::uint64_t marked_;
    std::uint64_t needed_ = 0;
};

}  // namespace tenon
