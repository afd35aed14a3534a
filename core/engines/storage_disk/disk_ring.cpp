// SPDX-License-Identifier: Apache-2.0
#include "engines/storage_disk/disk_ring.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "base/file/checksum.hpp"
#include "engines/storage_disk/disk_folder.hpp"

namespace tenon {
namespace {

constexpr std::uint64_t kLanesSeed = 0x6c616e6573;

// The step that was begun last is one word, so that no crash leaves half of it: its number, and bits that verify it.
constexpr unsigned kNumberBits = 48;
constexpr std::uint64_t kMostNumber = (std::uint64_t{1} << kNumberBits) - 1;
constexpr std::uint64_t kBegunSeed = 0x626567756e;

std::uint64_t verified(std::uint64_t number) {
    return number | checksum64(&number, sizeof number, kBegunSeed) << kNumberBits;
}

// Generation, checksum and the first step of every lane, in whole cache lines.
std::size_t table_bytes(std::uint32_t lanes) {
    return ((2 + std::size_t{lanes}) * sizeof(std::uint64_t) + 63) / 64 * 64;
}

}  // namespace

std::size_t marks_bytes(const DiskLayout& layout) {
    const std::size_t marks = (std::size_t{layout.slots} + layout.spare) * 2 * sizeof(std::uint64_t);
    return 2 * table_bytes(layout.lanes) + marks + sizeof(std::uint64_t);
}

std::size_t sums_bytes(const DiskLayout& layout) {
    return (std::size_t{layout.slots} + layout.spare) * layout.columns.size() * sizeof(std::uint32_t);
}

Result<std::unique_ptr<DiskRing>> DiskRing::create(DiskLayout layout, const std::filesystem::path& folder) {
    PrivateDescriptor lock = TENON_TRY(make_disk_folder(layout, folder));
    std::unique_ptr<DiskRing> out(new DiskRing(std::move(layout), folder, std::move(lock)));
    TENON_TRY(out->map(Access::kWrite));
    out->write_lanes(std::vector<std::uint64_t>(out->layout_.lanes, 0));
    return out;
}

Result<std::unique_ptr<DiskRing>> DiskRing::open(const std::filesystem::path& folder, Access access) {
    PrivateDescriptor lock = TENON_TRY(lock_disk_folder(folder, access == Access::kWrite));
    DiskLayout layout = TENON_TRY(read_layout(folder / kLayoutFile));
    std::unique_ptr<DiskRing> out(new DiskRing(std::move(layout), folder, std::move(lock)));
    TENON_TRY(out->map(access));
    return out;
}

Result<std::byte*> DiskRing::map_file(const std::filesystem::path& file, std::size_t bytes, Access access) {
    slabs_.push_back(TENON_TRY(map_reserved(file, bytes, access == Access::kWrite)));
    return slabs_.back().as<std::byte>();
}

Status DiskRing::map(Access access) {
    // Folders of earlier versions have neither the step that was begun nor sums, and a reader must not write files.
    const std::size_t unread = access == Access::kRead ? sizeof *begun_ : 0;
    std::byte* const marks = TENON_TRY(map_file(folder_ / kMarksFile, marks_bytes(layout_) - unread, access));
    lanes_ = marks;
    marks_ = reinterpret_cast<Mark*>(lanes_ + 2 * table_bytes(layout_.lanes));
    begun_ = reinterpret_cast<std::uint64_t*>(marks_ + rows());
    if (access == Access::kWrite) {
        std::byte* const sums = TENON_TRY(map_file(folder_ / kSumsFile, sums_bytes(layout_), access));
        sums_ = reinterpret_cast<std::uint32_t*>(sums);
    }
    for (StorageColumn& column : layout_.columns) {
        const std::size_t bytes = rows() * layout_.lanes * row_bytes(column);
        std::byte* const at = TENON_TRY(map_file(column_file(folder_, column.key), bytes, access));
        const bool has_final = column.role == Role::kObservation;
        std::byte* const end = TENON_TRY(has_final ? map_file(final_file(folder_, column.key), bytes, access)
                                                   : Result<std::byte*>(nullptr));
        const Shape shape = join(Shape{layout_.slots, layout_.lanes}, column.row);
        column.view = dense(at, column.dtype, shape);
        column.final = has_final ? dense(end, column.dtype, shape) : View{};
        parts_.push_back({at, end, row_bytes(column)});
        if (column.key == "terminated") {
            terminated_ = at;
        } else if (column.key == "truncated") {
            truncated_ = at;
        }
    }
    return {};
}

bool DiskRing::is_done(std::size_t row, std::uint32_t lane) const {
    const std::size_t at = row * layout_.lanes + lane;
    return (terminated_[at] | truncated_[at]) != std::byte{0};
}

bool DiskRing::has_ends(std::size_t row) const {
    std::byte any{0};
    for (std::size_t at = row * layout_.lanes; at < (row + 1) * layout_.lanes; ++at) {
        any |= terminated_[at] | truncated_[at];
    }
    return any != std::byte{0};
}

std::uint64_t DiskRing::checksum_of(std::size_t row, std::uint64_t step, std::uint32_t* sums) const {
    std::uint64_t sum = step;
    for (const Part& part : parts_) {
        const std::size_t bytes = part.row_bytes * layout_.lanes;
        sum = checksum64(part.rows + row * bytes, bytes, sum);
        if (sums != nullptr) {
            *sums++ = static_cast<std::uint32_t>(sum);
        }
    }
    const bool ends = has_ends(row);
    for (const Part& part : parts_) {
        for (std::uint32_t lane = 0; ends && part.finals != nullptr && lane < layout_.lanes; ++lane) {
            if (is_done(row, lane)) {
                sum = checksum64(part.finals + (row * layout_.lanes + lane) * part.row_bytes, part.row_bytes, sum);
            }
        }
    }
    return sum;
}

bool DiskRing::is_whole(std::size_t row, std::uint64_t step) const {
    return marks_[row].step_and_one == step + 1 && marks_[row].checksum == checksum_of(row, step);
}

void DiskRing::seal(std::uint64_t step) {
    const auto row = static_cast<std::size_t>(step % layout_.slots);
    marks_[row] = {.step_and_one = step + 1, .checksum = checksum_of(row, step, sums_of(row))};
}

void DiskRing::copy(std::size_t to, std::size_t from) {
    const bool ends = has_ends(from);
    for (const Part& part : parts_) {
        const std::size_t bytes = part.row_bytes * layout_.lanes;
        std::memcpy(part.rows + to * bytes, part.rows + from * bytes, bytes);
        for (std::uint32_t lane = 0; ends && part.finals != nullptr && lane < layout_.lanes; ++lane) {
            if (is_done(from, lane)) {
                const std::size_t at = lane * part.row_bytes;
                std::memcpy(part.finals + to * bytes + at, part.finals + from * bytes + at, part.row_bytes);
            }
        }
    }
    if (sums_ != nullptr) {
        std::copy_n(sums_of(from), parts_.size(), sums_of(to));
    }
    marks_[to] = marks_[from];
}

void DiskRing::keep(std::uint64_t step) {
    const auto row = static_cast<std::size_t>(step % layout_.slots);
    if (layout_.spare > 0 && marks_[row].step_and_one == step + 1) {
        copy(layout_.slots + static_cast<std::size_t>(step % layout_.spare), row);
    }
}

std::optional<DiskRing::Found> DiskRing::find(std::uint64_t step) const {
    const std::uint64_t own = step % layout_.slots;
    if (is_whole(own, step)) {
        return Found{own, marks_[own].checksum};
    }
    if (layout_.spare > 0) {
        const std::uint64_t kept = layout_.slots + step % layout_.spare;
        if (is_whole(kept, step)) {
            return Found{kept, marks_[kept].checksum};
        }
    }
    return std::nullopt;
}

std::uint64_t DiskRing::mark_of(std::uint64_t step) const {
    const Mark& mark = marks_[step % layout_.slots];
    return mark.step_and_one == step + 1 ? mark.checksum : 0;
}

const StorageColumn* DiskRing::damaged_column(std::uint64_t step) const {
    const auto row = static_cast<std::size_t>(step % layout_.slots);
    const std::uint32_t* const sealed = sums_of(row);
    std::vector<std::uint32_t> now(parts_.size());
    if (sealed == nullptr || mark_of(step) == 0 || std::equal(now.begin(), now.end(), sealed)) {
        return nullptr;  // zeros: sealed by an earlier version
    }
    checksum_of(row, step, now.data());
    const auto first = std::ranges::mismatch(now, std::span(sealed, now.size())).in1 - now.begin();
    return first == std::ssize(now) ? nullptr : &layout_.columns[static_cast<std::size_t>(first)];
}

void DiskRing::put_back(std::uint64_t step, const Found& found) {
    if (const std::uint64_t own = step % layout_.slots; found.row != own) {
        copy(own, found.row);
    }
}

void DiskRing::wipe(std::uint64_t step) {
    for (const Part& part : parts_) {
        const std::size_t bytes = part.row_bytes * layout_.lanes;
        std::memset(part.rows + step % layout_.slots * bytes, 0, bytes);
    }
}

void DiskRing::begin(std::uint64_t step) {
    if (step > begun()) {
        *begun_ = verified(step);
    }
}

std::uint64_t DiskRing::begun() const {
    const std::uint64_t number = *begun_ & kMostNumber;
    return verified(number) == *begun_ ? number : 0;
}

void DiskRing::forget_from(std::uint64_t step) {
    for (std::size_t row = 0; row < rows(); ++row) {
        if (marks_[row].step_and_one > step) {
            marks_[row] = {};
        }
    }
}

std::optional<std::uint64_t> DiskRing::newest_mark() const {
    std::uint64_t newest = 0;
    for (std::size_t row = 0; row < layout_.slots; ++row) {
        newest = std::max(newest, marks_[row].step_and_one);
    }
    return newest == 0 ? std::nullopt : std::optional(newest - 1);
}

std::optional<DiskRing::Whole> DiskRing::whole_steps() const {
    std::vector<std::uint64_t> steps;
    for (std::size_t row = 0; row < layout_.slots; ++row) {
        const std::uint64_t next = marks_[row].step_and_one;
        if (next > 0 && (next - 1) % layout_.slots == row && is_whole(row, next - 1)) {
            steps.push_back(next - 1);
        }
    }
    std::ranges::sort(steps);
    std::optional<Whole> longest;
    for (std::size_t i = 0; i < steps.size();) {
        std::size_t end = i + 1;
        while (end < steps.size() && steps[end] == steps[end - 1] + 1) {
            ++end;
        }
        if (!longest || end - i >= longest->last - longest->first + 1) {
            longest = Whole{steps[i], steps[end - 1]};
        }
        i = end;
    }
    return longest;
}

std::uint64_t* DiskRing::lanes_table(int which) const {
    return reinterpret_cast<std::uint64_t*>(lanes_ + (which == 0 ? 0 : table_bytes(layout_.lanes)));
}

bool DiskRing::is_table_whole(int which) const {
    const std::uint64_t* const table = lanes_table(which);
    return table[0] > 0 &&
           table[1] == checksum64(table + 2, layout_.lanes * sizeof(std::uint64_t), kLanesSeed + table[0]);
}

void DiskRing::write_lanes(std::span<const std::uint64_t> first) {
    const std::uint64_t newest =
        std::max(is_table_whole(0) ? lanes_table(0)[0] : 0, is_table_whole(1) ? lanes_table(1)[0] : 0);
    std::uint64_t* const table = lanes_table(static_cast<int>((newest + 1) % 2));
    table[1] = 0;
    table[0] = newest + 1;
    std::ranges::copy(first, table + 2);
    table[1] = checksum64(table + 2, first.size_bytes(), kLanesSeed + table[0]);
}

Result<std::vector<std::uint64_t>> DiskRing::read_lanes() const {
    const int newer = lanes_table(0)[0] > lanes_table(1)[0] ? 0 : 1;
    for (const int which : {newer, 1 - newer}) {
        if (is_table_whole(which)) {
            const std::uint64_t* const table = lanes_table(which);
            return std::vector<std::uint64_t>(table + 2, table + 2 + layout_.lanes);
        }
    }
    return input_problem((folder_ / kMarksFile).string() + " is damaged: it does not say where its lanes begin");
}

void DiskRing::expect_random_reads() const {
    std::ranges::for_each(slabs_, &Slab::expect_random_reads);
}

Status DiskRing::sync() const {
    for (const Slab& slab : slabs_) {
        if (Status done = slab.sync(); !done) {
            done.error().sentence += " (" + folder_.string() + ")";
            return done;
        }
    }
    return {};
}

}  // namespace tenon
