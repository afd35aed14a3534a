// SPDX-License-Identifier: Apache-2.0
// [schedule]: paths in three notations, what a schedule needs, and what may move at all.
#include <string>
#include <vector>

#include "written.hpp"

namespace {

std::string sentence(const std::string& line) {
    const Written seen = written(kLeast + "[optimiser.critic]\nlr = 1\n[schedule]\n" + line + "\n");
    CAPTURE(seen.problems, line);
    REQUIRE(seen.problems.size() == 1);
    CHECK(seen.manifest.schedules.empty());
    const std::string& text = seen.problems[0];
    return text.substr(0, text.find('\n', text.find('\n') + 1));  // the sentence and the place
}

}  // namespace

TEST_CASE("the path of a schedule is quoted, dotted or nested") {
    for (const char* text : {"[schedule]\n\"exploration.epsilon\" = { from = 1, to = 0.04, fraction = 0.16 }\n",
                             "[schedule]\nexploration.epsilon = { from = 1, to = 0.04, fraction = 0.16 }\n",
                             "[schedule.exploration.epsilon]\nfrom = 1\nto = 0.04\nfraction = 0.16\n"}) {
        const Written seen = written(kLeast + text);
        CAPTURE(text, seen.problems);
        REQUIRE(seen.manifest.schedules.size() == 1);
        const tenon::ScheduleTable& schedule = seen.manifest.schedules[0];
        CHECK(schedule.option == "exploration.epsilon");
        CHECK(schedule.kind == "linear");
        CHECK(schedule.from == 1.0);
        CHECK(schedule.to == 0.04);
        CHECK(schedule.fraction == 0.16);
        CHECK_FALSE(schedule.frames);
    }
}

TEST_CASE("live options of the manifest's own and options of components may move") {
    const Written seen = written(kLeast +
                                 "[optimiser.critic]\nlr = 1\n[schedule]\n"
                                 "optimiser.lr = { from = 1, to = 0, frames = 10 }\n"
                                 "optimiser.critic.lr = { from = 1, to = 0, updates = 10 }\n"
                                 "policy.a.temperature = { kind = \"constant\", from = 2 }\n"
                                 "env.gravity = { from = 1, to = 9.8, frames = 10 }\n"
                                 "\"objective.0.clip\" = { from = 1, to = 9.8, frames = 10 }\n");
    CHECK(seen.problems == std::vector<std::string>{});
    REQUIRE(seen.manifest.schedules.size() == 5);
    CHECK(seen.manifest.schedules[1].option == "optimiser.critic.lr");
    CHECK(seen.manifest.schedules[1].updates == 10);
    CHECK(seen.manifest.schedules[2].kind == "constant");
    CHECK(seen.manifest.schedules[4].option == "objective.0.clip");
}

TEST_CASE("what holds for the whole run cannot be scheduled") {
    const std::string how = " = { from = 1, to = 2, frames = 10 }";
    CHECK(sentence("train.batch" + how) ==
          "error: train.batch cannot be scheduled: it holds for the whole run\n --> m.toml:10:7");
    CHECK(sentence("optimiser.critic.eps" + how) ==
          "error: optimiser.critic.eps cannot be scheduled: it holds for the whole run\n --> m.toml:10:18");
    CHECK(sentence("policy.a.count" + how) ==
          "error: policy.a.count cannot be scheduled: it holds for the whole run\n --> m.toml:10:10");
    CHECK(sentence("env.lanes" + how) ==
          "error: env.lanes cannot be scheduled: it holds for the whole run\n --> m.toml:10:5");
}

TEST_CASE("what is not there cannot be scheduled") {
    const std::string how = " = { from = 1, to = 2, frames = 10 }";
    CHECK(sentence("optimiser.lrr" + how) ==
          "error: there is no option 'optimiser.lrr' to schedule; did you mean 'lr'?\n --> m.toml:10:11");
    CHECK(sentence("explration.epsilon" + how) ==
          "error: there is no option 'explration.epsilon' to schedule; did you mean 'exploration'?\n --> m.toml:10:12");
    CHECK(sentence("lr" + how) == "error: there is no option 'lr' to schedule\n --> m.toml:10:1");
    CHECK(sentence("optimiser.actor.lr" + how) ==
          "error: there is no option 'optimiser.actor.lr' to schedule\n --> m.toml:10:17");
}

TEST_CASE("a schedule needs its ends and one length") {
    CHECK(sentence("optimiser.lr = {}") == "error: schedule.optimiser.lr.from must be given\n --> m.toml:10:16");
    CHECK(sentence("optimiser.lr = 3") ==
          "error: schedule.optimiser.lr must be a table, and is an int\n --> m.toml:10:16");
    CHECK(sentence("optimiser.lr = { from = 1, frames = 3 }") ==
          "error: schedule.optimiser.lr.to must be given\n --> m.toml:10:16");
    CHECK(sentence("optimiser.lr = { from = 1, to = 0 }") ==
          "error: schedule.optimiser.lr needs one of 'frames', 'updates' and 'fraction', and has none\n --> "
          "m.toml:10:16");
    CHECK(sentence("optimiser.lr = { from = 1, to = 0, frames = 1, fraction = 1 }") ==
          "error: schedule.optimiser.lr needs one of 'frames', 'updates' and 'fraction', and has 2\n --> m.toml:10:16");
    CHECK(sentence("optimiser.lr = { kind = \"constant\", from = 1, to = 0 }") ==
          "error: schedule.optimiser.lr is constant: it needs 'from' and nothing else\n --> m.toml:10:16");
    CHECK(sentence("optimiser.lr = { from = 1, to = 0, frame = 10, frames = 10 }") ==
          "error: unknown key 'schedule.optimiser.lr.frame'; did you mean 'frames'?\n --> m.toml:10:36");
    CHECK(sentence("optimiser.lr = { from = 1, to = 0, fraction = 1.5 }") ==
          "error: schedule.optimiser.lr.fraction must be in (0,1], and is 1.5\n --> m.toml:10:47");
}

TEST_CASE("a schedule stays within the range of its option") {
    CHECK(sentence("optimiser.lr = { from = 1, to = -1, frames = 3 }") ==
          "error: schedule.optimiser.lr goes to -1.0, outside of [0,inf)\n --> m.toml:10:11");
    CHECK(sentence("optimiser.lr = { kind = \"constant\", from = -2 }") ==
          "error: schedule.optimiser.lr begins at -2.0, outside of [0,inf)\n --> m.toml:10:11");
}

TEST_CASE("an option has one schedule") {
    const Written seen = written(kLeast +
                                 "[schedule]\n\"optimiser.lr\" = { from = 1, to = 0, frames = 10 }\n"
                                 "optimiser.lr = { from = 1, to = 0, frames = 10 }\n");
    REQUIRE(seen.problems.size() == 1);
    CHECK_THAT(seen.problems[0],
               Catch::Matchers::StartsWith("error: optimiser.lr has two schedules\n --> m.toml:9:11\n"));
    CHECK_THAT(seen.problems[0], Catch::Matchers::ContainsSubstring("\n --> m.toml:8:1\n"));
}
