// SPDX-License-Identifier: Apache-2.0
// Several heads, one for each column of an action, are what they are together, also in the losses that take them apart.
#include <algorithm>
#include <array>
#include <cmath>

#include "actor_rig.hpp"
#include "golden.hpp"
#include "heads.hpp"
#include "support/catch.hpp"

namespace composite_test {

using namespace tenon;
using namespace tenon::test;

namespace {

graph::Column acted(graph::Column column) {
    column.spec.role = Role::kAction;
    return column;
}

std::vector<graph::Column> with_parameters(std::vector<graph::Column> columns, std::int64_t width) {
    for (graph::Column& column : columns) {
        column = acted(std::move(column));
    }
    columns.push_back(real_column("parameters", {width}));
    columns.push_back(real_column("other.parameters", {width}));
    return columns;
}

// As tests/golden/generate/heads.py has them.
std::vector<graph::Column> five() {
    return with_parameters(
        {categorical_column("action.move", 4), flag_column("action.flags", {2}), one_hot_column("action.hot", 3),
         real_column("action.free", {2}), bounded_column("action.near", kActionLow, kActionHigh)},
        19);
}

// What those five leave out: several choices, squashed normals, columns without and with two dimensions.
std::vector<graph::Column> others() {
    graph::Column table = bounded_column("action.table", {-1, -2, 0, 3}, {1, 5, 1, 4});
    table.spec.shape = Shape{2, 2};
    graph::Column dial = bounded_column("action.dial", {-1}, {2});
    dial.spec.shape = Shape{};
    return with_parameters({multi_categorical_column("action.pair", {3, 2}), table, dial}, 15);
}

Plan plan_of(const std::string& author, std::vector<graph::Column> columns, DType real) {
    return {.columns = std::move(columns), .networks = {}, .objective = "test/" + author, .options = {}, .real = real};
}

// Scales are between a fifth and one and a half: in `others` those of the table, 9 to 12, and of the dial, 14.
void make_scales(FilledBatch& batch) {
    for (const char* key : {"parameters", "other.parameters"}) {
        std::vector<double> values = batch[key];
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::size_t at = i % 15;
            if ((at >= 9 && at <= 12) || at == 14) {
                values[i] = 0.2 + 1.3 / (1 + values[i] * values[i]);
            }
        }
        batch.set(key, values);
    }
}

std::vector<double> column_of(const std::vector<double>& rows, std::size_t width, std::size_t first,
                              std::size_t length) {
    std::vector<double> out;
    for (std::size_t at = first; at < rows.size(); at += width) {
        out.insert(out.end(), rows.begin() + static_cast<std::ptrdiff_t>(at),
                   rows.begin() + static_cast<std::ptrdiff_t>(at + length));
    }
    return out;
}

std::vector<double> sums(const std::vector<double>& values, std::size_t width) {
    std::vector<double> out(values.size() / width);
    for (std::size_t i = 0; i < values.size(); ++i) {
        out[i / width] += values[i];
    }
    return out;
}

void fill(FilledBatch& batch, const GoldenCase& golden) {
    batch.set("parameters", golden["parameters"]);
    batch.set("other.parameters", golden["other.parameters"]);
    std::size_t first = 0;
    for (const auto& [key, length] : {std::pair<const char*, std::size_t>{"action.move", 1},
                                      {"action.flags", 2},
                                      {"action.hot", 3},
                                      {"action.free", 2},
                                      {"action.near", 3}}) {
        batch.set(key, column_of(golden["action"], 11, first, length));
        first += length;
    }
}

}  // namespace

TEST_CASE("a composite says what tensordict's says, together and apart") {
    const GoldenCase golden = golden_case("heads.txt", "composite");
    for (const DType real : {DType::kF64, DType::kF32}) {
        for (const std::string author : {"CompositeHead", "CompositeHeads"}) {
            CAPTURE(author, real == DType::kF32);
            Assembly assembly(plan_of(author, five(), real));
            FilledBatch batch(assembly.columns(), {.rows = static_cast<std::int64_t>(golden.number("rows"))}, 1);
            fill(batch, golden);
            const Columns out = assembly.forward("prepare", batch);
            const double tolerance = real == DType::kF64 ? 1e-12 : 1e-5;
            const char* log_prob = author == "CompositeHead" ? "log_prob" : "log_prob_by_head";
            CHECK(worst_difference(out.at("log_prob"), golden[log_prob]) <= tolerance);
            for (const char* quantity : {"entropy", "kl", "mode"}) {
                CAPTURE(quantity);
                CHECK(worst_difference(out.at(quantity), golden[quantity]) <= tolerance);
            }
        }
    }
}

