// SPDX-License-Identifier: Apache-2.0
// Loops of tokens with a cache and an end for each row: values and gradients are those of the same steps written one
// after the other, on both executors, and of central differences.
#include <algorithm>
#include <ctime>
#include <random>
#include <set>

#include "gradients.hpp"
#include "support/catch.hpp"
#include "token_authors.hpp"

namespace tokens_test {

using namespace tenon;
using namespace tenon::test;
using Catch::Matchers::ContainsSubstring;

namespace {

Plan plan_of(const std::string& objective, bool compiled) {
    return {.columns = {real_column("observation", {3})},
            .networks = {},
            .objective = "test/" + objective,
            .options = {},
            .compiled = compiled};
}

void check_near(const std::vector<double>& a, const std::vector<double>& b) {
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        CAPTURE(i);
        CHECK(a[i] == Catch::Approx(b[i]).epsilon(1e-12).margin(1e-13));
    }
}

Columns prepared(const std::string& objective, bool compiled, std::int64_t rows) {
    Assembly assembly(plan_of(objective, compiled));
    const FilledBatch batch(assembly.columns(), {.rows = rows}, 5);
    return assembly.forward("prepare", batch);
}

struct Learnt {
    Outcome outcome;
    std::vector<double> gradients;
};

Learnt learn(const std::string& objective, bool compiled) {
    Assembly assembly(plan_of(objective, compiled));
    const FilledBatch batch(assembly.columns(), {.rows = 9}, 5);
    assembly.build();
    assembly.load();
    Learnt out{.outcome = assembly.run(batch), .gradients = {}};
    for (const Network& network : assembly.learner.networks) {
        const std::vector<double> its = numbers(network, network.gradient);
        out.gradients.insert(out.gradients.end(), its.begin(), its.end());
    }
    const GradientCheck gradients = check_gradients(assembly, batch);
    CHECK(gradients.worst <= 1e-6);
    CHECK(gradients.smallest_network > 0.01);
    return out;
}

std::string problems_of(const std::string& objective) {
    Assembly assembly(plan_of(objective, true));
    std::string out;
    for (const Problem& problem : assembly.try_build()) {
        out += problem.sentence + "\n";
    }
    return out;
}

}  // namespace

TEST_CASE("a loop of tokens gives what the same steps give one after the other") {
    for (const std::int64_t rows : {1, 2, 9, 40}) {
        const Columns wanted = prepared("SpeaksStepByStep", false, rows);
        for (const bool compiled : {false, true}) {
            CAPTURE(compiled, rows);
            const Columns have = prepared("Speaks", compiled, rows);
            for (const auto& [key, values] : wanted) {
                CAPTURE(key);
                check_near(have.at(key), values);
            }
        }
    }
}

TEST_CASE("rows of these tests end at different steps, and some do not") {
    const Columns all = prepared("SpeaksStepByStep", false, 40);
    const std::set<double> lengths(all.at("place").begin(), all.at("place").end());
    CHECK(lengths.size() >= 3);
    const auto& dones = all.at("dones");
    bool open = false;
    for (std::size_t i = kTokens - 1; i < dones.size(); i += kTokens) {
        open = open || dones[i] == 0;
    }
    CHECK(open);
    CHECK(std::ranges::count(all.at("tokens"), kPad) > 0);
}

TEST_CASE("the gradient through a loop that ends is that of the steps until then") {
    const Learnt wanted = learn("SpeaksStepByStep", true);
    for (const bool compiled : {false, true}) {
        CAPTURE(compiled);
        const Learnt have = learn("Speaks", compiled);
        CHECK(have.outcome.losses.at("all.log_probs") ==
              Catch::Approx(wanted.outcome.losses.at("all.log_probs")).epsilon(1e-12));
        check_near(have.gradients, wanted.gradients);
        for (const auto& [key, values] : wanted.outcome.columns) {
            CAPTURE(key);
            check_near(have.outcome.columns.at(key), values);
        }
    }
}

