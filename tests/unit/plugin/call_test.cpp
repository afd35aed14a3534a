// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/call.hpp"

#include <cfenv>
#include <stdexcept>

#include "support/catch.hpp"

namespace call_test {

using namespace tenon;

namespace {

void say(std::string_view text) {
    keep_error({text.data(), text.size()});
}

tn_status throws(int) {
    throw std::runtime_error("out");
}

tn_status rounds_up(int) {
    std::fesetround(FE_UPWARD);
    return TN_OK;
}

std::string sentence(tn_status status, std::string_view function) {
    const Status checked = check_call(status, "lib/c", function);
    return checked ? "" : checked.error().sentence;
}

}  // namespace

TEST_CASE("a failure with text is the text, named by component and function") {
    const Place place{.file = "m.toml", .line = 3, .column = 1, .length = 1, .excerpt = ""};
    say("limit is too bold");
    const Status status = check_call(TN_INVALID_ARGUMENT, "lib/c", "create", place);
    REQUIRE_FALSE(status);
    CHECK(status.error().sentence == "lib/c: limit is too bold");
    CHECK(status.error().place.line == 3);
    say("stuck");
    CHECK(sentence(TN_INTERNAL, "step") == "lib/c, step: stuck");
}

TEST_CASE("a failure without text says which status it was") {
    CHECK(sentence(TN_INVALID_ARGUMENT, "create") == "lib/c: create failed without saying why (invalid argument)");
    CHECK(sentence(TN_FATAL, "step") == "lib/c, step: step failed without saying why (fatal error)");
    CHECK(sentence(77, "create") ==
          "lib/c: create returned status 77, which is not a status; it is treated as an internal error");
    CHECK(sentence(-1, "create") ==
          "lib/c: create returned status -1, which is not a status; it is treated as an internal error");
}

TEST_CASE("text left by a call that succeeded does not explain a later failure") {
    say("all is well");
    CHECK(check_call(TN_OK, "lib/c", "create"));
    CHECK(sentence(TN_INTERNAL, "create") == "lib/c: create failed without saying why (internal error)");
}

TEST_CASE("options that a component refuses are the input's fault, everything else is the plugin's") {
    const auto fault = [](tn_status status, std::string_view function, std::string_view text) {
        say(text);
        return check_call(status, "lib/c", function).error().fault;
    };
    CHECK(fault(TN_INVALID_ARGUMENT, "create", "limit is too bold") == Fault::kInput);
    CHECK(fault(TN_INVALID_ARGUMENT, "create", "") == Fault::kPlugin);  // nobody can tell what is to be mended
    CHECK(fault(TN_INVALID_ARGUMENT, "step", "stuck") == Fault::kPlugin);
    CHECK(fault(TN_INTERNAL, "create", "stuck") == Fault::kPlugin);
}

TEST_CASE("a plugin that lacks memory, or something on the machine, does not count as defective") {
    CHECK(check_call(TN_OUT_OF_MEMORY, "lib/c", "create").error().fault == Fault::kEnvironment);
    CHECK(check_call(TN_UNAVAILABLE, "lib/c", "describe").error().fault == Fault::kEnvironment);
}

TEST_CASE("what a call changes about rounding is put back") {
    volatile double three = 3;
    const double third = 1 / three;
    CHECK(call_plugin("lib/c", "step", {}, rounds_up, 1) == TN_OK);
    CHECK(1 / three == third);
}

TEST_CASE("an exception that leaves a plugin is its internal error") {
    CHECK(call_plugin("lib/c", "init", {}, throws, 1) == TN_INTERNAL);
    CHECK(sentence(TN_INTERNAL, "init") ==
          "lib/c, init: a C++ exception left the plugin; a plugin must catch its exceptions");
}

TEST_CASE("only the fatal status ends an instance") {
    CHECK(is_fatal(TN_FATAL));
    CHECK_FALSE(is_fatal(TN_INTERNAL));
}

}  // namespace call_test
