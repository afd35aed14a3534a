// SPDX-License-Identifier: Apache-2.0
// Compares the transforms of rewards, actions and episodes with TorchRL's (golden/rewards.txt).
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "actions/action_clip.hpp"
#include "actions/action_discretise.hpp"
#include "actions/action_flatten.hpp"
#include "actions/action_project.hpp"
#include "episodes/primer.hpp"
#include "episodes/terminate.hpp"
#include "episodes/trajectory_counter.hpp"
#include "rewards/reward_binarise.hpp"
#include "rewards/reward_linearise.hpp"
#include "rewards/reward_success.hpp"
#include "rewards/target_return.hpp"
#include "support/catch.hpp"
#include "support/option_lists.hpp"
#include "support/transform_rig.hpp"

namespace golden_rewards_test {

using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;
using tenon::test::TransformRig;
using tenon::test::with_role;

namespace {

using Row = std::vector<double>;

std::vector<Row> golden(const std::string& wanted) {
    std::vector<Row> out;
    std::ifstream file(TENON_GOLDEN_DIR "/rewards.txt");
    REQUIRE(file.is_open());
    for (std::string line; std::getline(file, line);) {
        std::istringstream in(line);
        std::string name;
        in >> name;
        if (name == wanted) {
            Row& row = out.emplace_back();
            for (double x = 0; in >> x;) {
                row.push_back(x);
            }
        }
    }
    REQUIRE_FALSE(out.empty());
    return out;
}

std::vector<tenon::Spec> specs(tenon::Spec action = tenon::bounded("action", {2}, {-2, 0}, {2, 10}),
                               tenon::Spec reward = tenon::unbounded("reward", {}, TN_F64)) {
    return {with_role(TN_ROLE_OBSERVATION, tenon::unbounded("observation", {1}, TN_F64)),
            with_role(TN_ROLE_OBSERVATION, tenon::binary("success", {})), with_role(TN_ROLE_ACTION, std::move(action)),
            with_role(TN_ROLE_REWARD, std::move(reward))};
}

// Takes each of the steps with a rig, and the reset after an episode's end.
template <class Read>
void play(TransformRig& rig, const std::vector<Row>& rows, Read read) {
    rig.reset(0);
    for (std::uint32_t t = 0; t < rows.size(); ++t) {
        const bool done = rows[t][1] != 0;
        rig.inner.at<double>("reward", t, 0) = rows[t][0];
        rig.flags(t, 0, done);
        const double before = read(t, false);
        rig.step(t);
        CAPTURE(t);
        CHECK_THAT(before, WithinRel(rows[t][2], 1e-6));
        CHECK_THAT(read(done ? t : t + 1, done), WithinRel(rows[t][3], 1e-6));
        if (done) {
            rig.reset(t + 1);
        }
    }
    CHECK(rig.canaries_intact());
}

template <class E>
void expect_column(TransformRig& rig, const std::string& name, const std::string& key) {
    play(rig, golden(name), [&](std::uint32_t slot, bool is_final) {
        return static_cast<double>(rig.out<E>(is_final ? "next." + key : key, slot, 0));
    });
}

}  // namespace

TEST_CASE("reward_binarise equals BinarizeReward") {
    TransformRig rig(tenon::transform<RewardBinarise>("reward_binarise", "0 or 1"), specs(), 2, 1);
    CHECK(rig.spec("reward").high == std::vector{1.0});
    for (const Row& row : golden("binarise")) {
        rig.inner.at<double>("reward", 0, 0) = row[0];
        rig.step(0);
        CHECK(rig.out<double>("reward", 0, 0) == row[1]);
    }
}

TEST_CASE("reward_linearise equals LineariseRewards, and so do its bounds") {
    const std::vector<double> weights = {0.5, -2, 1.25};
    const auto weigh = [&](auto& options) {
        options["weights"].reals = weights.data();
        options["weights"].count = weights.size();
    };
    constexpr auto kLinearise = tenon::transform<RewardLinearise>("reward_linearise", "sums");
    TransformRig rig(kLinearise, specs(tenon::categorical("action", 2), tenon::unbounded("reward", {3}, TN_F64)), 2, 1,
                     weigh);
    CHECK(rig.spec("reward").shape.empty());
    for (const Row& row : golden("linearise")) {
        for (std::size_t i = 0; i < 3; ++i) {
            rig.inner.at<double>("reward", 0, 0, i) = row[i];
        }
        rig.step(0);
        CHECK_THAT(rig.out<double>("reward", 0, 0), WithinRel(row[3], 1e-15));
    }
    const TransformRig bounds(
        kLinearise, specs(tenon::categorical("action", 2), tenon::bounded("reward", {3}, {-1, -2, 0}, {3, 5, 7})), 2, 1,
        weigh);
    const Row row = golden("linearise_bounds")[0];
    CHECK(bounds.spec("reward").low == std::vector{row[0]});
    CHECK(bounds.spec("reward").high == std::vector{row[1]});
}

TEST_CASE("reward_success equals SuccessReward") {
    TransformRig rig(tenon::transform<RewardSuccess>("reward_success", "0 or a number"), specs(), 4, 1,
                     [](auto& options) { options["scale"].real = 2.5; });
    CHECK(rig.spec("reward").high == std::vector{2.5});
    for (const Row& row : golden("success")) {
        for (const bool done : {false, true}) {
            rig.flags(0, 0, done);
            rig.inner.at<bool>(done ? "next.success" : "success", done ? 0 : 1, 0) = row[0] != 0;
            rig.step(0);
            CHECK(rig.out<double>("reward", 0, 0) == row[1]);
        }
    }
}

TEST_CASE("target_return equals TargetReturn, as a float32") {
    for (const std::string mode : {"reduce", "constant"}) {
        TransformRig rig(tenon::transform<TargetReturn>("target_return", "what is left"), specs(), 31, 1,
                         [&](auto& options) {
                             options["target"].real = 20;
                             options["mode"].text = tenon::to_str(mode);
                         });
        expect_column<float>(rig, "target_" + mode, "target_return");
    }
}

TEST_CASE("trajectory_counter equals TrajCounter of one env") {
    TransformRig rig(tenon::transform<TrajectoryCounter>("trajectory_counter", "numbers"), specs(), 31, 1);
    expect_column<std::int64_t>(rig, "trajectory", "traj_count");
}

TEST_CASE("primer equals TensorDictPrimer") {
    TransformRig rig(tenon::transform<Primer>("primer", "numbers"), specs(), 31, 1, [](auto& options) {
        options["column"].text = tenon::to_str("skill");
        options["value"].real = 1.5;
    });
    expect_column<float>(rig, "primer", "skill");
}

TEST_CASE("terminate equals TerminateTransform") {
    TransformRig rig(tenon::transform<Terminate>("terminate", "ends"), specs(), 31, 1, [](auto& options) {
        options["column"].text = tenon::to_str("observation");
        options["when"].text = tenon::to_str("below");
        options["value"].real = -7;
    });
    const std::vector<Row> rows = golden("terminate");
    REQUIRE(rows.size() == 7);
    for (std::uint32_t t = 0; t < rows.size(); ++t) {
        const bool done = rows[t][1] != 0;
        rig.inner.at<double>(done ? "next.observation" : "observation", done ? t : t + 1, 0) = rows[t][0];
        rig.flags(t, 0, done);
        rig.step(t);
        CHECK(rig.inner.at<bool>("terminated", t, 0) == (rows[t][2] != 0));
        CHECK_FALSE(rig.inner.at<bool>("truncated", t, 0));
    }
}

TEST_CASE("action_discretise equals ActionDiscretizer") {
    const std::vector<std::int64_t> counts = {4, 3};
    for (const std::string take : {"median", "low", "high"}) {
        TransformRig rig(tenon::transform<ActionDiscretise>("action_discretise", "chooses"), specs(), 1, 1,
                         [&](auto& options) {
                             options["take"].text = tenon::to_str(take);
                             options["intervals"].integers = counts.data();
                             options["intervals"].count = counts.size();
                         });
        CHECK(rig.spec("action").categories == counts);
        for (const Row& row : golden("discretise_" + take)) {
            for (std::size_t i = 0; i < 2; ++i) {
                rig.out<std::int64_t>("action", 0, 0, i) = static_cast<std::int64_t>(row[i]);
            }
            rig.invert(0);
            for (std::size_t i = 0; i < 2; ++i) {
                CHECK_THAT(double{rig.inner.at<float>("action", 0, 0, i)}, WithinAbs(row[2 + i], 1e-6));
            }
        }
    }
}

TEST_CASE("action_clip equals ClipTransform of an action") {
    const double low = -0.5;
    const double high = 1.5;
    const auto box = tenon::bounded("action", {2}, -2, 2);
    TransformRig rig(tenon::transform<ActionClip>("action_clip", "clips"), specs(box), 1, 1, [&](auto& options) {
        options["low"].reals = &low;
        options["high"].reals = &high;
        options["low"].count = options["high"].count = 1;
    });
    CHECK(rig.spec("action").kind == TN_SPEC_UNBOUNDED);
    for (const Row& row : golden("clip")) {
        for (std::size_t i = 0; i < 2; ++i) {
            rig.out<float>("action", 0, 0, i) = static_cast<float>(row[i]);
        }
        rig.invert(0);
        for (std::size_t i = 0; i < 2; ++i) {
            CHECK(double{rig.inner.at<float>("action", 0, 0, i)} == row[2 + i]);
        }
    }
}

TEST_CASE("action_flatten equals FlattenAction") {
    const tenon::test::Words columns({"action"});
    TransformRig rig(tenon::transform<ActionFlatten>("action_flatten", "flattens"),
                     specs(tenon::bounded("action", {2, 2}, -1, 1)), 1, 1,
                     [&](auto& options) { columns.into(options["columns"]); });
    CHECK(rig.spec("action").shape == tenon::Shape{4});
    const Row row = golden("flatten")[0];
    for (std::size_t i = 0; i < 4; ++i) {
        rig.out<float>("action", 0, 0, i) = static_cast<float>(row[i]);
    }
    rig.invert(0);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(double{rig.inner.at<float>("action", 0, 0, i)} == row[4 + i]);
    }
}

TEST_CASE("action_project equals DiscreteActionProjection where the env has the choice") {
    TransformRig rig(tenon::transform<ActionProject>("action_project", "projects"),
                     specs(tenon::categorical("action", 3)), 1, 1,
                     [](auto& options) { options["choices"].integer = 7; });
    CHECK(rig.spec("action").categories == std::vector<std::int64_t>{7});
    for (const Row& row : golden("project")) {
        rig.out<std::int64_t>("action", 0, 0) = static_cast<std::int64_t>(row[0]);
        rig.invert(0);
        CHECK(rig.inner.at<std::int64_t>("action", 0, 0) == static_cast<std::int64_t>(row[1]));
    }
}

}  // namespace golden_rewards_test
