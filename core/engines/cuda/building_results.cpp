// SPDX-License-Identifier: Apache-2.0
// The results of a program: losses and effects that the host reads, gradients, snapshots and states.
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "compute/exec/over_shards.hpp"
#include "compute/exec/rows.hpp"
#include "engines/cuda/building.hpp"
#include "engines/cuda/shapes.hpp"

namespace tenon::compiled::device {

CopyWork Building::copying_of(std::span<const CopyItem> items) {
    CopyWork out{};
    out.items = table(items);
    out.count = static_cast<std::uint32_t>(items.size());
    for (const CopyItem& item : items) {
        out.longest = std::max(out.longest, item.count);
    }
    return out;
}

// Copies whole buffers, so that they are in the host's tape as if the host had computed them.
Shown Building::show(std::span<const Seen> values) {
    const Listing& listing = tape_.listing();
    Shown out{.parts = {}, .end = kFaultBytes, .copying = {}};
    for (const Seen& seen : values) {
        const std::uint32_t number = seen.view.buffer;
        const Buffer& buffer = listing.buffers[number];
        const bool is_known = buffer.segment == Segment::kConstant || buffer.segment == Segment::kPort ||
                              buffer.segment == Segment::kLive || number == 0 ||
                              std::ranges::find(out.parts, number, &Shown::Part::buffer) != out.parts.end();
        if (!is_known) {
            const std::size_t bytes = static_cast<std::size_t>(buffer.size) * bytes_of_one(number);
            out.parts.push_back({.buffer = number, .offset = out.end, .bytes = bytes});
            out.end += (bytes + 7) / 8 * 8;
        }
    }
    return out;
}

Status Building::see_results() {
    const Specialised& program = out_.program_;
    const PhasePlan& plan = *program.plan;
    out_.phases_.resize(plan.phases.count);
    for (std::uint32_t phase = 0; phase < plan.phases.count; ++phase) {
        std::vector<Seen> seen;
        for (std::size_t i = 0; i < plan.effects.size(); ++i) {
            const bool stays = leaves_outputs() && plan.effects[i].kind == Effect::Kind::kWrite &&
                               !is_over_shards(spec_.outputs[plan.effects[i].index].key);
            if (plan.effects[i].phase == phase && !stays) {
                seen.push_back(program.effects[i]);
            }
        }
        for (const StageRun& run : plan.sequence) {
            for (std::size_t i = 0; i < run.losses.size() && run.phase == phase; ++i) {
                seen.push_back(program.losses[run.losses[i]]);
            }
        }
        out_.phases_[phase] = show(seen);
    }
    for (const std::vector<Seen>& gradients : program.gradients) {
        out_.gradients_.push_back(show(gradients));
    }
    std::size_t most = kFaultBytes;
    for (const std::vector<Shown>* list : {&out_.phases_, &out_.gradients_}) {
        for (const Shown& shown : *list) {
            most = std::max(most, shown.end);
        }
    }
    TENON_TRY(show_in(most));
    for (std::size_t place = 0; place < program.gradients.size(); ++place) {
        std::vector<CopyItem> stored;
        std::vector<CopyItem> added;
        for (std::size_t i = 0; i < program.gradients[place].size(); ++i) {
            const ParameterPlace& at = plan.sequence[place].parameters[i];
            const Parameter& parameter = out_.learner_.networks[at.network].layout.parameters[at.parameter];
            const View& view = program.gradients[place][i].view;
            CopyItem item{.from = view.buffer == 0 ? Place{} : place_of(view),
                          .to = out_.slabs_.gradient(at.network) + parameter.offset * sizeof(float),
                          .count = static_cast<std::int64_t>(parameter.size),
                          .bytes = sizeof(float),
                          .adds = 0};
            if (item.from.at != item.to) {  // otherwise it was computed in place
                stored.push_back(item);
            }
            if (view.buffer != 0) {
                item.adds = 1;
                added.push_back(item);
            }
        }
        out_.stored_.push_back(copying_of(stored));
        out_.added_.push_back(copying_of(added));
    }
    for (const Snapshot& snapshot : program.snapshots) {
        const CopyItem item{.from = place_of(snapshot.from),
                            .to = start(snapshot.to),
                            .count = snapshot.from.count(),
                            .bytes = sizeof(float),
                            .adds = 0};
        out_.snapshots_.emplace_back(snapshot.after, copying_of(std::span(&item, 1)));
    }
    see_states();
    see_outputs();
    return out_.on_device_ && !program.gradients.empty() ? see_kept() : Status();
}

// If results are kept, those of phases go to memory that has room for many calls. So do the norms, which are stored
// with the networks.
Status Building::see_kept() {
    std::size_t end = kFaultBytes;
    for (const Shown& shown : out_.phases_) {
        out_.kept_at_.push_back(end);
        end += shown.end;
    }
    out_.norms_at_ = end;
    const std::size_t steps = out_.learner_.networks.size() * kStepsOfNetwork;
    out_.kept_bytes_ = end + steps * sizeof(double);
    out_.results_ = TENON_TRY(Block::make(out_.slabs_.device(), out_.kept_bytes_ * kMostLater, true));
    std::byte* const to = out_.results_.memory();
    for (std::size_t phase = 0; phase < out_.phases_.size(); ++phase) {
        std::vector<CopyItem> items;
        for (const Shown::Part& part : out_.phases_[phase].parts) {
            items.push_back(whole(part, to + out_.kept_at_[phase] + part.offset));
        }
        out_.kept_phases_.push_back(kept_copy(items));
    }
    const auto count = static_cast<std::int64_t>(steps);
    const std::vector<CopyItem> norms{single(out_.given_.memory(), to, sizeof(std::uint32_t)),
                                      {.from = {.at = out_.slabs_.device_norms(),
                                                .shape = shape_from(std::span(&count, 1)),
                                                .strides = {.along = {1}}},
                                       .to = to + end,
                                       .count = count,
                                       .bytes = sizeof(double),
                                       .adds = 0}};
    out_.kept_norms_ = kept_copy(norms);
    return {};
}

CopyWork Building::kept_copy(std::span<const CopyItem> items) {
    CopyWork out = copying_of(items);
    out.place = reinterpret_cast<const std::uint64_t*>(out_.given_.memory() + kPlaceAt);
    out.apart = static_cast<std::int64_t>(out_.kept_bytes_);
    return out;
}

// Whether outputs stay on the device.
bool Building::leaves_outputs() const {
    return spec_.writes_on_device();
}

// Copies the outputs that are not computed in place.
void Building::see_outputs() {
    const std::vector<Effect>& effects = out_.program_.plan->effects;
    std::vector<CopyItem> items;
    for (std::size_t i = 0; i < effects.size() && leaves_outputs(); ++i) {
        const Seen& seen = out_.program_.effects[i];
        void* const to = output_of(effects[i]);
        if (to != nullptr && to != output_at_[seen.view.buffer]) {
            CopyItem item{.from = place_of(seen.view),
                          .to = to,
                          .count = seen.view.count(),
                          .bytes = static_cast<std::int32_t>(bytes_of(seen.kind, tape_.real())),
                          .adds = 0};
            item.widens = is_wider(effects[i]) ? 1 : 0;
            items.push_back(item);
        }
    }
    out_.written_ = copying_of(items);
}

// Copies the new values of states. All are read before one is written, because a value may be another state.
void Building::see_states() {
    std::vector<CopyItem> read;
    std::vector<CopyItem> written;
    std::byte* at = out_.states_.memory();
    for (const SeenState& state : out_.program_.states) {
        const Parameter& parameter = out_.learner_.networks[state.network].layout.parameters[state.parameter];
        const std::int64_t count = state.value.view.count();
        read.push_back(
            {.from = place_of(state.value.view), .to = at, .count = count, .bytes = sizeof(float), .adds = 0});
        written.push_back(
            {.from = {.at = at, .shape = shape_from(std::span(&count, 1)), .strides = {.along = {1}}},
             .to = out_.slabs_.memory(state.network, ParameterSlab::kLive) + parameter.offset * sizeof(float),
             .count = count,
             .bytes = sizeof(float),
             .adds = 0});
        at += static_cast<std::size_t>(count) * sizeof(float);
    }
    out_.read_states_ = copying_of(read);
    out_.write_states_ = copying_of(written);
}

// Reserves memory for the longest result.
Status Building::show_in(std::size_t bytes) {
    out_.shown_ = TENON_TRY(Block::make(out_.slabs_.device(), bytes, true));
    for (std::vector<Shown>* list : {&out_.phases_, &out_.gradients_}) {
        for (Shown& shown : *list) {
            std::vector<CopyItem> items{single(out_.given_.memory(), out_.shown_.memory(), sizeof(std::uint32_t))};
            for (const Shown::Part& part : shown.parts) {
                items.push_back(whole(part, out_.shown_.memory() + part.offset));
            }
            shown.copying = copying_of(items);
        }
    }
    return {};
}

CopyItem Building::single(const void* from, void* to, std::int32_t bytes) {
    const std::int64_t one = 1;
    return {.from = {.at = const_cast<void*>(from), .shape = shape_from(std::span(&one, 1)), .strides = {}},
            .to = to,
            .count = 1,
            .bytes = bytes,
            .adds = 0};
}

CopyItem Building::whole(const Shown::Part& part, void* to) const {
    const std::size_t each = bytes_of_one(part.buffer);
    const auto count = static_cast<std::int64_t>(part.bytes / each);
    return {.from = {.at = base(part.buffer), .shape = shape_from(std::span(&count, 1)), .strides = {.along = {1}}},
            .to = to,
            .count = count,
            .bytes = static_cast<std::int32_t>(each),
            .adds = 0};
}

}  // namespace tenon::compiled::device
