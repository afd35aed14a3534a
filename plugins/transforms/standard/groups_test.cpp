// SPDX-License-Identifier: Apache-2.0
// Transforms of a group's columns: what each agent gets is what the same transform makes of it alone. A group of three
// agents in two lanes equals one agent in six lanes, whose statistics are also those of all of them.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "actions/action_clip.hpp"
#include "actions/action_discretise.hpp"
#include "actions/action_flatten.hpp"
#include "actions/action_project.hpp"
#include "actions/action_scale.hpp"
#include "columns/cast.hpp"
#include "columns/rename.hpp"
#include "episodes/action_mask.hpp"
#include "episodes/previous_action.hpp"
#include "episodes/primer.hpp"
#include "episodes/terminate.hpp"
#include "images/centre_crop.hpp"
#include "images/crop.hpp"
#include "images/grey.hpp"
#include "images/random_crop.hpp"
#include "images/resize.hpp"
#include "observations/cat_columns.hpp"
#include "observations/denormalise.hpp"
#include "observations/flatten.hpp"
#include "observations/frame_stack.hpp"
#include "observations/observation_delta.hpp"
#include "observations/observation_norm.hpp"
#include "observations/observation_scale.hpp"
#include "observations/select_indices.hpp"
#include "observations/time_max_pool.hpp"
#include "rewards/reward_binarise.hpp"
#include "rewards/reward_clip.hpp"
#include "rewards/reward_linearise.hpp"
#include "rewards/reward_norm.hpp"
#include "rewards/reward_scale.hpp"
#include "rewards/reward_sign.hpp"
#include "rewards/reward_sum.hpp"
#include "support/catch.hpp"
#include "support/transform_rig.hpp"
#include "tenon/arithmetic.hpp"

namespace groups_test {

using Catch::Matchers::ContainsSubstring;
using tenon::Spec;
using tenon::test::refusal;
using tenon::test::TransformRig;
using tenon::test::with_role;

namespace {

constexpr std::uint32_t kAgents = 3;
constexpr std::uint32_t kLanes = 2;
constexpr std::uint32_t kSlots = 6;

// Options whose keys are below a group, or as they stand.
class Settings {
public:
    explicit Settings(bool grouped) : below_(grouped ? "agents." : "") {}

    void bind(tenon::test::OptionTable& options) { options_ = &options; }
    tn_option_value& operator[](std::string_view name) { return (*options_)[name]; }
    void key(std::string_view option, std::string_view key) { (*this)[option].text = text(key); }
    void keys(std::string_view option, std::initializer_list<std::string_view> keys) {
        std::vector<tn_str>& list = lists_.emplace_back();
        for (const std::string_view key : keys) {
            list.push_back(text(key));
        }
        (*this)[option].texts = list.data();
        (*this)[option].count = list.size();
    }
    void integers(std::string_view option, std::initializer_list<std::int64_t> numbers) {
        integers_.emplace_back(numbers);
        (*this)[option].integers = integers_.back().data();
        (*this)[option].count = numbers.size();
    }
    void reals(std::string_view option, std::initializer_list<double> numbers) {
        reals_.emplace_back(numbers);
        (*this)[option].reals = reals_.back().data();
        (*this)[option].count = numbers.size();
    }

private:
    tn_str text(std::string_view key) { return tenon::to_str(texts_.emplace_back(below_ + std::string(key))); }

    std::string below_;
    tenon::test::OptionTable* options_ = nullptr;
    std::deque<std::string> texts_;
    std::deque<std::vector<tn_str>> lists_;
    std::deque<std::vector<std::int64_t>> integers_;
    std::deque<std::vector<double>> reals_;
};

using Change = std::function<void(Settings&)>;

std::vector<Spec> of_group(std::vector<Spec> specs) {
    for (Spec& spec : specs) {
        spec = tenon::of_group("agents", kAgents, spec);
    }
    return specs;
}

// Small numbers that suit the column.
void fill(std::span<unsigned char> row, const Spec& spec, std::uint32_t seed) {
    tenon::with_dtype(spec.dtype, [&](auto zero) {
        auto* const elements = reinterpret_cast<decltype(zero)*>(row.data());
        for (std::size_t i = 0; i < row.size() / sizeof zero; ++i) {
            const std::uint32_t drawn = (seed * 2654435761U + static_cast<std::uint32_t>(i) * 40503U) >> 7;
            const auto choice = static_cast<double>(
                drawn % static_cast<std::uint32_t>(spec.categories.empty() ? 2 : spec.categories.front()));
            const bool is_number = spec.kind == TN_SPEC_BOUNDED || spec.kind == TN_SPEC_UNBOUNDED;
            const double number = spec.dtype == TN_U8 ? drawn % 256 : static_cast<double>(drawn % 2000) / 500 - 2;
            elements[i] = static_cast<decltype(zero)>(is_number ? number : choice);
        }
    });
}

// Where agent `agent` of lane `lane` is: a part of the lane's row, or a lane of its own.
struct Side {
    TransformRig rig;
    std::string below;
    std::uint32_t agents;

