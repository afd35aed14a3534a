// SPDX-License-Identifier: Apache-2.0
// The half of a wrapper's adapter that does not depend on the author's type: the columns of the inner env and those
// that the wrapper shows, and which of them share memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tenon/abi/env.h"
#include "tenon/column.hpp"
#include "tenon/env_spec.hpp"
#include "tenon/guard.hpp"
#include "tenon/inner_pictures.hpp"
#include "tenon/spec.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// A column of the inner env in memory of the wrapper's own. All slots share one.
class OwnColumn {
public:
    OwnColumn(std::string key, const Spec& like, std::uint32_t slots, std::uint32_t lanes) : key_(std::move(key)) {
        shape_ = {slots, lanes};
        shape_.insert(shape_.end(), like.shape.begin(), like.shape.end());
        strides_.assign(shape_.size(), 1);
        for (std::size_t i = shape_.size() - 1; i-- > 0;) {
            strides_[i] = strides_[i + 1] * shape_[i + 1];
        }
        const std::size_t size = with_dtype(like.dtype, [](auto zero) { return sizeof(zero); });
        const std::size_t bytes = size * static_cast<std::size_t>(strides_[0]);
        strides_[0] = 0;
        memory_.reset(static_cast<std::byte*>(::operator new(bytes, kAlignment)));
        std::fill_n(memory_.get(), bytes, std::byte{0});
        column_ = {.struct_size = sizeof(tn_column),
                   .flags = 0,
                   .key = to_str(key_),
                   .tensor = {.struct_size = sizeof(tn_tensor),
                              .dtype = like.dtype,
                              .data = memory_.get(),
                              .rank = static_cast<std::uint32_t>(shape_.size()),
                              .device_type = TN_DEVICE_CPU,
                              .device_id = 0,
                              .reserved = 0,
                              .shape = shape_.data(),
                              .strides = strides_.data()}};
    }
    OwnColumn(const OwnColumn&) = delete;  // the column points into the object
    OwnColumn& operator=(const OwnColumn&) = delete;
    ~OwnColumn() = default;

    [[nodiscard]] const tn_column* column() const { return &column_; }

private:
    static constexpr std::align_val_t kAlignment{64};
    struct Free {
        void operator()(std::byte* memory) const { ::operator delete(memory, kAlignment); }
    };

    std::string key_;
    Shape shape_;
    Shape strides_;
    std::unique_ptr<std::byte, Free> memory_;
    tn_column column_;
};

// What the author's functions do, which decides about memory.
struct WrapperHabits {
    bool writes_actions = false;      // of the inner env: they must not overwrite the policy's
    bool steps_before_begin = false;  // a final observation must outlast these steps
};

// Which agents a reward or an end of a group is added up for: those who have been present since the policy acted.
struct Presence {
    Column now;                          // without elements: all
    std::vector<std::uint8_t> counts{};  // [lane][agent]

    void begin(std::uint32_t slot, std::uint32_t lane) {
        const auto present = now.elements() == 0 ? std::span<const bool>() : now.row<const bool>(slot, lane);
        std::ranges::copy(present, counts.begin() + static_cast<std::ptrdiff_t>(lane * present.size()));
    }
    void leave(std::uint32_t slot, std::uint32_t lane) {
        for (std::size_t i = 0; i < now.elements(); ++i) {
            std::uint8_t& is_counted = counts[lane * now.elements() + i];
            is_counted = now.row<const bool>(slot, lane)[i] ? is_counted : 0;
        }
    }
    // Of all elements of a row, those of each agent lie together.
    [[nodiscard]] bool has(std::uint32_t lane, std::size_t element, std::size_t elements) const {
        return counts.empty() || counts[lane * now.elements() + element * now.elements() / elements] != 0;
    }
};