TEST_CASE("draws of a composite are what the specs of all columns allow, and have their log-probability") {
    constexpr std::size_t kRows = 800;
    for (const DType real : {DType::kF64, DType::kF32}) {
        const double tolerance = real == DType::kF64 ? 1e-9 : 1e-3;
        CAPTURE(real == DType::kF32);
        Columns of_all;
        for (const std::string author : {"CompositeHead", "CompositeHeads"}) {
            Assembly assembly(plan_of(author, others(), real));
            FilledBatch batch(assembly.columns(), {.rows = kRows}, 61);
            make_scales(batch);
            const Columns out = assembly.forward("prepare", batch);
            const std::size_t heads = author == "CompositeHead" ? 1 : 3;
            REQUIRE(out.at("drawn").size() == 7 * kRows);
            REQUIRE(out.at("drawn.log_prob").size() == heads * kRows);
            const std::array<double, 7> low = {0, 0, -1, -2, 0, 3, -1};
            const std::array<double, 7> high = {2, 1, 1, 5, 1, 4, 2};
            std::size_t inside = 0;
            for (std::size_t row = 0; row < kRows; ++row) {
                bool is_inside = true;
                for (std::size_t i = 0; i < 7; ++i) {
                    for (const char* what : {"drawn", "mode"}) {
                        const double x = out.at(what)[7 * row + i];
                        REQUIRE((x >= low[i] && x <= high[i] && (i > 1 || x == std::floor(x))));
                    }
                    const double share = (out.at("drawn")[7 * row + i] - low[i]) / (high[i] - low[i]);
                    is_inside = is_inside && (i < 2 || std::min(share, 1 - share) > 0.01);
                }
                inside += is_inside ? 1U : 0U;
                for (std::size_t head = 0; is_inside && head < heads; ++head) {
                    const double expected = out.at("drawn.log_prob")[heads * row + head];
                    CHECK(std::abs(out.at("drawn.again")[heads * row + head] - expected) <=
                          tolerance * (1 + std::abs(expected)));
                }
            }
            CHECK(inside > 200);
            CHECK(std::ranges::all_of(out.at("kl.itself"), [](double x) { return std::abs(x) < 1e-5; }));
            CHECK(std::ranges::all_of(out.at("kl"), [](double x) { return x > 0; }));
            CHECK(out.at("kl.unpacked") == out.at("kl"));
            if (heads == 1) {
                of_all = out;
            } else {
                CHECK(worst_difference(sums(out.at("log_prob"), 3), of_all.at("log_prob")) <= tolerance * 1e-2);
            }
        }
    }
}

// The 0.0001 point of chi-square with 11 degrees of freedom.
TEST_CASE("heads of a composite draw independently of each other, as often as their joint log-probability says") {
    constexpr std::size_t kRows = 40000;
    const auto columns = with_parameters({categorical_column("action.a", 3), flag_column("action.b", {2})}, 5);
    Assembly assembly(plan_of("CompositeHead", columns, DType::kF64));
    FilledBatch batch(assembly.columns(), {.rows = kRows}, 65);
    const std::vector<double> first = batch.row("parameters", 0);
    std::vector<double> all;
    for (std::size_t i = 0; i < kRows; ++i) {
        all.insert(all.end(), first.begin(), first.end());
    }
    batch.set("parameters", all);
    const Columns out = assembly.forward("prepare", batch);
    std::array<double, 12> times{};
    std::array<double, 12> expected{};
    for (std::size_t i = 0; i < kRows; ++i) {
        const double* const row = out.at("drawn").data() + 3 * i;
        const auto which = static_cast<std::size_t>(4 * row[0] + 2 * row[1] + row[2]);
        ++times.at(which);
        expected.at(which) = kRows * std::exp(out.at("drawn.log_prob")[i]);
    }
    double sum = 0;
    double total = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
        sum += (times[i] - expected[i]) * (times[i] - expected[i]) / expected[i];
        total += expected[i];
    }
    CHECK(total == Catch::Approx(kRows).epsilon(1e-6));  // all there are have been drawn
    CHECK(sum < 37.37);
}

