// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/pin.hpp"

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace pin_test {

using namespace tenon;
using namespace tenon::test;

TEST_CASE("a pin holds for exactly its bytes, in either case of its digits") {
    const ScratchFolder scratch;
    spill(scratch / "f", "abc");
    const std::string hash = "BA7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    const std::string lower = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    const Pin pin{"f", hash, {}};
    CHECK(check_pin(pin, scratch / "f"));
    const std::string other(64, '0');
    const Status status = check_pin({"f", other, {"m.toml", 4, 1, 1, ""}}, scratch / "f");
    REQUIRE_FALSE(status);
    std::string expected = (scratch / "f").string();
    expected += " is not the pinned file: its SHA-256 is " + lower;
    expected += ", but the pin is " + other;
    CHECK(status.error().sentence == expected);
    CHECK(status.error().fault == Fault::kPlugin);
    CHECK(status.error().place.line == 4);
}

TEST_CASE("a pin that is no hash is the user's input") {
    CHECK(check_pin_form({"f", std::string(64, 'a'), {}}));
    for (const std::string& bad : {std::string(), std::string("abc"), std::string(64, 'g'), std::string(65, 'a')}) {
        const Status status = check_pin_form({"f", bad, {}});
        REQUIRE_FALSE(status);
        CHECK(status.error().sentence ==
              "the pin of 'f' must be a SHA-256 of 64 hexadecimal digits, but is '" + bad + "'");
        CHECK(status.error().fault == Fault::kInput);
    }
}

}  // namespace pin_test
