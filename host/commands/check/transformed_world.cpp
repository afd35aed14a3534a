// SPDX-License-Identifier: Apache-2.0
#include "commands/check/transformed_world.hpp"

#include <cstring>
#include <utility>

#include "base/data/key.hpp"
#include "commands/check/tailed.hpp"
#include "experience/env/describe.hpp"
#include "experience/env/env_buffers.hpp"
#include "experience/replay/storage.hpp"
#include "plugins/plugin/call.hpp"
#include "plugins/plugin/host_tables.hpp"

namespace tenon {
namespace {

std::uint8_t& flag(const View& view, std::uint32_t slot, std::uint32_t lane) {
    return *static_cast<std::uint8_t*>(row_at(view, slot, lane));
}

}  // namespace

TransformedWorld::TransformedWorld(Instance instance, std::uint32_t lanes, const Composite& inner, Composite outer)
    : instance_(std::move(instance)),
      transform_(Callee<tn_transform_api>::of(instance_, "tenon.transform/1")),
      inner_(inner),
      outer_(std::move(outer)),
      outer_table_(outer_),
      world_(inner_, lanes),
      lanes_(lanes),
      mask_(lanes, 0) {}

Result<std::unique_ptr<TransformedWorld>> TransformedWorld::make(const Workbench& bench, std::uint32_t lanes) {
    Problems refusals;
    for (const Composite& world : worlds()) {
        Instance instance = TENON_TRY(bench.make(lanes));
        const auto transform = Callee<tn_transform_api>::of(instance, "tenon.transform/1");
        Result<Composite> outer = describe_transform(transform, world);
        if (outer) {
            return std::unique_ptr<TransformedWorld>(
                new TransformedWorld(std::move(instance), lanes, world, std::move(*outer)));
        }
        refusals.push_back(std::move(outer.error()));
    }
    return refusals.front();
}

Callee<tn_env_api> TransformedWorld::callee() {
    return {.api = HostTables::env<TransformedWorld>(),
            .self = this,
            .name = instance_.name(),
            .place = {},
            .state = transform_.state != nullptr ? HostTables::state<TransformedWorld>() : nullptr,
            .common = nullptr};
}

tn_status TransformedWorld::describe(tn_env_info& info) const {
    info.determinism = TN_DETERMINISM_BITS;
    info.specs = outer_table_.data();
    info.spec_count = outer_table_.size();
    info.episode_limit = 0;  // a transform may set a shorter limit
    return TN_OK;
}

// Lays out the inner columns. If the transform leaves a column unchanged, it shares the outer column's memory.
tn_status TransformedWorld::lay_out(const tn_env_buffers& buffers) {
    memory_.clear();
    actions_.clear();
    inner_columns_ = ColumnTable();
    const auto add = [&](const std::string& key, const Spec& spec) -> tn_status {
        const Spec* const after = outer_.find(spec.key);
        const bool shares = after != nullptr && shares_memory(spec, *after, transform_.api->invert != nullptr);
        if (const View same = shares ? column_of(buffers, key) : View{}; same.data != nullptr) {
            inner_columns_.add(key, same);
            return TN_OK;
        }
        View view = dense(nullptr, spec.dtype, join(Shape{buffers.slots, lanes_}, spec.shape));
        Result<GuardedMemory> memory = GuardedMemory::make(view.bytes(), key);
        if (!memory) {
            return TN_OUT_OF_MEMORY;
        }
        view.data = memory->data();
        memory_.push_back(std::move(*memory));
        inner_columns_.add(key, view);
        if (CopiedAction::is_alike(spec, after)) {
            actions_.push_back(CopiedAction::of(spec, column_of(buffers, key), view));
        }
        return TN_OK;
    };
    for (const Spec& spec : inner_.specs) {
        tn_status status = add(spec.key, spec);
        if (status == TN_OK && spec.role == Role::kObservation) {
            status = add(next_key(spec.key), spec);
        }
        if (status != TN_OK) {
            return status;
        }
    }
    terminated_ = column_of(buffers, "terminated");
    truncated_ = column_of(buffers, "truncated");
    inner_columns_.add("terminated", terminated_);
    inner_columns_.add("truncated", truncated_);
    return TN_OK;
}

tn_status TransformedWorld::bind(const tn_env_buffers& buffers) {
    const ColumnTable before = std::move(inner_columns_);  // the transform refers to it until the next bind
    const std::vector<GuardedMemory> memory = std::move(memory_);
    if (const tn_status status = lay_out(buffers); status != TN_OK) {
        return status;
    }
    world_.bind(inner_columns_);
    finals_.clear();
    for (const Spec& spec : inner_.specs) {
        if (spec.role == Role::kObservation) {
            finals_.emplace_back(*inner_columns_.find(spec.key), *inner_columns_.find(next_key(spec.key)));
        }
    }
    for (const Spec& spec : outer_.specs) {
        if (spec.role == Role::kObservation) {
            finals_.emplace_back(column_of(buffers, spec.key), column_of(buffers, next_key(spec.key)));
        }
    }
    is_newer_ = buffers.struct_size > sizeof(tn_env_buffers);
    const Tailed<tn_transform_buffers> both({.struct_size = 0,
                                             .flags = 0,
                                             .slots = buffers.slots,
                                             .lanes = lanes_,
                                             .inner = inner_columns_.data(),
                                             .inner_count = inner_columns_.size(),
                                             .outer = buffers.columns,
                                             .outer_count = buffers.column_count},
                                            is_newer_);
    return call_plugin(transform_.name, "bind", {}, transform_.api->bind, transform_.self, &both.value);
}

tn_status TransformedWorld::apply(std::int32_t event, const tn_env_step& at, const std::uint8_t* mask,
                                  const std::uint64_t* seeds) {
    const Tailed<tn_transform_call> call({.struct_size = 0,
                                          .event = event,
                                          .slot = at.slot,
                                          .next_slot = at.next_slot,
                                          .first = at.first,
                                          .count = at.count,
                                          .mask = mask,
                                          .seeds = seeds},
                                         is_newer_);
    return call_plugin(transform_.name, "apply", {}, transform_.api->apply, transform_.self, &call.value);
}

tn_status TransformedWorld::reset(std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds) {
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        mask_[lane] = mask == nullptr || mask[lane] != 0 ? 1 : 0;
        if (mask_[lane] != 0) {
            if (seeds != nullptr) {
                world_.seed(lane, seeds[lane]);
            }
            world_.begin(lane, slot);
        }
    }
    const tn_env_step at{
        .struct_size = sizeof at, .slot = slot, .next_slot = slot, .first = 0, .count = lanes_, .flags = 0};
    return apply(TN_TRANSFORM_RESET, at, mask_.data(), seeds);
}

