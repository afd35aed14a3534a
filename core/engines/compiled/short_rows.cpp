// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/listing_passes.hpp"

#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "engines/compiled/element.hpp"
#include "engines/compiled/tape.hpp"

namespace tenon::compiled {
namespace {

constexpr std::int64_t kMostColumns = 4;
constexpr std::size_t kNoMaker = static_cast<std::size_t>(-1);

// Several rows of a few elements each.
bool has_short_rows(const View& view) {
    const std::int64_t columns = view.shape.empty() ? 0 : view.shape.back();
    return columns > 1 && columns <= kMostColumns && view.count() > columns;
}

std::vector<std::int64_t> without_columns(std::vector<std::int64_t> shape) {
    shape.pop_back();
    return shape;
}

class WritingOut {
public:
    WritingOut(Listing& listing, std::span<const std::uint32_t> pinned)
        : listing_(listing),
          ops_(std::exchange(listing.ops, {})),
          maker_(listing.buffers.size(), kNoMaker),
          group_(ops_.size()),
          wanted_(ops_.size(), false),
          columns_(listing.buffers.size()),
          in_memory_(listing.buffers.size(), false) {
        for (const std::uint32_t buffer : pinned) {
            in_memory_[buffer] = true;
        }
    }

    void write_out() {
        find_makers();
        find_groups();
        for (std::size_t i = 0; i < ops_.size(); ++i) {
            if (is_by_column(i)) {
                make_columns(ops_[i].out);
            }
        }
        for (std::size_t i = 0; i < ops_.size(); ++i) {
            for (const View& view : ops_[i].in) {
                in_memory_[view.buffer] = in_memory_[view.buffer] || !reads_columns(i, view);
            }
        }
        for (std::size_t i = 0; i < ops_.size(); ++i) {
            is_by_column(i) ? add_by_column(ops_[i]) : is_short_gather(ops_[i]) ? add_choice(ops_[i]) : add(ops_[i]);
        }
    }

private:
    // Elementwise operations on short rows that alone write their buffer.
    void find_makers() {
        std::vector<std::size_t> writers(listing_.buffers.size(), 0);
        for (const Op& op : ops_) {
            ++writers[op.out.buffer];
        }
        for (std::size_t i = 0; i < ops_.size(); ++i) {
            const Op& op = ops_[i];
            if (is_elementwise(op.code) && has_short_rows(op.out) && is_whole(listing_, op.out) &&
                writers[op.out.buffer] == 1) {
                maker_[op.out.buffer] = i;
            }
        }
    }

    [[nodiscard]] bool is_maker(std::size_t op) const { return maker_[ops_[op].out.buffer] == op; }

    // Operations that read each other's rows form a group: all of a group are written out, or none. A group is written
    // out if one of its operations shares a number per row with an operation on rows. Otherwise its columns would not
    // join another loop.
    void find_groups() {
        std::iota(group_.begin(), group_.end(), std::size_t{0});
        for (std::size_t i = 0; i < ops_.size(); ++i) {
            for (const View& view : ops_[i].in) {
                const std::size_t maker = maker_[view.buffer];
                if (is_maker(i) && maker != kNoMaker && is_all_of(view, maker)) {
                    join(i, maker);
                } else if (is_maker(i) && is_number_of_rows(ops_[i].out, view)) {
                    wanted_[group_of(i)] = true;
                } else if (maker != kNoMaker && (is_chosen_from(i, view) || column_read(ops_[i], view))) {
                    wanted_[group_of(maker)] = true;
                }
            }
        }
    }

    [[nodiscard]] std::size_t group_of(std::size_t op) const {
        while (group_[op] != op) {
            op = group_[op];
        }
        return op;
    }

    void join(std::size_t a, std::size_t b) {
        const std::size_t to = group_of(a);
        const std::size_t from = group_of(b);
        wanted_[to] = wanted_[to] || wanted_[from];
        group_[from] = to;
    }

    [[nodiscard]] bool is_by_column(std::size_t op) const { return is_maker(op) && wanted_[group_of(op)]; }

    [[nodiscard]] bool is_all_of(const View& view, std::size_t maker) const {
        return view.shape == ops_[maker].out.shape && view.offset == 0 && is_dense(view);
    }

    // Whether the view has one number per row, which all elements of the row read.
    [[nodiscard]] bool is_number_of_rows(const View& rows, const View& view) const {
        return view.strides.back() == 0 && listing_.buffers[view.buffer].size >= rows.count() / rows.shape.back();
    }

    [[nodiscard]] static bool is_short_gather(const Op& op) {
        return op.code == Code::kGather && has_short_rows(op.in[0]);
    }

    [[nodiscard]] bool is_chosen_from(std::size_t op, const View& view) const {
        return is_short_gather(ops_[op]) && &view == ops_[op].in.data() && is_all_of(view, maker_[view.buffer]);
    }

    // The column of the view that an elementwise operation reads; nothing if it reads something else of it.
    [[nodiscard]] std::optional<std::size_t> column_read(const Op& op, const View& view) const {
        const View& rows = ops_[maker_[view.buffer]].out;
        const View flat = flattened(view);
        const bool is_column = is_elementwise(op.code) && flat.shape.size() == 1 &&
                               flat.strides[0] == rows.shape.back() && flat.offset < rows.shape.back() &&
                               flat.shape[0] * rows.shape.back() == rows.count();
        return is_column ? std::optional(static_cast<std::size_t>(flat.offset)) : std::nullopt;
    }

