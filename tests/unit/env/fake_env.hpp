// SPDX-License-Identifier: Apache-2.0
// An env whose every number is a function of its lane's seed and the actions taken, so that a test can say what must
// stand in the storage, and that breaks where it is told to.
#pragma once

#include <cstring>
#include <limits>
#include <vector>

#include "experience/env/lanes.hpp"
#include "tenon/abi/env.h"
#include "tenon/abi/random.h"
#include "unit/env/fake_specs.hpp"

namespace tenon::test {

// One lane: what the env must do, without any slabs. An episode has 3 to 10 steps and terminates, or is truncated at 7.
struct FakeLane {
    std::uint64_t seed = 0;
    std::uint64_t episode = 0;
    std::int64_t steps = 0;

    void begin() {
        ++episode;
        steps = 0;
    }
    [[nodiscard]] std::uint32_t word(std::uint64_t i) const { return tn_philox({seed, episode}, i).word[0]; }
    [[nodiscard]] std::int64_t length() const { return 3 + tn_below(word(1000), 8); }
    [[nodiscard]] bool terminated() const { return steps == length() && steps <= 7; }
    [[nodiscard]] bool truncated() const { return steps >= 7 && !terminated(); }
    [[nodiscard]] float observation(int i) const {
        return i == 0 ? static_cast<float>(steps) : static_cast<float>(word(static_cast<std::uint64_t>(steps)) >> 12);
    }
    [[nodiscard]] float reward(std::int64_t action) const {
        return static_cast<float>(steps) + 100.0F * static_cast<float>(action);
    }
    [[nodiscard]] std::int32_t lives() const {
        return static_cast<std::int32_t>(episode * 10) - static_cast<std::int32_t>(steps);
    }
};

struct FakeEnv {
    explicit FakeEnv(std::uint32_t n) : lanes(n) {
        specs.specs = {spec("observation", Role::kObservation, DType::kF32, {2}), choice("action", Role::kAction, 3),
                       spec("reward", Role::kReward, DType::kF32, {}), spec("lives", Role::kExtra, DType::kI32, {})};
    }

    Composite specs;
    std::vector<FakeLane> lanes;
    std::int64_t episode_limit = 7;
    std::uint32_t breaks_lane = std::numeric_limits<std::uint32_t>::max();  // at its third step
    std::uint32_t breaks_from = std::numeric_limits<std::uint32_t>::max();  // and all after it
    std::uint8_t breaks_with = TN_INTERNAL;
    std::vector<std::uint8_t> breaks_silently;  // [lane] the status at its third step, without a reason; 0: none
    bool all_lanes = false;                     // TN_ENV_ALL_LANES
    std::vector<std::uint32_t> counts;          // of the lanes of each call of step
    enum class Spoilt { kNone, kReward, kObservation, kFinal } spoilt = Spoilt::kNone;
    std::uint32_t spoils_lane = 0;                                         // from its third step on
    std::uint32_t fails_lane = std::numeric_limits<std::uint32_t>::max();  // any range with it
    std::vector<std::uint32_t> stepped;                                    // [lane] how often
    bool keeps_state = true;

    Callee<tn_env_api> callee() {
        static constexpr tn_env_api kApi = {sizeof(tn_env_api), 0, describe, bind, reset, step};
        static constexpr tn_state_api kState = {sizeof(tn_state_api), 0, save, load};
        return {.api = &kApi, .self = this, .name = "fake/Env", .place = {}, .state = keeps_state ? &kState : nullptr};
    }

private:
    std::vector<tn_spec> raw_;
    std::vector<const tn_spec*> pointers_;
    Bound<float> observation_, final_, reward_;
    Bound<std::int64_t> action_;
    Bound<std::int32_t> lives_;
    Bound<std::uint8_t> terminated_, truncated_;
    std::uint8_t* status_ = nullptr;

    static FakeEnv& of(void* self) { return *static_cast<FakeEnv*>(self); }

    static tn_status describe(void* self, tn_env_info* info) {
        FakeEnv& env = of(self);
        env.raw_.clear();
        env.pointers_.clear();
        for (const Spec& each : env.specs.specs) {
            env.raw_.push_back(to_abi(each));
        }
        for (const tn_spec& each : env.raw_) {
            env.pointers_.push_back(&each);
        }
        info->specs = env.pointers_.data();
        info->spec_count = static_cast<std::uint32_t>(env.pointers_.size());
        info->episode_limit = env.episode_limit;
        info->determinism = TN_DETERMINISM_BITS;
        info->flags = env.all_lanes ? TN_ENV_ALL_LANES : 0;
        return TN_OK;
    }