tn_status TransformedWorld::step(const tn_env_step& call) {
    if (transform_.api->invert != nullptr) {
        const Tailed<tn_transform_call> actions({.struct_size = 0,
                                                 .event = TN_TRANSFORM_STEP,
                                                 .slot = call.slot,
                                                 .next_slot = call.next_slot,
                                                 .first = call.first,
                                                 .count = call.count,
                                                 .mask = nullptr,
                                                 .seeds = nullptr},
                                                is_newer_);
        copy_actions(actions_, call.slot, call.first, call.count);
        const tn_status status =
            call_plugin(transform_.name, "invert", {}, transform_.api->invert, transform_.self, &actions.value);
        if (status != TN_OK) {
            return status;
        }
    }
    for (std::uint32_t lane = call.first; lane < call.first + call.count; ++lane) {
        world_.step(lane, call.slot, call.next_slot);
    }
    return end_episodes(call);
}

// Ends episodes as the host does (core/experience/env/lanes_step.cpp): the transform sees the step, then the resets. If
// the transform itself has ended an episode, a new one begins, and its latest observation becomes the final one.
tn_status TransformedWorld::end_episodes(const tn_env_step& call) {
    const std::uint32_t end = call.first + call.count;
    const auto is_done = [&](std::uint32_t lane) {
        return (flag(terminated_, call.slot, lane) | flag(truncated_, call.slot, lane)) != 0;
    };
    bool any_done = false;
    for (std::uint32_t lane = call.first; lane < end; ++lane) {
        mask_[lane] = is_done(lane) ? 1 : 0;
        any_done = any_done || is_done(lane);
    }
    tn_status status = apply(TN_TRANSFORM_STEP, call, nullptr);
    std::vector<std::uint8_t> cut(lanes_, 0);
    for (std::uint32_t lane = call.first; lane < end; ++lane) {
        cut[lane] = mask_[lane] == 0 && is_done(lane) ? 1 : 0;
    }
    if (status == TN_OK && any_done) {
        status = apply(TN_TRANSFORM_RESET, call, mask_.data());
    }
    bool any_cut = false;
    for (std::uint32_t lane = call.first; lane < end; ++lane) {
        if (cut[lane] == 0) {
            continue;
        }
        any_cut = true;
        for (const auto& [now, last] : finals_) {
            const std::size_t bytes = static_cast<std::size_t>(tail(now.shape, 2).elements()) * size_of(now.dtype);
            std::memcpy(row_at(last, call.slot, lane), row_at(now, call.next_slot, lane), bytes);
        }
        world_.begin(lane, call.next_slot);
    }
    return status == TN_OK && any_cut ? apply(TN_TRANSFORM_RESET, call, cut.data()) : status;
}

tn_status TransformedWorld::save(std::uint32_t first, std::uint32_t count, const tn_writer& writer) {
    if (const tn_status status = world_.save(first, count, writer); status != TN_OK) {
        return status;
    }
    return call_plugin(transform_.name, "save", {}, transform_.state->save, transform_.self, first, count, &writer);
}

tn_status TransformedWorld::load(std::uint32_t first, std::uint32_t count, const tn_reader& reader) {
    if (const tn_status status = world_.load(first, count, reader); status != TN_OK) {
        return status;
    }
    return call_plugin(transform_.name, "load", {}, transform_.state->load, transform_.self, first, count, &reader);
}

}  // namespace tenon
