// SPDX-License-Identifier: Apache-2.0
// Components of plugins/policies/mlp through the functions that objectives call.
#include <algorithm>
#include <cmath>

#include "by_hand.hpp"
#include "golden.hpp"
#include "gradients.hpp"
#include "heads.hpp"
#include "support/catch.hpp"

namespace actors_test {

using namespace tenon;
using namespace tenon::test;

TEST_CASE("kl is from the parameters that acting stored, and 0 where nothing has moved since") {
    for (const char* scale : {"state", "free"}) {
        for (const char* component : {"mlp/tanh_normal", "mlp/truncated_normal"}) {
            CAPTURE(scale, component);
            Assembly assembly({.columns = {real_column("observation", {3}), bounded_column("action", {-2, 0}, {0.5, 4}),
                                           bounded_column("action_loc", {-2, 0}, {0.5, 4}),
                                           bounded_column("action_scale", {0.2, 0.2}, {1, 1})},
                               .networks = {{.role = "actor",
                                             .component = component,
                                             .options = {{"hidden", std::vector<std::int64_t>{5}},
                                                         {"scale", std::string(scale)},
                                                         {"initial_scale", 0.5}}}},
                               .objective = "test/ActorSays",
                               .options = {}});
            FilledBatch batch(assembly.columns(), {.rows = 20}, 31);
            const Columns before = assembly.forward("prepare", batch);
            CHECK(std::ranges::all_of(before.at("kl"), [](double x) { return x > 0; }));
            batch.set("action_loc", before.at("loc"));
            batch.set("action_scale", before.at("scale"));
            const Columns out = assembly.forward("prepare", batch);
            CHECK(std::ranges::all_of(out.at("kl"), [](double x) { return std::abs(x) < 1e-14; }));
            const bool constant =
                std::ranges::all_of(out.at("scale"), [](double x) { return std::abs(x - 0.5) < 1e-15; });
            CHECK(constant == (std::string(scale) == "free"));
            for (std::size_t i = 0; i < batch.rows(); ++i) {
                CHECK(out.at("drawn.again")[i] ==
                      Catch::Approx(out.at("drawn.log_prob")[i]).epsilon(1e-9).margin(1e-9));
            }
        }
    }
}

TEST_CASE("a dueling network's values are the state's plus what each action adds to the mean") {
    Assembly assembly({.columns = {real_column("observation", {3}), categorical_column("action", 4)},
                       .networks = {{.role = "qvalue",
                                     .component = "mlp/q_value",
                                     .options = {{"hidden", std::vector<std::int64_t>{5}}, {"dueling", true}}}},
                       .objective = "test/ValuesSay",
                       .options = {}});
    const FilledBatch batch(assembly.columns(), {.rows = 9}, 32);
    const Columns out = assembly.forward("prepare", batch);
    const Network& network = assembly.network("qvalue");
    for (std::size_t i = 0; i < batch.rows(); ++i) {
        const Vector numbers = mlp(network, network.live, batch.row("observation", i));
        REQUIRE(numbers.size() == 5);
        const double mean = (numbers[1] + numbers[2] + numbers[3] + numbers[4]) / 4;
        for (std::size_t k = 0; k < 4; ++k) {
            const double expected = numbers[0] + numbers[1 + k] - mean;
            CHECK_THAT(out.at("values")[4 * i + k], Catch::Matchers::WithinAbs(expected, 1e-13));
            CHECK((batch["action"][i] != static_cast<double>(k) || out.at("q")[i] == out.at("values")[4 * i + k]));
        }
    }
}

namespace {

void set_parameters(Network& network, const GoldenCase& golden) {
    for (const Parameter& parameter : network.layout.parameters) {
        const Vector& values = golden[parameter.name];
        REQUIRE(values.size() == parameter.size);
        std::ranges::copy(values, network.live.as<double>() + parameter.offset);
    }
}

void check_noise_of_features(const std::string& name) {
    CAPTURE(name);
    const GoldenCase golden = golden_case("gsde.txt", name);
    const bool squashes = name.starts_with("tanh");
    const bool learns = name == "tanh" || name == "normal_feature";
    const graph::Column action = squashes ? bounded_column("action", {-2, 0}, {0.5, 4}) : real_column("action", {2});
    Assembly assembly(
        {.columns = {real_column("observation", {3}), action, real_column("weight", {2})},
         .networks = {{.role = "actor",
                       .component = squashes ? "mlp/tanh_gsde" : "mlp/gsde",
                       .options = {{"hidden", std::vector<std::int64_t>{5}},
                                   {"learn_features", learns},
                                   {"deviations", std::string(name.ends_with("feature") ? "feature" : "full")}}}},
         .objective = "test/WeighsActor",
         .options = {}});
    for (const char* function : {"prepare", "update"}) {
        assembly.draws[std::string("test/WeighsActor.") + function + "/actor.sample/random_normal"] = golden["draw"];
    }
    assembly.build();
    Network& actor = assembly.network("actor");
    set_parameters(actor, golden);
    FilledBatch batch(assembly.columns(), {.rows = 12}, 1);
    for (const char* key : {"observation", "action", "weight"}) {
        batch.set(key, golden[key]);
    }
    const auto check = [](const Vector& got, const Vector& expected) {
        REQUIRE(got.size() == expected.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            CHECK_THAT(got[i], Catch::Matchers::WithinAbs(expected[i], 1e-10 * std::max(1.0, std::abs(expected[i]))));
        }
    };
    const Columns out = assembly.forward("prepare", batch);
    for (const char* key : {"scale", "mode", "log_prob", "drawn", "drawn.log_prob"}) {
        CAPTURE(key);
        check(out.at(key), golden[key]);
    }
    assembly.load();
    assembly.run(batch);
    for (const Parameter& parameter : actor.layout.parameters) {
        CAPTURE(parameter.name);
        const double* const first = actor.gradient.as<double>() + parameter.offset;
        check({first, first + parameter.size}, golden["gradient." + parameter.name]);
    }
}

}  // namespace

TEST_CASE("noise that is a function of the state has torch's likelihoods, draws and gradients") {
    for (const char* name : {"normal", "normal_feature", "tanh", "tanh_feature"}) {
        check_noise_of_features(name);
    }
}

}  // namespace actors_test
