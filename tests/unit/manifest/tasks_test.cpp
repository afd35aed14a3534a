// SPDX-License-Identifier: Apache-2.0
// [[env.tasks]]: what a task has of [env], and what evaluations have of the tasks of training.
#include <algorithm>
#include <string>
#include <vector>

#include "config/manifest/write.hpp"
#include "written.hpp"

namespace tasks_test {

namespace {

// "name component option=value ..." of each task, options in the order of their names.
std::vector<std::string> shown(const std::vector<tenon::TaskTable>& tasks) {
    std::vector<std::string> out;
    for (const tenon::TaskTable& task : tasks) {
        std::vector<std::string> options;
        for (const tenon::GivenOption& option : task.component.options) {
            options.push_back(" " + option.name + "=" + to_toml(option.value));
        }
        std::ranges::sort(options);
        std::string text = task.name.value() + " " + task.component.ref.plugin;
        for (const std::string& option : options) {
            text += option;
        }
        out.push_back(text);
    }
    return out;
}

const std::string kTasks =
    "lanes = 6\n"
    "gravity = 9\n"
    "length = 1\n"
    "isolation = \"process\"\n"
    "[[env.tasks]]\n"
    "name = \"moon\"\n"
    "gravity = 2\n"
    "[[env.tasks]]\n"
    "lanes = 3\n"
    "[[env.tasks]]\n"
    "plugin = \"classic/Acrobot-v1\"\n"
    "isolation = \"inproc\"\n";

}  // namespace

TEST_CASE("a task has what [env] gives, unless it gives its own or is another component") {
    const Written seen = written(kLeast + kTasks);
    CHECK(seen.problems == std::vector<std::string>{});
    const tenon::EnvTable& env = seen.manifest.env;
    CHECK(shown(env.tasks) == std::vector<std::string>{"moon classic/CartPole-v1 gravity=2 length=1",
                                                       "1 classic/CartPole-v1 gravity=9 length=1",
                                                       "2 classic/Acrobot-v1"});
    CHECK(env.component.options.empty());
    CHECK(env.tasks[0].component.path == "env.tasks.0");
    CHECK(env.tasks[0].component.ref.place.line == 11);  // its header
    CHECK(env.tasks[2].component.ref.place.line == 17);  // its plugin
    CHECK(env.tasks[0].component.isolation == "process");
    CHECK(env.tasks[2].component.isolation == "inproc");
    CHECK(env.tasks[1].lanes == 3);
    CHECK_FALSE(env.tasks[0].lanes);
}

TEST_CASE("an evaluation has the tasks of training, its own, or none") {
    const auto evaluated = [](const std::string& lines) {
        const Written seen = written(kLeast + kTasks + "[eval.env]\n" + lines);
        CHECK(seen.problems == std::vector<std::string>{});
        return seen.manifest.eval.envs.at(0);
    };
    CHECK(shown(evaluated("length = 3\n").tasks) ==
          std::vector<std::string>{"moon classic/CartPole-v1 gravity=2 length=3",
                                   "1 classic/CartPole-v1 gravity=9 length=3", "2 classic/Acrobot-v1 length=3"});
    CHECK(evaluated("").tasks[0].component.path == "eval.env.tasks.0");
    CHECK(shown(evaluated("length = 3\n[[eval.env.tasks]]\ngravity = 25\n").tasks) ==
          std::vector<std::string>{"0 classic/CartPole-v1 gravity=25 length=3"});
    const tenon::EvalEnvTable none = evaluated("tasks = []\n");
    CHECK(none.tasks.empty());
    CHECK(none.component.options.size() == 2);  // those of [env]
    CHECK(evaluated("plugin = \"classic/Pendulum-v1\"\n").tasks.empty());
}

TEST_CASE("a resolved manifest has the same tasks") {
    for (const std::string more : {"", "[eval.env]\nlength = 3\n", "[eval.env]\ntasks = []\n"}) {
        const Written seen = written(kLeast + "task_column = \"which\"\n" + kTasks + more);
        const Written again = written(write_resolved(seen.manifest, {}));
        CHECK(again.problems == std::vector<std::string>{});
        CHECK(shown(again.manifest.env.tasks) == shown(seen.manifest.env.tasks));
        CHECK(again.manifest.env.task_column == "which");
        REQUIRE(again.manifest.eval.envs.size() == seen.manifest.eval.envs.size());
        for (std::size_t i = 0; i < seen.manifest.eval.envs.size(); ++i) {
            CHECK(shown(again.manifest.eval.envs[i].tasks) == shown(seen.manifest.eval.envs[i].tasks));
        }
    }
}

TEST_CASE("tasks that cannot be are told") {
    const auto first = [](const std::string& lines) {
        const Written seen = written(kLeast + lines);
        REQUIRE_FALSE(seen.problems.empty());
        return seen.problems[0].substr(0, seen.problems[0].find("\n  |"));
    };
    CHECK(first("lanes = 1\n[[env.tasks]]\n[[env.tasks]]\n") ==
          "error: env.lanes is 1, but its 2 tasks need at least 2\n --> m.toml:7:9");
    CHECK(first("lanes = 4\n[[env.tasks]]\nlanes = 2\n[[env.tasks]]\nlanes = 3\n") ==
          "error: env.lanes is 4, but its 2 tasks need 5\n --> m.toml:7:9");
    CHECK(first("lanes = 1\n[[env.tasks]]\nlanes = 2\n") ==
          "error: env.lanes is 1, but its 1 task needs 2\n --> m.toml:7:9");
    CHECK(first("lanes = 2\n[[env.tasks]]\nname = \"a\"\n[[env.tasks]]\nname = \"a\"\n")
              .starts_with("error: two tasks of [env] have the name 'a'\n --> m.toml:11:8"));
    CHECK(first("[[env.tasks]]\nname = \"a b\"\n").starts_with("error: a name in [env.tasks.0] may have only letters"));
    CHECK(first("task_column = \"task\"\n").starts_with("error: env.task_column is given, but [env] has no tasks\n"));
    CHECK(first("tasks = 3\n").starts_with("error: env.tasks must be a list of tables, but is an int\n"));
    CHECK(first("[[env.tasks]]\nname = \"a\"\n[[eval.env]]\n[[eval.env]]\nname = \"a\"\n")
              .starts_with("error: the evaluation 'a' and a task of the one without a name have the same metrics\n"));
}

}  // namespace tasks_test
