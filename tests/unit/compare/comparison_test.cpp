// SPDX-License-Identifier: Apache-2.0
// Comparisons of made-up runs: groups, metrics, tasks, differences, and runs that are incomplete or damaged.
#include "shared/compare/comparison.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/json/read.hpp"
#include "shared/compare/comparison_output.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace comparison_test {

namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using tenon::compare_runs;
using tenon::CompareRequest;
using tenon::Comparison;
using tenon::test::ScratchFolder;
using tenon::test::spill;

// A run of 200 frames with two evaluations.
void make_run(const fs::path& folder, int seed, double first, double last, const std::string& more = "",
              const std::string& env = "a/A") {
    fs::create_directories(folder);
    spill(folder / "manifest.lock.toml",
          "[run]\nseed = " + std::to_string(seed) + "\ntotal_frames = 200\n[env]\nplugin = \"" + env + "\"\n" + more);
    const auto line = [](int frames, const std::string& score) {
        return "{\"frames\":" + std::to_string(frames) + ",\"rollout/ep_rew_mean\":7,\"eval/mean_reward\":" + score +
               ",\"time/time_elapsed\":" + std::to_string(frames / 10) + "}\n";
    };
    spill(folder / "metrics.jsonl",
          line(50, "null") + line(100, std::to_string(first)) + line(200, std::to_string(last)));
}

Comparison compared(const CompareRequest& request) {
    auto out = compare_runs(request);
    CAPTURE(out ? "" : out.error().sentence);
    REQUIRE(out.has_value());
    return std::move(*out);
}

std::string refusal(const CompareRequest& request) {
    const auto out = compare_runs(request);
    REQUIRE_FALSE(out.has_value());
    CHECK(out.error().fault == tenon::Fault::kInput);
    return out.error().sentence;
}

