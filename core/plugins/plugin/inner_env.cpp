// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/inner_env.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/data/flags.hpp"
#include "base/error/listed.hpp"
#include "plugins/plugin/call.hpp"

namespace tenon {
namespace {

constinit thread_local const InnerEnv* failed = nullptr;

InnerEnv& of(void* self) {
    return *static_cast<InnerEnv*>(self);
}

tn_status refuse(const std::string& sentence) {
    keep_error({sentence.data(), sentence.size()});
    return TN_INVALID_ARGUMENT;
}

}  // namespace

InnerEnv::InnerEnv(Parts parts, std::uint32_t lanes) : parts_(std::move(parts)), lanes_(lanes), gave_up_(lanes) {
    static constexpr tn_env_api kEnv{.struct_size = sizeof(tn_env_api),
                                     .flags = 0,
                                     .describe = describe,
                                     .bind = bind,
                                     .reset = reset,
                                     .step = step};
    offer_ = {.struct_size = sizeof(tn_wrapper_inner),
              .flags = 0,
              .self = this,
              .env = &kEnv,
              .get_interface = get_interface};
}

const InnerEnv* InnerEnv::take_failed() {
    return std::exchange(failed, nullptr);
}

// Calls the env; a failure is its own, or that of an env further inside.
template <class Function, class... Args>
tn_status InnerEnv::call(const char* function_name, Function* function, Args... args) const {
    const tn_status status = call_plugin(parts_.name, function_name, parts_.place, function, parts_.self, args...);
    if (status != TN_OK && failed == nullptr) {
        failed = this;
    }
    return status;
}

tn_status InnerEnv::describe(void* self, tn_env_info* info) {
    return of(self).call("describe", of(self).parts_.api->describe, info);
}

tn_status InnerEnv::bind(void* self, const tn_env_buffers* buffers) {
    InnerEnv& inner = of(self);
    if (buffers->lanes != inner.lanes_) {
        return refuse("it bound " + inner.parts_.name + " with " + counted(buffers->lanes, "lane") + ", which has " +
                      std::to_string(inner.lanes_));
    }
    inner.buffers_ = {};
    std::memcpy(&inner.buffers_, buffers, std::min<std::size_t>(buffers->struct_size, sizeof inner.buffers_));
    return inner.call("bind", inner.parts_.api->bind, buffers);
}

tn_status InnerEnv::reset(void* self, std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds) {
    InnerEnv& inner = of(self);
    if (slot >= inner.buffers_.slots) {
        return refuse("it reset " + inner.parts_.name + " at slot " + std::to_string(slot) + ", which is not bound");
    }
    for (std::uint32_t lane = 0; lane < inner.lanes_; ++lane) {
        inner.gave_up_[lane] = mask == nullptr || mask[lane] != 0 ? 0 : inner.gave_up_[lane];
    }
    const tn_status status = inner.call("reset", inner.parts_.api->reset, slot, mask, seeds);
    inner.note_given_up(0, inner.lanes_);
    return status;
}

tn_status InnerEnv::step(void* self, const tn_env_step* call) {
    InnerEnv& inner = of(self);
    if (!inner.has(*call)) [[unlikely]] {
        return refuse("it stepped " + counted(call->count, "lane") + " from lane " + std::to_string(call->first) +
                      " on, slots " + std::to_string(call->slot) + " and " + std::to_string(call->next_slot) + ", of " +
                      inner.parts_.name + ", which has " + counted(inner.lanes_, "lane") + " and " +
                      counted(inner.buffers_.slots, "slot"));
    }
    const tn_status status = inner.call("step", inner.parts_.api->step, call);
    inner.note_given_up(call->first, call->count);
    return status;
}

bool InnerEnv::has(const tn_env_step& call) const {
    return call.slot < buffers_.slots && call.next_slot < buffers_.slots && call.first <= lanes_ &&
           call.count <= lanes_ - call.first;
}

void InnerEnv::note_given_up(std::uint32_t first, std::uint32_t count) {
    if (!any_set({buffers_.lane_status + first, count})) {
        return;
    }
    for (std::uint32_t lane = first; lane < first + count; ++lane) {
        gave_up_[lane] = buffers_.lane_status[lane] != 0 ? 1 : gave_up_[lane];
    }
}

tn_status InnerEnv::save(void* self, std::uint32_t first, std::uint32_t count, const tn_writer* writer) {
    return of(self).call("save", of(self).parts_.state->save, first, count, writer);
}

tn_status InnerEnv::load(void* self, std::uint32_t first, std::uint32_t count, const tn_reader* reader) {
    return of(self).call("load", of(self).parts_.state->load, first, count, reader);
}

tn_status InnerEnv::describe_picture(void* self, tn_picture_info* info) {
    return of(self).call("describe", of(self).parts_.render->describe, info);
}

tn_status InnerEnv::draw(void* self, std::uint32_t lane, std::uint8_t* pixels) {
    return of(self).call("draw", of(self).parts_.render->draw, lane, pixels);
}

const void* InnerEnv::get_interface(void* self, const char* id) {
    static constexpr tn_state_api kState{.struct_size = sizeof(tn_state_api), .flags = 0, .save = save, .load = load};
    static constexpr tn_render_api kRender{
        .struct_size = sizeof(tn_render_api), .flags = 0, .describe = describe_picture, .draw = draw};
    const std::string_view asked(id);
    if (asked == "tenon.env/1") {
        return of(self).offer_.env;
    }
    if (asked == "tenon.state/1") {
        return of(self).parts_.state != nullptr ? &kState : nullptr;
    }
    return asked == "tenon.render/1" && of(self).parts_.render != nullptr ? &kRender : nullptr;
}

}  // namespace tenon