class WrapperColumns {
public:
    // Reads what the inner env describes; the author changes it.
    void read(const tn_env_info& info) {
        inner_spec = {};
        inner_spec.reward = no_reward();
        other_rewards.clear();
        for (const tn_spec* const one : std::span(info.specs, info.spec_count)) {
            Spec spec = read_spec(*one);
            switch (spec.role) {
                case TN_ROLE_OBSERVATION:
                    inner_spec.observations.push_back(std::move(spec));
                    break;
                case TN_ROLE_ACTION:
                    inner_spec.actions.push_back(std::move(spec));
                    break;
                case TN_ROLE_EXTRA:
                    inner_spec.extras.push_back(std::move(spec));
                    break;
                case TN_ROLE_END:
                    other_rewards.push_back(std::move(spec));
                    break;
                default:  // the first one of no group, or the one of that name, is the reward that the author sees
                    if (spec.group.empty() && (!inner_spec.has_reward() || spec.key == "reward")) {
                        std::swap(inner_spec.reward, spec);
                    }
                    if (!spec.key.empty()) {
                        other_rewards.push_back(std::move(spec));
                    }
            }
        }
    }

    // All specs as the outside sees them.
    [[nodiscard]] std::vector<Spec> all() const {
        std::vector<Spec> out = outer_spec.all();
        out.insert(out.end(), other_rewards.begin(), other_rewards.end());
        return out;
    }

    // Throws if the author changes a column and has no function that fills it.
    void check(bool has_act, bool has_observe) const {
        const auto require = [](bool holds, const Spec& spec, const char* what, const char* function) {
            if (!holds) {
                throw Error(TN_INTERNAL, std::string("spec() ") + what + " '" + spec.key + "', so the wrapper needs " +
                                             function + ": see tenon/wrapper.hpp" + place_of(spec));
            }
        };
        for (const Spec& spec : inner_spec.actions) {
            require(has_act || is_passed(spec, outer_spec.actions), spec, "removes or changes the action",
                    "a function act, which gives the inner env its action");
        }
        for (const auto* const list : {&outer_spec.observations, &outer_spec.extras}) {
            const bool seen = list == &outer_spec.observations;
            for (const Spec& spec : *list) {
                require(has_observe || is_passed(spec, seen ? inner_spec.observations : inner_spec.extras), spec,
                        seen ? "adds or changes the observation" : "adds or changes the extra",
                        "a function observe, which writes it");
            }
        }
        const auto is_one_float = [](const Spec& reward) {
            return reward.key.empty() || ((reward.dtype == TN_F32 || reward.dtype == TN_F64) && reward.elements() == 1);
        };
        if (!is_one_float(inner_spec.reward) || !is_one_float(outer_spec.reward)) {
            throw InvalidArgument("the reward '" + outer_spec.reward.key +
                                  "' is not one float a step, so the rewards of several steps cannot be added up");
        }
    }

    // Binds both sides. The inner columns are for the inner env's bind.
    void bind(const tn_env_buffers& buffers, const WrapperHabits& habits) {
        const std::span given(buffers.columns, buffers.column_count);
        slots = buffers.slots;
        lane_status = buffers.lane_status;
        needs_reset = buffers.needs_reset;
        own_.clear();
        inner_columns.clear();
        const auto add_own = [&](const std::string& key, const Spec& like) {
            own_.push_back(std::make_unique<OwnColumn>(key, like, buffers.slots, buffers.lanes));
            inner_columns.push_back(own_.back()->column());
        };
        const auto add = [&](const std::string& key, const Spec& like, bool is_shared) {
            const auto same =
                std::ranges::find_if(given, [&](const tn_column* one) { return to_view(one->key) == key; });
            if (is_shared && same != given.end()) {
                inner_columns.push_back(*same);
            } else {
                add_own(key, like);
            }
        };
        for (const Spec& spec : inner_spec.observations) {
            const bool is_shared = is_passed(spec, outer_spec.observations);
            add(spec.key, spec, is_shared);
            add("next." + spec.key, spec, is_shared && !habits.steps_before_begin);
        }
        for (const Spec& spec : inner_spec.actions) {
            add(spec.key, spec, !habits.writes_actions && is_passed(spec, outer_spec.actions));
        }
        for (const Spec& spec : inner_spec.extras) {
            add(spec.key, spec, is_passed(spec, outer_spec.extras));
        }
        if (inner_spec.has_reward()) {
            add_own(inner_spec.reward.key, inner_spec.reward);
        }
        for (const Spec& spec : other_rewards) {
            add_own(spec.key, spec);
        }
        const Spec flag = unbounded("flag", {}, TN_BOOL, {});
        add_own("terminated", flag);
        add_own("truncated", flag);
        find_columns(given, buffers);
    }

