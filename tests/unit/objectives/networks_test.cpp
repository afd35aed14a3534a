// SPDX-License-Identifier: Apache-2.0
// Networks of plugins/policies against torch and TorchRL (tests/golden/networks.txt): outputs and gradients.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "assembly.hpp"
#include "golden.hpp"
#include "support/catch.hpp"

namespace networks_test {

using namespace tenon;
using namespace tenon::test;

namespace {

struct NetworkCase {
    std::string name;
    std::string component;
    Options options;
    graph::Column observation;
    std::int64_t out;
    std::string objective = "test/WeighsFeatures";
    std::string function = "features";
};

// The formula of the golden file's generator, by the order of the parameters' names.
void set_parameters(Network& network, const GoldenCase& golden, DType real) {
    std::map<std::string, const Parameter*> sorted;
    for (const Parameter& parameter : network.layout.parameters) {
        if (parameter.trainable) {
            sorted[parameter.name] = &parameter;
        }
    }
    double k = 1;
    for (const auto& [name, parameter] : sorted) {
        const double scale = golden.number("scale." + name);
        for (std::size_t i = 0; i < parameter->size; ++i) {
            const auto j = static_cast<double>(i % 101);
            const double value = scale * std::sin(0.3 * k + 0.37 * j + 0.029 * j * j);
            if (real == DType::kF64) {
                network.live.as<double>()[parameter->offset + i] = value;
            } else {
                network.live.as<float>()[parameter->offset + i] = static_cast<float>(value);
            }
        }
        ++k;
    }
}

double number_of(const Slab& slab, std::size_t at, DType real) {
    return real == DType::kF64 ? slab.as<double>()[at] : static_cast<double>(slab.as<float>()[at]);
}

void check_gradients(const Network& network, const GoldenCase& golden, DType real, double tolerance) {
    std::size_t compared = 0;
    for (const Parameter& parameter : network.layout.parameters) {
        if (!parameter.trainable) {
            continue;
        }
        CAPTURE(parameter.name);
        double weighed = 0;
        double squares = 0;
        for (std::size_t i = 0; i < parameter.size; ++i) {
            const double element = number_of(network.gradient, parameter.offset + i, real);
            weighed += element * std::cos(0.61 * static_cast<double>(i));
            squares += element * element;
        }
        const std::vector<double>& expected = golden["gradient." + parameter.name];
        REQUIRE(expected.at(1) > 0);
        // a bias of all keys changes no softmax, so its gradient is rounding alone
        const double scale = std::max(expected[1], 1e-3);
        CHECK(std::abs(weighed - expected[0]) <= tolerance * scale);
        CHECK(std::abs(std::sqrt(squares) - expected[1]) <= tolerance * scale);
        ++compared;
    }
    CHECK(compared == static_cast<std::size_t>(std::ranges::count_if(
                          golden.lists, [](const auto& list) { return list.first.starts_with("gradient."); })));
}

// The network of a case with the parameters of its golden file, and its batch.
struct Trial {
    GoldenCase golden;
    DType real;
    Assembly assembly;
    FilledBatch batch;

    Trial(const NetworkCase& each, DType dtype, bool compiled = false)
        : golden(golden_case("networks.txt", each.name)),
          real(dtype),
          assembly({.columns = columns_of(each, dtype),
                    .networks = {{.role = "net", .component = each.component, .options = each.options}},
                    .objective = each.objective,
                    .options = {},
                    .real = dtype,
                    .compiled = compiled}),
          batch(assembly.columns(), {.rows = static_cast<std::int64_t>(golden["weight"].size()) / each.out}, 1) {
        batch.set("observation", golden["observation"]);
        batch.set("weight", golden["weight"]);
        for (const auto& [key, values] : golden.lists) {
            if (key.starts_with("draw.")) {
                assembly.draws[each.objective + ".update/net." + each.function + "/" + key.substr(5)] = values;
            }
        }
        assembly.build();
        set_parameters(network(), golden, real);
        for (const Parameter& parameter : network().layout.parameters) {
            if (parameter.name.ends_with("weight_u")) {
                const std::vector<double>& values = golden["state." + parameter.name.substr(0, 1)];
                for (std::size_t i = 0; i < values.size(); ++i) {
                    write_number(parameter.offset + i, values[i]);
                }
            }
        }
        assembly.load();
    }

