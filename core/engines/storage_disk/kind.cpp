// SPDX-License-Identifier: Apache-2.0
// buffer.storage = "mmap": the kind, which the table of all kinds names (cmake/kinds.cmake).
#include <string>
#include <utility>

#include "engines/storage_disk/disk_folder.hpp"
#include "engines/storage_disk/disk_layout.hpp"
#include "engines/storage_disk/ring_file.hpp"
#include "engines/storage_disk/storage_on_disk.hpp"
#include "experience/replay/storage_kind.hpp"

namespace tenon {
namespace {

using Begin = StorageRequest::Begin;

// Opens the folder, if its buffer is what the run asks for.
Result<Storage> open_folder(const StorageRequest& request) {
    const std::filesystem::path& folder = request.folder;
    const bool restores = request.begin == Begin::kCheckpoint;
    if (!holds_buffer(folder)) {
        return input_problem(
            "there is no buffer in " + folder.string(), {},
            restores ? "the run needs the frames that it had; begin a new run with its weights: --from" : "");
    }
    const DiskLayout existing = TENON_TRY(read_layout(folder / kLayoutFile));
    const std::string has = layout_text(existing.slots, existing.lanes, existing.columns);
    const std::string wants = layout_text(request.slots, request.lanes, request.columns);
    if (has != wants) {
        return input_problem("the buffer in " + folder.string() + " has " + has + ", but this run has " + wants);
    }
    return restores ? reopen_on_disk(folder) : open_on_disk(folder, true);
}

class DiskStorage final : public StorageKind {
public:
    [[nodiscard]] std::string_view name() const override { return "mmap"; }
    [[nodiscard]] std::string_view checkpoint_file() const override { return kRingFile; }
    [[nodiscard]] bool has_folder() const override { return true; }
    [[nodiscard]] bool holds(const std::filesystem::path& folder) const override { return holds_buffer(folder); }

    [[nodiscard]] Result<Storage> make(const StorageRequest& request) const override {
        if (request.begin == Begin::kFolder || request.begin == Begin::kCheckpoint) {
            return open_folder(request);
        }
        return create_on_disk(request.columns, request.slots, request.lanes,
                              {.folder = request.folder,
                               .spare = request.spare,
                               .specs = request.specs,
                               .replace = request.begin == Begin::kReplace});
    }

    [[nodiscard]] std::uint64_t disk_bytes(const StorageRequest& request) const override {
        DiskLayout layout{
            .slots = request.slots, .lanes = request.lanes, .spare = request.spare, .specs = request.specs};
        if (Result<std::vector<StorageColumn>> columns =
                complete_columns(request.columns, request.slots, request.lanes)) {
            layout.columns = std::move(*columns);
        }
        return tenon::disk_bytes(layout);
    }

    [[nodiscard]] Result<FolderFrames> read(const std::filesystem::path& folder) const override {
        Storage storage = TENON_TRY(open_on_disk(folder, false));
        std::map<std::string, std::string> specs = disk_marks(storage)->files().layout().specs;
        return FolderFrames{.storage = std::move(storage), .specs = std::move(specs), .format = "tenon buffer/1"};
    }
};

}  // namespace

const StorageKind& storage_disk() {
    static const DiskStorage out;
    return out;
}

}  // namespace tenon
