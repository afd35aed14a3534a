// SPDX-License-Identifier: Apache-2.0
// Transforms of the fake env: one that changes the observation in place, one that widens it, one that renames its
// action, one that ends episodes early and counts how often its lanes are brought together.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "experience/env/lanes.hpp"
#include "tenon/abi/transform.h"
#include "unit/env/fake_specs.hpp"

namespace tenon::test {

struct FakeTransform {
    enum Kind {
        kTwice,       // observation x 2, in place; the reward + 1
        kWiden,       // observation [n] -> [n + 1]: behind it, the steps since the episode began, counted by itself
        kContinuous,  // the action becomes "move", float32 [1]: below 0 is 0, else 2
        kLimit,       // no episode is longer than 2 steps
        kFourth,      // there is a fourth action, which does what the third one does
        kMirror,      // the first action does what the third one does, and the other way round; no spec changes
        kInvertsNone  // it has an invert that writes nothing
    };
    explicit FakeTransform(Kind k, std::uint32_t lanes) : kind(k), steps(lanes) {}

    Kind kind;
    std::vector<std::int64_t> steps;   // [lane]
    std::vector<std::int32_t> events;  // of lane 0
    std::int64_t gathered = 0;         // how often lanes were brought together
    bool limits = kind == kLimit;      // truncates episodes after 2 steps
    bool inverts = true;
    std::uint32_t spoils_lane = ~0U;  // whose observation becomes NaN
    std::int64_t spoils_from = 0;     // from this step of an episode on; 0: the first observation
    bool spoils_reward = false;       // the reward becomes infinite instead
    Composite inner_specs, outer_specs;
    std::vector<std::string> inner_keys;  // that it was bound to

    Callee<tn_transform_api> callee() {
        static constexpr tn_transform_api kApi = {sizeof(tn_transform_api), 0, describe, bind, apply, nullptr};
        static constexpr tn_transform_api kInverting = {sizeof(tn_transform_api), 0, describe, bind, apply, invert};
        static constexpr tn_state_api kState = {sizeof(tn_state_api), 0, save, load};
        static constexpr tn_common_api kCommon = {sizeof(tn_common_api), 0,       gather, save_common,
                                                  load_common,           nullptr, nullptr};
        static constexpr const char* kNames[] = {"fake/twice",  "fake/widen",  "fake/continuous",  "fake/limit",
                                                 "fake/fourth", "fake/mirror", "fake/inverts_none"};
        const bool of_actions = kind == kContinuous || kind >= kFourth;
        return {.api = of_actions && inverts ? &kInverting : &kApi,
                .self = this,
                .name = kNames[kind],
                .place = {},
                .state = kind == kWiden ? &kState : nullptr,
                .common = kind == kLimit ? &kCommon : nullptr};
    }

private:
    std::vector<tn_spec> raw_;
    std::vector<const tn_spec*> pointers_;
    Bound<float> in_, in_final_, out_, out_final_, reward_, move_;
    Bound<std::int64_t> action_, outer_action_;
    Bound<std::uint8_t> terminated_, truncated_;
    std::int64_t width_ = 0;

    static FakeTransform& of(void* self) { return *static_cast<FakeTransform*>(self); }

    static tn_status describe(void* self, const tn_spec* const* specs, std::uint32_t count, tn_transform_info* info) {
        FakeTransform& t = of(self);
        t.inner_specs = *read_specs(specs, count, "inner");
        t.outer_specs = t.inner_specs;
        for (Spec& each : t.outer_specs.specs) {
            if (each.key == "observation") {
                t.width_ = each.shape[0];
                each.shape = {t.width_ + (t.kind == kWiden ? 1 : 0)};
            } else if (t.kind == kContinuous && each.key == "action") {
                each = spec("move", Role::kAction, DType::kF32, {1});
            } else if (t.kind == kFourth && each.key == "action") {
                each.categories = {4};
            }
        }
        t.raw_.clear();
        t.pointers_.clear();
        for (const Spec& each : t.outer_specs.specs) {
            t.raw_.push_back(to_abi(each));
        }
        for (const tn_spec& each : t.raw_) {
            t.pointers_.push_back(&each);
        }
        info->specs = t.pointers_.data();
        info->spec_count = static_cast<std::uint32_t>(t.pointers_.size());
        return TN_OK;
    }

