// SPDX-License-Identifier: Apache-2.0
#include "commands/check/transformed_world.hpp"

#include <cstring>
#include <string_view>
#include <utility>

#include "base/data/key.hpp"
#include "commands/check/tailed.hpp"
#include "experience/env/describe.hpp"
#include "experience/env/env_buffers.hpp"
#include "experience/replay/storage.hpp"
#include "plugins/plugin/call.hpp"

namespace tenon {
namespace {

TransformedWorld& of(void* self) {
    return *static_cast<TransformedWorld*>(self);
}

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
    static constexpr tn_env_api kEnv = {.struct_size = sizeof(tn_env_api),
                                        .flags = 0,
                                        .describe = describe,
                                        .bind = bind,
                                        .reset = reset,
                                        .step = step};
    static constexpr tn_state_api kState = {
        .struct_size = sizeof(tn_state_api), .flags = 0, .save = save, .load = load};
    return {.api = &kEnv,
            .self = this,
            .name = instance_.name(),
            .place = {},
            .state = transform_.state != nullptr ? &kState : nullptr,
            .common = nullptr};
}

tn_status TransformedWorld::describe(void* self, tn_env_info* info) {
    info->determinism = TN_DETERMINISM_BITS;
    info->specs = of(self).outer_table_.data();
    info->spec_count = of(self).outer_table_.size();
    info->episode_limit = 0;  // a transform may set a shorter limit
    return TN_OK;
}

// Lays out the inner columns. If the transform leaves a column unchanged, it shares the outer column's memory.
tn_status TransformedWorld::lay_out(const tn_env_buffers& buffers) {
    memory_.clear();
    actions_.clear();
    inner_columns_ = ColumnTable();
    const auto add = [&](const std::string& key, const Spec& spec) -> tn_status {
        const Spec* const after = outer_.find(spec.key);
        const tn_tensor* const same = after != nullptr && shares_memory(spec, *after, transform_.api->invert != nullptr)
                                          ? find_tensor(buffers, key)
                                          : nullptr;
        if (same != nullptr) {
            inner_columns_.add(key, view_of(*same));
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
            actions_.push_back(CopiedAction::of(spec, view_of(*find_tensor(buffers, key)), view));
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
    terminated_ = view_of(*find_tensor(buffers, "terminated"));
    truncated_ = view_of(*find_tensor(buffers, "truncated"));
    inner_columns_.add("terminated", terminated_);
    inner_columns_.add("truncated", truncated_);
    return TN_OK;
}

tn_status TransformedWorld::bind(void* self, const tn_env_buffers* buffers) {
    TransformedWorld& all = of(self);
    const ColumnTable before = std::move(all.inner_columns_);  // the transform refers to it until the next bind
    const std::vector<GuardedMemory> memory = std::move(all.memory_);
    if (const tn_status status = all.lay_out(*buffers); status != TN_OK) {
        return status;
    }
    all.world_.bind(all.inner_columns_);
    all.finals_.clear();
    for (const Spec& spec : all.inner_.specs) {
        if (spec.role == Role::kObservation) {
            all.finals_.emplace_back(*all.inner_columns_.find(spec.key), *all.inner_columns_.find(next_key(spec.key)));
        }
    }
    for (const Spec& spec : all.outer_.specs) {
        if (spec.role == Role::kObservation) {
            all.finals_.emplace_back(view_of(*find_tensor(*buffers, spec.key)),
                                     view_of(*find_tensor(*buffers, next_key(spec.key))));
        }
    }
    all.is_newer_ = buffers->struct_size > sizeof(tn_env_buffers);
    const Tailed<tn_transform_buffers> both({.struct_size = 0,
                                             .flags = 0,
                                             .slots = buffers->slots,
                                             .lanes = all.lanes_,
                                             .inner = all.inner_columns_.data(),
                                             .inner_count = all.inner_columns_.size(),
                                             .outer = buffers->columns,
                                             .outer_count = buffers->column_count},
                                            all.is_newer_);
    return call_plugin(all.transform_.name, "bind", {}, all.transform_.api->bind, all.transform_.self, &both.value);
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

tn_status TransformedWorld::reset(void* self, std::uint32_t slot, const std::uint8_t* mask,
                                  const std::uint64_t* seeds) {
    TransformedWorld& all = of(self);
    for (std::uint32_t lane = 0; lane < all.lanes_; ++lane) {
        all.mask_[lane] = mask == nullptr || mask[lane] != 0 ? 1 : 0;
        if (all.mask_[lane] != 0) {
            if (seeds != nullptr) {
                all.world_.seed(lane, seeds[lane]);
            }
            all.world_.begin(lane, slot);
        }
    }
    const tn_env_step at{
        .struct_size = sizeof at, .slot = slot, .next_slot = slot, .first = 0, .count = all.lanes_, .flags = 0};
    return all.apply(TN_TRANSFORM_RESET, at, all.mask_.data(), seeds);
}

tn_status TransformedWorld::step(void* self, const tn_env_step* call) {
    TransformedWorld& all = of(self);
    if (all.transform_.api->invert != nullptr) {
        const Tailed<tn_transform_call> actions({.struct_size = 0,
                                                 .event = TN_TRANSFORM_STEP,
                                                 .slot = call->slot,
                                                 .next_slot = call->next_slot,
                                                 .first = call->first,
                                                 .count = call->count,
                                                 .mask = nullptr,
                                                 .seeds = nullptr},
                                                all.is_newer_);
        copy_actions(all.actions_, call->slot, call->first, call->count);
        const tn_status status = call_plugin(all.transform_.name, "invert", {}, all.transform_.api->invert,
                                             all.transform_.self, &actions.value);
        if (status != TN_OK) {
            return status;
        }
    }
    for (std::uint32_t lane = call->first; lane < call->first + call->count; ++lane) {
        all.world_.step(lane, call->slot, call->next_slot);
    }
    return all.end_episodes(*call);
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

tn_status TransformedWorld::save(void* self, std::uint32_t first, std::uint32_t count, const tn_writer* writer) {
    TransformedWorld& all = of(self);
    if (const tn_status status = all.world_.save(first, count, *writer); status != TN_OK) {
        return status;
    }
    return call_plugin(all.transform_.name, "save", {}, all.transform_.state->save, all.transform_.self, first, count,
                       writer);
}

tn_status TransformedWorld::load(void* self, std::uint32_t first, std::uint32_t count, const tn_reader* reader) {
    TransformedWorld& all = of(self);
    if (const tn_status status = all.world_.load(first, count, *reader); status != TN_OK) {
        return status;
    }
    return call_plugin(all.transform_.name, "load", {}, all.transform_.state->load, all.transform_.self, first, count,
                       reader);
}

}  // namespace tenon