    [[nodiscard]] std::string key_of(const std::string& key) const {
        const bool next = key.starts_with("next.");
        return (next ? "next." : "") + below + key.substr(next ? 5 : 0);
    }
    std::span<unsigned char> part(tenon::test::PluginColumns& columns, const std::string& key, std::uint32_t slot,
                                  std::uint32_t of_all) const {
        const auto row = columns.row(key_of(key), slot, of_all / agents);
        return row.subspan(of_all % agents * (row.size() / agents), row.size() / agents);
    }
    void write(const Spec& spec, const std::string& key, std::uint32_t slot, std::uint32_t seed) {
        for (std::uint32_t one = 0; one < kLanes * kAgents; ++one) {
            fill(part(rig.inner, key, slot, one), spec, seed * 31 + slot * 7 + one);
        }
    }
    // The second lane's episode ends with step 2.
    void play(const std::vector<Spec>& specs, const std::vector<Spec>& actions) {
        const auto observe = [&](const std::string& prefix, std::uint32_t slot) {
            for (std::size_t i = 0; i < specs.size(); ++i) {
                if (specs[i].role == TN_ROLE_OBSERVATION) {
                    write(specs[i], prefix + specs[i].key, slot, static_cast<std::uint32_t>(i + prefix.size()));
                }
            }
        };
        observe("", 0);
        rig.reset(0);
        for (std::uint32_t slot = 0; slot + 1 < kSlots; ++slot) {
            for (const Spec& action : actions) {
                for (std::uint32_t one = 0; one < kLanes * kAgents; ++one) {
                    fill(part(rig.outer(key_of(action.key)), action.key, slot, one), action, slot * 5 + one);
                }
            }
            if (!actions.empty()) {
                rig.invert(slot);
            }
            std::vector<std::uint8_t> begins;
            for (std::uint32_t lane = 0; lane < rig.inner.lanes(); ++lane) {
                begins.push_back(slot == 2 && lane * agents >= kAgents ? 1 : 0);
                rig.flags(slot, lane, begins.back() == 1);
            }
            for (std::size_t i = 0; i < specs.size(); ++i) {
                if (specs[i].role == TN_ROLE_REWARD) {
                    write(specs[i], specs[i].key, slot, static_cast<std::uint32_t>(i));
                }
            }
            observe("", slot + 1);
            observe("next.", slot);
            rig.step(slot);
            if (slot == 2) {
                rig.reset(slot + 1, begins);
            }
            if (rig.common != nullptr) {
                rig.gather();
            }
        }
    }
};

template <class Component>
void check_by_agent(const Component& component, const std::vector<Spec>& specs, const Change& change) {
    const auto settings_into = [&](Settings& settings) {
        return [&](auto& options) {
            settings.bind(options);
            change(settings);
        };
    };
    Settings of_one(false);
    Settings of_all(true);
    Side alone{.rig = {component, specs, kSlots, kLanes * kAgents, settings_into(of_one)}, .below = "", .agents = 1};
    Side group{.rig = {component, of_group(specs), kSlots, kLanes, settings_into(of_all)},
               .below = "agents.",
               .agents = kAgents};
    REQUIRE(alone.rig.after.size() == group.rig.after.size());
    std::vector<Spec> actions;
    for (const Spec& spec : alone.rig.after) {
        CAPTURE(spec.key);
        const Spec expected = tenon::of_group("agents", kAgents, spec);
        const Spec& has = group.rig.spec(expected.key);
        CHECK(has.group == "agents");
        CHECK((has.kind == expected.kind && has.role == expected.role && has.dtype == expected.dtype));
        CHECK(has.shape == expected.shape);
        CHECK((has.low == expected.low && has.high == expected.high));
        CHECK(has.categories == expected.categories);
        if (spec.role == TN_ROLE_ACTION) {
            actions.push_back(spec);
        }
    }
    for (Side* side : {&alone, &group}) {
        side->play(specs, group.rig.api->invert == nullptr ? std::vector<Spec>() : actions);
        CHECK(side->rig.canaries_intact());
    }
    const auto check_same = [&](const std::string& key, bool outer) {
        for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
            for (std::uint32_t one = 0; one < kLanes * kAgents; ++one) {
                CAPTURE(key, slot, one);
                const auto row = [&](Side& side) {
                    return side.part(outer ? side.rig.outer(side.key_of(key)) : side.rig.inner, key, slot, one);
                };
                CHECK(std::ranges::equal(row(alone), row(group)));
            }
        }
    };
    for (const Spec& spec : alone.rig.after) {
        check_same(spec.key, true);
        if (spec.role == TN_ROLE_OBSERVATION) {
            check_same("next." + spec.key, true);
        }
    }
    for (const Spec& spec : specs) {
        if (spec.role == TN_ROLE_ACTION) {
            check_same(spec.key, false);  // what the env gets
        }
    }
}

Spec observation(Spec spec) {
    return with_role(TN_ROLE_OBSERVATION, std::move(spec));
}

const std::vector<Spec> kVector = {observation(tenon::bounded("observation", {4}, {-2, -3, -4, -5}, {2, 3, 4, 5}))};
const std::vector<Spec> kReals = {observation(tenon::unbounded("observation", {4}))};
const std::vector<Spec> kMatrix = {observation(tenon::bounded("observation", {2, 3}, -2, 2))};
const std::vector<Spec> kImage = {observation(tenon::bounded("observation", {3, 4, 5}, 0, 255, TN_U8))};
const std::vector<Spec> kReward = {with_role(TN_ROLE_REWARD, tenon::unbounded("reward"))};
const std::vector<Spec> kMove = {with_role(TN_ROLE_ACTION, tenon::bounded("action", {2}, {-1, -2}, {3, 4}))};
const std::vector<Spec> kChoice = {with_role(TN_ROLE_ACTION, tenon::categorical("action", 3))};

template <class T>
constexpr auto kTransform = tenon::transform<T>("it", "a transform");

void observes(Settings& set) {
    set.key("column", "observation");
}
void rewards(Settings& set) {
    set.key("column", "reward");
}
void acts(Settings& set) {
    set.key("column", "action");
}

}  // namespace

