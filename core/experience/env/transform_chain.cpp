// SPDX-License-Identifier: Apache-2.0
#include "experience/env/transform_chain.hpp"

#include <cstring>
#include <optional>
#include <utility>

#include "experience/env/describe.hpp"
#include "experience/env/lane_columns.hpp"

namespace tenon {

struct TransformChain::State {
    std::vector<Instance> instances;
    std::vector<Callee<tn_transform_api>> transforms;
    std::vector<Composite> sides;  // [0]: of the env, [i]: after i transforms
    std::optional<Storage> storage;
    LaneColumns columns;
    std::vector<tn_transform_buffers> buffers;
    std::vector<std::uint8_t> slot;   // by seat: of its latest observation
    std::vector<std::uint8_t> begun;  // the mask of a reset
    std::vector<std::uint64_t> seeds;

    Status bind();
    void clear_outcomes(std::uint32_t at, std::uint32_t seat) const;
    Status run(std::int32_t event, std::uint32_t from, std::uint32_t to, std::uint32_t seat);
};

TransformChain::TransformChain(std::unique_ptr<State> state) : state_(std::move(state)) {}
TransformChain::TransformChain(TransformChain&&) noexcept = default;
TransformChain& TransformChain::operator=(TransformChain&&) noexcept = default;
TransformChain::~TransformChain() = default;

const Composite& TransformChain::inner() const {
    return state_->sides.front();
}

const Composite& TransformChain::outer() const {
    return state_->sides.back();
}

Result<TransformChain> TransformChain::make(std::vector<Instance> transforms, const Composite& env,
                                            std::uint32_t seats) {
    auto state = std::make_unique<State>();
    state->instances = std::move(transforms);
    state->sides.push_back(env);
    for (const Instance& instance : state->instances) {
        state->transforms.push_back(Callee<tn_transform_api>::of(instance, "tenon.transform/1"));
        state->sides.push_back(TENON_TRY(describe_transform(state->transforms.back(), state->sides.back())));
    }
    Storage storage = TENON_TRY(Storage::make(storage_columns(state->sides.back()), 2, seats));
    state->storage.emplace(std::move(storage));
    LaneColumns columns = TENON_TRY(lay_out(state->sides, state->transforms, *state->storage));
    state->columns = std::move(columns);
    state->slot.assign(seats, 0);
    state->begun.assign(seats, 0);
    state->seeds.assign(seats, 0);
    TENON_TRY(state->bind());
    return TransformChain(std::move(state));
}

Status TransformChain::State::bind() {
    buffers.resize(transforms.size());
    for (std::size_t i = 0; i < transforms.size(); ++i) {
        buffers[i] = {.struct_size = sizeof(tn_transform_buffers),
                      .flags = 0,
                      .slots = storage->slots(),
                      .lanes = storage->lanes(),
                      .inner = columns.sides[i].data(),
                      .inner_count = columns.sides[i].size(),
                      .outer = columns.sides[i + 1].data(),
                      .outer_count = columns.sides[i + 1].size()};
        TENON_TRY(transforms[i].call("bind", transforms[i].api->bind, &std::as_const(buffers[i])));
    }
    return {};
}

Status TransformChain::load_common(const tn_reader& reader) {
    return load_common_of(state_->transforms, reader);
}

// Transforms change rewards in place and may end episodes.
void TransformChain::State::clear_outcomes(std::uint32_t at, std::uint32_t seat) const {
    for (std::size_t i = 0; i < sides.size(); ++i) {
        for (const Spec& spec : sides[i].specs) {
            if (is_outcome(spec.role)) {
                const auto bytes = static_cast<std::size_t>(spec.shape.elements()) * size_of(spec.dtype);
                std::memset(row_at(*columns.sides[i].find(spec.key), at, seat), 0, bytes);
            }
        }
    }
    for (const char* const flag : {"terminated", "truncated"}) {
        std::memset(row_at(storage->find(flag)->view, at, seat), 0, 1);
    }
}

Status TransformChain::State::run(std::int32_t event, std::uint32_t from, std::uint32_t to, std::uint32_t seat) {
    const bool resets = event == TN_TRANSFORM_RESET;
    const tn_transform_call call{.struct_size = sizeof call,
                                 .event = event,
                                 .slot = from,
                                 .next_slot = to,
                                 .first = seat,
                                 .count = 1,
                                 .mask = resets ? begun.data() : nullptr,
                                 .seeds = resets ? seeds.data() : nullptr};
    for (const Callee<tn_transform_api>& transform : transforms) {
        TENON_TRY(transform.call("apply", transform.api->apply, &call));
    }
    return {};
}

Status TransformChain::observe(std::uint32_t seat, bool first, std::uint64_t seed,
                               std::span<const std::string_view> keys, std::span<const std::byte* const> rows) {
    State& state = *state_;
    const std::uint32_t from = state.slot[seat];
    const std::uint32_t to = 1 - from;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const Spec& spec = *inner().find(keys[i]);
        const auto bytes = static_cast<std::size_t>(spec.shape.elements()) * size_of(spec.dtype);
        std::memcpy(row_at(*state.columns.sides.front().find(keys[i]), to, seat), rows[i], bytes);
    }
    state.clear_outcomes(from, seat);
    state.slot[seat] = static_cast<std::uint8_t>(to);
    if (!first) {
        return state.run(TN_TRANSFORM_STEP, from, to, seat);
    }
    state.begun[seat] = 1;
    state.seeds[seat] = seed;
    Status reset = state.run(TN_TRANSFORM_RESET, to, to, seat);
    state.begun[seat] = 0;
    return reset;
}

std::byte* TransformChain::outer_row(std::string_view key, std::uint32_t seat) {
    return static_cast<std::byte*>(row_at(*state_->columns.sides.back().find(key), state_->slot[seat], seat));
}

Status TransformChain::invert(std::uint32_t seat) {
    State& state = *state_;
    const std::uint32_t slot = state.slot[seat];
    const tn_transform_call call{.struct_size = sizeof call,
                                 .event = TN_TRANSFORM_STEP,
                                 .slot = slot,
                                 .next_slot = 1 - slot,
                                 .first = seat,
                                 .count = 1,
                                 .mask = nullptr,
                                 .seeds = nullptr};
    for (std::size_t i = state.transforms.size(); i-- > 0;) {
        const Callee<tn_transform_api>& transform = state.transforms[i];
        if (transform.api->invert == nullptr) {
            continue;
        }
        copy_actions(state.columns.actions[i], slot, seat, 1);
        TENON_TRY(transform.call("invert", transform.api->invert, &call));
    }
    return {};
}

const std::byte* TransformChain::inner_row(std::string_view key, std::uint32_t seat) const {
    return static_cast<const std::byte*>(row_at(*state_->columns.sides.front().find(key), state_->slot[seat], seat));
}

}  // namespace tenon
