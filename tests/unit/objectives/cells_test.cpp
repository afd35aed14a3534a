// SPDX-License-Identifier: Apache-2.0
// Recurrent cells over sequences against torch.nn (tests/golden/cells.txt): outputs and gradients, with a stored
// beginning and episodes that begin in the middle, in one layer and in several.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <span>

#include "assembly.hpp"
#include "golden.hpp"
#include "gradients.hpp"
#include "support/catch.hpp"

namespace cells_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr std::int64_t kSize = 5;

double norm(const std::vector<double>& x) {
    double sum = 0;
    for (const double value : x) {
        sum += value * value;
    }
    return std::sqrt(sum);
}

// The norm of the difference, as a share of the tensor's own.
double off_by(const std::vector<double>& a, const std::vector<double>& expected) {
    REQUIRE(a.size() == expected.size());
    std::vector<double> difference;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference.push_back(a[i] - expected[i]);
    }
    return norm(difference) / norm(expected);
}

// Of one layer, or of two of a GRU and three of an LSTM.
Plan plan_of(bool is_lstm, DType real, bool compiled = false, bool layered = false) {
    const std::string objective = is_lstm   ? layered ? "WeighsThreeLstm" : "WeighsLstm"
                                  : layered ? "WeighsTwoGru"
                                            : "WeighsGru";
    Plan plan{.columns = {real_column("x", {3}, real), flag_column("is_init"), real_column("weight", {kSize}, real)},
              .networks = {{.role = "net", .component = "test/Cells", .options = {}}},
              .objective = "test/" + objective,
              .options = {},
              .real = real,
              .compiled = compiled,
              .leading = {graph::kTime, graph::kLanes}};
    for (int layer = 0; layer < (!layered ? 1 : is_lstm ? 3 : 2); ++layer) {
        const std::string name =
            std::string(is_lstm ? "net.lstm" : "net.gru") + (layer == 0 ? "" : std::to_string(layer));
        plan.columns.push_back(real_column(name + "_hidden", {kSize}, real));
        if (is_lstm) {
            plan.columns.push_back(real_column(name + "_cell", {kSize}, real));
        }
    }
    return plan;
}

// What the golden file calls a parameter: "gru.weight_ih" is weight_ih, "gru1.weight_ih" 1.weight_ih.
std::string key_of(const std::string& parameter, const std::string& cell) {
    const std::string key = parameter.substr(cell.size());
    return key.starts_with('.') ? key.substr(1) : key;
}

// And a column: "net.gru1_hidden" is hidden1.
std::string stored_key(const std::string& column, const std::string& cell) {
    const std::string rest = column.substr(4 + cell.size());  // after "net."
    const std::size_t bar = rest.find('_');
    return rest.substr(bar + 1) + rest.substr(0, bar);
}

void each_parameter(Network& network, const Slab& slab, DType real, const std::string& cell,
                    const std::function<void(const std::string&, std::size_t, std::span<const double>)>& f) {
    for (const Parameter& parameter : network.layout.parameters) {
        std::vector<double> values;
        for (std::size_t i = 0; i < parameter.size; ++i) {
            const std::size_t at = parameter.offset + i;
            values.push_back(real == DType::kF64 ? slab.as<double>()[at] : slab.as<float>()[at]);
        }
        f(key_of(parameter.name, cell), parameter.offset, values);
    }
}

void check_one(bool is_lstm, bool layered, DType real, bool compiled, double tolerance) {
    const std::string name = is_lstm ? "lstm" : "gru";
    const GoldenCase golden = golden_case("cells.txt", name + (layered ? "_layers" : ""));
    CAPTURE(compiled, layered);
    Assembly assembly(plan_of(is_lstm, real, compiled, layered));
    FilledBatch batch(assembly.columns(),
                      {.rows = 0,
                       .time = static_cast<std::int64_t>(golden.number("steps")),
                       .lanes = static_cast<std::int64_t>(golden.number("lanes"))},
                      1);
    for (const char* key : {"x", "is_init", "weight"}) {
        batch.set(key, golden[key]);
    }
    for (const graph::Column& column : assembly.columns()) {
        if (column.spec.key.starts_with("net.")) {
            batch.set(column.spec.key, golden[stored_key(column.spec.key, name)]);
        }
    }
    assembly.build();
    Network& net = assembly.network("net");
    each_parameter(net, net.live, real, name, [&](const std::string& key, std::size_t offset, auto values) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double value = golden[key].at(i);
            if (real == DType::kF64) {
                net.live.as<double>()[offset + i] = value;
            } else {
                net.live.as<float>()[offset + i] = static_cast<float>(value);
            }
        }
    });
    assembly.load();
    CHECK(off_by(assembly.forward("prepare", batch).at("out"), golden["out"]) <= tolerance);
    assembly.run(batch);
    each_parameter(net, net.gradient, real, name, [&](const std::string& key, std::size_t, auto values) {
        CAPTURE(name, key);
        CHECK(off_by({values.begin(), values.end()}, golden["gradient." + key]) <= tolerance);
    });
}

void check(bool is_lstm, DType real, double tolerance) {
    for (const bool layered : {false, true}) {
        check_one(is_lstm, layered, real, false, tolerance);
        check_one(is_lstm, layered, real, true, tolerance);
    }
}

}  // namespace

TEST_CASE("cells over sequences and their gradients are torch's in float64") {
    check(false, DType::kF64, 1e-12);
    check(true, DType::kF64, 1e-12);
}

TEST_CASE("cells over sequences and their gradients are torch's in float32") {
    check(false, DType::kF32, 1e-5);
    check(true, DType::kF32, 1e-5);
}

