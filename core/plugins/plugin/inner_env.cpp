// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/inner_env.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/data/flags.hpp"
#include "base/error/listed.hpp"
#include "plugins/plugin/call.hpp"
#include "plugins/plugin/host_tables.hpp"

namespace tenon {
namespace {

constinit thread_local const InnerEnv* failed = nullptr;

tn_status refuse(const std::string& sentence) {
    keep_error({sentence.data(), sentence.size()});
    return TN_INVALID_ARGUMENT;
}

}  // namespace

InnerEnv::InnerEnv(Parts parts, std::uint32_t lanes) : parts_(std::move(parts)), lanes_(lanes), gave_up_(lanes) {
    offer_ = {.struct_size = sizeof(tn_wrapper_inner),
              .flags = 0,
              .self = this,
              .env = HostTables::env<InnerEnv>(),
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

tn_status InnerEnv::describe(tn_env_info& info) {
    return call("describe", parts_.api->describe, &info);
}

tn_status InnerEnv::bind(const tn_env_buffers& buffers) {
    if (buffers.lanes != lanes_) {
        return refuse("it bound " + parts_.name + " with " + counted(buffers.lanes, "lane") + ", which has " +
                      std::to_string(lanes_));
    }
    buffers_ = {};
    std::memcpy(&buffers_, &buffers, std::min<std::size_t>(buffers.struct_size, sizeof buffers_));
    return call("bind", parts_.api->bind, &buffers);
}

tn_status InnerEnv::reset(std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds) {
    if (slot >= buffers_.slots) {
        return refuse("it reset " + parts_.name + " at slot " + std::to_string(slot) + ", which is not bound");
    }
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        gave_up_[lane] = mask == nullptr || mask[lane] != 0 ? 0 : gave_up_[lane];
    }
    const tn_status status = call("reset", parts_.api->reset, slot, mask, seeds);
    note_given_up(0, lanes_);
    return status;
}

tn_status InnerEnv::step(const tn_env_step& asked) {
    if (!has(asked)) [[unlikely]] {
        return refuse("it stepped " + counted(asked.count, "lane") + " from lane " + std::to_string(asked.first) +
                      " on, slots " + std::to_string(asked.slot) + " and " + std::to_string(asked.next_slot) + ", of " +
                      parts_.name + ", which has " + counted(lanes_, "lane") + " and " +
                      counted(buffers_.slots, "slot"));
    }
    const tn_status status = call("step", parts_.api->step, &asked);
    note_given_up(asked.first, asked.count);
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

tn_status InnerEnv::save(std::uint32_t first, std::uint32_t count, const tn_writer& writer) {
    return call("save", parts_.state->save, first, count, &writer);
}

tn_status InnerEnv::load(std::uint32_t first, std::uint32_t count, const tn_reader& reader) {
    return call("load", parts_.state->load, first, count, &reader);
}

tn_status InnerEnv::describe_picture(tn_picture_info& info) {
    return call("describe", parts_.render->describe, &info);
}

tn_status InnerEnv::draw(std::uint32_t lane, std::uint8_t* pixels) {
    return call("draw", parts_.render->draw, lane, pixels);
}

const void* InnerEnv::get_interface(void* self, const char* id) {
    const InnerEnv& env = *static_cast<InnerEnv*>(self);
    const std::string_view asked(id);
    if (asked == "tenon.env/1") {
        return env.offer_.env;
    }
    if (asked == "tenon.state/1") {
        return env.parts_.state != nullptr ? HostTables::state<InnerEnv>() : nullptr;
    }
    return asked == "tenon.render/1" && env.parts_.render != nullptr ? HostTables::pictures<InnerEnv>() : nullptr;
}

}  // namespace tenon