TEST_CASE("transforms of observations are of each agent") {
    check_by_agent(kTransform<Flatten>, kMatrix, observes);
    check_by_agent(kTransform<SelectIndices>, kVector, [](Settings& set) {
        observes(set);
        set.integers("indices", {3, 1});
    });
    for (const std::int64_t dim : {0, -1}) {
        check_by_agent(kTransform<FrameStack>, kMatrix, [&](Settings& set) {
            set.keys("columns", {"observation"});
            set["frames"].integer = 2;
            set["dim"].integer = dim;
        });
    }
    check_by_agent(kTransform<TimeMaxPool>, kVector, [](Settings& set) { set.keys("columns", {"observation"}); });
    check_by_agent(kTransform<ObservationScale>, kVector, [](Settings& set) {
        observes(set);
        set.reals("offset", {1, 2, 3, 4});
        set.reals("scale", {0.5, 2, 3, 4});
    });
    check_by_agent(kTransform<ObservationDelta>, kReals, [](Settings& set) {
        observes(set);
        set.key("to", "delta");
    });
    check_by_agent(kTransform<CatColumns>, {kVector[0], observation(tenon::unbounded("speed"))}, [](Settings& set) {
        set.keys("columns", {"speed", "observation"});
        set.key("to", "vector");
    });
    const Spec statistic = observation(tenon::unbounded("observation_mean", {4}));
    Spec deviation = statistic;
    deviation.key = "observation_std";
    check_by_agent(kTransform<Denormalise>, {kReals[0], statistic, deviation}, [](Settings& set) {
        observes(set);
        set.key("to", "raw");
    });
}

