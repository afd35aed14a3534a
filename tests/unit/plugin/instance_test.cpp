// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/instance.hpp"

#include "base/random/key.hpp"
#include "fixture.hpp"
#include "plugins/plugin/registry.hpp"
#include "support/catch.hpp"
#include "tenon/abi/env.h"
#include "tenon/abi/state.h"

namespace instance_test {

using namespace tenon;
using namespace tenon::test;

namespace {

class Fixtures {
public:
    Result<Instance> make(const std::string& library, std::int64_t limit = 10) {
        const auto info = registry_.find(library + "/Count-v1", {"m.toml", 12, 1, 1, ""});
        REQUIRE(info);
        const auto component = registry_.load(*info, test_host());
        REQUIRE(component);
        std::vector<OptionValue> options;
        for (const OptionSchema& option : info->note->options) {
            options.push_back(*option.standard);
        }
        options[0] = limit;
        return Instance::create(*component, options, 4, make_key(1, "env"));
    }

private:
    Registry registry_ = Registry::scan(folders(fixture_folder()));
};

tn_env_info describe(const Instance& instance) {
    tn_env_info info{};
    info.struct_size = sizeof info;
    const auto* env = instance.interface<tn_env_api>("tenon.env/1");
    REQUIRE(env != nullptr);
    REQUIRE(instance.check(env->describe(instance.self(), &info), "describe"));
    return info;
}

std::string refusal(const std::string& library) {
    Fixtures fixtures;
    const Result<Instance> instance = fixtures.make(library);
    if (instance) {
        return "";
    }
    CHECK(instance.error().place.line == 12);
    return instance.error().sentence;
}

}  // namespace

TEST_CASE("an instance gets its options, all types of them, and gives its interfaces") {
    Fixtures fixtures;
    const Result<Instance> instance = fixtures.make("sound", 77);
    REQUIRE(instance);
    CHECK(describe(*instance).episode_limit == 77);
    CHECK(instance->interface<tn_state_api>("tenon.state/1") == nullptr);
    CHECK(instance->name() == "sound/Count-v1");
}

TEST_CASE("every instance is destroyed once, moved or not") {
    Fixtures fixtures;
    Result<Instance> first = fixtures.make("sound");
    REQUIRE(first);
    CHECK(describe(*first).determinism == 1);  // the fixture tells there how many are alive
    {
        Result<Instance> second = fixtures.make("sound");
        REQUIRE(second);
        CHECK(describe(*first).determinism == 2);
        Instance moved = std::move(*second);
        CHECK(describe(moved).determinism == 2);
    }
    CHECK(describe(*first).determinism == 1);
    Result<Instance> third = fixtures.make("sound", 5);
    *first = std::move(*third);
    CHECK(describe(*first).episode_limit == 5);
}

TEST_CASE("a failing create is told in the plugin's words, or as far as it says anything") {
    CHECK(refusal("failing_create") == "failing_create/Count-v1: limit is too bold");
    CHECK(refusal("silent_create") == "silent_create/Count-v1: create failed without saying why (invalid argument)");
    CHECK(refusal("unknown_status") ==
          "unknown_status/Count-v1: create returned status 4711, which is not a status; it is treated as an internal "
          "error");
    CHECK(refusal("out_of_memory") == "out_of_memory/Count-v1: no memory for the lanes");
}

TEST_CASE("babble is cut and repaired") {
    const std::string sentence = refusal("babbling");
    CHECK_THAT(sentence, Catch::Matchers::StartsWith("babbling/Count-v1: one two \uFFFD\uFFFDxxx"));
    CHECK(sentence.size() < 4200);
}

TEST_CASE("text beside a success is forgotten") {
    Fixtures fixtures;
    const Result<Instance> instance = fixtures.make("sound_with_text");
    REQUIRE(instance);
    const auto* env = instance->interface<tn_env_api>("tenon.env/1");
    const Status status = instance->check(env->bind(instance->self(), nullptr), "bind");
    REQUIRE_FALSE(status);
    CHECK(status.error().sentence == "sound_with_text/Count-v1, bind: bind failed without saying why (fatal error)");
}

TEST_CASE("later calls are named by component and function, with the manifest's line") {
    Fixtures fixtures;
    const Result<Instance> instance = fixtures.make("sound");
    REQUIRE(instance);
    const auto* env = instance->interface<tn_env_api>("tenon.env/1");
    const Status status = instance->check(env->step(instance->self(), nullptr), "step");
    REQUIRE_FALSE(status);
    CHECK(status.error().sentence == "sound/Count-v1, step: the counter is stuck");
    CHECK(status.error().place.line == 12);
}

}  // namespace instance_test