    static std::vector<graph::Column> columns_of(const NetworkCase& each, DType dtype) {
        std::vector<graph::Column> columns = {each.observation, real_column("weight", {each.out}, dtype)};
        if (each.function == "sample") {
            columns.push_back(one_hot_column("action", each.out, dtype));
        }
        return columns;
    }
    Network& network() { return assembly.network("net"); }
    void write_number(std::size_t at, double value) {
        if (real == DType::kF64) {
            network().live.as<double>()[at] = value;
        } else {
            network().live.as<float>()[at] = static_cast<float>(value);
        }
    }
    // What the golden file calls `key`.
    void compare(const std::vector<double>& have, const std::string& key, double tolerance) const {
        CAPTURE(key, real == DType::kF32);
        REQUIRE(have.size() == golden[key].size());
        for (std::size_t i = 0; i < have.size(); ++i) {
            CAPTURE(i);
            CHECK(std::abs(have[i] - golden[key][i]) <= tolerance);
        }
    }
};

void check(const NetworkCase& each, DType real, double tolerance, bool compiled) {
    CAPTURE(each.name, compiled);
    Trial trial(each, real, compiled);
    const bool differs = trial.golden.lists.contains("evaluated");
    trial.compare(trial.assembly.forward("prepare", trial.batch).at("out"), differs ? "evaluated" : "out", tolerance);
    trial.compare(trial.assembly.run(trial.batch).columns.at("trained"), "out", tolerance);
    check_gradients(trial.network(), trial.golden, real, tolerance);
}

void check(const NetworkCase& each) {
    for (const bool compiled : {false, true}) {
        check(each, DType::kF64, 1e-12, compiled);
        check(each, DType::kF32, 2e-5, compiled);
    }
}

using Numbers = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("trunks on images and their gradients are torch's in both dtypes") {
    check({.name = "nature",
           .component = "cnn/nature",
           .options = {{"size", std::int64_t{6}}},
           .observation = real_column("observation", {1, 36, 36}, DType::kU8),
           .out = 6});
    check({.name = "impala",
           .component = "cnn/impala",
           .options = {{"size", std::int64_t{5}}, {"channels", Numbers{4, 3}}},
           .observation = real_column("observation", {2, 11, 9}, DType::kU8),
           .out = 5});
}

TEST_CASE("filters of any size are TorchRL's ConvNet, channels first or last, pixels as they are") {
    check({.name = "convnet",
           .component = "cnn/convnet",
           .options = {{"size", std::int64_t{5}},
                       {"channels", Numbers{3, 4}},
                       {"kernels", Numbers{3, 2}},
                       {"strides", Numbers{2, 1}},
                       {"paddings", Numbers{1, 0}},
                       {"activation", std::string("tanh")},
                       {"layout", std::string("hwc")}},
           .observation = real_column("observation", {7, 8, 2}),
           .out = 5});
}

TEST_CASE("activations are torch's, saturated too") {
    const std::vector<std::string> names = {"elu",  "gelu",    "gelu_tanh", "leaky_relu", "mish",
                                            "relu", "sigmoid", "silu",      "softplus",   "tanh"};
    for (const std::string& name : names) {
        check({.name = "activation_" + name,
               .component = "mlp/features",
               .options = {{"size", std::int64_t{2}}, {"hidden", Numbers{6}}, {"activation", name}},
               .observation = real_column("observation", {3}),
               .out = 2});
    }
    check({.name = "convnet_mish",
           .component = "cnn/convnet",
           .options = {{"size", std::int64_t{4}},
                       {"channels", Numbers{3, 2}},
                       {"kernels", Numbers{3, 2}},
                       {"activation", std::string("mish")}},
           .observation = real_column("observation", {2, 6, 6}),
           .out = 4});
}

TEST_CASE("transposed convolutions are torch's") {
    check({.name = "decoder",
           .component = "test/Decoder",
           .options = {},
           .observation = real_column("observation", {3}),
           .out = 32});
}

TEST_CASE("blocks of a transformer, embeddings, positions and RMS norms are torch's") {
    check({.name = "transformer",
           .component = "test/Transformer",
           .options = {},
           .observation = real_column("observation", {5, 3}),
           .out = 8});
}

TEST_CASE("gradients through one-hot draws are TorchRL's, and the draws one-hot") {
    for (const std::string gradient : {"pass_through", "relaxed"}) {
        const NetworkCase each{.name = "one_hot_" + gradient,
                               .component = "mlp/one_hot",
                               .options = {{"hidden", Numbers{6}}, {"gradient", gradient}},
                               .observation = real_column("observation", {3}),
                               .out = 4,
                               .objective = "test/WeighsDraw",
                               .function = "sample"};
        for (const bool compiled : {false, true}) {
            for (const DType real : {DType::kF64, DType::kF32}) {
                CAPTURE(gradient, compiled, real == DType::kF32);
                Trial trial(each, real, compiled);
                const double tolerance = real == DType::kF64 ? 1e-12 : 2e-5;
                const std::vector<double> drawn = trial.assembly.run(trial.batch).columns.at("trained");
                trial.compare(drawn, "out", 1e-15);
                CHECK(std::ranges::all_of(drawn, [](double x) { return x == 0 || x == 1; }));
                check_gradients(trial.network(), trial.golden, real, tolerance);
            }
        }
    }
}

TEST_CASE("noisy layers are TorchRL's, and their means in evaluation") {
    check({.name = "noisy",
           .component = "mlp/features",
           .options = {{"size", std::int64_t{5}}, {"hidden", Numbers{4}}, {"noisy", true}},
           .observation = real_column("observation", {3}),
           .out = 5});
}

TEST_CASE("dropout stands where TorchRL's has it, and nowhere in evaluation") {
    check({.name = "dropout",
           .component = "mlp/features",
           .options =
               {{"size", std::int64_t{2}}, {"hidden", Numbers{6, 4}}, {"norm", std::string("layer")}, {"dropout", 0.4}},
           .observation = real_column("observation", {3}),
           .out = 2});
}

TEST_CASE("spectrally normalised layers are torch's, and an update keeps where the iteration has led") {
    const NetworkCase each{
        .name = "spectral",
        .component = "mlp/features",
        .options = {{"size", std::int64_t{4}}, {"hidden", Numbers{6}}, {"spectral_norm", std::string("all")}},
        .observation = real_column("observation", {3}),
        .out = 4};
    check(each);
    Trial trial(each, DType::kF64);
    const auto state = [&](const std::string& layer) {
        const Network& network = trial.network();
        const Parameter* u = network.layout.find(layer + ".weight_u");
        REQUIRE(u != nullptr);
        CHECK_FALSE(u->trainable);
        const double* first = network.live.as<double>() + u->offset;
        return std::vector<double>(first, first + u->size);
    };
    trial.assembly.forward("prepare", trial.batch);
    trial.compare(state("0"), "state.0", 0);
    trial.assembly.run(trial.batch);
    trial.compare(state("0"), "state.next.0", 1e-12);
    trial.compare(state("1"), "state.next.1", 1e-12);
    trial.compare(trial.assembly.forward("prepare", trial.batch).at("out"), "out.next", 1e-12);
}

TEST_CASE("images of several columns are one with the channels of all, and are of one size") {
    const auto plan = [](std::vector<graph::Column> columns, const std::vector<std::string>& in) {
        columns.push_back(real_column("weight", {4}));
        return Plan{.columns = std::move(columns),
                    .networks = {{.role = "net",
                                  .component = "cnn/convnet",
                                  .options = {{"in", in}, {"size", std::int64_t{4}}, {"channels", Numbers{3}}}}},
                    .objective = "test/WeighsFeatures",
                    .options = {}};
    };
    Assembly apart(plan({real_column("a", {1, 5, 4}), real_column("b", {2, 5, 4})}, {"a", "b"}));
    Assembly joined(plan({real_column("c", {3, 5, 4})}, {"c"}));
    FilledBatch two(apart.columns(), {.rows = 6}, 5);
    FilledBatch one(joined.columns(), {.rows = 6}, 5);
    std::vector<double> all;
    for (std::size_t i = 0; i < 6; ++i) {
        for (const char* key : {"a", "b"}) {
            const std::vector<double> row = two.row(key, i);
            all.insert(all.end(), row.begin(), row.end());
        }
    }
    one.set("c", all);
    const std::vector<double> expected = joined.forward("prepare", one).at("out");
    CHECK(*std::ranges::max_element(expected) > 0.01);
    CHECK(apart.forward("prepare", two).at("out") == expected);

    Assembly unequal(plan({real_column("a", {1, 5, 4}), real_column("b", {2, 5, 3})}, {"a", "b"}));
    const Problems problems = unequal.try_build();
    REQUIRE(!problems.empty());
    CHECK_THAT(problems[0].sentence, Catch::Matchers::ContainsSubstring(
                                         "concatenated columns must be images of the same size, but 'a' is 5 by 4 "
                                         "and 'b' 5 by 3"));
}

}  // namespace networks_test