    InnerPictures pictures;
    EnvSpec inner_spec;
    EnvSpec outer_spec;
    std::vector<Spec> other_rewards;  // passed on as sums, like the reward; also ends, which are set by any inner step

    std::uint32_t slots = 0;
    std::uint8_t* lane_status = nullptr;
    std::uint8_t* needs_reset = nullptr;
    std::vector<const tn_column*> inner_columns;  // for the inner env's bind
    EnvColumns inner;
    EnvColumns outer;
    std::vector<std::pair<Column, Column>> rewards;         // inner and outer, the author's reward first
    std::vector<Presence> presence;                         // [reward]
    std::vector<std::pair<Column, Column>> copied_actions;  // outer and inner, where they do not share memory
    std::vector<std::pair<Column, Column>> copied_finals;   // inner and outer
    std::vector<std::size_t> shared_observations;           // numbers of outer ones
    bool shares_all = true;                                 // all observations and extras

private:
    // Whether the column is on the other side in the same form.
    static bool is_passed(const Spec& spec, const std::vector<Spec>& others) {
        return std::ranges::any_of(others, [&](const Spec& other) {
            return other.key == spec.key && other.dtype == spec.dtype && other.shape == spec.shape;
        });
    }

    void find_columns(std::span<const tn_column* const> given, const tn_env_buffers& buffers) {
        inner = EnvColumns(inner_spec, inner_columns, buffers.slots, buffers.lanes);
        outer = EnvColumns(outer_spec, given, buffers.slots, buffers.lanes);
        rewards = {{inner.reward, outer.reward}};
        presence.assign(1, {});
        for (const Spec& spec : other_rewards) {
            rewards.emplace_back(Column::find(inner_columns, spec.key, spec, buffers.slots, buffers.lanes),
                                 Column::find(given, spec.key, spec, buffers.slots, buffers.lanes));
            Presence& of = presence.emplace_back();
            const auto says = std::ranges::find(inner_spec.observations, spec.group + ".present", &Spec::key);
            if (!spec.group.empty() && says != inner_spec.observations.end() && says->dtype == TN_BOOL) {
                of.now = inner.observations[static_cast<std::size_t>(says - inner_spec.observations.begin())];
                of.counts.resize(of.now.elements() * buffers.lanes);
            }
        }
        copied_actions.clear();
        for (std::size_t i = 0; i < inner_spec.actions.size(); ++i) {
            for (std::size_t j = 0; j < outer_spec.actions.size(); ++j) {
                if (is_passed(inner_spec.actions[i], {outer_spec.actions[j]}) &&
                    inner.actions[i].at(0, 0) != outer.actions[j].at(0, 0)) {
                    copied_actions.emplace_back(outer.actions[j], inner.actions[i]);
                }
            }
        }
        copied_finals.clear();
        shared_observations.clear();
        shares_all = std::ranges::all_of(outer_spec.extras,
                                         [&](const Spec& spec) { return is_passed(spec, inner_spec.extras); });
        for (std::size_t j = 0; j < outer_spec.observations.size(); ++j) {
            const auto same = std::ranges::find(inner_spec.observations, outer_spec.observations[j].key, &Spec::key);
            if (same == inner_spec.observations.end() || !is_passed(outer_spec.observations[j], {*same})) {
                shares_all = false;
                continue;
            }
            const auto i = static_cast<std::size_t>(same - inner_spec.observations.begin());
            shared_observations.push_back(j);
            if (inner.finals[i].at(0, 0) != outer.finals[j].at(0, 0)) {
                copied_finals.emplace_back(inner.finals[i], outer.finals[j]);
            }
        }
    }

    std::vector<std::unique_ptr<OwnColumn>> own_;
};

}  // namespace TENON_SDK
}  // namespace tenon
