// SPDX-License-Identifier: Apache-2.0
// [schedule]: paths in three notations, what a schedule needs, and what may move at all.
#include <string>
#include <vector>

#include "written.hpp"

namespace schedule_test {

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
        REQUIRE(schedule.pieces.size() == 1);
        CHECK_FALSE(schedule.list);
        CHECK(schedule.pieces[0].kind == "linear");
        CHECK(schedule.pieces[0].from == 1.0);
        CHECK(schedule.pieces[0].to == 0.04);
        CHECK(schedule.pieces[0].fraction == 0.16);
        CHECK_FALSE(schedule.pieces[0].frames);
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
    CHECK(seen.manifest.schedules[1].pieces[0].updates == 10);
    CHECK(seen.manifest.schedules[2].pieces[0].kind == "constant");
    CHECK(seen.manifest.schedules[4].option == "objective.0.clip");
}

TEST_CASE("what holds for the whole run cannot be scheduled") {
    const std::string how = " = { from = 1, to = 2, frames = 10 }";
    CHECK(sentence("train.batch" + how) ==
          "error: train.batch cannot be scheduled: it is fixed for the whole run\n --> m.toml:10:7");
    CHECK(sentence("optimiser.critic.kind" + how) ==
          "error: optimiser.critic.kind cannot be scheduled: it is fixed for the whole run\n --> m.toml:10:18");
    CHECK(sentence("target.every" + how) ==
          "error: target.every cannot be scheduled: it is fixed for the whole run\n --> m.toml:10:8");
    CHECK(sentence("policy.a.count" + how) ==
          "error: policy.a.count cannot be scheduled: it is fixed for the whole run\n --> m.toml:10:10");
    CHECK(sentence("env.lanes" + how) ==
          "error: env.lanes cannot be scheduled: it is fixed for the whole run\n --> m.toml:10:5");
}

TEST_CASE("a key that does not exist cannot be scheduled") {
    const std::string how = " = { from = 1, to = 2, frames = 10 }";
    CHECK(sentence("optimiser.lrr" + how) ==
          "error: there is no option 'optimiser.lrr' to schedule; did you mean 'lr'?\n --> m.toml:10:11");
    CHECK(sentence("explration.epsilon" + how) ==
          "error: there is no option 'explration.epsilon' to schedule; did you mean 'exploration'?\n --> m.toml:10:12");
    CHECK(sentence("lr" + how) == "error: there is no option 'lr' to schedule\n --> m.toml:10:1");
    CHECK(sentence("optimiser.actor.lr" + how) ==
          "error: there is no option 'optimiser.actor.lr' to schedule\n --> m.toml:10:17");
}

TEST_CASE("what is not of the kind cannot be scheduled") {
    const std::string how = " = { from = 1, to = 2, frames = 10 }";
    CHECK(sentence("optimiser.momentum" + how) ==
          "error: optimiser.momentum cannot be scheduled: it is a key of sgd and rmsprop, but this optimiser is adam\n"
          " --> m.toml:10:11");
    CHECK(sentence("optimiser.critic.alpha" + how) ==
          "error: optimiser.critic.alpha cannot be scheduled: it is a key of rmsprop, but this optimiser is adam\n"
          " --> m.toml:10:18");
    CHECK(sentence("target.tau" + how) ==
          "error: target.tau cannot be scheduled: it is a key of soft targets, but target.kind is 'hard'\n"
          " --> m.toml:10:8");
    CHECK(written(kLeast + "[target]\nkind = \"soft\"\n[schedule]\ntarget.tau" + how + "\noptimiser.eps" + how + "\n")
              .problems.empty());
}

TEST_CASE("a schedule has the keys of its kind") {
    CHECK(sentence("optimiser.lr = 3") ==
          "error: schedule.optimiser.lr must be a table or a list of tables, but is an int\n --> m.toml:10:16");
    CHECK(sentence("optimiser.lr = []") ==
          "error: schedule.optimiser.lr must be a table or a list of tables, but is an empty list\n --> m.toml:10:16");
    CHECK(sentence("optimiser.lr = [1]") ==
          "error: schedule.optimiser.lr.0 must be a table, but is an int\n --> m.toml:10:17");
    CHECK(sentence("optimiser.lr = { from = 1, frames = 3 }") ==
          "error: schedule.optimiser.lr.to must be given\n --> m.toml:10:16");
    CHECK(sentence("optimiser.lr = { from = 1, to = 0, frames = 1, fraction = 1 }") ==
          "error: schedule.optimiser.lr must have one of 'frames', 'updates' and 'fraction', but has 2\n"
          " --> m.toml:10:16");
    CHECK(sentence("optimiser.lr = { kind = \"constant\", from = 1, to = 0 }") ==
          "error: schedule.optimiser.lr.to cannot be given: it is a key of linear, cosine and exponential schedules, "
          "but this one is constant\n --> m.toml:10:52");
    CHECK(sentence("optimiser.lr = { kind = \"constant\" }") ==
          "error: schedule.optimiser.lr.from must be given\n --> m.toml:10:16");
    CHECK(sentence("optimiser.lr = { kind = \"step\", factor = 0.5 }") ==
          "error: schedule.optimiser.lr is a step schedule, which needs 'factor' and 'every'\n --> m.toml:10:16");
    CHECK(sentence("optimiser.lr = { to = 0, factor = 0.5 }") ==
          "error: schedule.optimiser.lr.factor cannot be given: it is a key of step schedules, but this one is linear\n"
          " --> m.toml:10:35");
    CHECK(sentence("optimiser.lr = { to = 0, every = 5 }") ==
          "error: schedule.optimiser.lr.every cannot be given: it is a key of step schedules, but this one is linear\n"
          " --> m.toml:10:34");
    CHECK(sentence("optimiser.lr = { from = 1, to = 0, frame = 10, frames = 10 }") ==
          "error: unknown key 'schedule.optimiser.lr.frame'; did you mean 'frames'?\n --> m.toml:10:36");
    CHECK(sentence("optimiser.lr = { from = 1, to = 0, fraction = 1.5 }") ==
          "error: schedule.optimiser.lr.fraction must be in (0,1], but is 1.5\n --> m.toml:10:47");
}

