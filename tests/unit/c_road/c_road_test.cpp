// SPDX-License-Identifier: Apache-2.0
// An env in plain C and the same one through the SDK: loaded by name from their files, they write the same bytes.
#include <cstring>

#include "base/data/spec_values.hpp"
#include "base/random/key.hpp"
#include "config/manifest/options.hpp"
#include "experience/env/lanes.hpp"
#include "experience/env/seeds.hpp"
#include "plugins/plugin/host_services.hpp"
#include "plugins/plugin/registry.hpp"
#include "support/catch.hpp"

namespace c_road_test {

namespace {

using namespace tenon;

constexpr std::uint32_t kLanes = 20;
constexpr std::uint32_t kSlots = 700;  // several episodes of 200 steps

// Lanes of that env on a storage of their own, stepped by drawn actions until the storage is full.
struct Drive {
    Storage storage;
    Lanes lanes;

    static Drive of(const std::string& component, Registry& registry, const HostServices& services, Pool& pool) {
        Result<ComponentInfo> info = registry.find(component);
        REQUIRE(info);
        Problems problems;
        const ComponentTable table{.path = "env", .schema = "env", .ref = {component, {}}, .options = {}, .place = {}};
        const std::vector<OptionValue> values = resolve_options(table, info->note->options, problems);
        REQUIRE(problems.empty());
        Result<LoadedComponent> loaded = registry.load(*info, services.table());
        REQUIRE(loaded);
        Result<Instance> instance = Instance::create(*loaded, values, kLanes, make_key(3, "env"));
        REQUIRE(instance);
        Result<Lanes> lanes = Lanes::make(std::move(*instance), {}, {}, kLanes, pool);
        REQUIRE(lanes);
        Result<Storage> storage = Storage::make(storage_columns(lanes->specs()), kSlots, kLanes);
        REQUIRE(storage);
        return {.storage = *std::move(storage), .lanes = *std::move(lanes)};
    }

    void run() {
        REQUIRE(lanes.bind(storage));
        const std::vector<std::uint64_t> seeds = lane_seeds(make_key(4, "env"), kLanes);
        REQUIRE(lanes.reset(nullptr, seeds.data()));
        const Spec& action = *lanes.specs().find("action");
        for (std::uint32_t slot = 0; slot + 1 < kSlots; ++slot) {
            for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
                draw(action, make_key(5, "actions"), slot * kLanes + lane,
                     row_at(storage.find("action")->view, slot, lane));
            }
            REQUIRE(lanes.step());
        }
    }
};

bool same_bytes(const View& a, const View& b, const StorageColumn& column) {
    return std::memcmp(row_at(a, 0, 0), row_at(b, 0, 0), row_bytes(column) * kLanes * (kSlots - 1)) == 0;
}

TEST_CASE("an env in plain C writes the bytes of its twin in C++") {
    Pool pool(1);
    const HostServices services(pool);
    Registry registry = Registry::scan({{.path = TENON_PLUGINS, .source = "the test", .place = {}}});
    Drive in_c = Drive::of("classic_c/MountainCar-v0", registry, services, pool);
    Drive in_cpp = Drive::of("classic/MountainCar-v0", registry, services, pool);
    in_c.run();
    in_cpp.run();
    std::size_t compared = 0;
    for (const StorageColumn& column : in_c.storage.columns()) {
        CAPTURE(column.key);
        const StorageColumn* twin = in_cpp.storage.find(column.key);
        REQUIRE(twin != nullptr);
        CHECK(same_bytes(column.view, twin->view, column));
        ++compared;
        if (column.final.data != nullptr) {
            CHECK(same_bytes(column.final, twin->final, column));
            ++compared;
        }
    }
    CHECK(compared == 7);
    const std::uint8_t* const truncated = in_c.storage.flags().truncated;
    CHECK(std::count(truncated, truncated + std::ptrdiff_t{kLanes} * (kSlots - 1), 1) == std::ptrdiff_t{3} * kLanes);
    CHECK(in_c.lanes.take_warnings().empty());
    CHECK(in_c.lanes.without_state().empty());
}

}  // namespace

}  // namespace c_road_test
