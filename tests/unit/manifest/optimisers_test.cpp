// SPDX-License-Identifier: Apache-2.0
// [optimiser] by kind: its keys, its defaults, and what a stage has from it.
#include <string>
#include <vector>

#include "config/manifest/write.hpp"
#include "written.hpp"

namespace optimisers_test {

namespace {

tenon::OptimiserTable table_of(const std::string& text) {
    const Written seen = written(kLeast + text);
    CAPTURE(seen.problems);
    CHECK(seen.problems.empty());
    return seen.manifest.optimiser;
}

tenon::OptimiserTable stage_of(const std::string& text) {
    const Written seen = written(kLeast + text);
    CAPTURE(seen.problems);
    CHECK(seen.problems.empty());
    return seen.manifest.optimiser_stages.at(0).table;
}

// The only problem of the table, without the excerpt.
std::string sentence(const std::string& text) {
    const Written seen = written(kLeast + text);
    CAPTURE(seen.problems, text);
    REQUIRE(seen.problems.size() == 1);
    return seen.problems[0].substr(0, seen.problems[0].find('\n', seen.problems[0].find('\n') + 1));
}

}  // namespace

TEST_CASE("an optimiser has the keys of its kind and their defaults") {
    const tenon::OptimiserTable adam = table_of("");
    CHECK(adam.kind == "adam");
    CHECK(adam.lr == 3e-4);
    CHECK(adam.weight_decay == 0.0);
    CHECK(adam.beta1 == 0.9);
    CHECK(adam.beta2 == 0.999);
    CHECK(adam.eps == 1e-8);
    CHECK_FALSE((adam.momentum || adam.alpha || adam.nesterov || adam.centered || adam.dampening || adam.clip_norm));
    CHECK(table_of("[optimiser]\nkind = \"adamw\"\n").weight_decay == 0.01);
    CHECK(table_of("[optimiser]\nkind = \"adamw\"\nweight_decay = 0.5\n").weight_decay == 0.5);
    CHECK(table_of("[optimiser]\nkind = \"lamb\"\n").weight_decay == 0.01);
    CHECK(table_of("[optimiser]\nkind = \"lamb\"\n").eps == 1e-6);
    const tenon::OptimiserTable sgd = table_of("[optimiser]\nkind = \"sgd\"\nmomentum = 0.9\nnesterov = true\n");
    CHECK(sgd.momentum == 0.9);
    CHECK(sgd.dampening == 0.0);
    CHECK(sgd.nesterov == true);
    CHECK_FALSE((sgd.beta1 || sgd.beta2 || sgd.eps || sgd.alpha || sgd.centered));
    const tenon::OptimiserTable rmsprop = table_of("[optimiser]\nkind = \"rmsprop\"\ncentered = true\n");
    CHECK(rmsprop.alpha == 0.99);
    CHECK(rmsprop.eps == 1e-8);
    CHECK(rmsprop.centered == true);
    CHECK_FALSE((rmsprop.beta1 || rmsprop.dampening || rmsprop.nesterov));
}

TEST_CASE("a key that is not of the kind is told whose it is") {
    CHECK(sentence("[optimiser]\nmomentum = 0.9\n") ==
          "error: optimiser.momentum cannot be given: it is a key of sgd and rmsprop, but this optimiser is adam\n"
          " --> m.toml:8:12");
    CHECK(sentence("[optimiser]\nkind = \"sgd\"\neps = 1e-5\n") ==
          "error: optimiser.eps cannot be given: it is a key of adam, adamw, rmsprop and lamb, but this optimiser is "
          "sgd\n"
          " --> m.toml:9:7");
    CHECK(sentence("[optimiser]\nkind = \"rmsprop\"\n[optimiser.critic]\nbeta1 = 0.5\n") ==
          "error: optimiser.critic.beta1 cannot be given: it is a key of adam, adamw and lamb, but this optimiser is "
          "rmsprop\n"
          " --> m.toml:10:9");
    CHECK(sentence("[optimiser]\nkind = \"smg\"\nmomentum = 0.9\n") ==
          "error: optimiser.kind must be 'adam', 'adamw', 'sgd', 'rmsprop' or 'lamb', but is 'smg'\n"
          " --> m.toml:8:8");
    CHECK(sentence("[target]\ntau = 0.01\n") ==
          "error: target.tau cannot be given: it is a key of soft targets, but target.kind is 'hard'\n"
          " --> m.toml:8:7");
    CHECK(sentence("[optimiser]\nclip_norm = 1\n") ==
          "error: unknown key 'optimiser.clip_norm'; it is a key of [train]\n --> m.toml:8:1");
}

TEST_CASE("Nesterov's momentum needs a momentum and no dampening") {
    CHECK(sentence("[optimiser]\nkind = \"sgd\"\nnesterov = true\n") ==
          "error: optimiser.nesterov cannot be given: it needs a momentum above 0\n --> m.toml:9:12");
    CHECK(sentence("[optimiser]\nkind = \"sgd\"\nnesterov = true\nmomentum = 0.9\ndampening = 0.5\n") ==
          "error: optimiser.nesterov cannot be given: it needs a dampening of 0\n --> m.toml:9:12");
    CHECK(sentence(
              "[optimiser]\nkind = \"sgd\"\nnesterov = true\nmomentum = 0.9\n[optimiser.critic]\nmomentum = 0.0\n") ==
          "error: optimiser.critic.nesterov cannot be given: it needs a momentum above 0\n --> m.toml:11:1");
}

TEST_CASE("a stage of the same kind has of its own what it gives") {
    const tenon::OptimiserTable stage =
        stage_of("[optimiser]\nbeta1 = 0.8\n[optimiser.critic]\nlr = 1\nclip_norm = inf\n");
    CHECK(stage.lr == 1.0);
    CHECK(stage.clip_norm == std::numeric_limits<double>::infinity());
    CHECK_FALSE((stage.kind || stage.beta1 || stage.beta2 || stage.eps || stage.weight_decay || stage.momentum));
}

TEST_CASE("a stage of another kind has the keys of that kind") {
    const tenon::OptimiserTable stage =
        stage_of("[optimiser]\nkind = \"adamw\"\neps = 1e-5\n[optimiser.critic]\nkind = \"rmsprop\"\n");
    CHECK(stage.kind == "rmsprop");
    CHECK_FALSE(stage.lr);             // as in [optimiser]
    CHECK_FALSE(stage.eps);            // given there
    CHECK(stage.weight_decay == 0.0);  // a default of adamw is not one of rmsprop
    CHECK(stage.alpha == 0.99);
    CHECK(stage.momentum == 0.0);
    CHECK(stage.centered == false);
    CHECK_FALSE((stage.beta1 || stage.nesterov || stage.dampening));
    CHECK_FALSE(stage_of("[optimiser]\nkind = \"adamw\"\nweight_decay = 0.2\n[optimiser.critic]\nkind = \"sgd\"\n")
                    .weight_decay);
}

TEST_CASE("written and read again optimisers are the same") {
    const tenon::Manifest manifest =
        written(kLeast +
                "[optimiser]\nkind = \"adamw\"\n[optimiser.critic]\nkind = \"sgd\"\nmomentum = 0.9\nclip_norm = inf\n"
                "[optimiser.actor]\nlr = 1e-5\n[schedule]\n\"optimiser.lr\" = [{ to = 1, frames = 10 }, { kind = "
                "\"step\", factor = 0.5, every = 100 }]\n")
            .manifest;
    const std::string text = write_resolved(manifest, {});
    const Written again = written(text);
    CHECK(again.problems.empty());
    CHECK(write_resolved(again.manifest, {}) == text);
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring("[optimiser.critic]\nkind = \"sgd\"\nweight_decay = 0.0\n"
                                                        "momentum = 0.9\ndampening = 0.0\nnesterov = false\n"
                                                        "clip_norm = inf\n\n[optimiser.actor]\nlr = 0.00001\n\n"));
    CHECK_THAT(text,
               Catch::Matchers::ContainsSubstring(
                   "\"optimiser.lr\" = [{ kind = \"linear\", to = 1.0, frames = 10 }, { kind = \"step\", factor = "
                   "0.5, every = 100 }]\n"));
}

}  // namespace optimisers_test
