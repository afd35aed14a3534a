// SPDX-License-Identifier: Apache-2.0
// "tenon.policy/1" for a procedure that runs in a worker. If the worker ends during a call, the call is repeated.
#include "engines/isolation/remote.hpp"
#include "tenon/abi/policy.h"

namespace tenon {
namespace {

tn_status describe(void* self, const tn_spec* const* specs, std::uint32_t count) {
    return remote_of(self).describe(write_specs(specs, count, 0, 0));
}

tn_status bind(void* self, const tn_policy_buffers* buffers) {
    return remote_of(self).bind({buffers->columns, buffers->column_count}, {});
}

tn_status act(void* self, const tn_policy_call* call) {
    Remote& remote = remote_of(self);
    Remote::Share& share = remote.shares().front();
    const ExchangedSlots slots{.slot = call->slot, .next = call->slot};
    while (true) {
        share.exchange.bring(share.worker->room(), slots, call->first, call->count);
        const Worker::Answer answer =
            share.worker->call(WorkerCall::kAct, {0, static_cast<std::uint64_t>(call->mode), call->first, call->count,
                                                  call->key.seed, call->key.stream, call->counter});
        if (answer.alive()) {
            share.blank = false;
            share.useless = 0;
            if (answer.status == TN_OK) {
                share.exchange.fetch(share.worker->room(), slots, call->first, call->count);
            }
            return answer.status;
        }
        if (const tn_status begun = remote.begin_again(share, answer.ended, "act"); begun != TN_OK) {
            return begun;
        }
    }
}

}  // namespace

const void* remote_policy() {
    static constexpr tn_policy_api kTable{
        .struct_size = sizeof(tn_policy_api), .flags = 0, .describe = describe, .bind = bind, .act = act};
    return &kTable;
}

}  // namespace tenon
