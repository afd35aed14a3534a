// SPDX-License-Identifier: Apache-2.0
// "tenon.transform/1" for a transform that runs in a worker. If the worker ends, all of its lanes are lost: the caller
// checks the instance's LostLanes after each call.
#include <span>
#include <vector>

#include "engines/isolation/remote.hpp"
#include "tenon/abi/transform.h"

namespace tenon {
namespace {

tn_status describe(void* self, const tn_spec* const* specs, std::uint32_t count, tn_transform_info* info) {
    Remote& remote = remote_of(self);
    if (const tn_status status = remote.describe_columns(write_specs(specs, count, 0, 0)); status != TN_OK) {
        return status;
    }
    info->specs = remote.described->data();
    info->spec_count = remote.described->size();
    return TN_OK;
}

tn_status bind(void* self, const tn_transform_buffers* buffers) {
    return remote_of(self).bind({buffers->inner, buffers->inner_count}, {buffers->outer, buffers->outer_count});
}

tn_status pass_on(void* self, const tn_transform_call* call, WorkerCall which) {
    Remote& remote = remote_of(self);
    Remote::Share& share = remote.shares().front();
    if (remote.lost().any) {
        return TN_OK;  // the caller restarts the lanes first
    }
    const ExchangedSlots slots{.slot = call->slot, .next = call->next_slot};
    // A mask, and behind it the seeds, if there are any.
    const std::span mask(call->mask, call->mask == nullptr ? 0 : share.count);
    std::span<const std::byte> message = std::as_bytes(mask);
    std::vector<std::byte> with_seeds;
    if (call->seeds != nullptr && !mask.empty()) {
        const auto seeds = std::as_bytes(std::span(call->seeds, share.count));
        with_seeds.assign(message.begin(), message.end());
        with_seeds.insert(with_seeds.end(), seeds.begin(), seeds.end());
        message = with_seeds;
    }
    share.exchange.bring(share.worker->room(), slots, call->first, call->count);
    const Worker::Answer answer = share.worker->call(
        which,
        {0, slots.slot == slots.next ? 0U : 1U, call->first, call->count, static_cast<std::uint64_t>(call->event)},
        message);
    if (!answer.alive()) {
        return remote.begin_again(share, answer.ended, which == WorkerCall::kInvert ? "invert" : "apply");
    }
    share.blank = false;
    share.useless = 0;
    if (answer.status == TN_OK) {
        share.exchange.fetch(share.worker->room(), slots, call->first, call->count);
    }
    return answer.status;
}

tn_status apply(void* self, const tn_transform_call* call) {
    return pass_on(self, call, WorkerCall::kApply);
}

tn_status invert(void* self, const tn_transform_call* call) {
    return pass_on(self, call, WorkerCall::kInvert);
}

}  // namespace

const void* remote_transform(bool invertible) {
    static constexpr tn_transform_api kOneWay{.struct_size = sizeof(tn_transform_api),
                                              .flags = 0,
                                              .describe = describe,
                                              .bind = bind,
                                              .apply = apply,
                                              .invert = nullptr};
    static constexpr tn_transform_api kBothWays{.struct_size = sizeof(tn_transform_api),
                                                .flags = 0,
                                                .describe = describe,
                                                .bind = bind,
                                                .apply = apply,
                                                .invert = invert};
    return invertible ? &kBothWays : &kOneWay;
}

}  // namespace tenon
