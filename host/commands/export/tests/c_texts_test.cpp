// SPDX-License-Identifier: Apache-2.0
// What operations on elements are in C.
#include "commands/export/c_texts.hpp"

#include "support/catch.hpp"

namespace c_texts_test {

using tenon::compiled::Code;
using tenon::compiled::Kind;

TEST_CASE("every operation on elements has a form in C, but erfinv") {
    for (std::size_t i = 0; i < static_cast<std::size_t>(Code::kElementwise); ++i) {
        const auto code = static_cast<Code>(i);
        CAPTURE(name_of(code));
        bool has_form = false;
        for (const Kind kind : {Kind::kReal, Kind::kInt, Kind::kBool}) {
            has_form = has_form || !tenon::c_expression(code, kind).empty();
        }
        CHECK(has_form == (code != Code::kErfinv));
    }
}

}  // namespace c_texts_test
