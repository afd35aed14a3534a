// SPDX-License-Identifier: Apache-2.0
// Plugins whose note is fine and whose code is not: each is refused with one sentence.
#include "plugins/plugin/load.hpp"

#include <cfloat>

#include "fixture.hpp"
#include "plugins/plugin/library.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace load_test {

using namespace tenon;
using namespace tenon::test;

namespace {

std::string refusal(const std::string& name, Fault fault = Fault::kPlugin) {
    const Result<LoadedPlugin> plugin = load_fixture(name);
    if (plugin) {
        return "";
    }
    CHECK(plugin.error().fault == fault);
    return plugin.error().sentence;
}

std::string path(const std::string& name) {
    return fixture(name).string();
}

std::string disagree(const std::string& name, const std::string& what) {
    return path(name) + ": its note and its code disagree: " + what;
}

}  // namespace

TEST_CASE("a sound plugin written in C loads, more than once") {
    const Result<LoadedPlugin> plugin = load_fixture("sound");
    REQUIRE(plugin);
    REQUIRE(plugin->component("Count-v1") != nullptr);
    CHECK(std::string(plugin->component("Count-v1")->id) == "Count-v1");
    CHECK(plugin->component("Count-v11") == nullptr);
    CHECK(load_fixture("sound"));
}

TEST_CASE("entries that are none are refused") {
    CHECK(refusal("no_entry") == path("no_entry") + " does not export 'tn_plugin_entry_v1'");
    CHECK(refusal("wrong_magic") ==
          path("wrong_magic") +
              " exports 'tn_plugin_entry_v1', but this is not a plugin entry: its magic number is wrong");
    CHECK(refusal("wrong_size") ==
          "the entry of " + path("wrong_size") + " has struct_size 3, which is invalid; this host knows 64");
    CHECK(refusal("absurd_size") ==
          "the entry of " + path("absurd_size") + " has struct_size 4294967280, which is invalid; this host knows 64");
    CHECK(refusal("newer_entry") ==
          path("newer_entry") + " was built for a newer plugin ABI: it needs 9.1, but this host has 0.1");
}

TEST_CASE("a note and code that disagree are refused") {
    CHECK(refusal("other_name") ==
          disagree("other_name", "the name is 'other_name' in the note, but 'another' in the code"));
    CHECK(refusal("other_id") == disagree("other_id", "the id is 'Count-v1' in the note, but 'Count-v2' in the code"));
    CHECK(refusal("other_kind") ==
          disagree("other_kind", "the kind of Count-v1 is 'env' in the note, but 'policy' in the code"));
    CHECK(refusal("other_count") == disagree("other_count", "the note lists 1 components, but the code has 2"));
    CHECK(refusal("lost_component") ==
          disagree("lost_component", "the note lists 'Count-v1', but the code has no such component"));
}

TEST_CASE("components that cannot be used are refused before an instance is made") {
    CHECK(refusal("absurd_component") ==
          "absurd_component/Count-v1 has struct_size 4294967280, which is invalid; this host knows 48");
    CHECK(refusal("unknown_kind") == "unknown_kind/Count-v1 is of the kind 'widget', which this host does not know");
    CHECK(refusal("null_interface") ==
          "null_interface/Count-v1 does not offer the interface 'tenon.env/1', which its kind 'env' requires");
    CHECK(refusal("null_function") ==
          "null_function/Count-v1 offers an interface 'tenon.env/1' that has a null in place of function 4");
    CHECK(refusal("short_interface") ==
          "short_interface/Count-v1 offers an interface 'tenon.env/1' that is too short: its struct_size is 16, but "
          "at least 40 is needed");
}

TEST_CASE("a failing init is told in the plugin's own words") {
    CHECK(refusal("failing_init", Fault::kEnvironment) == "failing_init, init: no licence found");
}

TEST_CASE("the linker's text is kept, without what Boost puts around it") {
    CHECK(refusal("undefined_symbol") ==
          path("undefined_symbol") + " cannot be loaded: undefined symbol: tn_test_nobody_defines_this");
    const ScratchFolder scratch;
    spill(scratch / "x.so", "no library");
    const auto library = Library::load(scratch / "x.so");
    REQUIRE_FALSE(library);
    CHECK_THAT(library.error().sentence,
               Catch::Matchers::StartsWith((scratch / "x.so").string() + " cannot be loaded: "));
    CHECK_THAT(library.error().sentence, !Catch::Matchers::ContainsSubstring("dlerror"));
}

TEST_CASE("a plugin that switches subnormal numbers off does so for nobody else") {
    const Result<LoadedPlugin> plugin = load_fixture("fast_math");  // in its constructor and in init
    REQUIRE(plugin);
    volatile double tiny = DBL_MIN;
    tiny = tiny / 4;
    CHECK(tiny > 0.0);
}

}  // namespace load_test
