// SPDX-License-Identifier: Apache-2.0
// Every op's stored values and gradients, computed by compiled programs.
#include <string>

#include "engines/compiled/program.hpp"
#include "examples.hpp"
#include "support/catch.hpp"

namespace ops_test {

using namespace tenon;
using namespace tenon::test;

namespace {

MakeForward compiling(DType real) {
    return [real](const ProgramSpec& spec, Learner& learner) {
        auto reference = executor(real)->forward(spec, learner);
        REQUIRE(reference.has_value());
        auto made = compiled::make_program(spec, {}, learner, std::move(*reference));
        REQUIRE(made.has_value());
        return std::move(*made);
    };
}

}  // namespace

TEST_CASE("every op gives its stored values in both dtypes") {
    for (const Example& example : examples()) {
        for (const DType real : {DType::kF64, DType::kF32}) {
            CAPTURE(std::string(example.op), example.inputs.front().reals, example.inputs.front().dims,
                    real == DType::kF64);
            const auto [have, refused] = evaluate(example, real, compiling(real));
            REQUIRE(refused == "");
            const std::vector<double> want = stored_values(example);
            REQUIRE(have.size() == want.size());
            for (std::size_t i = 0; i < want.size(); ++i) {
                CAPTURE(i, have[i], want[i]);
                CHECK(is_close(have[i], want[i], real == DType::kF64 ? 1e-12 : 2e-6));
            }
        }
    }
}

}  // namespace ops_test
