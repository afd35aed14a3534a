// SPDX-License-Identifier: Apache-2.0
// The lanes of a fake env on two threads, with a storage of six slots, after their first reset.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/random/key.hpp"
#include "experience/env/lanes.hpp"
#include "experience/env/seeds.hpp"
#include "support/catch.hpp"
#include "unit/env/fake_env.hpp"

namespace tenon::test {

struct FakeRun {
    FakeRun(std::uint32_t lane_count, const std::function<void(FakeEnv&)>& change,
            std::vector<Callee<tn_transform_api>> transforms = {})
        : env(lane_count), pool(2) {
        change(env);
        Result<Lanes> made = Lanes::make(env.callee(), std::move(transforms), lane_count, pool);
        REQUIRE(made);
        lanes = std::make_unique<Lanes>(*std::move(made));
        storage = std::make_unique<Storage>(*Storage::make(storage_columns(lanes->specs()), 6, lane_count));
        REQUIRE(lanes->bind(*storage));
        REQUIRE(lanes->reset(nullptr, lane_seeds(make_key(3, "env"), lane_count).data()));
    }
    Status step() {
        put_actions(*storage, time++);
        return lanes->step();
    }
    FakeEnv env;
    Pool pool;
    std::unique_ptr<Lanes> lanes;
    std::unique_ptr<Storage> storage;
    std::uint64_t time = 0;
};

}  // namespace tenon::test