TEST_CASE("a schedule without an end, a beginning or both is whole") {
    const Written seen =
        written(kLeast +
                "[schedule]\noptimiser.lr = { to = 0 }\noptimiser.eps = { kind = \"step\", factor = 0.5, "
                "every = 7 }\n[[schedule.optimiser.beta1]]\nto = 0.8\nframes = 10\n"
                "[[schedule.optimiser.beta1]]\nkind = \"cosine\"\nto = 0.9\n");
    CHECK(seen.problems == std::vector<std::string>{});
    REQUIRE(seen.manifest.schedules.size() == 3);
    CHECK(seen.manifest.schedules[2].list);
    CHECK(seen.manifest.schedules[2].pieces.size() == 2);
}

TEST_CASE("pieces of a schedule follow one another") {
    const std::string first = "optimiser.lr = [{ to = 1, frames = 500 }, ";
    CHECK(sentence("optimiser.lr = [{ to = 1 }, { to = 0, frames = 10 }]") ==
          "error: schedule.optimiser.lr.0 must have an end, because another piece follows it\n --> m.toml:10:17");
    CHECK(sentence(first + "{ to = 0, frames = 500 }]") ==
          "error: schedule.optimiser.lr.1 ends before it begins: the previous piece ends at 500 frames, this one at "
          "500\n --> m.toml:10:43");
    CHECK(sentence(first + "{ to = 0, fraction = 0.25 }]") ==
          "error: schedule.optimiser.lr.1 ends before it begins: the previous piece ends at 500 frames, this one at "
          "250\n --> m.toml:10:43");
    CHECK(sentence(first + "{ to = 0, updates = 1000 }]") ==
          "error: schedule.optimiser.lr.1 must count frames like the piece before it\n --> m.toml:10:43");
    CHECK(sentence("optimiser.lr = [{ to = 1, updates = 5 }, { to = 0, fraction = 1 }]") ==
          "error: schedule.optimiser.lr.1 must count updates like the piece before it\n --> m.toml:10:42");
    CHECK(sentence("optimiser.lr = [{ to = 1, updates = 5 }, { to = 0 }]") ==
          "error: schedule.optimiser.lr.1 must end by 'updates' like the piece before it, because the number of "
          "updates in a run is not known in advance\n --> m.toml:10:42");
    CHECK(sentence(first + "{ from = 1 }]") == "error: schedule.optimiser.lr.1.to must be given\n --> m.toml:10:43");
    const Written seen = written(kLeast + "[schedule]\n" + first + "{ to = 0, fraction = 1 }]\n" +
                                 "optimiser.eps = [{ to = 1, updates = 5 }, { kind = \"constant\" }]\n");
    CHECK(seen.problems == std::vector<std::string>{});
}

TEST_CASE("a run that is too short for its schedule is none the worse for it") {
    const Written seen =
        written(kLeast + "[schedule]\noptimiser.lr = [{ to = 1, frames = 5000 }, { to = 0, fraction = 1 }]\n");
    CHECK(seen.problems == std::vector<std::string>{});
}

TEST_CASE("an option has one schedule") {
    const Written seen = written(kLeast +
                                 "[schedule]\n\"optimiser.lr\" = { from = 1, to = 0, frames = 10 }\n"
                                 "optimiser.lr = { from = 1, to = 0, frames = 10 }\n");
    REQUIRE(seen.problems.size() == 1);
    CHECK_THAT(seen.problems[0],
               Catch::Matchers::StartsWith("error: optimiser.lr has two schedules\n --> m.toml:9:11\n"));
    CHECK_THAT(seen.problems[0], Catch::Matchers::ContainsSubstring("\n --> m.toml:8:1\n"));
    CHECK_THAT(seen.problems[0], Catch::Matchers::EndsWith("put the option in quotes: schedule.\"optimiser.lr\""));
}

}  // namespace schedule_test
