// SPDX-License-Identifier: Apache-2.0
// Which rows of tokens are texts, and what is wrong with some.
#include "base/data/text.hpp"

#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace text_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;

Spec row(const char* key, std::vector<std::int64_t> categories) {
    Spec spec;
    spec.key = key;
    spec.kind = SpecKind::kMultiCategorical;
    spec.dtype = DType::kI64;
    spec.shape = {static_cast<std::int64_t>(categories.size())};
    spec.categories = std::move(categories);
    spec.flags = TN_SPEC_TEXT;
    return spec;
}

Spec length(const char* key, std::int64_t choices) {
    Spec spec;
    spec.key = key;
    spec.kind = SpecKind::kCategorical;
    spec.dtype = DType::kI64;
    spec.categories = {choices};
    return spec;
}

Spec of_group(Spec spec) {
    spec.key = "agents." + spec.key;
    spec.group = "agents";
    spec.shape = spec.shape.rank == 0 ? Shape{2} : Shape{2, spec.shape[0]};
    return spec;
}

TEST_CASE("a text is a row of tokens with a length, also of each agent of a group") {
    CHECK(fault_of_texts({{row("prompt", {9, 9, 9}), length("prompt_length", 4)}}).empty());
    CHECK(fault_of_texts({{of_group(row("prompt", {9, 9, 9})), of_group(length("prompt_length", 4))}}).empty());
    Spec plain = row("prompt", {9, 8});
    plain.flags = 0;
    CHECK(fault_of_texts({{plain}}).empty());
}

TEST_CASE("what is wrong with a text is one sentence with both columns") {
    CHECK(fault_of_texts({{row("prompt", {9, 9, 9})}}) ==
          "'prompt' is a text, but there is no column 'prompt_length' with its number of tokens");
    CHECK(fault_of_texts({{row("prompt", {9, 9, 9}), length("prompt_length", 3)}}) ==
          "'prompt' is a text, so 'prompt_length' must be one of 4 categories, 0 to 3; it is prompt_length: int64, 3 "
          "categories");
    CHECK_THAT(fault_of_texts({{of_group(row("prompt", {9, 9})), length("agents.prompt_length", 3)}}),
               ContainsSubstring("must be one of 3 categories, 0 to 2, for each agent of 'agents'"));
    CHECK_THAT(
        fault_of_texts({{row("prompt", {9, 8}), length("prompt_length", 3)}}),
        ContainsSubstring("so it must be one row of choices among the same number of tokens; it is prompt: int64 [2]"));
    Spec one = length("prompt", 9);
    one.flags = TN_SPEC_TEXT;
    CHECK_THAT(fault_of_texts({{one, length("prompt_length", 2)}}), ContainsSubstring("so it must be one row"));
}

}  // namespace

}  // namespace text_test
