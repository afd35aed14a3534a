// SPDX-License-Identifier: Apache-2.0
// Parameters read after a stage of the same update: as if the stages were updates of their own, one after the other.
#include <algorithm>

#include "gradients.hpp"
#include "support/catch.hpp"

namespace after_test {

using namespace tenon;
using namespace tenon::test;

namespace {

Plan plan(const std::string& objective) {
    const Options body = {{"hidden", std::vector<std::int64_t>{5}}};
    return {.columns = {real_column("observation", {3}), bounded_column("action", {-1, -1}, {1, 2}),
                        real_column("next.reward")},
            .networks = {{.role = "actor", .component = "mlp/tanh_normal", .options = body},
                         {.role = "qvalue", .component = "mlp/q", .options = body}},
            .objective = objective,
            .options = {},
            .lr = 0.01,
            .target = {.kind = "soft", .tau = 0.25, .every = 1},
            .clip_norm = 0.7};
}

struct Run {
    Assembly assembly;
    std::int64_t updates = 0;

    explicit Run(const std::string& objective, std::int64_t critic_every = 1) : assembly(plan(objective)) {
        assembly.build();
        assembly.stages[0].every = critic_every;
        assembly.load();
    }

    Outcome step() {
        const FilledBatch batch(assembly.columns(), {.rows = 9}, static_cast<std::uint64_t>(100 + updates));
        return assembly.run(batch, {.updates = static_cast<double>(updates++)});
    }

    std::vector<double> live(std::string_view role) {
        return numbers(assembly.network(role), assembly.network(role).live);
    }
    std::vector<double> target(std::string_view role) {
        return numbers(assembly.network(role), assembly.network(role).target);
    }
};

void put_live(Run& run, std::string_view role, const std::vector<double>& values) {
    set_numbers(run.assembly.network(role), run.assembly.network(role).live, values);
}

void put_target(Run& run, std::string_view role, const std::vector<double>& values) {
    set_numbers(run.assembly.network(role), run.assembly.network(role).target, values);
}

}  // namespace

TEST_CASE("an actor that reads the critic after its stage equals two updates one after the other") {
    for (const std::int64_t critic_every : {1, 2}) {
        Run both("test/ReadsAfter", critic_every);
        Run critic("test/CriticAlone");
        Run actor("test/ActorAlone");
        for (int update = 0; update < 6; ++update) {
            CAPTURE(critic_every, update);
            if (update % critic_every == 0) {
                critic.updates = update;
                critic.step();
            }
            put_live(actor, "qvalue", critic.live("qvalue"));
            const Outcome by_hand = actor.step();
            const Outcome outcome = both.step();
            CHECK(both.live("qvalue") == critic.live("qvalue"));
            CHECK(both.live("actor") == actor.live("actor"));
            CHECK(outcome.losses.at("actor.climb") == by_hand.losses.at("actor.climb"));
            CHECK(outcome.metrics.at("seen") == by_hand.metrics.at("seen"));
        }
    }
}

TEST_CASE("an actor that reads the critic as of the start does not") {
    Run start("test/ReadsStart");
    Run after("test/ReadsAfter");
    Run critic("test/CriticAlone");
    Run actor("test/ActorAlone");
    for (int update = 0; update < 3; ++update) {
        put_live(actor, "qvalue", critic.live("qvalue"));
        actor.step();
        critic.step();
        start.step();
        after.step();
        CHECK(start.live("qvalue") == critic.live("qvalue"));
        CHECK(start.live("actor") == actor.live("actor"));
        CHECK(start.live("actor") != after.live("actor"));
    }
}

TEST_CASE("after a stage the target is read as it has moved") {
    Run both("test/ReadsTargetAfter");
    Run actor("test/ActorOfTarget");
    for (int update = 0; update < 4; ++update) {
        const std::vector<double> before = both.target("qvalue");
        const Outcome outcome = both.step();
        CHECK(both.target("qvalue") != before);
        put_target(actor, "qvalue", both.target("qvalue"));
        const Outcome by_hand = actor.step();
        CHECK(outcome.losses.at("actor.climb") == by_hand.losses.at("actor.climb"));
        CHECK(both.live("actor") == actor.live("actor"));
    }
}

}  // namespace after_test