    static tn_status bind(void* self, const tn_transform_buffers* b) {
        FakeTransform& t = of(self);
        t.inner_keys.clear();
        for (std::uint64_t i = 0; i < b->inner_count; ++i) {
            t.inner_keys.emplace_back(b->inner[i]->key.data, b->inner[i]->key.size);
        }
        t.in_ = bound<float>(b->inner, b->inner_count, "observation");
        t.in_final_ = bound<float>(b->inner, b->inner_count, "next.observation");
        t.out_ = bound<float>(b->outer, b->outer_count, "observation");
        t.out_final_ = bound<float>(b->outer, b->outer_count, "next.observation");
        t.reward_ = bound<float>(b->outer, b->outer_count, "reward");
        t.action_ = bound<std::int64_t>(b->inner, b->inner_count, "action");
        t.outer_action_ = bound<std::int64_t>(b->outer, b->outer_count, "action");
        t.move_ = bound<float>(b->outer, b->outer_count, "move");
        t.terminated_ = bound<std::uint8_t>(b->inner, b->inner_count, "terminated");
        t.truncated_ = bound<std::uint8_t>(b->inner, b->inner_count, "truncated");
        return TN_OK;
    }

    bool spoils(std::uint32_t lane) const { return lane == spoils_lane && steps[lane] >= spoils_from; }

    void carry(const float* from, float* to, std::uint32_t lane) const {
        for (std::int64_t i = 0; i < width_; ++i) {
            to[i] = kind == kTwice ? 2 * from[i] : from[i];
        }
        if (kind == kWiden) {
            to[width_] = static_cast<float>(steps[lane]);
        }
        if (spoils(lane) && !spoils_reward) {
            to[0] = std::numeric_limits<float>::quiet_NaN();
        }
    }

    static tn_status apply(void* self, const tn_transform_call* c) {
        FakeTransform& t = of(self);
        for (std::uint32_t lane = c->first; lane < c->first + c->count; ++lane) {
            if (lane == 0 && (c->event == TN_TRANSFORM_STEP || c->mask[0] != 0)) {
                t.events.push_back(c->event);
            }
            if (c->event == TN_TRANSFORM_RESET) {
                if (c->mask[lane] != 0) {
                    t.steps[lane] = 0;
                    t.carry(t.in_.at(c->next_slot, lane), t.out_.at(c->next_slot, lane), lane);
                }
                continue;
            }
            ++t.steps[lane];
            const bool done = (*t.terminated_.at(c->slot, lane) | *t.truncated_.at(c->slot, lane)) != 0;
            if (t.limits && t.steps[lane] == 2) {
                *t.truncated_.at(c->slot, lane) = 1;
            }
            if (done) {
                t.carry(t.in_final_.at(c->slot, lane), t.out_final_.at(c->slot, lane), lane);
            } else {
                t.carry(t.in_.at(c->next_slot, lane), t.out_.at(c->next_slot, lane), lane);
            }
            if (t.kind == kTwice) {
                *t.reward_.at(c->slot, lane) += 1;
            }
            if (t.spoils(lane) && t.spoils_reward) {
                *t.reward_.at(c->slot, lane) = std::numeric_limits<float>::infinity();
            }
        }
        return TN_OK;
    }

    static tn_status gather(void* self) {
        ++of(self).gathered;
        return TN_OK;
    }
    static tn_status save_common(void* self, const tn_writer* writer) {
        return writer->write(writer->ctx, &of(self).gathered, sizeof(std::int64_t));
    }
    static tn_status load_common(void* self, const tn_reader* reader) {
        std::uint64_t got = 0;
        return reader->read(reader->ctx, &of(self).gathered, sizeof(std::int64_t), &got);
    }

    static tn_status invert(void* self, const tn_transform_call* c) {
        FakeTransform& t = of(self);
        for (std::uint32_t lane = c->first; lane < c->first + c->count; ++lane) {
            std::int64_t& action = *t.action_.at(c->slot, lane);
            if (t.kind == kFourth) {
                action = std::min<std::int64_t>(*t.outer_action_.at(c->slot, lane), 2);
            } else if (t.kind == kMirror) {
                action = 2 - *t.outer_action_.at(c->slot, lane);
            } else if (t.kind == kContinuous) {
                action = *t.move_.at(c->slot, lane) < 0 ? 0 : 2;
            }
        }
        return TN_OK;
    }

    static tn_status save(void* self, std::uint32_t first, std::uint32_t count, const tn_writer* writer) {
        return writer->write(writer->ctx, &of(self).steps[first], count * sizeof(std::int64_t));
    }

    static tn_status load(void* self, std::uint32_t first, std::uint32_t count, const tn_reader* reader) {
        std::uint64_t got = 0;
        return reader->read(reader->ctx, &of(self).steps[first], count * sizeof(std::int64_t), &got);
    }
};

}  // namespace tenon::test
