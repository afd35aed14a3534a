// SPDX-License-Identifier: Apache-2.0
// buffer.storage = "compressed": the kind, which the table of all kinds names (cmake/kinds.cmake).
#include <algorithm>
#include <string>
#include <vector>

#include "base/data/memory.hpp"
#include "base/error/listed.hpp"
#include "engines/storage_compressed/packed_file.hpp"
#include "engines/storage_compressed/packed_rows.hpp"
#include "experience/replay/storage_kind.hpp"

namespace tenon {
namespace {

// The steps that samplers choose from.
std::int64_t shown_steps(const StorageRequest& request) {
    return std::int64_t{request.slots} - 1 - sampled_back(request.columns);
}

class CompressedStorage final : public StorageKind {
public:
    [[nodiscard]] std::string_view name() const override { return "compressed"; }
    [[nodiscard]] std::string_view checkpoint_file() const override { return kPackedFile; }
    [[nodiscard]] bool packs_rows() const override { return true; }

    [[nodiscard]] Result<Storage> make(const StorageRequest& request) const override {
        return make_packed(request.columns, request.slots, request.lanes);
    }

    [[nodiscard]] std::optional<Refusal> check(const StorageRequest& request) const override {
        if (std::ranges::none_of(request.columns, PackedRows::is_large)) {
            return Refusal{.key = "storage",
                           .why = "no column has rows of " + std::to_string(PackedRows::kLeastRowBytes) +
                                  " bytes or more, and smaller ones stay as they are"};
        }
        const std::int64_t least = request.round_steps + 3 * std::int64_t{PackedRows::kBlock};
        if (shown_steps(request) < least) {
            return Refusal{.key = "capacity",
                           .why = "a compressed buffer needs " + std::to_string(least * request.lanes) +
                                  " frames: those of its rounds, and three blocks of " +
                                  std::to_string(PackedRows::kBlock) + " steps"};
        }
        return {};
    }

    // Which columns are compressed; how well is only known during the run.
    [[nodiscard]] std::string explanation(const StorageRequest& request) const override {
        std::vector<std::string> keys;
        for (const StorageColumn& column : request.columns) {
            if (PackedRows::is_large(column)) {
                const auto rows = static_cast<std::uint64_t>(shown_steps(request)) * request.lanes;
                keys.push_back("'" + column.key + "' (" + bytes_text(row_bytes(column) * rows) + " as plain rows)");
            }
        }
        return "Compressed in blocks of " + std::to_string(PackedRows::kBlock) + " steps: " + listed(keys);
    }
};

}  // namespace

const StorageKind& storage_compressed() {
    static const CompressedStorage out;
    return out;
}

}  // namespace tenon