    // False: the operation needs the whole rows in memory.
    [[nodiscard]] bool reads_columns(std::size_t op, const View& view) const {
        if (columns_[view.buffer].empty() || is_chosen_from(op, view)) {
            return true;
        }
        return is_by_column(op) ? is_all_of(view, maker_[view.buffer]) : column_read(ops_[op], view).has_value();
    }

    std::uint32_t fresh(Kind kind, std::int64_t size) {
        listing_.buffers.push_back({.segment = Segment::kScratch, .kind = kind, .size = size, .values = {}});
        return static_cast<std::uint32_t>(listing_.buffers.size() - 1);
    }

    void make_columns(const View& rows) {
        for (std::int64_t i = 0; i < rows.shape.back(); ++i) {
            columns_[rows.buffer].push_back(
                fresh(listing_.buffers[rows.buffer].kind, rows.count() / rows.shape.back()));
        }
    }

    // A column of what an operation on whole rows reads.
    [[nodiscard]] View column_in(const View& view, std::size_t column) const {
        const bool apart = !columns_[view.buffer].empty() && is_all_of(view, maker_[view.buffer]);
        return apart ? dense_view(columns_[view.buffer][column], without_columns(view.shape))
                     : column_of(view, static_cast<std::int64_t>(column));
    }

    void add_by_column(const Op& op) {
        const std::vector<std::uint32_t>& columns = columns_[op.out.buffer];
        for (std::size_t i = 0; i < columns.size(); ++i) {
            Op one = op;
            for (View& view : one.in) {
                view = column_in(view, i);
            }
            one.out = dense_view(columns[i], without_columns(op.out.shape));
            listing_.ops.push_back(std::move(one));
        }
        if (!in_memory_[op.out.buffer]) {
            listing_.buffers[op.out.buffer].size = 0;
            return;
        }
        for (std::size_t i = 0; i < columns.size(); ++i) {
            add_elements(Code::kCopy, listing_.buffers[op.out.buffer].kind,
                         {dense_view(columns[i], without_columns(op.out.shape))},
                         column_of(op.out, static_cast<std::int64_t>(i)), op.phase);
        }
    }

    void add(Op op) {
        for (View& view : op.in) {
            if (const auto column = columns_[view.buffer].empty() ? std::nullopt : column_read(op, view)) {
                view = dense_view(columns_[view.buffer][*column], view.shape);
            }
        }
        listing_.ops.push_back(std::move(op));
    }

    // The element that an index selects, by comparisons: the last one whose number is at most the index. So it is the
    // nearest one if the index is out of range. A gather of the index itself still reports that; nothing waits for it.
    void add_choice(const Op& gather) {
        const View& index = gather.in[1];
        Op look = gather;
        look.kind = Kind::kInt;
        look.in[0] = index;
        look.in[0].shape.push_back(gather.in[0].shape.back());
        look.in[0].strides.push_back(0);
        look.out = dense_view(fresh(Kind::kInt, gather.out.count()), gather.out.shape);
        listing_.ops.push_back(std::move(look));
        const auto columns = static_cast<std::size_t>(gather.in[0].shape.back());
        View chosen = column_in(gather.in[0], 0);
        for (std::size_t i = 1; i < columns; ++i) {
            const std::uint32_t number = fresh(Kind::kInt, 1);
            listing_.buffers[number].segment = Segment::kConstant;
            const auto value = static_cast<std::int64_t>(i);
            listing_.buffers[number].values = stored(std::span(&value, 1));
            View same = dense_view(number, index.shape);
            same.strides.assign(index.shape.size(), 0);
            const View reaches = dense_view(fresh(Kind::kBool, index.count()), index.shape);
            add_elements(Code::kGe, Kind::kInt, {index, same}, reaches, gather.phase);
            const View to =
                i + 1 == columns ? gather.out : dense_view(fresh(gather.kind, index.count()), gather.out.shape);
            add_elements(Code::kWhere, gather.kind, {reaches, column_in(gather.in[0], i), chosen}, to, gather.phase);
            chosen = to;
        }
    }

    void add_elements(Code code, Kind kind, std::vector<View> in, const View& out, std::uint32_t phase) {
        Op& op = listing_.ops.emplace_back();
        op.code = code;
        op.kind = kind;
        op.in = std::move(in);
        op.out = out;
        op.phase = phase;
    }

    Listing& listing_;
    std::vector<Op> ops_;
    std::vector<std::size_t> maker_;                   // by buffer: the operation that alone writes its short rows
    std::vector<std::size_t> group_;                   // by operation: its parent in the tree of its group, or itself
    std::vector<bool> wanted_;                         // by operation at the root of a group
    std::vector<std::vector<std::uint32_t>> columns_;  // by buffer: those that have its columns
    std::vector<bool> in_memory_;                      // by buffer: whether an operation reads the whole rows
};

}  // namespace

void write_out_short_rows(Listing& listing, std::span<const std::uint32_t> pinned) {
    WritingOut(listing, pinned).write_out();
}

}  // namespace tenon::compiled