TEST_CASE("observation_norm has the statistics of all agents, for each element of what one of them sees") {
    check_by_agent(kTransform<ObservationNorm>, kReals, [](Settings& set) {
        observes(set);
        set["statistics"].integer = 1;
    });
    // together with a column that is of no group
    const auto both = [](auto& options) {
        static const tn_str kKeys[] = {tenon::to_str("agents.observation"), tenon::to_str("state")};
        options["columns"].texts = kKeys;
        options["columns"].count = 2;
    };
    TransformRig rig(kTransform<ObservationNorm>, {of_group(kReals)[0], observation(tenon::unbounded("state", {1}))}, 3,
                     1, both);
    for (const std::uint32_t slot : {0U, 1U}) {
        for (std::size_t i = 0; i < 12; ++i) {
            rig.inner.at<float>("agents.observation", slot, 0, i) = static_cast<float>(i / 4);
        }
        rig.inner.at<float>("state", slot, 0) = slot == 0 ? 5 : 7;
    }
    rig.reset(0);
    rig.gather();
    rig.flags(0, 0, false);
    rig.step(0);
    CHECK(rig.out<float>("agents.observation", 1, 0, 4) == 0);  // 1, the mean of 0, 1 and 2
    CHECK(rig.out<float>("state", 1, 0) == 10);                 // (7 - 5) / 1e-4, clipped
}

TEST_CASE("what a transform tells for exported policies is of all agents") {
    const auto by_offsets = [](auto& options) {
        static const double kOffset[] = {1, 2, 3, 4};
        options["column"].text = tenon::to_str("agents.observation");
        options["offset"].reals = kOffset;
        options["offset"].count = 4;
    };
    const TransformRig rig(kTransform<ObservationScale>, of_group(kReals), 2, 1, by_offsets);
    tn_arithmetic told{};
    told.struct_size = sizeof told;
    const auto* const api = rig.instance.api<tn_arithmetic_api>("tenon.arithmetic/1");
    REQUIRE(api->describe(rig.instance.self(), tenon::to_str("agents.observation"), &told) == TN_OK);
    REQUIRE(told.count == 4 * kAgents);
    for (std::size_t i = 0; i < told.count; ++i) {
        CHECK(told.offset[i] == static_cast<double>(i % 4 + 1));
        CHECK(told.scale[i] == 1);
    }
    const auto stacked = [](auto& options) {
        static const tn_str kKeys[] = {tenon::to_str("agents.observation")};
        options["columns"].texts = kKeys;
        options["columns"].count = 1;
    };
    const TransformRig stack(kTransform<FrameStack>, of_group(kReals), 2, 1, stacked);
    REQUIRE(stack.instance.api<tn_arithmetic_api>("tenon.arithmetic/1")
                ->describe(stack.instance.self(), tenon::to_str("agents.observation"), &told) == TN_OK);
    CHECK((told.frames == 4 && told.pieces == kAgents));
}

TEST_CASE("transforms of images are of each agent's") {
    const auto smaller = [](Settings& set) {
        observes(set);
        set["height"].integer = 2;
        set["width"].integer = 3;
    };
    check_by_agent(kTransform<Crop>, kImage, smaller);
    check_by_agent(kTransform<CentreCrop>, kImage, smaller);
    check_by_agent(kTransform<Resize>, kImage, smaller);
    check_by_agent(kTransform<Grey>, kImage, observes);
    check_by_agent(kTransform<RandomCrop>, kImage, [](Settings& set) {
        observes(set);
        set["pad"].integer = 0;  // one place only: draws are of the lane
    });
}

TEST_CASE("transforms of rewards are of each agent") {
    check_by_agent(kTransform<RewardBinarise>, kReward, rewards);
    check_by_agent(kTransform<RewardClip>, kReward, rewards);
    check_by_agent(kTransform<RewardScale>, kReward, rewards);
    check_by_agent(kTransform<RewardSign>, kReward, rewards);
    check_by_agent(kTransform<RewardNorm>, kReward, rewards);
    check_by_agent(kTransform<RewardLinearise>, {with_role(TN_ROLE_REWARD, tenon::bounded("reward", {2}, 0, 1))},
                   [](Settings& set) {
                       rewards(set);
                       set.reals("weights", {2, -1});
                   });
}