TEST_CASE("a scan carries and returns ints exactly, also those that no real number is") {
    for (const bool compiled : {false, true}) {
        CAPTURE(compiled);
        const Columns have = prepared("Counts", compiled, 2);
        const std::vector<double> wanted{1, 3, 5, 7, 9, 11};
        for (const std::string key : {"counts", "put"}) {
            CAPTURE(key);
            CHECK(std::equal(wanted.begin(), wanted.end(), have.at(key).begin()));
            CHECK(std::equal(wanted.begin(), wanted.end(), have.at(key).begin() + kTokens));
        }
    }
}

TEST_CASE("what cannot say which rows are done is told") {
    CHECK_THAT(problems_of("NoFlag"), ContainsSubstring("scan: its last result says which rows are done, so it must be "
                                                        "bool without sizes, but is real [B]"));
    CHECK_THAT(problems_of("Sizes"), ContainsSubstring("so it must be bool without sizes, but is bool [B, 3]"));
    CHECK_THAT(problems_of("NoRows"),
               ContainsSubstring("scan: its last result, bool [B], says which rows are done, but no value that it "
                                 "carries has just these rows"));
    CHECK_THAT(problems_of("OnlyCarried"),
               ContainsSubstring("with until its last result says which rows are done, after the values that it "
                                 "carries; it has 1 results and carries 1"));
    CHECK_THAT(problems_of("Fill"), ContainsSubstring("scan: a result is int, so fill must be finite"));
}

TEST_CASE("a row that does not fit its value is told") {
    const std::string all = problems_of("PutsWrongly");
    CHECK_THAT(all, ContainsSubstring("put: row, int [B], is put into x, real [B, 3]; both must be of one kind"));
    CHECK_THAT(all,
               ContainsSubstring("put: row, real [B, 3], cannot be put into x, real [B, 3], along axis -1; it must "
                                 "have the other sizes"));
    CHECK_THAT(all, ContainsSubstring("put: axis -2 does not exist: x, real [B, 3], has 1 size"));
    CHECK_THAT(all, ContainsSubstring("put: index, int [B, 1], must be one int per row, without sizes"));
}

namespace {

struct Sampled {
    double milliseconds = 1e9;  // of the processor
    Columns columns;
};

// `draws`: given instead of numbers of its own, which have the objective's name in their stream.
Sampled sample(const std::string& objective, std::int64_t rows, std::vector<double> draws = {}) {
    Plan plan = plan_of(objective, true);
    plan.real = DType::kF32;
    Assembly assembly(std::move(plan));
    const FilledBatch batch(assembly.columns(), {.rows = rows}, 5);
    if (!draws.empty()) {
        assembly.draws["test/" + objective + ".update/gumbel"] = std::move(draws);
    }
    assembly.build();
    assembly.load();
    Sampled out;
    for (int round = 0; round < 7; ++round) {
        const std::clock_t begin = std::clock();
        out.columns = assembly.run(batch).columns;
        const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        out.milliseconds = std::min(out.milliseconds, 1000 * seconds);
    }
    return out;
}

}  // namespace

TEST_CASE("tokens drawn with a cache into which rows are put are those of a cache that is chosen place by place") {
    constexpr std::size_t kNumbers = 16 * 4 * 16;  // of 16 steps, 4 rows and 16 words
    std::mt19937 random(2);
    std::uniform_real_distribution<double> uniform(0.01, 0.99);
    std::vector<double> draws(kNumbers);
    std::ranges::generate(draws, [&] { return uniform(random); });
    const Sampled have = sample("Samples16", 4, draws);
    const Sampled wanted = sample("SamplesWithWhere16", 4, draws);
    CHECK(have.columns == wanted.columns);
    const std::vector<double>& tokens = have.columns.at("tokens");
    CHECK(std::set<double>(tokens.begin(), tokens.end()).size() > 4);
}

// Not in ./test: build/release/tests/test_objectives "[speed]"
TEST_CASE("the time to draw tokens of 256 rows after 16 others", "[.][speed]") {
    for (const std::string count : {"16", "64", "128"}) {
        WARN(count << " tokens: " << sample("Samples" + count, 256).milliseconds
                   << " ms; with caches that are chosen place "
                   << "by place " << sample("SamplesWithWhere" + count, 256).milliseconds
                   << " ms; with caches of which a step reads a row " << sample("Writes" + count, 256).milliseconds
                   << " ms");
    }
}

}  // namespace tokens_test
