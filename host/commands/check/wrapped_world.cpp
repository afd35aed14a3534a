// SPDX-License-Identifier: Apache-2.0
#include "commands/check/wrapped_world.hpp"

#include <string>
#include <utility>

#include "base/data/key.hpp"
#include "base/error/listed.hpp"
#include "experience/env/describe.hpp"
#include "plugins/plugin/host_tables.hpp"

namespace tenon {
namespace {

constexpr std::uint32_t kPictureHeight = 8;
constexpr std::uint32_t kPictureWidth = 6;

// The step of the wrapper that this thread is executing.
constinit thread_local const tn_env_step* in_step = nullptr;

WrappedWorld& wrapped(void* self) {
    return *static_cast<WrappedWorld*>(self);
}

tn_status forbid(const std::string& sentence) {
    keep_error({sentence.data(), sentence.size()});
    return TN_INVALID_ARGUMENT;
}

std::string lanes_text(std::uint32_t first, std::uint32_t count) {
    return counted(count, "lane") + " from lane " + std::to_string(first) + " on";
}

}  // namespace

WrappedWorld::WrappedWorld(Instance instance, std::uint32_t lanes, const Composite& inner)
    : instance_(std::move(instance)),
      wrapper_(WrapperCallee::of(instance_)),
      inner_(inner),
      inner_table_(inner_),
      world_(inner_, lanes),
      lanes_(lanes),
      offered_(
          [&] {
              static constexpr tn_env_api kInner = {.struct_size = sizeof(tn_env_api),
                                                    .flags = 0,
                                                    .describe = inner_describe,
                                                    .bind = inner_bind,
                                                    .reset = inner_reset,
                                                    .step = inner_step};
              static constexpr tn_render_api kPictures = {
                  .struct_size = sizeof(tn_render_api), .flags = 0, .describe = inner_picture, .draw = inner_draw};
              return InnerEnv::Parts{.api = &kInner,
                                     .self = this,
                                     .name = "the inner env",
                                     .place = {},
                                     .state = nullptr,
                                     .render = &kPictures};
          }(),
          lanes) {}

Result<std::unique_ptr<WrappedWorld>> WrappedWorld::make(const Workbench& bench, std::uint32_t lanes) {
    Problems refusals;
    for (const Composite& world : worlds()) {
        Instance instance = TENON_TRY(bench.make(lanes));
        std::unique_ptr<WrappedWorld> out(new WrappedWorld(std::move(instance), lanes, world));
        const Callee<tn_env_api>& env = out->wrapper_.env;
        TENON_TRY(env.call("attach", out->wrapper_.wrapper->attach, &out->offered_.offer()));
        const Result<EnvInfo> info = describe_env(env, Fault::kInput);
        if (info) {
            return out;
        }
        if (info.error().fault != Fault::kInput) {
            return info.error();
        }
        refusals.push_back(info.error());
    }
    return refusals.front();
}

Callee<tn_env_api> WrappedWorld::callee() {
    return {.api = HostTables::env<WrappedWorld>(),
            .self = this,
            .name = instance_.name(),
            .place = {},
            .state = wrapper_.env.state != nullptr ? HostTables::state<WrappedWorld>() : nullptr};
}

tn_status WrappedWorld::inner_describe(void* self, tn_env_info* info) {
    info->determinism = TN_DETERMINISM_BITS;
    info->specs = wrapped(self).inner_table_.data();
    info->spec_count = wrapped(self).inner_table_.size();
    info->episode_limit = World::kLimit;
    return TN_OK;
}

tn_status WrappedWorld::inner_bind(void* self, const tn_env_buffers* buffers) {
    WrappedWorld& all = wrapped(self);
    ColumnTable columns;
    for (const tn_column* const column : std::span(buffers->columns, buffers->column_count)) {
        columns.add(std::string(column->key.data, column->key.size), view_of(column->tensor));
    }
    std::vector<std::string> wanted = {"terminated", "truncated"};
    for (const Spec& spec : all.inner_.specs) {
        wanted.push_back(spec.key);
        if (spec.role == Role::kObservation) {
            wanted.push_back(next_key(spec.key));
        }
    }
    for (const std::string& key : wanted) {
        if (columns.find(key) == nullptr) {
            return forbid("it bound the inner env without the column '" + key + "'");
        }
    }
    if (buffers->lane_status == nullptr) {
        return forbid("it bound the inner env without lane_status");
    }
    all.columns_ = std::move(columns);
    all.world_.bind(all.columns_);
    return TN_OK;
}

tn_status WrappedWorld::inner_reset(void* self, std::uint32_t slot, const std::uint8_t* mask,
                                    const std::uint64_t* seeds) {
    if (in_step != nullptr) {
        return forbid("it resets the inner env in step; it has to set needs_reset, so that the host does that later");
    }
    WrappedWorld& all = wrapped(self);
    for (std::uint32_t lane = 0; lane < all.lanes_; ++lane) {
        if (mask != nullptr && mask[lane] == 0) {
            continue;
        }
        if (seeds != nullptr) {
            all.world_.seed(lane, seeds[lane]);
        }
        all.world_.begin(lane, slot);
    }
    return TN_OK;
}

tn_status WrappedWorld::inner_step(void* self, const tn_env_step* call) {
    if (in_step != nullptr &&
        (call->first < in_step->first || call->first + call->count > in_step->first + in_step->count)) {
        return forbid("it steps " + lanes_text(call->first, call->count) +
                      " of the inner env, and was itself asked for " + lanes_text(in_step->first, in_step->count));
    }
    for (std::uint32_t lane = call->first; lane < call->first + call->count; ++lane) {
        wrapped(self).world_.step(lane, call->slot, call->next_slot);
    }
    return TN_OK;
}

tn_status WrappedWorld::inner_picture(void* self, tn_picture_info* info) {
    static_cast<void>(self);
    info->height = kPictureHeight;
    info->width = kPictureWidth;
    info->reserved = 0;
    info->steps_per_second = 0;
    return TN_OK;
}

tn_status WrappedWorld::inner_draw(void* self, std::uint32_t lane, std::uint8_t* pixels) {
    const std::uint64_t counter = wrapped(self).world_.counter(lane);
    for (std::size_t i = 0; i < std::size_t{3} * kPictureHeight * kPictureWidth; ++i) {
        pixels[i] = static_cast<std::uint8_t>(counter * 7 + i);
    }
    return TN_OK;
}

tn_status WrappedWorld::describe(tn_env_info& info) const {
    return call("describe", wrapper_.env.api->describe, &info);
}

tn_status WrappedWorld::bind(const tn_env_buffers& buffers) {
    return call("bind", wrapper_.env.api->bind, &buffers);
}

tn_status WrappedWorld::reset(std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds) {
    return call("reset", wrapper_.env.api->reset, slot, mask, seeds);
}

tn_status WrappedWorld::step(const tn_env_step& asked) {
    in_step = &asked;
    const tn_status status = call("step", wrapper_.env.api->step, &asked);
    in_step = nullptr;
    return status;
}

tn_status WrappedWorld::save(std::uint32_t first, std::uint32_t count, const tn_writer& writer) {
    const tn_status status = world_.save(first, count, writer);
    return status != TN_OK ? status : call("save", wrapper_.env.state->save, first, count, &writer);
}

tn_status WrappedWorld::load(std::uint32_t first, std::uint32_t count, const tn_reader& reader) {
    const tn_status status = world_.load(first, count, reader);
    return status != TN_OK ? status : call("load", wrapper_.env.state->load, first, count, &reader);
}

}  // namespace tenon
