// SPDX-License-Identifier: Apache-2.0
// The kinds of storages that buffer.storage names. This class is "memory". Each other kind is a folder of core/engines;
// core/run/start/kinds.hpp declares their table.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

// A storage of a run. The columns are without the storage's own.
struct StorageRequest {
    std::vector<StorageColumn> columns;
    std::uint32_t slots = 0;  // with those that sampled_back asks for
    std::uint32_t lanes = 0;
    std::uint32_t round_steps = 0;  // how many steps may be newer than those that have been marked
    // Only for kinds with a folder:
    std::filesystem::path folder = {};
    std::uint32_t spare = 0;                        // how many overwritten steps it keeps, for a checkpoint
    std::map<std::string, std::string> specs = {};  // the permitted values of columns, in words
    enum class Begin {
        kNew,         // the folder has no steps
        kReplace,     // steps that the folder has are lost
        kFolder,      // with the steps of the folder
        kCheckpoint,  // the caller restores a checkpoint; until then the storage is empty
    };
    Begin begin = Begin::kNew;
};

// The frames of a folder, and the permitted values of their columns, in words.
struct FolderFrames {
    Storage storage;
    std::map<std::string, std::string> specs;
    std::string format;
};

class StorageKind {
public:
    StorageKind() = default;
    StorageKind(const StorageKind&) = delete;
    StorageKind& operator=(const StorageKind&) = delete;
    virtual ~StorageKind() = default;

    [[nodiscard]] virtual std::string_view name() const { return "memory"; }
    [[nodiscard]] virtual Result<Storage> make(const StorageRequest& request) const {
        return Storage::make(request.columns, request.slots, request.lanes);
    }

    // Why such a storage cannot be made, as the clause after the value of a key of the buffer; none if it can.
    struct Refusal {
        std::string key;
        std::string why;
    };
    [[nodiscard]] virtual std::optional<Refusal> check(const StorageRequest& /*request*/) const { return {}; }
    // How it keeps rows, as a clause for `tenon explain`.
    [[nodiscard]] virtual std::string explanation(const StorageRequest& /*request*/) const { return {}; }
    // Whether Backing::packed_bytes is a figure that tells something.
    [[nodiscard]] virtual bool packs_rows() const { return false; }
    // The file in a checkpoint with what Backing::save writes; empty: it writes nothing.
    [[nodiscard]] virtual std::string_view checkpoint_file() const { return {}; }

    // Whether its frames are in the files of a folder. The others are of such a kind.
    [[nodiscard]] virtual bool has_folder() const { return false; }
    [[nodiscard]] virtual std::uint64_t disk_bytes(const StorageRequest& /*request*/) const { return 0; }
    [[nodiscard]] virtual bool holds(const std::filesystem::path& /*folder*/) const { return false; }
    // Reads a folder that holds frames; other processes may read it, too.
    [[nodiscard]] virtual Result<FolderFrames> read(const std::filesystem::path& folder) const {
        return input_problem(folder.string() + " holds no frames");
    }
};

}  // namespace tenon
