// SPDX-License-Identifier: Apache-2.0
// What an env may not say about its columns.
#include "experience/env/describe.hpp"

#include "support/catch.hpp"
#include "unit/env/fake_env.hpp"
#include "unit/env/fake_transform.hpp"

namespace describe_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;

std::string refusal(test::FakeEnv& env) {
    const Result<EnvInfo> info = describe_env(env.callee());
    REQUIRE_FALSE(info);
    CHECK(info.error().fault == Fault::kPlugin);
    CHECK_THAT(info.error().sentence, ContainsSubstring("fake/Env"));
    return info.error().sentence;
}

TEST_CASE("an env needs observations, actions and rewards") {
    for (const Role role : {Role::kObservation, Role::kAction, Role::kReward}) {
        test::FakeEnv env(1);
        std::erase_if(env.specs.specs, [&](const Spec& each) { return each.role == role; });
        CHECK_THAT(refusal(env), ContainsSubstring("no " + std::string(name_of(role))));
    }
}

TEST_CASE("keys of the host, keys twice and roles of others are refused by name") {
    for (const char* const key : {"terminated", "truncated", "done", "is_init", "next.observation", "mask", "goal.x"}) {
        test::FakeEnv env(1);
        env.specs.specs[3].key = key;
        CHECK_THAT(refusal(env), ContainsSubstring("'" + std::string(key) + "'"));
    }
    test::FakeEnv twice(1);
    twice.specs.specs[3].key = "reward";
    CHECK_THAT(refusal(twice), ContainsSubstring("'reward' exists twice"));
    test::FakeEnv state(1);
    state.specs.specs[3].role = Role::kState;
    CHECK_THAT(refusal(state), ContainsSubstring("'lives' has the role state"));
    test::FakeEnv empty(1);
    empty.specs.specs[0].shape = {0};
    CHECK_THAT(refusal(empty), ContainsSubstring("'observation' has the shape [0]"));
    test::FakeEnv limit(1);
    limit.episode_limit = -1;
    CHECK_THAT(refusal(limit), ContainsSubstring("-1"));
}

TEST_CASE("a mask has an element for every category of its action") {
    test::FakeEnv env(1);
    env.specs.specs.push_back(test::spec("action_mask", Role::kObservation, DType::kBool, {2}));
    env.specs.specs.back().kind = SpecKind::kBinary;
    CHECK_THAT(refusal(env), ContainsSubstring("'action_mask' has the key of a mask for 'action', which has 3 "
                                               "categories, so it must be bool [3]; it is action_mask: bool [2]"));
    env.specs.specs.back().shape = {3};
    CHECK(describe_env(env.callee()));
}

TEST_CASE("who of a group is present and who has ended are bools of each agent") {
    const auto of_agents = [](const char* key, Role role, DType dtype) {
        Spec out = test::spec(key, role, dtype, {2});
        out.kind = SpecKind::kBinary;
        out.group = "agents";
        return out;
    };
    test::FakeEnv env(1);
    env.specs.specs.push_back(of_agents("agents.present", Role::kObservation, DType::kBool));
    env.specs.specs.push_back(of_agents("agents.terminated", Role::kEnd, DType::kBool));
    CHECK(describe_env(env.callee()));
    Spec& present = env.specs.specs[4];
    Spec& terminated = env.specs.specs[5];
    present.role = Role::kExtra;
    CHECK_THAT(refusal(env),
               ContainsSubstring("column 'agents.present' must be one binary bool for each agent, with the role "
                                 "observation, because it says which agents take part; it has the role extra"));
    present = of_agents("agents.present", Role::kObservation, DType::kU8);
    CHECK_THAT(refusal(env), ContainsSubstring("'agents.present' must be one binary bool") &&
                                 ContainsSubstring("and is agents.present: uint8 [2]"));
    present = of_agents("agents.present", Role::kObservation, DType::kBool);
    terminated.role = Role::kReward;
    CHECK_THAT(refusal(env), ContainsSubstring("'agents.terminated' must be one binary bool for each agent, with the "
                                               "role end, because it says which agents have ended"));
    terminated = of_agents("agents.fell", Role::kEnd, DType::kBool);
    CHECK_THAT(refusal(env), ContainsSubstring("column 'agents.fell' has the role end, which only 'terminated' below a "
                                               "group of agents may have"));
    terminated = of_agents("agents.done", Role::kExtra, DType::kBool);
    CHECK_THAT(refusal(env), ContainsSubstring("'agents.done' has a key that is reserved for the host below a group"));
}

TEST_CASE("a transform's outer side is held to the same rules") {
    test::FakeEnv env(1);
    test::FakeTransform widen(test::FakeTransform::kWiden, 1);
    Composite inner = describe_env(env.callee())->specs;
    REQUIRE(describe_transform(widen.callee(), inner));
    std::erase_if(inner.specs, [](const Spec& each) { return each.role == Role::kReward; });
    const Result<Composite> outer = describe_transform(widen.callee(), inner);
    REQUIRE_FALSE(outer);
    CHECK_THAT(outer.error().sentence, ContainsSubstring("fake/widen") && ContainsSubstring("no reward"));
}

}  // namespace

}  // namespace describe_test