TEST_CASE("transforms of actions are of each agent") {
    check_by_agent(kTransform<ActionClip>, kMove, [](Settings& set) {
        acts(set);
        set.reals("low", {-1, 0});
    });
    check_by_agent(kTransform<ActionScale>, kMove, acts);
    check_by_agent(kTransform<ActionDiscretise>, kMove, acts);
    check_by_agent(kTransform<ActionProject>, kChoice, [](Settings& set) {
        acts(set);
        set["choices"].integer = 5;
        set["instead"].text = tenon::to_str("last");
    });
    check_by_agent(kTransform<ActionFlatten>,
                   {with_role(TN_ROLE_ACTION, tenon::categorical("turn", 3)),
                    with_role(TN_ROLE_ACTION, tenon::categorical("speak", 2))},
                   [](Settings& set) {
                       set.keys("columns", {"turn", "speak"});
                       set.key("to", "action");
                   });
    check_by_agent(kTransform<ActionMask>, {kChoice[0], observation(tenon::bounded("legal", {3}, 0, 1, TN_F32))},
                   [](Settings& set) {
                       set.key("from", "legal");
                       set.key("action", "action");
                   });
}

TEST_CASE("columns of any role are of the group as they were") {
    for (const auto& specs : {kVector, kReward, kMove, kChoice}) {
        check_by_agent(kTransform<Cast>, specs, [&](Settings& set) {
            set.keys("columns", {specs[0].key});
            set["dtype"].text = tenon::to_str("float64");
        });
        check_by_agent(kTransform<Rename>, specs, [&](Settings& set) {
            set.keys("columns", {specs[0].key});
            set.keys("to", {"renamed"});
        });
    }
}

TEST_CASE("bounds of each agent stay where a transform leaves bounds alone, and become the loosest ones elsewhere") {
    const auto own_bounds = [](std::int32_t role, const std::string& key) {
        Spec spec = with_role(role, tenon::of_group("agents", 2, tenon::bounded(key, {2}, {-1, -2}, {1, 2})));
        spec.low = {-1, -2, -3, 0};
        spec.high = {1, 2, 0, 4};
        return spec;
    };
    const auto of = [](const char* column) {
        return [column](auto& options) { options["column"].text = tenon::to_str(column); };
    };
    const auto pool = [](auto& options) {
        static const tn_str kKeys[] = {tenon::to_str("agents.observation")};
        options["columns"].texts = kKeys;
        options["columns"].count = 1;
    };
    const Spec observed = own_bounds(TN_ROLE_OBSERVATION, "observation");
    const TransformRig kept(kTransform<TimeMaxPool>, {observed}, 2, 1, pool);
    CHECK(
        (kept.spec("agents.observation").low == observed.low && kept.spec("agents.observation").high == observed.high));
    const TransformRig loosest(kTransform<RewardScale>, {own_bounds(TN_ROLE_REWARD, "reward")}, 2, 1,
                               of("agents.reward"));
    const std::vector<double> low = {-3 * 0.1, -2 * 0.1, -3 * 0.1, -2 * 0.1};
    CHECK(loosest.spec("agents.reward").low == low);
    CHECK(refusal(kTransform<ActionScale>, {own_bounds(TN_ROLE_ACTION, "action")}, of("agents.action")) ==
          "the bounds of 'agents.action' differ by agent, and this transform needs the same ones for all agents");
}

TEST_CASE("columns that leave their group, or are of no agents, are refused with a sentence") {
    const auto out_of = [](auto& options) {
        static const tn_str kFrom[] = {tenon::to_str("agents.observation")};
        static const tn_str kTo[] = {tenon::to_str("observation")};
        options["columns"].texts = kFrom;
        options["to"].texts = kTo;
        options["columns"].count = options["to"].count = 1;
    };
    CHECK(refusal(kTransform<Rename>, of_group(kReals), out_of) ==
          "'observation' would be a column of the group 'agents', so its key must begin with 'agents.'");
    const std::vector<Spec> mixed = {of_group(kReals)[0], observation(tenon::unbounded("state", {4}))};
    const auto joined = [](auto& options) {
        static const tn_str kKeys[] = {tenon::to_str("agents.observation"), tenon::to_str("state")};
        options["columns"].texts = kKeys;
        options["columns"].count = 2;
    };
    CHECK(refusal(kTransform<CatColumns>, mixed, joined) ==
          "columns 'agents.observation' and 'state' are not of the same agents, so they cannot be one vector");
    const std::vector<Spec> acting = {with_role(TN_ROLE_ACTION, of_group(kChoice)[0]),
                                      with_role(TN_ROLE_ACTION, tenon::categorical("speak", 2))};
    const auto flattened = [](auto& options) {
        static const tn_str kKeys[] = {tenon::to_str("agents.action"), tenon::to_str("speak")};
        options["columns"].texts = kKeys;
        options["columns"].count = 2;
    };
    CHECK(refusal(kTransform<ActionFlatten>, acting, flattened) ==
          "the actions 'agents.action' and 'speak' cannot be one: they are not of the same agents");
    const auto summed = [](auto& options) { options["reward"].text = tenon::to_str("agents.reward"); };
    CHECK_THAT(refusal(kTransform<RewardSum>, of_group(kReward), summed),
               ContainsSubstring("is not a reward of one number per step"));
}