bool noted(const Comparison& comparison, const std::string& text) {
    return std::ranges::any_of(comparison.notes,
                               [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

}  // namespace

TEST_CASE("folders are groups, their runs are seeds") {
    const ScratchFolder scratch;
    for (int seed = 0; seed < 4; ++seed) {
        make_run(scratch / ("slow/" + std::to_string(seed)), seed, seed, 10 + seed, "[train]\nbatch = 1\n");
        make_run(scratch / ("fast/" + std::to_string(seed)), seed, 30, 20, "[train]\nbatch = 2\n[target]\nevery = 3\n");
    }
    const Comparison c = compared({.folders = {scratch / "slow", scratch / "fast"}});
    CHECK(c.metric == "eval/mean_reward");
    REQUIRE(c.groups.size() == 2);
    CHECK(c.groups[0].name == "slow");
    CHECK(c.groups[0].scores == tenon::Scores{{10, 11, 12, 13}});
    CHECK(c.groups[0].iqm.value == 11.5);
    CHECK(c.groups[0].mean.value == 11.5);
    CHECK(c.groups[0].curve.x == std::vector<double>{100, 200});
    CHECK(c.groups[0].curve.value == std::vector<double>{1.5, 11.5});
    CHECK(c.groups[0].seconds == 80);
    CHECK(c.groups[0].frames == 800);
    CHECK(c.groups[0].profile.front().value == 1);
    CHECK(c.groups[1].profile.front().value == 1);
    CHECK(c.groups[1].profile.back().value == 0);
    REQUIRE(c.pairs.size() == 1);
    CHECK(c.pairs[0].probability.value == 0);
    REQUIRE(c.differences.size() == 2);
    CHECK(c.differences[0].key == "target.every");
    CHECK(c.differences[0].values == std::vector<std::string>{"", "3"});
    CHECK_FALSE(c.differences[0].everywhere);
    CHECK(c.differences[1].values == std::vector<std::string>{"1", "2"});
    CHECK(c.notes.empty());
    CHECK(compared({.folders = {scratch / "fast"}, .at = "best"}).groups[0].iqm.value == 30);
    CHECK(compared({.folders = {scratch / "fast"}, .at = "150"}).groups[0].iqm.value == 30);
    CHECK(compared({.folders = {scratch / "slow"}, .metric = "rollout/ep_rew_mean"}).groups[0].mean.value == 7);
    const Comparison by = compared({.folders = {scratch.path()}, .group_by = "train.batch"});
    REQUIRE(by.groups.size() == 2);
    CHECK(by.groups[0].name == "train.batch=1");
    CHECK(by.groups[1].iqm.value == 20);
    const Comparison gap = compared({.folders = {scratch / "slow"}, .ranges = {{.low = 0, .high = 20}}});
    CHECK(gap.groups[0].gap->value == Catch::Approx(1 - 11.5 / 20));
    make_run(scratch / "slow/4", 4, 1, 2, "[train]\nbatch = 2\n[target]\nevery = 3\n");
    CHECK(noted(compared({.folders = {scratch / "slow", scratch / "fast"}}),
                "the runs of slow differ not only in their seeds: target.every, train.batch"));
}

TEST_CASE("runs that are given themselves, or below one folder, are grouped by their manifests") {
    const ScratchFolder scratch;
    const auto name_and_rate = [](const char* name, const char* rate) {
        return "[optimiser]\nlr = " + std::string(rate) +
               "\n[run.extra]\nx = 1\n[log]\nevery_frames = " + (name[0] == 'a' ? "1" : "2") + "\n";
    };
    for (int seed = 0; seed < 2; ++seed) {
        const std::string filmed = seed == 1 ? "[eval]\nvideo = true\n" : "";
        make_run(scratch / ("one-" + std::to_string(seed)), seed, 0, 1, name_and_rate("a", "0.1") + filmed);
        make_run(scratch / ("two-" + std::to_string(seed)), seed, 0, 2, name_and_rate("b", "0.2"));
    }
    const auto names = [](const Comparison& c) {
        std::vector<std::string> out;
        std::ranges::for_each(
            c.groups, [&](const auto& group) { out.push_back(group.name + " " + std::to_string(group.runs.size())); });
        return out;
    };
    using Names = std::vector<std::string>;
    const Names by_rate{"optimiser.lr=0.1 2", "optimiser.lr=0.2 2"};
    CHECK(names(compared({.folders = {scratch / "one-0", scratch / "one-1", scratch / "two-0", scratch / "two-1"}})) ==
          by_rate);
    CHECK(names(compared({.folders = {scratch.path()}})) == by_rate);
    CHECK(names(compared({.folders = {scratch / "one-0"}})) == Names{"one-0 1"});
    for (const auto& [folder, name] : {std::pair{"one-0", "a"}, {"one-1", "a"}, {"two-0", "b"}, {"two-1", "b"}}) {
        const std::string path = (scratch / folder / "manifest.lock.toml").string();
        spill(path, "[run]\nname = \"" + std::string(name) + "\"\n" + tenon::test::slurp(path).substr(6));
    }
    CHECK(names(compared({.folders = {scratch.path()}})) == Names{"a 2", "b 2"});
    CHECK(names(compared({.folders = {scratch / "one-0"}})) == Names{"a 1"});
    // Runs of a sweep over a range are named by four digits, or by as many as tell them apart.
    make_run(scratch / "sweep/0", 0, 0, 1, name_and_rate("a", "0.0014008370581921155"));
    make_run(scratch / "sweep/1", 0, 0, 1, name_and_rate("a", "0.02"));
    const Names four{"optimiser.lr=0.001401 1", "optimiser.lr=0.02 1"};
    CHECK(names(compared({.folders = {scratch / "sweep"}})) == four);
    CHECK(names(compared({.folders = {scratch / "sweep"}, .group_by = "optimiser.lr"})) == four);
    make_run(scratch / "sweep/2", 0, 0, 1, name_and_rate("a", "0.0014012345"));
    const Names five{"optimiser.lr=0.0014008 1", "optimiser.lr=0.02 1", "optimiser.lr=0.0014012 1"};
    CHECK(names(compared({.folders = {scratch / "sweep"}})) == five);
    // Runs of several tasks are one group, unless a task has several envs.
    fs::create_directory(scratch / "tasks");
    for (const char* env : {"x/X", "y/Y"}) {
        for (const char* rate : {"0.1", "0.2"}) {
            make_run(scratch.path() / "tasks" / (rate + std::string(1, env[0])), 0, 0, 1, name_and_rate("a", rate),
                     env);
        }
    }
    CHECK(names(compared({.folders = {scratch / "tasks"}})) == by_rate);
    make_run(scratch / "tasks/lanes", 0, 0, 1, "lanes = 9\n" + name_and_rate("a", "0.1"), "x/X");
    CHECK(compared({.folders = {scratch / "tasks"}}).groups.size() == 5);
}

TEST_CASE("workers, their machines, prefetching and accepted warnings do not split a group") {
    const ScratchFolder scratch;
    const std::string kind = "[collector]\nkind = \"processes\"\n";
    make_run(scratch / "here", 0, 0, 1, "[buffer]\nprefetch = 1\n" + kind + "workers = 2\n");
    make_run(scratch / "far", 1, 0, 1,
             "[validate]\nallow = [\"horizon\"]\n" + kind + "workers = 4\nvia = [\"ssh a\"]\n[buffer]\nprefetch = 2\n");
    CHECK(compared({.folders = {scratch.path()}}).groups.size() == 1);
    make_run(scratch / "sync", 2, 0, 1, "[collector]\nkind = \"sync\"\n");
    CHECK(compared({.folders = {scratch.path()}}).groups.size() == 2);
}

TEST_CASE("a note names runs that repeat a seed") {
    const ScratchFolder scratch;
    for (const char* run : {"a/0", "b/0", "b/1"}) {
        make_run(scratch / run, run[2] - '0', 0, 1, run[0] == 'a' ? "[log]\nevery_frames = 1\n" : "");
    }
    make_run(scratch / "c/0", 0, 0, 1, "[target]\nevery = 3\n");
    const Comparison both = compared({.folders = {scratch / "a", scratch / "b"}});
    CHECK_FALSE(noted(both, "several runs of one seed"));
    const Comparison c = compared({.folders = {scratch.path()}});
    REQUIRE(c.groups.size() == 2);
    CHECK(noted(c, "has several runs of one seed (" + (scratch / "b/0").string() + " repeats one); each counts"));
    make_run(scratch / "b/again", 1, 0, 1);
    CHECK(noted(compared({.folders = {scratch / "b"}}), "(" + (scratch / "b/again").string() + " repeats one)"));
}

TEST_CASE("groups on the same tasks are compared task by task") {
    const ScratchFolder scratch;
    for (int seed = 0; seed < 2; ++seed) {
        make_run(scratch / ("a/A" + std::to_string(seed)), seed, 0, 1 + seed);
        make_run(scratch / ("a/B" + std::to_string(seed)), seed, 0, 1000, "", "b/B");
        make_run(scratch / ("b/A" + std::to_string(seed)), seed, 0, 3 + 2 * seed);
        make_run(scratch / ("b/B" + std::to_string(seed)), seed, 0, 500 + 100 * seed, "", "b/B");
        make_run(scratch / ("b/C" + std::to_string(seed)), seed, 0, 1, "", "c/C");
        make_run(scratch / ("c/C" + std::to_string(seed)), seed, 0, 1, "", "c/C");
    }
    const Comparison c = compared({.folders = {scratch / "a", scratch / "b"}});
    CHECK(c.tasks == std::vector<std::string>{"a/A", "b/B"});
    CHECK(c.groups[0].scores == tenon::Scores{{0, 0.25}, {1, 1}});
    CHECK(c.groups[1].scores == tenon::Scores{{0.5, 1}, {0, 0.2}});
    CHECK(c.pairs[0].probability.value == 0.5);
    CHECK(noted(c, "left out: c/C"));
    CHECK(noted(c, "are scaled"));
    const Comparison ranged = compared({.folders = {scratch / "a", scratch / "b"},
                                        .ranges = {{.low = 0, .high = 10}, {.task = "b/B", .low = 0, .high = 1000}}});
    CHECK(ranged.groups[0].scores == tenon::Scores{{0.1, 0.2}, {1, 1}});
    CHECK(noted(compared({.folders = {scratch / "a", scratch / "c"}}), "have different tasks (a/A, b/B, c/C)"));
}

TEST_CASE("runs that are damaged, unfinished or empty are noted, and the others go on") {
    const ScratchFolder scratch;
    make_run(scratch / "g/0", 0, 1, 2);
    make_run(scratch / "g/1", 1, 1, 2);
    make_run(scratch / "g/2", 2, 1, 2);
    spill(scratch / "g/1/metrics.jsonl", "{\"frames\":100,\"eval/mean_reward\":5}\n{\"frames\":150,\"ev");
    spill(scratch / "g/1/lock", "7\n");
    spill(scratch / "g/2/metrics.jsonl", "{\"frames\":100,\"eval/mean_reward\":9}\nnonsense\n");
    make_run(scratch / "g/3", 3, 1, 2);
    spill(scratch / "g/3/metrics.jsonl", "{\"frames\":100,\"eval/mean_reward\":null}\n");
    const Comparison c = compared({.folders = {scratch / "g"}, .metric = "eval/mean_reward"});
    CHECK(c.groups[0].scores == tenon::Scores{{2, 5, 9}});
    CHECK(noted(c, "g/1 died; its score is that at 100"));
    CHECK(noted(c, "only the records before the damage are used: record 2 of"));
    CHECK(noted(c, "g/3 is left out: it has no value of eval/mean_reward yet"));
    CHECK(noted(c, "the runs of g end between 100 and 200"));
    CHECK(compared({.folders = {scratch / "g"}}).metric == "rollout/ep_rew_mean");
    fs::create_directory(scratch / "learns");
    spill(scratch / "learns/manifest.lock.toml", "[train]\ntotal_updates = 9\n");
    spill(scratch / "learns/metrics.jsonl", "{\"frames\":0,\"train/n_updates\":9,\"eval/mean_reward\":4}\n");
    const Comparison learns = compared({.folders = {scratch / "learns"}});
    CHECK(learns.counts_updates);
    CHECK(learns.groups[0].curve.x == std::vector<double>{9});
    CHECK(noted(compared({.folders = {scratch / "g", scratch / "learns"}, .metric = "eval/mean_reward"}),
                "some runs count frames and others updates"));
}

TEST_CASE("what cannot be compared is refused with a sentence") {
    const ScratchFolder scratch;
    make_run(scratch / "a", 0, 1, 2);
    fs::create_directory(scratch / "empty");
    CHECK_THAT(refusal({.folders = {scratch / "empty"}}), ContainsSubstring("there is no run in"));
    CHECK_THAT(refusal({.folders = {scratch / "a", scratch / "a"}}), ContainsSubstring("is given twice"));
    CHECK_THAT(refusal({.folders = {scratch / "a"}, .metric = "eval/mean_rewards"}),
               ContainsSubstring("no run has the metric 'eval/mean_rewards'; did you mean 'eval/mean_reward'?"));
    CHECK_THAT(refusal({.folders = {scratch / "a"}, .group_by = "env.plugins"}),
               ContainsSubstring("has no key 'env.plugins'; did you mean 'env.plugin'?"));
    CHECK_THAT(refusal({.folders = {scratch / "a"}, .at = "first"}), ContainsSubstring("--at must be"));
    CHECK_THAT(refusal({.folders = {scratch / "a"}, .at = "10"}), ContainsSubstring("no run has a value"));
    CHECK_THAT(refusal({.folders = {scratch / "a"}, .statistic = "max"}), ContainsSubstring("--statistic must be"));
    CHECK_THAT(refusal({.folders = {scratch / "a"}, .ranges = {{.low = 1, .high = 1}}}),
               ContainsSubstring("HIGH above LOW"));
    CHECK_THAT(refusal({.folders = {scratch / "a"}, .ranges = {{.task = "a/B"}}}),
               ContainsSubstring("which is none of these runs; did you mean 'a/A'?"));
    spill(scratch / "a/plugins.toml", "\"format of the run\" = 9\n");
    CHECK_THAT(refusal({.folders = {scratch / "a"}}), ContainsSubstring("later version"));
}

TEST_CASE("a comparison as JSON and CSV has every run and group") {
    const ScratchFolder scratch;
    make_run(scratch / "a, b/0", 0, 1, 2);
    make_run(scratch / "a, b/1", 1, 1, 3);
    make_run(scratch / "c", 0, 1, 4);
    const Comparison c = compared({.folders = {scratch / "a, b", scratch / "c"}});
    const auto json = tenon::parse_json(comparison_json(c), "a comparison");
    REQUIRE(json.has_value());
    const auto& groups = *json->find("groups")->get<tenon::JsonArray>();
    REQUIRE(groups.size() == 2);
    CHECK(*groups[0].find("iqm")->find("value")->get<double>() == 2.5);
    CHECK(groups[0].find("iqm")->find("low") != nullptr);
    CHECK(groups[1].find("iqm")->find("low") == nullptr);
    CHECK(*groups[1].find("runs")->get<tenon::JsonArray>()->front().find("seed")->get<std::string>() == "0");
    CHECK(groups[0].find("profile")->get<tenon::JsonArray>()->size() == 51);
    CHECK(comparison_csv(c) == "group,task,run,seed,state,score,at,frames,seconds\n\"a, b\",a/A,\"" +
                                   (scratch / "a, b/0").string() + "\",0,ended,2,200,200,20\n\"a, b\",a/A,\"" +
                                   (scratch / "a, b/1").string() + "\",1,ended,3,200,200,20\nc,a/A," +
                                   (scratch / "c").string() + ",0,ended,4,200,200,20\n");
    CHECK(curves_chart(c).curves[0].name == "a, b");
    CHECK(profiles_chart(c).curves.size() == 2);
}

}  // namespace comparison_test
