// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/building.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "compute/exec/over_shards.hpp"
#include "engines/compiled/element.hpp"
#include "engines/cuda/grouping.hpp"
#include "engines/cuda/shapes.hpp"

namespace tenon::compiled::device {
Status Building::build() {
    TENON_TRY(check_kernels(tape_));
    lay_out_given();
    place_outputs();
    TENON_TRY(allocate());
    for (std::uint32_t i = 0; i < tape_.instructions().size(); ++i) {
        add(tape_.instructions()[i], i, tape_.instructions()[i].phase);
    }
    TENON_TRY(place_partial());
    out_.reads_numbers_ = !out_.numbers_.empty() || !out_.program_.gradients.empty() ||
                          std::ranges::any_of(tape_.listing().ops, [](const Op& op) { return op.code == Code::kDraw; });
    Status done = see_results();
    done = done ? send_tables() : done;
    if (done) {
        group_launches();
    }
    return done;
}

void Building::group_launches() {
    const TableCopy tables{.on_device = out_.tables_.memory(), .on_host = tables_};
    std::vector<Launch> launches;
    for (auto from = out_.launches_.begin(); from != out_.launches_.end();) {
        const auto end =
            std::find_if(from, out_.launches_.end(), [&](const Launch& launch) { return launch.phase != from->phase; });
        std::vector<Grouped> works;
        for (auto each = from; each != end; ++each) {
            RunStep step;
            write_step(step, *each);
            works.push_back({.accesses = accesses_of(step, std::span(&tables, 1)), .small = out_.queue_->keeps(*each)});
        }
        for (const std::size_t number : group(works)) {
            launches.push_back(from[static_cast<std::ptrdiff_t>(number)]);
        }
        from = end;
    }
    out_.launches_ = std::move(launches);
}

void Building::lay_out_given() {
    const Listing& listing = tape_.listing();
    given_at_.assign(listing.buffers.size(), 0);
    given_end_ = kPlaceAt + sizeof(std::uint64_t);
    for (std::uint32_t i = 1; i < listing.buffers.size(); ++i) {
        if (listing.buffers[i].segment == Segment::kLive) {
            out_.numbers_.push_back(give(i, sizeof(float), 0));
        }
    }
    out_.numbers_end_ = given_end_;
    for (std::uint32_t i = 1; i < listing.buffers.size(); ++i) {
        const Buffer& buffer = listing.buffers[i];
        if (buffer.segment == Segment::kPort && !out_.on_device_) {
            given_end_ = in_lines(given_end_);
            out_.columns_.push_back(give(
                i, static_cast<std::size_t>(buffer.size) * size_of(spec_.inputs[buffer.index].dtype), buffer.index));
        }
    }
}

Given Building::give(std::uint32_t buffer, std::size_t bytes, std::size_t index) {
    given_at_[buffer] = given_end_;
    const std::size_t at = std::exchange(given_end_, given_end_ + (bytes + 7) / 8 * 8);
    return {.buffer = buffer, .offset = at, .bytes = bytes, .index = index};
}

// An output that stays on the device is computed directly into its column, unless an input has the same memory and may
// be read later.
void Building::place_outputs() {
    const Listing& listing = tape_.listing();
    const auto meets_input = [&](const std::byte* begin, std::size_t bytes) {
        return std::ranges::any_of(listing.buffers, [&](const Buffer& buffer) {
            if (buffer.segment != Segment::kPort) {
                return false;
            }
            const auto* const at = static_cast<const std::byte*>(out_.inputs_[buffer.index]);
            const std::size_t size = static_cast<std::size_t>(buffer.size) * size_of(spec_.inputs[buffer.index].dtype);
            return begin < at + size && at < begin + bytes;
        });
    };
    output_at_.assign(listing.buffers.size(), nullptr);
    const std::vector<Effect>& effects = out_.program_.plan->effects;
    for (std::size_t i = 0; i < effects.size() && leaves_outputs(); ++i) {
        const View& view = out_.program_.effects[i].view;
        auto* const to = static_cast<std::byte*>(output_of(effects[i]));
        const auto bytes = static_cast<std::size_t>(view.count()) * bytes_of_one(view.buffer);
        if (to != nullptr && view.buffer != 0 && !is_wider(effects[i]) &&
            listing.buffers[view.buffer].segment == Segment::kScratch && is_whole(listing, view) &&
            output_at_[view.buffer] == nullptr && !meets_input(to, bytes)) {
            output_at_[view.buffer] = to;
        }
    }
}

// The memory of the device to which a call wants an effect to be written; null: not wanted. Rows of values over shards
// go to the host.
void* Building::output_of(const Effect& effect) const {
    return effect.kind == Effect::Kind::kWrite && effect.index < out_.outputs_.size() &&
                   !is_over_shards(spec_.outputs[effect.index].key)
               ? out_.outputs_[effect.index]
               : nullptr;
}

// Kernels compute in float32, and a sampler takes priorities in float64.
bool Building::is_wider(const Effect& effect) const {
    return effect.kind == Effect::Kind::kWrite && spec_.outputs[effect.index].dtype == DType::kF64;
}

std::size_t Building::lay_out_scratch() {
    const Listing& listing = tape_.listing();
    scratch_at_.assign(listing.buffers.size(), 0);
    std::size_t end = 0;
    for (std::uint32_t i = 1; i < listing.buffers.size(); ++i) {
        if (listing.buffers[i].segment == Segment::kScratch && output_at_[i] == nullptr) {
            const auto bytes = static_cast<std::size_t>(listing.buffers[i].size) * bytes_of_one(i);
            scratch_at_[i] = take_lines(end, bytes);
        }
    }
    if (end <= kSmallScratch) {
        return lay_out_bodies(end);
    }
    for (std::uint32_t i = 1; i < listing.buffers.size(); ++i) {
        scratch_at_[i] = listing.buffers[i].segment == Segment::kScratch ? tape_.offset_of(i) : 0;
    }
    return lay_out_bodies(tape_.scratch_bytes());
}

Status Building::allocate() {
    kept_end_ = tape_.kept().size();
    const std::size_t scratch = lay_out_scratch();
    std::size_t states = 0;
    for (const SeenState& state : out_.program_.states) {
        states += static_cast<std::size_t>(state.value.view.count()) * sizeof(float);
    }
    const std::pair<Block*, std::size_t> blocks[] = {
        {&out_.arena_, scratch}, {&out_.kept_, kept_end_}, {&out_.given_, given_end_}, {&out_.states_, states}};
    for (const auto& [block, bytes] : blocks) {
        *block = TENON_TRY(Block::make(out_.slabs_.device(), bytes, block == &out_.given_));
    }
    std::memset(out_.given_.staged(), 0, given_end_);
    find_bases();
    return write_kept();
}

std::size_t Building::bytes_of_one(std::uint32_t buffer) const {
    return bytes_of(at_->tape->listing().buffers[buffer].kind, tape_.real());
}

void Building::find_bases() {
    for (std::uint32_t i = 0; i < tape_.listing().buffers.size(); ++i) {
        whole_.bases.push_back(base_of(i));
    }
}

std::byte* Building::base_of(std::uint32_t number) const {
    const Buffer& buffer = tape_.listing().buffers[number];
    if (output_at_[number] != nullptr) {
        return output_at_[number];
    }
    if (given_at_[number] != 0) {
        return out_.given_.memory() + given_at_[number];
    }
    if (buffer.segment == Segment::kPort) {  // it is only read
        return static_cast<std::byte*>(const_cast<void*>(out_.inputs_[buffer.index]));
    }
    if (buffer.segment == Segment::kParameter) {
        return out_.slabs_.memory(buffer.index, buffer.slab) + buffer.offset * sizeof(float);
    }
    if (buffer.segment == Segment::kGradient && !out_.gathers_) {
        return out_.slabs_.gradient(buffer.index) + buffer.offset * sizeof(float);
    }
    return buffer.segment == Segment::kScratch ? out_.arena_.memory() + scratch_at_[number]
                                               : out_.kept_.memory() + tape_.offset_of(number);
}

std::byte* Building::start(const View& view) const {
    return base(view.buffer) + static_cast<std::size_t>(view.offset) * bytes_of_one(view.buffer);
}

Place Building::place_of(const View& view) const {
    const View flat = flattened(view);
    return {.at = start(view), .shape = shape_from(flat.shape), .strides = strides_from(flat.strides)};
}

Status Building::send_tables() {
    out_.tables_ = TENON_TRY(Block::make(out_.slabs_.device(), tables_.size()));
    const auto place = [&]<class T>(const T*& entries) {
        entries = reinterpret_cast<const T*>(out_.tables_.memory() + reinterpret_cast<std::uintptr_t>(entries));
    };
    const auto all = [&](std::vector<CopyWork>& list) {
        for (CopyWork& each : list) {
            place(each.items);
        }
    };
    for (Launch& launch : out_.launches_) {
        if (auto* loop = std::get_if<LoopWork>(&launch.work)) {
            place(loop->places);
            place(loop->steps);
        }
    }
    for (Shown& shown : out_.phases_) {
        place(shown.copying.items);
    }
    for (Shown& shown : out_.gradients_) {
        place(shown.copying.items);
    }
    all(out_.stored_);
    all(out_.added_);
    all(out_.kept_phases_);
    place(out_.kept_norms_.items);
    for (auto& snapshot : out_.snapshots_) {
        place(snapshot.second.items);
    }
    place(out_.written_.items);
    place(out_.read_states_.items);
    place(out_.write_states_.items);
    out_.queue_->know({.on_device = out_.tables_.memory(), .on_host = tables_});
    return out_.tables_.write(tables_.data(), tables_.size());
}

}  // namespace tenon::compiled::device