namespace {

constexpr std::size_t kBurnIn = 3;

// The cell's parameters are those of the golden case.
struct Learnt {
    double loss;
    std::vector<double> gradient;
};

Learnt learn(Plan plan, const GoldenCase& golden, const std::map<std::string, std::vector<double>>& columns,
             std::int64_t steps) {
    Assembly assembly(std::move(plan));
    FilledBatch batch(assembly.columns(),
                      {.rows = 0, .time = steps, .lanes = static_cast<std::int64_t>(golden.number("lanes"))}, 1);
    for (const auto& [key, values] : columns) {
        batch.set(key, values);
    }
    assembly.build();
    Network& net = assembly.network("net");
    for (const Parameter& parameter : net.layout.parameters) {
        std::ranges::copy(golden[parameter.name.substr(4)], net.live.as<double>() + parameter.offset);
    }
    assembly.load();
    const double loss = assembly.run(batch).losses.at("weighed");
    return {loss, {net.gradient.as<double>(), net.gradient.as<double>() + net.layout.trainable_size}};
}

// All but the first steps of a column, of which each has so many numbers.
std::vector<double> rest(const std::vector<double>& column, std::size_t step) {
    return {column.begin() + static_cast<std::ptrdiff_t>(kBurnIn * step), column.end()};
}

}  // namespace

namespace {

void check_burn_in(bool compiled) {
    CAPTURE(compiled);
    const auto plan_of = [&](bool is_lstm, DType real) { return cells_test::plan_of(is_lstm, real, compiled); };
    const GoldenCase golden = golden_case("cells.txt", "gru");
    const auto steps = static_cast<std::int64_t>(golden.number("steps"));
    const auto lanes = static_cast<std::size_t>(golden.number("lanes"));
    std::map<std::string, std::vector<double>> columns;
    for (const char* key : {"x", "is_init", "weight"}) {
        columns[key] = golden[key];
    }
    columns["net.gru_hidden"] = golden["hidden"];
    Plan burns = plan_of(false, DType::kF64);
    burns.burn_in = kBurnIn;
    const Learnt whole = learn(burns, golden, columns, steps);

    std::map<std::string, std::vector<double>> later = {{"x", rest(columns["x"], 3 * lanes)},
                                                        {"is_init", rest(columns["is_init"], lanes)},
                                                        {"weight", rest(columns["weight"], kSize * lanes)},
                                                        {"net.gru_hidden", rest(golden["hidden"], kSize * lanes)}};
    const std::size_t leads = (kBurnIn - 1) * kSize * lanes;  // what the last step of burn-in puts out
    std::copy_n(golden["out"].begin() + static_cast<std::ptrdiff_t>(leads), kSize * lanes,
                later["net.gru_hidden"].begin());
    const Learnt by_hand =
        learn(plan_of(false, DType::kF64), golden, later, steps - static_cast<std::int64_t>(kBurnIn));
    CHECK_THAT(whole.loss, Catch::Matchers::WithinRel(by_hand.loss, 1e-12));
    CHECK(off_by(whole.gradient, by_hand.gradient) < 1e-12);

    // A mask says the same of the loss and lets the gradient go back; burn-in leaves out what the mask does, too.
    Plan masked = plan_of(false, DType::kF64);
    masked.columns.push_back(flag_column("mask"));
    columns["mask"] = std::vector<double>(golden["is_init"].size(), 1);
    std::fill_n(columns["mask"].begin(), kBurnIn * lanes, 0.0);
    const Learnt goes_back = learn(masked, golden, columns, steps);
    CHECK_THAT(goes_back.loss, Catch::Matchers::WithinRel(by_hand.loss, 1e-12));
    CHECK(off_by(goes_back.gradient, by_hand.gradient) > 1e-3);
    masked.burn_in = kBurnIn;
    CHECK(off_by(learn(masked, golden, columns, steps).gradient, by_hand.gradient) < 1e-12);
    columns["mask"].back() = 0;
    CHECK(off_by(learn(masked, golden, columns, steps).gradient, by_hand.gradient) > 1e-3);
}

// Sequences that begin with zeros, and sequences in which an episode begins.
void check_initial_memory(bool compiled) {
    CAPTURE(compiled);
    const GoldenCase golden = golden_case("cells.txt", "gru");
    const auto steps = static_cast<std::int64_t>(golden.number("steps"));
    std::map<std::string, std::vector<double>> columns;
    for (const char* key : {"x", "is_init", "weight"}) {
        columns[key] = golden[key];
    }
    columns["net.gru_hidden"] = golden["hidden"];
    Plan plan = cells_test::plan_of(false, DType::kF64, compiled);
    const Learnt stored = learn(plan, golden, columns, steps);
    plan.forgets = true;
    const Learnt zero = learn(plan, golden, columns, steps);
    plan.forgets = false;
    std::fill_n(columns["is_init"].begin(), static_cast<std::size_t>(golden.number("lanes")), 1.0);
    const Learnt begun = learn(plan, golden, columns, steps);
    CHECK_THAT(zero.loss, Catch::Matchers::WithinRel(begun.loss, 1e-14));
    CHECK(off_by(zero.gradient, begun.gradient) < 1e-14);
    CHECK(off_by(zero.gradient, stored.gradient) > 1e-3);
}

}  // namespace

TEST_CASE("an initial memory of zero is that of an episode's first step") {
    check_initial_memory(false);
    check_initial_memory(true);
}

TEST_CASE("what is learnt after burn-in is what the rest teaches that begins with the memory it leads to") {
    check_burn_in(false);
    check_burn_in(true);
}

}  // namespace cells_test
