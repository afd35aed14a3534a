// SPDX-License-Identifier: Apache-2.0
// Results: a value or a problem, which TENON_TRY passes on.
#include "base/error/result.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "support/catch.hpp"

namespace result_test {

using tenon::input_problem;
using tenon::Problem;
using tenon::Result;
using tenon::Status;

Result<std::string> word(bool fails) {
    if (fails) {
        return input_problem("no word", {.file = "a.toml", .excerpt = "", .label = ""}, "write one");
    }
    return std::string("word");
}

Status checked(bool fails) {
    TENON_TRY(word(fails));
    return {};
}

Result<std::unique_ptr<int>> counted(bool fails) {
    TENON_TRY(checked(fails));
    const std::string found = TENON_TRY(word(fails));
    return std::make_unique<int>(static_cast<int>(found.size()));
}

std::optional<Problem> refusal(bool fails) {
    TENON_TRY(checked(fails));
    return std::nullopt;
}

TEST_CASE("a problem is passed on whole, also by functions that return no Result") {
    const Result<std::unique_ptr<int>> good = counted(false);
    REQUIRE(good);
    CHECK(**good == 4);
    CHECK_FALSE(refusal(false));
    const Result<std::unique_ptr<int>> bad = counted(true);
    REQUIRE_FALSE(bad);
    for (const Problem& problem : {bad.error(), checked(true).error(), *refusal(true)}) {
        CHECK(problem.sentence == "no word");
        CHECK(problem.place.file == "a.toml");
        CHECK(problem.help == "write one");
    }
}

TEST_CASE("a copy of a result has a problem of its own") {
    Status first = input_problem("first");
    Status second = first;
    second.error().sentence = "second";
    CHECK(first.error().sentence == "first");
    first = second;
    second = Status();
    CHECK(second.has_value());
    CHECK(first.error().sentence == "second");
    Result<std::string> text = input_problem("no text");
    const Result<std::string> copied = text;
    text = std::string("text");
    CHECK(*text == "text");
    CHECK(copied.error().sentence == "no text");
    CHECK(tenon::placed(copied, {.file = "b.toml", .excerpt = "", .label = ""}).error().place.file == "b.toml");
    CHECK(copied.error().place.file.empty());
}

TEST_CASE("results are small, because calls in a steady loop return them") {
    CHECK(sizeof(Status) == sizeof(void*));
    CHECK(sizeof(Result<int>) <= 2 * sizeof(void*));
}

}  // namespace result_test
