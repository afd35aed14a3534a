// SPDX-License-Identifier: Apache-2.0
// The columns of a storage as files of a folder, mapped into memory. The system writes them to the disk when it wants,
// so a killed process loses nothing that it has written; a checksum per step shows which steps are whole.
//
// clang-format off
// | file          | contents                                                                                                               |
// |---------------|------------------------------------------------------------------------------------------------------------------------|
// | `layout.json` | what the folder holds; written last, so that a folder without it holds nothing                                         |
// | `lock`        | locked by one writer, or by several readers                                                                            |
// | `marks`       | [2] tables of lanes, of which the newer whole one counts; [slots + spare] marks of steps; the step that was begun last |
// | `sums`        | [slots + spare, columns]: 32 bits of a step's checksum up to each column                                               |
// | `columns/KEY` | [slots + spare, lanes, row...]                                                                                         |
// | `final/KEY`   | the same for final observations                                                                                        |
// clang-format on
//
// A killed process leaves every byte that it has written, so only the step that it was writing is incomplete. After a
// power cut any page may have its old content, because pages reach the disk in any order. So nothing relies on an
// order: a step counts as whole only if its mark has its number and the checksum of its bytes. The two tables of lanes
// are written in turn, so a table that was being written leaves the other one intact; their checksums tell which is
// whole.
//
// Step n, counted from 0, is in slot n % slots. Before it is overwritten it is copied to slots + n % spare if the last
// checkpoint needs it, so that a run that goes back to the checkpoint finds what it had.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/data/slab.hpp"
#include "base/error/result.hpp"
#include "base/file/private_descriptor.hpp"
#include "engines/storage_disk/disk_layout.hpp"

namespace tenon {

class DiskRing {
public:
    // Makes the folder, or uses one that holds no steps, and reserves all its bytes on the disk: later writes cannot
    // fail for want of room. Another process that uses it, a folder with other files and a disk that is too small are
    // problems.
    static Result<std::unique_ptr<DiskRing>> create(DiskLayout layout, const std::filesystem::path& folder);

    enum class Access {
        kWrite,
        kRead,  // together with other readers; what is written stays in this process
    };
    static Result<std::unique_ptr<DiskRing>> open(const std::filesystem::path& folder, Access access);

    [[nodiscard]] const DiskLayout& layout() const { return layout_; }  // its columns have views of the slots
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

    // Marks a step in its slot as whole. Allocates nothing.
    void seal(std::uint64_t step);
    // Copies a whole step to a spare slot, before its own slot is written again. Allocates nothing.
    void keep(std::uint64_t step);
    // Where a whole step is, and the checksum of its bytes, which are verified; nothing if it is gone.
    struct Found {
        std::uint64_t row = 0;
        std::uint64_t checksum = 0;
    };
    [[nodiscard]] std::optional<Found> find(std::uint64_t step) const;
    // The checksum with which a step in its slot was marked; 0 if the step has no mark.
    [[nodiscard]] std::uint64_t mark_of(std::uint64_t step) const;
    // The damaged column of a step in its slot; null if it is not known, or if the final observations are damaged.
    [[nodiscard]] const StorageColumn* damaged_column(std::uint64_t step) const;
    // Copies a found step back into its slot.
    void put_back(std::uint64_t step, const Found& found);
    // Sets the step's slot to zeros, as it was before its first step.
    void wipe(std::uint64_t step);
    // From now on this step and earlier ones may be written to their slots. Allocates nothing.
    void begin(std::uint64_t step);
    // The last step that was begun, also by earlier writers; 0 if there was none, or if it cannot be read. It tells
    // whether a step is missing because its slot was written again, or because of damage: a step that was being written
    // when its writer was killed has no mark.
    [[nodiscard]] std::uint64_t begun() const;
    // The marks of this step and of all later ones are removed.
    void forget_from(std::uint64_t step);

    // The longest run of steps [first, last] that are whole and in their slots. All bytes are verified.
    struct Whole {
        std::uint64_t first = 0;
        std::uint64_t last = 0;
    };
    [[nodiscard]] std::optional<Whole> whole_steps() const;
    // The newest step that has a mark; its bytes are not verified.
    [[nodiscard]] std::optional<std::uint64_t> newest_mark() const;

    // The step with which each lane begins; kNever for a parked one.
    static constexpr std::uint64_t kNever = ~std::uint64_t{0};
    void write_lanes(std::span<const std::uint64_t> first);
    [[nodiscard]] Result<std::vector<std::uint64_t>> read_lanes() const;

    // From now on steps are read in random order.
    void expect_random_reads() const;
    // Waits until everything is on the disk.
    [[nodiscard]] Status sync() const;

private:
    struct Mark {
        std::uint64_t step_and_one;  // 0: none
        std::uint64_t checksum;
    };
    struct Part {
        std::byte* rows;
        std::byte* finals;  // null: none
        std::size_t row_bytes;
    };

    DiskRing(DiskLayout layout, std::filesystem::path folder, PrivateDescriptor lock)
        : layout_(std::move(layout)), folder_(std::move(folder)), lock_(std::move(lock)) {}
    Status map(Access access);
    Result<std::byte*> map_file(const std::filesystem::path& file, std::size_t bytes, Access access);
    [[nodiscard]] std::size_t rows() const { return std::size_t{layout_.slots} + layout_.spare; }
    [[nodiscard]] bool is_done(std::size_t row, std::uint32_t lane) const;
    [[nodiscard]] bool has_ends(std::size_t row) const;
    // sums: receives the sum up to each column; null: none.
    std::uint64_t checksum_of(std::size_t row, std::uint64_t step, std::uint32_t* sums = nullptr) const;
    [[nodiscard]] std::uint32_t* sums_of(std::size_t row) const {
        return sums_ == nullptr ? nullptr : sums_ + row * parts_.size();
    }
    [[nodiscard]] bool is_whole(std::size_t row, std::uint64_t step) const;
    void copy(std::size_t to, std::size_t from);
    [[nodiscard]] std::uint64_t* lanes_table(int which) const;
    [[nodiscard]] bool is_table_whole(int which) const;

    DiskLayout layout_;
    std::filesystem::path folder_;
    PrivateDescriptor lock_;
    std::vector<Slab> slabs_;
    std::vector<Part> parts_;
    std::byte* lanes_ = nullptr;
    Mark* marks_ = nullptr;
    std::uint64_t* begun_ = nullptr;
    std::uint32_t* sums_ = nullptr;  // of a writer
    const std::byte* terminated_ = nullptr;
    const std::byte* truncated_ = nullptr;
};

}  // namespace tenon
