// SPDX-License-Identifier: Apache-2.0
// A wrapper by hand against the ABI, with the same columns as its env: each step is several steps of the env, until an
// episode ends. The reward and the flags are those of the last one.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "experience/env/env_stack.hpp"
#include "plugins/plugin/call_scope.hpp"
#include "unit/env/fake_specs.hpp"

namespace tenon::test {

struct FakeWrapper {
    explicit FakeWrapper(std::string its_name, std::uint32_t times = 1) : name(std::move(its_name)), steps(times) {}

    std::string name;
    std::uint32_t steps;
    std::uint32_t cuts_lane = std::numeric_limits<std::uint32_t>::max();  // after its second step
    std::uint32_t ends_lane = std::numeric_limits<std::uint32_t>::max();  // as a reset has begun an episode
    std::uint32_t ends = 0;                                               // how many of that lane
    std::uint32_t too_many = 0;                                           // lanes more than there are
    bool is_live = true;
    std::vector<std::pair<std::uint32_t, double>> told;  // options and their values
    tn_status refuses_to_attach = TN_OK;

    WrapperCallee callee() {
        static constexpr tn_env_api kEnv = {sizeof(tn_env_api), 0, describe, bind, reset, step};
        static constexpr tn_wrapper_api kWrapper = {sizeof(tn_wrapper_api), 0, attach};
        static constexpr tn_state_api kState = {sizeof(tn_state_api), 0, save, load};
        static constexpr tn_live_api kLive = {sizeof(tn_live_api), 0, set};
        return {.env = {.api = &kEnv,
                        .self = this,
                        .name = name,
                        .place = {},
                        .state = &kState,
                        .common = nullptr,
                        .render = nullptr,
                        .live = is_live ? &kLive : nullptr},
                .wrapper = &kWrapper};
    }

    tn_wrapper_inner inner{};
    tn_env_buffers buffers{};
    Bound<float> observation, final;
    Bound<std::uint8_t> terminated, truncated;
    std::vector<std::uint64_t> taken;  // [lane]

private:
    static FakeWrapper& of(void* self) { return *static_cast<FakeWrapper*>(self); }

    static tn_status attach(void* self, const tn_wrapper_inner* inner) {
        of(self).inner = *inner;
        return of(self).refuses_to_attach;
    }
    static tn_status describe(void* self, tn_env_info* info) {
        return of(self).inner.env->describe(of(self).inner.self, info);
    }
    static tn_status bind(void* self, const tn_env_buffers* b) {
        FakeWrapper& wrapper = of(self);
        wrapper.buffers = *b;
        wrapper.observation = bound<float>(b->columns, b->column_count, "observation");
        wrapper.final = bound<float>(b->columns, b->column_count, "next.observation");
        wrapper.terminated = bound<std::uint8_t>(b->columns, b->column_count, "terminated");
        wrapper.truncated = bound<std::uint8_t>(b->columns, b->column_count, "truncated");
        wrapper.taken.assign(b->lanes, 0);
        return wrapper.inner.env->bind(wrapper.inner.self, &wrapper.buffers);
    }
    static tn_status reset(void* self, std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds) {
        FakeWrapper& wrapper = of(self);
        const tn_status status = wrapper.inner.env->reset(wrapper.inner.self, slot, mask, seeds);
        const std::uint32_t lane = wrapper.ends_lane;
        if (lane < wrapper.taken.size() && (mask == nullptr || mask[lane] != 0) && wrapper.ends > 0) {
            --wrapper.ends;
            wrapper.buffers.needs_reset[lane] = 1;
        }
        return status;
    }
    static tn_status step(void* self, const tn_env_step* call) {
        FakeWrapper& wrapper = of(self);
        for (std::uint32_t lane = call->first; lane < call->first + call->count; ++lane) {
            tn_env_step one = *call;
            one.first = lane;
            one.count = 1 + wrapper.too_many;
            for (std::uint32_t k = 0; k < wrapper.steps; ++k) {
                const tn_status status = wrapper.inner.env->step(wrapper.inner.self, &one);
                if (status != TN_OK) {
                    return status;
                }
                if (wrapper.buffers.lane_status[lane] != 0 ||
                    (*wrapper.terminated.at(call->slot, lane) | *wrapper.truncated.at(call->slot, lane)) != 0) {
                    break;
                }
            }
            wrapper.change(*call, lane);
        }
        return TN_OK;
    }
    void change(const tn_env_step& call, std::uint32_t lane) {
        float* const seen = observation.at(call.next_slot, lane);
        if (++taken[lane] == 2 && lane == cuts_lane) {
            *truncated.at(call.slot, lane) = 1;
            final.at(call.slot, lane)[0] = seen[0];
            final.at(call.slot, lane)[1] = seen[1];
            buffers.needs_reset[lane] = 1;
        }
    }
    static tn_status set(void* self, std::uint32_t option, double value) {
        of(self).told.emplace_back(option, value);
        return value < 0 ? TN_INVALID_ARGUMENT : TN_OK;
    }
    static tn_status save(void* self, std::uint32_t first, std::uint32_t count, const tn_writer* writer) {
        return writer->write(writer->ctx, &of(self).taken[first], count * sizeof(std::uint64_t));
    }
    static tn_status load(void* self, std::uint32_t first, std::uint32_t count, const tn_reader* reader) {
        std::uint64_t got = 0;
        return reader->read(reader->ctx, &of(self).taken[first], count * sizeof(std::uint64_t), &got);
    }
};

// The env inside the wrappers, innermost first.
inline Result<EnvStack> stack_of(const Callee<tn_env_api>& env, std::vector<FakeWrapper*> wrappers,
                                 std::uint32_t lanes) {
    std::vector<WrapperCallee> callees;
    for (FakeWrapper* const wrapper : wrappers) {
        callees.push_back(wrapper->callee());
    }
    return EnvStack::make(env, std::move(callees), lanes);
}

}  // namespace tenon::test