namespace {

constexpr double kEpsilon = 0.1;

Plan two_choices(const std::string& objective, const std::string& log_prob, Options more = {}) {
    Options options = {{"entropy_coefficient", 0.05}, {"value_coefficient", 0.5}};
    options.insert(options.end(), more.begin(), more.end());
    Plan out = actor_plan(objective, std::move(options));
    std::erase_if(out.columns, [](const graph::Column& column) {
        return column.spec.key == "action" || column.spec.key == "log_prob";
    });
    out.columns.push_back(acted(categorical_column("action.a", 3)));
    out.columns.push_back(acted(categorical_column("action.b", 2)));
    out.columns.push_back(real_column("log_prob", log_prob == "sum" ? Shape{} : Shape{2}));
    out.columns.push_back(real_column("action_parameters", {5}));
    out.networks.front() = {.role = "actor",
                            .component = "mlp/composite",
                            .options = {{"hidden", std::vector<std::int64_t>{6}}, {"log_prob", log_prob}}};
    return out;
}

// Of both heads.
std::array<double, 2> log_probs_by_hand(const Network& actor, const FilledBatch& batch, std::size_t row) {
    const Vector out = mlp(actor, actor.live, batch.row("observation", row));
    const auto of = [&](std::size_t first, std::size_t count, const char* key) {
        const auto begin = out.begin() + static_cast<std::ptrdiff_t>(first);
        const Vector logits(begin, begin + static_cast<std::ptrdiff_t>(count));
        return test::log_softmax(logits)[static_cast<std::size_t>(batch[key][row])];
    };
    return {of(0, 3, "action.a"), of(3, 2, "action.b")};
}

// Older log-probs: of some heads the ratio leaves the clipping range, of others it does not.
void store_log_probs(Assembly& assembly, FilledBatch& batch) {
    std::vector<double> stored = batch["log_prob"];
    const std::size_t heads = stored.size() / batch.rows();
    for (std::size_t i = 0; i < batch.rows(); ++i) {
        const auto now = log_probs_by_hand(assembly.network("actor"), batch, i);
        for (std::size_t k = 0; k < heads; ++k) {
            stored[heads * i + k] = (heads == 1 ? now[0] + now[1] : now.at(k)) + 0.15 * stored[heads * i + k];
        }
    }
    batch.set("log_prob", stored);
}

double clipped_gain(double ratio, double advantage) {
    return std::min(ratio * advantage, std::min(std::max(ratio, 1 - kEpsilon), 1 + kEpsilon) * advantage);
}

}  // namespace

TEST_CASE("PPO takes the ratio of all heads, or one of each and the sum of their gains") {
    const std::string objective = GENERATE(as<std::string>{}, "ppo/ppo", "ppo_fused/ppo");
    for (const std::string log_prob : {"sum", "separate"}) {
        CAPTURE(objective, log_prob);
        Assembly assembly(two_choices(objective, log_prob, {{"clip_epsilon", kEpsilon}}));
        assembly.build();
        assembly.load();
        FilledBatch batch(assembly.columns(), {.rows = 16}, 7);
        store_log_probs(assembly, batch);
        double policy = 0;
        double kl = 0;
        double outside = 0;
        for (std::size_t i = 0; i < 16; ++i) {
            const auto now = log_probs_by_hand(assembly.network("actor"), batch, i);
            std::vector<double> log_ratios = {now[0] + now[1] - batch["log_prob"][i]};
            if (log_prob == "separate") {
                log_ratios = {now[0] - batch["log_prob"][2 * i], now[1] - batch["log_prob"][2 * i + 1]};
            }
            for (const double log_ratio : log_ratios) {
                const double ratio = std::exp(log_ratio);
                policy -= clipped_gain(ratio, batch["advantage"][i]) / 16;
                kl += (ratio - 1 - log_ratio) / 16;
                outside += (std::abs(ratio - 1) > kEpsilon ? 1.0 : 0.0) / 16 / static_cast<double>(log_ratios.size());
            }
        }
        REQUIRE(outside > 0.1);
        REQUIRE(outside < 0.9);
        const Outcome outcome = assembly.run(batch);
        CHECK(outcome.losses.at("policy") == Catch::Approx(policy).epsilon(1e-12));
        CHECK(outcome.metrics.at("approx_kl") == Catch::Approx(kl).epsilon(1e-12));
        CHECK(outcome.metrics.at("clip_fraction") == Catch::Approx(outside).epsilon(1e-12));
        CHECK(check_gradients(assembly, batch).worst <= 1e-6);
    }
}

TEST_CASE("PPO with a penalty sums the gains of heads, and A2C is the same for both") {
    std::map<std::string, double> a2c;
    for (const std::string log_prob : {"sum", "separate"}) {
        CAPTURE(log_prob);
        Assembly assembly(two_choices("ppo/kl", log_prob));
        assembly.build();
        assembly.load();
        FilledBatch batch(assembly.columns(), {.rows = 16}, 7);
        store_log_probs(assembly, batch);
        double policy = 0;
        double plain = 0;
        for (std::size_t i = 0; i < 16; ++i) {
            const auto now = log_probs_by_hand(assembly.network("actor"), batch, i);
            const std::vector<double>& old = batch["log_prob"];
            const double ratios = log_prob == "sum" ? std::exp(now[0] + now[1] - old[i])
                                                    : std::exp(now[0] - old[2 * i]) + std::exp(now[1] - old[2 * i + 1]);
            policy -= ratios * batch["advantage"][i] / 16;
            plain -= (now[0] + now[1]) * batch["advantage"][i] / 16;
        }
        CHECK(assembly.run(batch).losses.at("policy") == Catch::Approx(policy).epsilon(1e-12));
        CHECK(check_gradients(assembly, batch).worst <= 1e-6);

        Assembly other(two_choices("a2c/a2c", log_prob));
        other.build();
        other.load();
        a2c[log_prob] = other.run(batch).losses.at("policy");
        CHECK(a2c[log_prob] == Catch::Approx(plain).epsilon(1e-12));
    }
    CHECK(a2c["sum"] == a2c["separate"]);
}

}  // namespace composite_test