namespace {

constexpr bool kPresent[][kAgents] = {
    {true, true, false}, {true, false, true}, {true, false, true}, {true, true, true}};

// A lane whose second agent leaves with the first step and comes back with the third, and whose third agent comes with
// the first. `left` stands in the rows of absent agents; the others have 1, 3, -, then 4, 6, 2, 3.2, -, 5.2 and 1,
// 7, 2.
std::unique_ptr<TransformRig> come_and_go(const auto& component, const Change& change, float left) {
    Settings settings(true);
    std::vector<Spec> specs = of_group({observation(tenon::unbounded("observation", {1})), kReward[0], kChoice[0],
                                        observation(tenon::binary("present", {}))});
    auto out = std::make_unique<TransformRig>(component, specs, 5, 1, [&](auto& options) {
        settings.bind(options);
        change(settings);
    });
    TransformRig& rig = *out;
    const std::vector<float> seen = {1, 3, left, 4, 6, 2, 3.2F, left, 5.2F, 1, 7, 2};
    const auto observe = [&](std::uint32_t slot) {
        for (std::size_t i = 0; i < kAgents; ++i) {
            rig.inner.at<float>("agents.observation", slot, 0, i) = seen[slot * kAgents + i];
            rig.inner.at<bool>("agents.present", slot, 0, i) = kPresent[slot][i];
        }
    };
    const auto gather = [&] { return rig.common != nullptr ? rig.gather() : void(); };
    observe(0);
    rig.reset(0);
    gather();
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
        for (std::size_t i = 0; i < kAgents; ++i) {
            rig.inner.at<float>("agents.reward", slot, 0, i) = kPresent[slot][i] ? 2 : left;
            rig.inner.at<std::int64_t>("agents.action", slot, 0, i) = kPresent[slot][i] ? 1 : left > 0 ? 2 : 0;
        }
        rig.flags(slot, 0, false);
        observe(slot + 1);
        rig.step(slot);
        gather();
    }
    return out;
}

// The transformed columns do not depend on what stands in the rows of absent agents. Returns those of one run.
std::unique_ptr<TransformRig> check_absent(const auto& component, const Change& change,
                                           std::initializer_list<const char*> keys) {
    std::unique_ptr<TransformRig> made = come_and_go(component, change, -1000);
    const std::unique_ptr<TransformRig> of_more = come_and_go(component, change, 1e6F);
    TransformRig& rig = *made;
    TransformRig& other = *of_more;
    for (std::uint32_t slot = 0; slot < 4; ++slot) {
        for (const std::string key : keys) {
            CAPTURE(key, slot);
            CHECK(std::ranges::equal(rig.outer(key).row(key, slot, 0), other.outer(key).row(key, slot, 0)));
            CHECK(!rig.inner.at<bool>("terminated", slot, 0));
        }
    }
    if (rig.common != nullptr) {
        tenon::test::CommonBytes common;
        tenon::test::CommonBytes of_other;
        REQUIRE(
            (common.save(rig.common, rig.instance) == TN_OK && of_other.save(other.common, other.instance) == TN_OK));
        CHECK(common.bytes == of_other.bytes);
    }
    return made;
}

std::vector<float> row(TransformRig& rig, const std::string& key, std::uint32_t slot) {
    std::vector<float> out;
    for (std::size_t i = 0; i < rig.outer(key).row(key, slot, 0).size() / sizeof(float); ++i) {
        out.push_back(rig.out<float>(key, slot, 0, i));
    }
    return out;
}

}  // namespace

