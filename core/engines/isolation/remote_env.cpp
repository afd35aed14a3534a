// SPDX-License-Identifier: Apache-2.0
// "tenon.env/1" for an env whose lanes are distributed over workers, which all step at the same time.
#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engines/isolation/remote.hpp"
#include "plugins/plugin/error_text.hpp"
#include "tenon/abi/env.h"

namespace tenon {
namespace {

using Share = Remote::Share;

tn_status describe(void* self, tn_env_info* info) {
    Remote& remote = remote_of(self);
    if (const tn_status status = remote.describe_columns({}); status != TN_OK) {
        return status;
    }
    info->specs = remote.described->data();
    info->spec_count = remote.described->size();
    info->determinism = static_cast<std::int32_t>(remote.described->numbers[0]);
    info->episode_limit = remote.described->numbers[1];
    return TN_OK;
}

tn_status bind(void* self, const tn_env_buffers* buffers) {
    remote_of(self).lane_status = buffers->lane_status;
    return remote_of(self).bind({buffers->columns, buffers->column_count}, {});
}

void bring(const Remote& remote, Share& share, ExchangedSlots slots, std::uint32_t first, std::uint32_t count) {
    std::byte* const room = share.worker->room();
    share.exchange.bring(room, slots, first, count);
    std::memcpy(share.exchange.lane_status(room) + first, remote.lane_status + share.first + first, count);
}

void fetch(Remote& remote, Share& share, ExchangedSlots slots, std::uint32_t first, std::uint32_t count) {
    std::byte* const room = share.worker->room();
    share.exchange.fetch(room, slots, first, count);
    for (std::uint32_t lane = first; lane < first + count; ++lane) {
        const std::uint8_t status = share.exchange.lane_status(room)[lane];
        remote.lane_status[share.first + lane] = status == LostLanes::kStatus ? std::uint8_t{TN_INTERNAL} : status;
    }
}

// Marks these lanes as lost. Call it only during a step, whose caller resets such lanes and steps them again.
void leave_out(Remote& remote, const Share& share, std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t lane = share.first + first; lane < share.first + first + count; ++lane) {
        if (remote.lane_status[lane] == 0) {
            remote.lane_status[lane] = LostLanes::kStatus;
        }
    }
}

tn_status step(void* self, const tn_env_step* step) {
    Remote& remote = remote_of(self);
    const ExchangedSlots slots{.slot = step->slot, .next = step->next_slot};
    each_share(remote, step->first, step->count, [&](Share& share, std::uint32_t first, std::uint32_t count) {
        if (!share.blank) {
            bring(remote, share, slots, first, count);
            // A wrapper steps an env within one slot while it begins an episode.
            share.worker->ask(WorkerCall::kStep, {0, slots.slot == slots.next ? 0U : 1U, first, count});
        }
    });
    tn_status worst = TN_OK;
    std::string said;  // of lost or parked lanes; the next worker's answer does not repeat it
    each_share(remote, step->first, step->count, [&](Share& share, std::uint32_t first, std::uint32_t count) {
        if (share.blank) {
            leave_out(remote, share, first, count);
            return;
        }
        const Worker::Answer answer = share.worker->answer();
        tn_status status = answer.status;
        if (!answer.alive()) {
            status = remote.begin_again(share, answer.ended, "step");
            leave_out(remote, share, first, count);
        } else if (status == TN_OK) {
            share.useless = 0;
            fetch(remote, share, slots, first, count);
        }
        if (std::string text = take_error(); worst == TN_OK && (status != TN_OK || !text.empty())) {
            said = std::move(text);
        }
        worst = worst == TN_OK ? status : worst;
    });
    if (!said.empty()) {
        keep_error({said.data(), said.size()});
    }
    return worst;
}

// Resets those lanes of one worker whose bytes in mask are 1. The seeds are for its lanes, or null.
Worker::Answer reset_lanes(Remote& remote, Share& share, std::uint32_t slot, std::span<const std::uint8_t> mask,
                           std::span<const std::uint64_t> seeds) {
    Bytes message(mask.size() + seeds.size_bytes());
    std::ranges::copy(std::as_bytes(mask), message.data());
    std::ranges::copy(std::as_bytes(seeds), message.data() + mask.size());
    const ExchangedSlots slots{.slot = slot, .next = slot};
    bring(remote, share, slots, 0, share.count);
    Worker::Answer answer = share.worker->call(WorkerCall::kReset, {0, seeds.empty() ? 0U : 1U}, message);
    if (answer.alive() && answer.status == TN_OK) {
        share.blank = false;
        fetch(remote, share, slots, 0, share.count);
    }
    return answer;
}

// A new worker has no generators to continue, so all of its lanes get seeds.
tn_status reset_share(Remote& remote, Share& share, std::uint32_t slot, const std::uint8_t* mask,
                      const std::uint64_t* seeds) {
    while (true) {
        std::vector<std::uint8_t> wanted(share.count, 1);
        std::vector<std::uint64_t> given(share.blank || seeds != nullptr ? share.count : 0);
        for (std::uint32_t lane = 0; lane < share.count; ++lane) {
            const bool asked = mask == nullptr || mask[share.first + lane] != 0;
            wanted[lane] = share.blank || asked ? 1 : 0;
            if (!given.empty()) {
                given[lane] =
                    seeds != nullptr && asked ? seeds[share.first + lane] : remote.seed_of(share.first + lane);
            }
        }
        const Worker::Answer answer = reset_lanes(remote, share, slot, wanted, given);
        if (answer.alive()) {
            return answer.status;
        }
        if (const tn_status begun = remote.begin_again(share, answer.ended, "reset"); begun != TN_OK) {
            return begun;
        }
    }
}

tn_status reset(void* self, std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds) {
    Remote& remote = remote_of(self);
    for (Share& share : remote.shares()) {
        const bool any = share.blank || mask == nullptr ||
                         std::any_of(mask + share.first, mask + share.first + share.count,
                                     [](std::uint8_t byte) { return byte != 0; });
        if (const tn_status status = any ? reset_share(remote, share, slot, mask, seeds) : TN_OK; status != TN_OK) {
            return status;
        }
    }
    return TN_OK;
}

}  // namespace

const void* remote_env() {
    static constexpr tn_env_api kTable{.struct_size = sizeof(tn_env_api),
                                       .flags = 0,
                                       .describe = describe,
                                       .bind = bind,
                                       .reset = reset,
                                       .step = step};
    return &kTable;
}

}  // namespace tenon
