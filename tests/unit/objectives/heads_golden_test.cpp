// SPDX-License-Identifier: Apache-2.0
// What heads say of given actions against torch.distributions, edges included (tests/golden/heads.txt).
#include "golden.hpp"
#include "heads.hpp"
#include "support/catch.hpp"

namespace heads_golden_test {

using namespace tenon;
using namespace tenon::test;

namespace {

const HeadCase& head_called(const std::string& name) {
    static const std::vector<HeadCase> cases = head_cases();
    return *std::ranges::find(cases, name, &HeadCase::name);
}

Columns compute(Plan plan, const GoldenCase& golden) {
    Assembly assembly(std::move(plan));
    FilledBatch batch(assembly.columns(), {.rows = static_cast<std::int64_t>(golden.number("rows"))}, 1);
    for (const graph::Column& column : assembly.columns()) {
        batch.set(column.spec.key, golden[column.spec.key]);
    }
    return assembly.forward("prepare", batch);
}

void compare(const std::string& name, const HeadCase& head, DType real, double tolerance) {
    CAPTURE(name, real == DType::kF32);
    const GoldenCase golden = golden_case("heads.txt", name);
    const Columns out = compute(plan_of(head, real), golden);
    for (const char* quantity : {"log_prob", "entropy", "kl", "mode", "mean"}) {
        if (golden.lists.contains(quantity)) {
            CAPTURE(quantity);
            CHECK(worst_difference(out.at(quantity), golden[quantity]) <= tolerance);
        }
    }
}

}  // namespace

TEST_CASE("heads say what torch.distributions say, in both dtypes and at the edges") {
    for (const HeadCase& head : head_cases()) {
        compare(head.name, head, DType::kF64, 1e-12);
        compare(head.name, head, DType::kF32, 1e-5);
    }
}

// In float32 an action near a bound does not say its pre-image to 1e-5, nor does one of a scale of a ten-thousandth.
TEST_CASE("a tanh-normal is torch's at all scales and where tanh is all but flat") {
    compare("tanh_normal_scales", head_called("tanh_normal"), DType::kF64, 1e-9);
    compare("tanh_normal_saturated", head_called("tanh_normal"), DType::kF64, 1e-9);
}

TEST_CASE("scales are TorchRL's") {
    const GoldenCase golden = golden_case("heads.txt", "scale");
    const Columns out = compute(
        {.columns = {real_column("raw", {3})}, .networks = {}, .objective = "test/Scales", .options = {}}, golden);
    for (const char* map : {"scale", "half", "free"}) {
        CAPTURE(map);
        CHECK(worst_difference(out.at(map), golden[map]) <= 1e-12);
    }
}

}  // namespace heads_golden_test