TEST_CASE("what stands in the rows of absent agents changes no byte, and statistics are those of present agents") {
    const auto norm = check_absent(kTransform<ObservationNorm>,
                                   [](Settings& set) {
                                       observes(set);
                                       set["statistics"].integer = 1;
                                   },
                                   {"agents.observation", "agents.observation_mean", "agents.observation_std"});
    CHECK(row(*norm, "agents.observation", 1) == std::vector<float>{2, 4, 0});  // by 1 and 3; the second agent's last
    const auto std = static_cast<float>(std::sqrt(2.96));  // of 1, 3, 4, 6 and 2, whose mean is 3.2
    CHECK(norm->out<float>("agents.observation_std", 2, 0) == std);
    CHECK_THAT(norm->out<float>("agents.observation", 2, 0, 2), Catch::Matchers::WithinAbs(2 / std, 1e-6));
    CHECK(norm->out<float>("agents.observation", 2, 0, 1) == 0);
    CHECK_THAT(norm->out<float>("agents.observation_mean", 3, 0), Catch::Matchers::WithinAbs(24.4 / 7, 1e-6));
    const auto discounted = check_absent(kTransform<RewardNorm>, rewards, {"agents.reward"});
    tenon::test::CommonBytes common;
    REQUIRE(common.save(discounted->common, discounted->instance) == TN_OK);
    RewardNorm::Sums sums;
    REQUIRE(common.bytes.size() >= sizeof sums);
    std::ranges::copy(std::span(common.bytes).last(sizeof sums), reinterpret_cast<unsigned char*>(&sums));
    // discounted sums of rewards of 2: two agents have one reward, one has two, and one of them three
    CHECK_THAT(sums.count, Catch::Matchers::WithinAbs(6 + 1e-4, 1e-12));
    CHECK_THAT(sums.mean * sums.count, Catch::Matchers::WithinAbs(3 * 2 + 2 * 3.98 + 5.9402, 1e-9));
    check_absent(kTransform<RewardScale>, rewards, {"agents.reward"});
    check_absent(kTransform<Terminate>,
                 [](Settings& set) {
                     set.key("column", "reward");
                     set["element"].integer = 2;
                     set["value"].real = 2;
                 },
                 {});
}

TEST_CASE("an agent that comes back begins anew") {
    const auto stacked = [](Settings& set) {
        set.keys("columns", {"observation"});
        set["frames"].integer = 2;
    };
    const auto stack = check_absent(kTransform<FrameStack>, stacked, {"agents.observation"});
    CHECK(row(*stack, "agents.observation", 1) == std::vector<float>{1, 4, 3, 6, 2, 2});
    CHECK(row(*stack, "agents.observation", 3) == std::vector<float>{3.2F, 1, 7, 7, 5.2F, 2});
    const auto pool = check_absent(kTransform<TimeMaxPool>, stacked, {"agents.observation"});
    CHECK(row(*pool, "agents.observation", 3) == std::vector<float>{3.2F, 7, 5.2F});
    const auto delta = check_absent(kTransform<ObservationDelta>,
                                    [](Settings& set) {
                                        observes(set);
                                        set.key("to", "delta");
                                    },
                                    {"agents.delta"});
    CHECK(row(*delta, "agents.delta", 1) == std::vector<float>{3, 3, 0});
    CHECK(row(*delta, "agents.delta", 3) == std::vector<float>{1.0F - 3.2F, 0, 2.0F - 5.2F});
    const auto before = check_absent(kTransform<PreviousAction>,
                                     [](Settings& set) {
                                         set.key("action", "action");
                                         set.key("column", "before");
                                     },
                                     {"agents.before"});
    for (std::size_t i = 0; i < kAgents; ++i) {
        CHECK(before->out<std::int64_t>("agents.before", 1, 0, i) == (i == 2 ? 0 : 1));
        CHECK(before->out<std::int64_t>("agents.before", 3, 0, i) == (i == 1 ? 0 : 1));
    }
}

TEST_CASE("a column that is added below a group's name is of the group") {
    const auto skill = [](auto& options) {
        static const std::int64_t kShape[] = {kAgents, 2};
        options["column"].text = tenon::to_str("agents.skill");
        options["shape"].integers = kShape;
        options["shape"].count = 2;
    };
    const TransformRig rig(kTransform<Primer>, of_group(kReals), 2, 1, skill);
    CHECK(rig.spec("agents.skill").group == "agents");
}

}  // namespace groups_test
