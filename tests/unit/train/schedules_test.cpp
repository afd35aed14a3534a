// SPDX-License-Identifier: Apache-2.0
// [schedule] as the run moves by it.
#include "train/plan/schedules.hpp"

#include <string>
#include <vector>

#include "manifest_of.hpp"

namespace schedules_test {

using namespace tenon;

namespace {

using test::manifest_of;

Schedule schedule_from(const std::string& value, double own = 7) {
    const Manifest manifest = manifest_of("[schedule]\nobjective.x = " + value + "\n");
    return make_schedule(manifest, manifest.schedules.at(0), own, 3);
}

std::vector<double> values(const Schedule& schedule, const std::vector<double>& times) {
    std::vector<double> out;
    for (const double time : times) {
        out.push_back(value_at(schedule, time));
    }
    return out;
}

// The sentences and places of what is wrong with the schedule of an option in [0,10].
std::vector<std::string> complaints(const std::string& value, double own = 7) {
    const Manifest manifest = manifest_of("[schedule]\nobjective.x = " + value + "\n");
    OptionSchema option;
    option.range = "[0,10]";
    Problems problems;
    check_schedule(manifest, manifest.schedules.at(0), option, own, problems);
    std::vector<std::string> out;
    for (const Problem& problem : problems) {
        out.push_back(std::to_string(problem.place.column) + ": " + problem.sentence);
    }
    return out;
}

using List = std::vector<double>;
using Texts = std::vector<std::string>;

TEST_CASE("a schedule begins where the option is and ends with the run") {
    const Schedule schedule = schedule_from("{ to = 0 }");
    CHECK(schedule.index == 3);
    CHECK_FALSE(schedule.by_updates);
    CHECK(values(schedule, {0, 500, 1000, 2000}) == List{7, 3.5, 0, 0});
    CHECK(values(schedule_from("{ from = 2, to = 4, fraction = 0.5 }"), {0, 250, 500, 600}) == List{2, 3, 4, 4});
    CHECK(schedule_from("{ to = 4, updates = 10 }").by_updates);
    CHECK(values(schedule_from("{ kind = \"constant\", from = 2 }"), {0, 1e9}) == List{2, 2});
}

TEST_CASE("a piece begins where the one before ended") {
    const std::string warm_up = "[{ from = 0, to = 8, frames = 100 }, ";
    CHECK(values(schedule_from(warm_up + "{ to = 0, fraction = 0.5 }]"), {0, 50, 100, 300, 500, 900}) ==
          List{0, 4, 8, 4, 0, 0});
    CHECK(values(schedule_from(warm_up + "{ kind = \"constant\", frames = 200 }, { to = 0 }]"), {200, 600, 1000}) ==
          List{8, 4, 0});
    CHECK(values(schedule_from(warm_up + "{ kind = \"step\", factor = 0.5, every = 100, frames = 300 }, "
                                         "{ kind = \"constant\" }]"),
                 {199, 200, 300, 999}) == List{8, 4, 2, 2});
    const Schedule updates = schedule_from("[{ to = 8, updates = 10 }, { kind = \"constant\" }]");
    CHECK(updates.by_updates);
    CHECK(value_at(updates, 1e12) == 8);
}

TEST_CASE("a run that ends before its schedule follows it as far as it goes") {
    CHECK(values(schedule_from("[{ from = 0, to = 8, frames = 4000 }, { to = 0 }]"), {0, 1000}) == List{0, 2});
    CHECK(values(schedule_from("[{ from = 0, to = 8, frames = 4000 }, { to = 0, fraction = 0.5 }]"), {0, 1000}) ==
          List{0, 2});
}

TEST_CASE("every end of every piece is in the option's range") {
    CHECK(complaints("{ to = 0 }").empty());
    CHECK(complaints("{ from = 11, to = -1 }") == Texts{"24: schedule.objective.x begins at 11.0, outside [0,10]",
                                                        "33: schedule.objective.x goes to -1.0, outside [0,10]"});
    CHECK(complaints("[{ to = 8, frames = 10 }, { to = 12 }]") ==
          Texts{"48: schedule.objective.x.1 goes to 12.0, outside [0,10]"});
    CHECK(complaints("{ kind = \"step\", from = 1, factor = 2, every = 250 }") ==
          Texts{"15: schedule.objective.x goes to 16.0, outside [0,10]"});
    CHECK(complaints("{ kind = \"constant\", from = 12 }").size() == 2);
}

TEST_CASE("an exponential schedule cannot reach or leave 0") {
    CHECK(complaints("{ kind = \"exponential\", to = 1e-3 }").empty());
    CHECK(complaints("{ kind = \"exponential\", to = 0 }") ==
          Texts{"15: schedule.objective.x is exponential from 7.0 to 0.0; both must be above 0"});
    CHECK(complaints("{ kind = \"exponential\", to = 1 }", 0) ==
          Texts{"15: schedule.objective.x is exponential from 0.0 to 1.0; both must be above 0"});
}

}  // namespace
}  // namespace schedules_test
