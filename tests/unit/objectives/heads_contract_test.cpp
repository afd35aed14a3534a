// SPDX-License-Identifier: Apache-2.0
// What every head of tenon/heads.hpp promises, whatever its distribution.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/data/spec_values.hpp"
#include "heads.hpp"
#include "support/catch.hpp"

namespace heads_contract_test {

using namespace tenon;
using namespace tenon::test;

namespace {

std::vector<double> row_of(const std::vector<double>& values, std::size_t row, std::size_t rows) {
    const std::size_t width = values.size() / rows;
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(row * width);
    return {first, first + static_cast<std::ptrdiff_t>(width)};
}

bool is_in(const Spec& spec, const std::vector<double>& action) {
    if (spec.kind == SpecKind::kUnbounded) {
        return std::ranges::all_of(action, [](double x) { return std::isfinite(x); });
    }
    if (spec.kind == SpecKind::kOneHot) {
        return std::ranges::count(action, 1.0) == 1 && std::ranges::count(action, 0.0) + 1 == std::ssize(action);
    }
    for (std::size_t i = 0; i < action.size(); ++i) {
        const double x = action[i];
        const bool bounded = spec.kind == SpecKind::kBounded;
        const double low = bounded ? spec.low_of(i) : 0;
        const double high = bounded                          ? spec.high_of(i)
                            : spec.kind == SpecKind::kBinary ? 1
                                                             : static_cast<double>(spec.categories[i]) - 1;
        if (!(x >= low && x <= high) || (!bounded && x != std::floor(x))) {
            return false;
        }
    }
    return true;
}

// How near to a bound an action is, as a share of the range; 1 where there are none.
double nearest_bound(const Spec& spec, const std::vector<double>& action) {
    double out = 1;
    for (std::size_t i = 0; i < action.size() && spec.kind == SpecKind::kBounded; ++i) {
        const double share = (action[i] - spec.low_of(i)) / (spec.high_of(i) - spec.low_of(i));
        out = std::min({out, share, 1 - share});
    }
    return out;
}

}  // namespace

// Near a bound a squashed action does not say its pre-image: in float64 the log-prob of an action within a
// ten-thousandth of the range from one is left out, in float32 within a hundredth.
TEST_CASE("a draw has the log-prob that log_prob gives its action") {
    for (const HeadCase& head : head_cases()) {
        for (const DType real : {DType::kF64, DType::kF32}) {
            CAPTURE(head.name, real == DType::kF32);
            Assembly assembly(plan_of(head, real));
            FilledBatch batch(assembly.columns(), {.rows = 800}, 61);
            make_parameters(head, batch);
            const Columns out = assembly.forward("prepare", batch);
            const double edge = real == DType::kF64 ? 1e-4 : 1e-2;
            const double tolerance = real == DType::kF64 ? 1e-9 : head.discrete ? 1e-5 : 1e-3;
            std::size_t inside = 0;
            for (std::size_t i = 0; i < 800; ++i) {
                if (nearest_bound(head.action.spec, row_of(out.at("drawn"), i, 800)) > edge) {
                    ++inside;
                    const double expected = out.at("drawn.log_prob")[i];
                    CHECK(std::abs(out.at("drawn.again")[i] - expected) <= tolerance * (1 + std::abs(expected)));
                }
            }
            CHECK(inside > 400);
        }
    }
}

TEST_CASE("draws and modes are actions that the spec allows") {
    for (const HeadCase& head : head_cases()) {
        for (const DType real : {DType::kF64, DType::kF32}) {
            for (const double size : {1.0, 1e3}) {
                CAPTURE(head.name, real == DType::kF32, size);
                Assembly assembly(plan_of(head, real));
                FilledBatch batch(assembly.columns(), {.rows = 2000}, 62);
                make_parameters(head, batch);
                for (const std::string& parameter : head.parameters) {
                    std::vector<double> values = batch[parameter];
                    const bool stays = head.name == "truncated_normal" && parameter == "loc";
                    std::ranges::for_each(values, [&](double& x) { x *= stays ? 1 : size; });
                    batch.set(parameter, values);
                }
                const Columns out = assembly.forward("prepare", batch);
                std::size_t outside = 0;
                for (std::size_t i = 0; i < 2000; ++i) {
                    for (const char* name : {"drawn", "mode"}) {
                        outside += is_in(head.action.spec, row_of(out.at(name), i, 2000)) ? 0U : 1U;
                    }
                }
                CHECK(outside == 0);
                CHECK(std::ranges::all_of(out.at("drawn.log_prob"), [](double x) { return std::isfinite(x); }));
            }
        }
    }
}

// Entropies that are one draw's are compared as means of their own.
TEST_CASE("the entropy is the mean of -log_prob over draws, and kl that of the difference of two") {
    constexpr std::size_t kRows = 40000;
    for (const HeadCase& head : head_cases()) {
        CAPTURE(head.name);
        Assembly assembly(plan_of(head));
        FilledBatch batch(assembly.columns(), {.rows = kRows}, 63);
        make_parameters(head, batch);
        repeat_first_row(head, batch);
        const Columns out = assembly.forward("prepare", batch);
        std::vector<double> surprise;
        std::vector<double> difference;
        for (std::size_t i = 0; i < kRows; ++i) {
            surprise.push_back(-out.at("drawn.log_prob")[i]);
            difference.push_back(out.at("drawn.log_prob")[i] - out.at("drawn.other")[i]);
        }
        const Mean entropy = mean_of(out.at("entropy"));
        const Mean expected = mean_of(surprise);
        CHECK(std::abs(entropy.value - expected.value) < 4.5 * std::hypot(entropy.error, expected.error));
        CHECK(std::abs(entropy.value + 0.1 - expected.value) > 4.5 * std::hypot(entropy.error, expected.error));

        // from this head to the other: exchange the two
        for (const std::string& parameter : head.parameters) {
            const std::vector<double> here = batch[parameter];
            batch.set(parameter, batch["other." + parameter]);
            batch.set("other." + parameter, here);
        }
        const double kl = assembly.forward("prepare", batch).at("kl")[0];
        const Mean measured = mean_of(difference);
        CHECK(kl > 0.05);
        CHECK(std::abs(kl - measured.value) < 4.5 * measured.error + 1e-12);
    }
}

TEST_CASE("kl is 0 from a distribution to itself and positive to any other") {
    for (const HeadCase& head : head_cases()) {
        for (const DType real : {DType::kF64, DType::kF32}) {
            CAPTURE(head.name, real == DType::kF32);
            Assembly assembly(plan_of(head, real));
            FilledBatch batch(assembly.columns(), {.rows = 1000}, 64);
            make_parameters(head, batch);
            const Columns out = assembly.forward("prepare", batch);
            const double rounding = real == DType::kF64 ? 1e-15 : 1e-6;
            CHECK(std::ranges::all_of(out.at("kl.itself"), [&](double x) { return std::abs(x) <= rounding; }));
            CHECK(std::ranges::all_of(out.at("kl"), [](double x) { return x > 0; }));
            CHECK(out.at("kl.unpacked") == out.at("kl"));
        }
    }
}

// The 0.0001 points of chi-square: 2, 4, 7 and 23 degrees of freedom.
TEST_CASE("discrete draws are as frequent as their log-probs say") {
    const std::map<std::string, double> limits = {{"categorical", 23.51},
                                                  {"one_hot", 23.51},
                                                  {"ordinal", 23.51},
                                                  {"bernoulli", 29.88},
                                                  {"multi_categorical", 58.61}};
    constexpr std::size_t kRows = 40000;
    for (const HeadCase& head : head_cases()) {
        if (!head.discrete) {
            continue;
        }
        for (const DType real : {DType::kF64, DType::kF32}) {
            for (const std::uint64_t counter : {0U, 1U}) {
                CAPTURE(head.name, real == DType::kF32, counter);
                Assembly assembly(plan_of(head, real));
                FilledBatch batch(assembly.columns(), {.rows = kRows}, 65);
                make_parameters(head, batch);
                repeat_first_row(head, batch);
                const Columns out = assembly.forward("prepare", batch, {.counter = counter});
                std::map<std::vector<double>, double> times;
                std::map<std::vector<double>, double> expected;
                for (std::size_t i = 0; i < kRows; ++i) {
                    const std::vector<double> action = row_of(out.at("drawn"), i, kRows);
                    ++times[action];
                    expected[action] = kRows * std::exp(out.at("drawn.log_prob")[i]);
                }
                double sum = 0;
                double total = 0;
                for (const auto& [action, count] : times) {
                    sum += (count - expected[action]) * (count - expected[action]) / expected[action];
                    total += expected[action];
                }
                CHECK(total == Catch::Approx(kRows).epsilon(1e-5));  // all there are have been drawn
                CHECK(sum < limits.at(head.name));
            }
        }
    }
}

// 1.95 / sqrt(n) is the 0.001 point of Kolmogorov's distribution.
TEST_CASE("continuous draws have the distribution function of their parameters") {
    constexpr std::size_t kRows = 20000;
    const auto normal = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
    for (const HeadCase& head : head_cases()) {
        if (head.discrete) {
            continue;
        }
        for (const std::uint64_t counter : {0U, 9U}) {
            Assembly assembly(plan_of(head));
            FilledBatch batch(assembly.columns(), {.rows = kRows}, 66);
            make_parameters(head, batch);
            repeat_first_row(head, batch);
            const Columns out = assembly.forward("prepare", batch, {.counter = counter});
            for (std::size_t k = 0; k < 3; ++k) {
                CAPTURE(head.name, counter, k);
                const double loc = batch["loc"][k];
                const double scale = batch["scale"][k];
                const double low = kActionLow[k];
                const double high = kActionHigh[k];
                const auto below = [&](double x) {
                    if (head.name == "tanh_normal") {
                        return normal((std::atanh(2 * (x - low) / (high - low) - 1) - loc) / scale);
                    }
                    const double from = head.name == "normal" ? 0 : normal((low - loc) / scale);
                    const double to = head.name == "normal" ? 1 : normal((high - loc) / scale);
                    return (normal((x - loc) / scale) - from) / (to - from);
                };
                std::vector<double> drawn;
                for (std::size_t i = 0; i < kRows; ++i) {
                    drawn.push_back(out.at("drawn")[3 * i + k]);
                }
                CHECK(kolmogorov_distance(drawn, below) < 1.95 / std::sqrt(kRows));
                CHECK(kolmogorov_distance(drawn, [&](double x) { return 0.97 * below(x); }) > 1.95 / std::sqrt(kRows));
            }
        }
    }
}

// What is forbidden has the best scores by far.
TEST_CASE("what a mask forbids is never drawn, and is no mode") {
    constexpr std::size_t kRows = 20000;
    for (const HeadCase& head : head_cases()) {
        if (!head.discrete || head.name == "bernoulli") {  // whose elements are free of each other
            continue;
        }
        const std::vector<double> mask =
            head.width == 5 ? std::vector<double>{0, 1, 0, 1, 1} : std::vector<double>{0, 1, 1, 0, 1, 1, 0, 0, 0};
        for (const DType real : {DType::kF64, DType::kF32}) {
            CAPTURE(head.name, real == DType::kF32);
            Assembly assembly(plan_of(head, real, {flag_column("action_mask", {head.width})}));
            FilledBatch batch(assembly.columns(), {.rows = kRows}, 67);
            std::vector<double> masks;
            std::vector<double> logits = batch["logits"];
            for (std::size_t i = 0; i < logits.size(); ++i) {
                masks.push_back(mask[i % mask.size()]);
                logits[i] += masks[i] == 1 ? 0 : 1e4;
            }
            batch.set("action_mask", masks);
            batch.set("logits", logits);
            const Columns out = assembly.forward("prepare", batch);
            std::size_t forbidden = 0;
            for (std::size_t i = 0; i < kRows; ++i) {
                for (const char* name : {"drawn", "mode"}) {
                    const std::vector<double> action = row_of(out.at(name), i, kRows);
                    if (head.name == "categorical" || head.name == "ordinal") {
                        forbidden += mask[static_cast<std::size_t>(action[0])] == 0 ? 1U : 0U;
                    } else if (head.name == "one_hot") {
                        forbidden +=
                            mask[static_cast<std::size_t>(std::ranges::find(action, 1.0) - action.begin())] == 0 ? 1U
                                                                                                                 : 0U;
                    } else {
                        forbidden += action[0] == 0 || action[1] != 1 || action[2] != 0 ? 1U : 0U;
                    }
                }
            }
            CHECK(forbidden == 0);
            CHECK(std::ranges::all_of(out.at("drawn.log_prob"), [](double x) { return x <= 0 && x > -30; }));
            CHECK(std::ranges::all_of(out.at("entropy"), [](double x) { return x > 0 && x < 3; }));
        }
    }
}

}  // namespace heads_contract_test
