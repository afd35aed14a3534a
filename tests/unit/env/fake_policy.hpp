// SPDX-License-Identifier: Apache-2.0
// A policy whose action is a function of key, counter, lane and observation.
#pragma once

#include <vector>

#include "experience/env/procedural.hpp"
#include "unit/env/fake_specs.hpp"

namespace tenon::test {

struct FakePolicy {
    bool keeps_state = false;
    std::vector<std::uint32_t> acted;  // [lanes], how often; with keeps_state
    std::uint32_t fails_lane = ~0U;
    std::uint64_t column_count = 0;

    Callee<tn_policy_api> callee() {
        static constexpr tn_policy_api kApi = {sizeof(tn_policy_api), 0, describe, bind, act};
        static constexpr tn_state_api kState = {sizeof(tn_state_api), 0, save, load};
        return {
            .api = &kApi, .self = this, .name = "fake/policy", .place = {}, .state = keeps_state ? &kState : nullptr};
    }

    static std::int64_t action(tn_key key, std::uint64_t counter, std::uint32_t lane, float x) {
        return (tn_below(tn_philox(key, counter * 1000 + lane).word[0], 3) + static_cast<std::int64_t>(x)) % 3;
    }

private:
    Bound<float> observation_;
    Bound<std::int64_t> action_;

    static tn_status describe(void*, const tn_spec* const* specs, std::uint32_t count) {
        const Result<Composite> read = read_specs(specs, count, "env");
        return read && read->find("action") != nullptr ? TN_OK : TN_INVALID_ARGUMENT;
    }

    static tn_status bind(void* self, const tn_policy_buffers* b) {
        auto& of = *static_cast<FakePolicy*>(self);
        of.observation_ = bound<float>(b->columns, b->column_count, "observation");
        of.action_ = bound<std::int64_t>(b->columns, b->column_count, "action");
        of.column_count = b->column_count;
        of.acted.assign(b->lanes, 0);
        return TN_OK;
    }

    static tn_status act(void* self, const tn_policy_call* c) {
        auto& of = *static_cast<FakePolicy*>(self);
        for (std::uint32_t lane = c->first; lane < c->first + c->count; ++lane) {
            if (lane == of.fails_lane) {
                return TN_INTERNAL;
            }
            ++of.acted[lane];
            *of.action_.at(c->slot, lane) =
                c->mode == TN_ACT_MODE ? 1 : action(c->key, c->counter, lane, *of.observation_.at(c->slot, lane));
        }
        return TN_OK;
    }

    static tn_status save(void* self, std::uint32_t first, std::uint32_t count, const tn_writer* writer) {
        const auto& of = *static_cast<FakePolicy*>(self);
        return writer->write(writer->ctx, of.acted.data() + first, count * sizeof(std::uint32_t));
    }
    static tn_status load(void* self, std::uint32_t first, std::uint32_t count, const tn_reader* reader) {
        auto& of = *static_cast<FakePolicy*>(self);
        std::uint64_t got = 0;
        return reader->read(reader->ctx, of.acted.data() + first, count * sizeof(std::uint32_t), &got);
    }
};

}  // namespace tenon::test
