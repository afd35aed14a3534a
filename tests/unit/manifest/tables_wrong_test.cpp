// SPDX-License-Identifier: Apache-2.0
// Wrong manifests: one distinct sentence each, at its place, and all of them in one go.
#include <string>
#include <vector>

#include "written.hpp"

namespace tables_wrong_test {

namespace {

// The only problem of the least manifest with `more`, whose first line is the seventh.
std::string only(const std::string& more) {
    const Written seen = written(kLeast + more);
    CAPTURE(seen.problems);
    REQUIRE(seen.problems.size() == 1);
    return seen.problems[0];
}

std::string sentence(const std::string& more) {
    const std::string text = only(more);
    return text.substr(0, text.find('\n'));
}

}  // namespace

TEST_CASE("a manifest without anything lacks three things") {
    const Written seen = written("");
    REQUIRE(seen.problems.size() == 3);
    CHECK(seen.problems[0] ==
          "error: run.total_frames must be given\n --> m.toml\n"
          "help: Length of the run: it ends after the round of `[train]` that reaches this number of frames. Required, "
          "unless `train.total_updates` is given.");
    CHECK(seen.problems[1] ==
          "error: the manifest has no [env] table\n --> m.toml\n"
          "help: write [env] with plugin = \"library/component\"");
    CHECK(seen.problems[2] ==
          "error: the manifest has no [policy.NAME] table\n --> m.toml\n"
          "help: write [policy.actor] with plugin = \"library/component\"");
}

TEST_CASE("unknown keys and tables come with the nearest name") {
    CHECK(only("[train]\nbatch = 8\nminibach = 64\n") ==
          "error: unknown key 'train.minibach'; did you mean 'minibatch'?\n"
          " --> m.toml:9:1\n"
          "  |\n"
          "9 | minibach = 64\n"
          "  | ^^^^^^^^");
    CHECK(only("[log]\n  colour = 1\n") ==
          "error: unknown key 'log.colour'\n"
          " --> m.toml:8:3\n"
          "  |\n"
          "8 |   colour = 1\n"
          "  |   ^^^^^^\n"
          "help: the known keys are every_frames, every_updates, tensorboard, profile");
    CHECK(only("[optimizer]\n") ==
          "error: unknown table [optimizer]; did you mean 'optimiser'?\n"
          " --> m.toml:7:2\n"
          "  |\n"
          "7 | [optimizer]\n"
          "  |  ^^^^^^^^^");
    CHECK_THAT(only("[quite.other]\n"), Catch::Matchers::StartsWith("error: unknown table [quite]\n --> m.toml:7:2\n"));
    CHECK(sentence("[plugins]\nsha265 = 1\n") == "error: unknown key 'plugins.sha265'; did you mean 'sha256'?");
    CHECK(sentence("[optimiser]\nl = 1\n") == "error: unknown key 'optimiser.l'; did you mean 'lr'?");
    CHECK(sentence("[optimiser.actor]\nbeta3 = 1\n") ==
          "error: unknown key 'optimiser.actor.beta3'; did you mean 'beta1'?");
}

TEST_CASE("evaluation envs have names of their own") {
    CHECK(sentence("[eval.env]\nname = \"a/b\"\n") ==
          "error: a name in [eval.env] may have only letters, digits, '_' and '-', but one is 'a/b'");
    CHECK(sentence("[[eval.env]]\n[[eval.env]]\n") == "error: two [[eval.env]] have no name; only one may have none");
    CHECK(sentence("[eval]\nenv = 3\n") == "error: eval.env must be a table, but is an int");
    CHECK(sentence("[eval.env]\ntransforms = 3\n") ==
          "error: eval.env.transforms must be a list of tables, but is an int");
    CHECK(sentence("[[eval.env]]\nlanes = 0\n") == "error: eval.env.0.lanes must be in [1,65536], but is 0");
    CHECK(sentence("[eval]\nenvs = {}\n") == "error: unknown key 'eval.envs'; did you mean 'env'?");
}

TEST_CASE("a key outside of any table is told where it belongs") {
    const Written seen = written("minibatch = 3\n" + kLeast);
    REQUIRE(seen.problems.size() == 1);
    CHECK(seen.problems[0] ==
          "error: 'minibatch' is outside of any table; it is a key of [train] and [objective]\n"
          " --> m.toml:1:1\n"
          "  |\n"
          "1 | minibatch = 3\n"
          "  | ^^^^^^^^^");
}

TEST_CASE("what has another type than a choice is helped with the choices") {
    const Written seen = written("[run]\njit = true\n");
    REQUIRE(seen.problems.size() >= 1);
    CHECK(seen.problems[0] ==
          "error: run.jit must be a string, but is a bool\n"
          " --> m.toml:2:7\n"
          "  |\n"
          "2 | jit = true\n"
          "  |       ^^^^\n"
          "help: write \"auto\", \"off\" or \"always\"");
    const Written list = written("[run]\njit = [\"off\"]\n");
    REQUIRE(list.problems.size() >= 1);
    CHECK_THAT(list.problems[0], Catch::Matchers::StartsWith("error: run.jit must be a string, but is a list\n") &&
                                     Catch::Matchers::EndsWith("\nhelp: write \"auto\", \"off\" or \"always\""));
}

TEST_CASE("wrong types name both types and help where they can") {
    const Written seen = written(
        "[run]\ntotal_frames = \"many\"\nseed = 1.0\nname = 3\n[policy.a]\nplugin = \"a/b\"\n"
        "[plugins]\nsearch = \"obs\"\n[env]\nplugin = \"a/b\"\nlanes = [1]\n[checkpoint]\nbuffer = 1\n");
    REQUIRE(seen.problems.size() == 6);
    CHECK(seen.problems[0] ==
          "error: run.name must be a string, but is an int\n"
          " --> m.toml:4:8\n"
          "  |\n"
          "4 | name = 3\n"
          "  |        ^\n"
          "help: write a string in quotes: \"3\"");
    CHECK(seen.problems[1] ==
          "error: run.seed must be an int, but is a float\n"
          " --> m.toml:3:8\n"
          "  |\n"
          "3 | seed = 1.0\n"
          "  |        ^^^\n"
          "help: write 1");
    CHECK(seen.problems[2] ==
          "error: run.total_frames must be an int, but is a string\n"
          " --> m.toml:2:16\n"
          "  |\n"
          "2 | total_frames = \"many\"\n"
          "  |                ^^^^^^");
    CHECK(seen.problems[3] ==
          "error: plugins.search must be a list of strings, but is a string\n"
          " --> m.toml:8:10\n"
          "  |\n"
          "8 | search = \"obs\"\n"
          "  |          ^^^^^\n"
          "help: write a list in brackets: [\"obs\"]");
    CHECK(seen.problems[4] ==
          "error: env.lanes must be an int, but is a list\n"
          " --> m.toml:11:9\n"
          "   |\n"
          "11 | lanes = [1]\n"
          "   |         ^^^");
    CHECK(seen.problems[5] ==
          "error: checkpoint.buffer must be a bool, but is an int\n"
          " --> m.toml:13:10\n"
          "   |\n"
          "13 | buffer = 1\n"
          "   |          ^\n"
          "help: write true or false");
}

TEST_CASE("values out of range name the range") {
    CHECK(only("[train]\nbatch = 0\n") ==
          "error: train.batch must be in [1,2147483647], but is 0\n"
          " --> m.toml:8:9\n"
          "  |\n"
          "8 | batch = 0\n"
          "  |         ^");
    CHECK(sentence("[optimiser]\nbeta1 = 1\n") == "error: optimiser.beta1 must be in [0,1), but is 1.0");
    CHECK(sentence("[target]\nkind = \"soft\"\ntau = 0.0\n") == "error: target.tau must be in (0,1], but is 0.0");
    CHECK(sentence("[train]\nclip_norm = inf\n") == "error: train.clip_norm must be in (0,inf), but is inf");
    CHECK(sentence("[target]\nkind = \"sofd\"\n") ==
          "error: target.kind must be 'soft' or 'hard', but is 'sofd'; did you mean 'soft'?");
}

TEST_CASE("tables that are no tables") {
    CHECK(only("[[log]]\n") ==
          "error: log must be a table, but is a list\n"
          " --> m.toml:7:1\n"
          "  |\n"
          "7 | [[log]]\n"
          "  | ^^^^^^^");
    CHECK(sentence("[env.transforms]\nplugin = \"a/b\"\n") ==
          "error: env.transforms must be a list of tables, but is a table");
    CHECK(written("env = 3\npolicy = 3\nrun = 3\nobjective = 3\n").problems.size() == 4);
    const Written list =
        written("[run]\ntotal_frames = 1\n[env]\nplugin = \"a/b\"\ntransforms = [1]\n[policy]\nplugin = \"a/b\"\n");
    REQUIRE(list.problems.size() == 2);
    CHECK(list.problems[0] ==
          "error: env.transforms.0 must be a table, but is an int\n"
          " --> m.toml:5:15\n"
          "  |\n"
          "5 | transforms = [1]\n"
          "  |               ^");
    CHECK(list.problems[1] ==
          "error: policy.plugin must be a table, but is a string\n"
          " --> m.toml:7:10\n"
          "  |\n"
          "7 | plugin = \"a/b\"\n"
          "  |          ^^^^^\n"
          "help: a policy needs a name: write [policy.actor]");
}

TEST_CASE("components must be named") {
    CHECK(only("[buffer]\ncapacity = 5\n") ==
          "error: buffer.plugin must be given\n"
          " --> m.toml:7:1\n"
          "  |\n"
          "7 | [buffer]\n"
          "  | ^^^^^^^^\n"
          "help: The component, as \"library/component\".");
    CHECK(written(kLeast + "[buffer]\nplugin = \"ale/ALE/Pong-v5\"\n").problems.empty());
}

TEST_CASE("pins and names") {
    CHECK(only("[plugins.sha256]\nclassic = \"12ab\"\n") ==
          "error: plugins.sha256.classic must be a string of 64 hexadecimal digits\n"
          " --> m.toml:8:11\n"
          "  |\n"
          "8 | classic = \"12ab\"\n"
          "  |           ^^^^^^");
    CHECK(sentence("[policy.\"a.b\"]\nplugin = \"a/b\"\n") ==
          "error: a name in [policy] may have only letters, digits, '_' and '-', but one is 'a.b'");
    CHECK(sentence("[optimiser.\"\"]\nlr = 1\n") ==
          "error: a name in [optimiser] may have only letters, digits, '_' and '-', but one is ''");
}

}  // namespace tables_wrong_test