    static tn_status bind(void* self, const tn_env_buffers* b) {
        FakeEnv& env = of(self);
        env.observation_ = bound<float>(b->columns, b->column_count, "observation");
        env.final_ = bound<float>(b->columns, b->column_count, "next.observation");
        env.reward_ = bound<float>(b->columns, b->column_count, "reward");
        env.action_ = bound<std::int64_t>(b->columns, b->column_count, "action");
        env.lives_ = bound<std::int32_t>(b->columns, b->column_count, "lives");
        env.terminated_ = bound<std::uint8_t>(b->columns, b->column_count, "terminated");
        env.truncated_ = bound<std::uint8_t>(b->columns, b->column_count, "truncated");
        env.status_ = b->lane_status;
        env.stepped.assign(b->lanes, 0);
        return env.truncated_.data == nullptr || env.final_.data == nullptr ? TN_INVALID_ARGUMENT : TN_OK;
    }

    void observe(const Bound<float>& to, std::uint32_t slot, std::uint32_t lane) {
        to.at(slot, lane)[0] = lanes[lane].observation(0);
        to.at(slot, lane)[1] = lanes[lane].observation(1);
    }

    static tn_status reset(void* self, std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds) {
        FakeEnv& env = of(self);
        for (std::uint32_t lane = 0; lane < env.lanes.size(); ++lane) {
            if (mask != nullptr && mask[lane] == 0) {
                continue;
            }
            if (seeds != nullptr) {
                env.lanes[lane] = {.seed = seeds[lane], .episode = 0, .steps = 0};
            }
            env.lanes[lane].begin();
            env.observe(env.observation_, slot, lane);
            *env.lives_.at(slot, lane) = env.lanes[lane].lives();
        }
        return TN_OK;
    }

    static tn_status step(void* self, const tn_env_step* s) {
        FakeEnv& env = of(self);
        if (env.all_lanes) {
            env.counts.push_back(s->count);
        }
        for (std::uint32_t lane = s->first; lane < s->first + s->count; ++lane) {
            if (env.all_lanes && env.status_[lane] != 0) {
                continue;
            }
            if (lane == env.fails_lane) {
                return TN_INTERNAL;
            }
            const std::uint8_t silent = lane < env.breaks_silently.size() ? env.breaks_silently[lane] : 0;
            if (++env.stepped[lane] == 3 && silent != 0) {
                env.status_[lane] = silent;
                continue;
            }
            if (env.stepped[lane] == 3 && (lane == env.breaks_lane || lane >= env.breaks_from)) {
                env.status_[lane] = env.breaks_with;
                constexpr std::string_view kWhy = "the wheels came off";
                keep_error({kWhy.data(), kWhy.size()});
                continue;
            }
            FakeLane& at = env.lanes[lane];
            ++at.steps;
            for (std::int64_t i = 0; i < env.specs.specs[2].shape.elements(); ++i) {
                env.reward_.at(s->slot, lane)[i] = at.reward(*env.action_.at(s->slot, lane)) + static_cast<float>(i);
            }
            *env.terminated_.at(s->slot, lane) = at.terminated() ? 1 : 0;
            *env.truncated_.at(s->slot, lane) = at.truncated() ? 1 : 0;
            const bool spoil = lane == env.spoils_lane && env.stepped[lane] >= 3;
            if (at.terminated() || at.truncated()) {
                env.observe(env.final_, s->slot, lane);
                if (spoil && env.spoilt == Spoilt::kFinal) {
                    env.final_.at(s->slot, lane)[0] = std::numeric_limits<float>::quiet_NaN();
                }
                at.begin();
            }
            env.observe(env.observation_, s->next_slot, lane);
            if (spoil && env.spoilt == Spoilt::kObservation) {
                env.observation_.at(s->next_slot, lane)[1] = std::numeric_limits<float>::infinity();
            }
            if (spoil && env.spoilt == Spoilt::kReward) {
                *env.reward_.at(s->slot, lane) = std::numeric_limits<float>::quiet_NaN();
            }
            *env.lives_.at(s->next_slot, lane) = at.lives();
        }
        return TN_OK;
    }

    static tn_status save(void* self, std::uint32_t first, std::uint32_t count, const tn_writer* writer) {
        return writer->write(writer->ctx, &of(self).lanes[first], count * sizeof(FakeLane));
    }

    static tn_status load(void* self, std::uint32_t first, std::uint32_t count, const tn_reader* reader) {
        std::uint64_t got = 0;
        const tn_status status = reader->read(reader->ctx, &of(self).lanes[first], count * sizeof(FakeLane), &got);
        return status == TN_OK && got != count * sizeof(FakeLane) ? static_cast<tn_status>(TN_DATA_LOSS) : status;
    }
};

// Actions of the head, a function of lane and step.
inline void put_actions(Storage& storage, std::uint64_t step) {
    for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
        const std::int64_t action = tn_below(tn_philox({77, lane}, step).word[0], 3);
        std::memcpy(row_at(storage.find("action")->view, storage.head(), lane), &action, sizeof action);
    }
}

}  // namespace tenon::test
