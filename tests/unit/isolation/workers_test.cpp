// SPDX-License-Identifier: Apache-2.0
// Lanes whose env runs in workers: the same bytes as in this process, and what becomes of them when workers end.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

#include "base/data/spec_values.hpp"
#include "base/data/state_bytes.hpp"
#include "base/random/key.hpp"
#include "config/manifest/options.hpp"
#include "engines/isolation/isolate.hpp"
#include "experience/env/lanes.hpp"
#include "experience/env/seeds.hpp"
#include "experience/replay/extend.hpp"
#include "plugins/plugin/host_services.hpp"
#include "plugins/plugin/registry.hpp"
#include "support/catch.hpp"

namespace workers_test {

namespace {

using namespace tenon;

constexpr std::uint32_t kLanes = 12;
constexpr std::uint32_t kWorkers = 4;  // of three lanes each
constexpr std::uint32_t kSlots = 600;

// The workers of this process, the oldest first.
std::vector<pid_t> workers() {
    std::ifstream file("/proc/self/task/" + std::to_string(::getpid()) + "/children");
    std::vector<pid_t> out;
    for (pid_t id = 0; file >> id;) {
        out.push_back(id);
    }
    return out;
}

struct World {
    Pool pool{1};
    HostServices services{pool};
    Registry registry = Registry::scan({{.path = TENON_PLUGINS, .source = {}, .place = {}}});

    Result<Lanes> lanes(const std::optional<IsolationRules>& rules) {
        const ComponentInfo info = *registry.find("classic/CartPole-v1");
        const ComponentTable table{.path = "env", .schema = "env", .ref = {info.name, {}}, .options = {}, .place = {}};
        Problems problems;
        const std::vector<OptionValue> values = resolve_options(table, info.note->options, problems);
        Result<LoadedComponent> loaded =
            rules ? isolate(info, *rules, services.table()) : registry.load(info, services.table());
        REQUIRE(loaded);
        Result<Instance> instance = Instance::create(*loaded, values, kLanes, make_key(3, "env"));
        if (!instance) {
            return std::move(instance.error());
        }
        return Lanes::make(std::move(*instance), {}, {}, kLanes, pool);
    }
};

Storage storage_for(const Lanes& lanes) {
    Result<Storage> storage = Storage::make(storage_columns(lanes.specs()), kSlots, kLanes);
    REQUIRE(storage);
    return *std::move(storage);
}

void begin(Lanes& lanes, Storage& storage) {
    REQUIRE(lanes.bind(storage));
    REQUIRE(lanes.reset(nullptr, lane_seeds(make_key(4, "env"), kLanes).data()));
}

// A fixed policy: the action of a slot and lane, whatever is seen.
void act(const Lanes& lanes, Storage& storage) {
    const Spec& action = *lanes.specs().find("action");
    const std::uint32_t slot = storage.head();
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        draw(action, make_key(5, "actions"), slot * kLanes + lane, row_at(storage.find("action")->view, slot, lane));
    }
}

void step(Lanes& lanes, Storage& storage) {
    act(lanes, storage);
    const Status stepped = lanes.step();
    INFO((stepped ? "" : stepped.error().sentence));
    REQUIRE(stepped);
}

// Of the lane's rows before the head, those that differ.
std::size_t differences(const Storage& a, const Storage& b, std::uint32_t lane) {
    std::size_t out = 0;
    for (std::size_t i = 0; i < a.columns().size(); ++i) {
        const StorageColumn& one = a.columns()[i];
        const StorageColumn& other = b.columns()[i];
        for (std::uint32_t slot = 0; slot < a.head(); ++slot) {
            out +=
                std::memcmp(row_at(one.view, slot, lane), row_at(other.view, slot, lane), row_bytes(one)) == 0 ? 0 : 1;
        }
    }
    return out;
}

TEST_CASE("lanes in workers write the same bytes as lanes in this process") {
    World world;
    Result<Lanes> here = world.lanes(std::nullopt);
    Result<Lanes> isolated = world.lanes(IsolationRules{.workers = kWorkers});
    REQUIRE(isolated);
    Storage one = storage_for(*here);
    Storage other = storage_for(*isolated);
    begin(*here, one);
    begin(*isolated, other);
    CHECK(workers().size() == kWorkers);
    for (std::uint32_t i = 0; i + 1 < kSlots; ++i) {
        step(*here, one);
        step(*isolated, other);
    }
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        CHECK(differences(one, other, lane) == 0);
    }
}

TEST_CASE("what is saved of lanes in workers goes on as if nothing had been") {
    World world;
    Result<Lanes> whole = world.lanes(IsolationRules{.workers = 2});
    Storage one = storage_for(*whole);
    begin(*whole, one);
    for (int i = 0; i < 50; ++i) {
        step(*whole, one);
    }
    StateBytes bytes;
    REQUIRE(whole->save(bytes.writer()));
    Storage other = storage_for(*whole);
    start_with(other, one);
    Result<Lanes> resumed = world.lanes(IsolationRules{.workers = 2});
    REQUIRE(resumed->bind(other));
    REQUIRE(other.stand_at(one.ring().position()));
    for (std::size_t i = 0; i < one.columns().size(); ++i) {
        const View& view = one.columns()[i].view;
        std::memcpy(other.columns()[i].view.data, view.data, view.bytes());
    }
    REQUIRE(resumed->load(bytes.reader()));
    for (int i = 0; i < 100; ++i) {
        step(*whole, one);
        step(*resumed, other);
    }
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        CHECK(differences(one, other, lane) == 0);
    }
}

TEST_CASE("a hundred workers are killed in the middle of steps, and lanes of others never notice") {
    constexpr std::uint32_t kKills = 100;
    World world;
    Result<Lanes> here = world.lanes(std::nullopt);
    Result<Lanes> isolated = world.lanes(IsolationRules{.workers = kWorkers, .restarts = kKills});
    Storage one = storage_for(*here);
    Storage other = storage_for(*isolated);
    begin(*here, one);
    begin(*isolated, other);
    const std::vector<pid_t> safe = {workers()[0], workers()[1]};  // of lanes 0 to 5
    std::vector<std::uint32_t> lost_in(kLanes, 0);
    std::uint32_t killed = 0;
    std::size_t notices = 0;
    for (std::uint32_t i = 0; i + 2 < kSlots; ++i) {
        step(*here, one);
        std::thread killer;
        if (i % 5 == 3 && killed < kKills) {
            ++killed;
            const std::vector<pid_t> all = workers();
            const pid_t victim =
                *std::ranges::find_if(all, [&](pid_t id) { return std::ranges::count(safe, id) == 0; });
            killer = std::thread([victim, wait = (i * 37) % 60] {
                std::this_thread::sleep_for(std::chrono::microseconds(wait));
                ::kill(victim, SIGKILL);
            });
        }
        const std::uint32_t slot = other.head();
        act(*isolated, other);
        const Status stepped = isolated->step();
        if (killer.joinable()) {
            killer.join();
        }
        REQUIRE(stepped);
        notices += isolated->take_notices().size();
        CHECK(isolated->take_warnings().empty());
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            const bool is_lost = isolated->lost()[lane] != 0;
            lost_in[lane] += is_lost ? 1 : 0;
            if (!is_lost || slot == 0) {
                continue;
            }
            // The step belongs to a new episode, and what came before it was cut off.
            CHECK(*static_cast<const std::uint8_t*>(row_at(other.find("is_init")->view, slot, lane)) == 1);
            const std::size_t before = std::size_t{slot - 1} * kLanes + lane;
            CHECK((other.flags().terminated[before] | other.flags().truncated[before]) == 1);
        }
    }
    REQUIRE(killed == kKills);
    step(*here, one);
    step(*isolated, other);  // in which a worker is missed that was killed after the last one
    notices += isolated->take_notices().size();
    CHECK(notices == kKills);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        INFO("lane " << lane);
        CHECK((lost_in[lane] > 0) == (lane >= kLanes / 2));
        CHECK((differences(one, other, lane) == 0) == (lane < kLanes / 2));
    }
}

TEST_CASE("a worker that ends too often ends the run, with its name, its signal and the call") {
    World world;
    Result<Lanes> lanes = world.lanes(IsolationRules{.workers = 1, .restarts = 1});
    Storage storage = storage_for(*lanes);
    begin(*lanes, storage);
    ::kill(workers().front(), SIGXCPU);  // none that a sanitizer handles
    step(*lanes, storage);
    const Problems notices = lanes->take_notices();
    REQUIRE(notices.size() == 1);
    CHECK(notices[0].sentence ==
          "classic/CartPole-v1: its process was ended by SIGXCPU in step: 12 lanes, 0 to 11, lost this step and begin "
          "new "
          "episodes (restart 1 of at most 1)");
    ::kill(workers().front(), SIGKILL);
    act(*lanes, storage);
    const Status ended = lanes->step();
    REQUIRE_FALSE(ended);
    CHECK(ended.error().fault == Fault::kPlugin);
    CHECK(
        ended.error().sentence ==
        "classic/CartPole-v1, step: its process was ended by SIGKILL, and the 1 allowed restarts (isolation.restarts) "
        "are used up");
}

TEST_CASE("what ended the run is said, whatever other workers answer") {
    World world;
    Result<Lanes> lanes = world.lanes(IsolationRules{.workers = 2, .restarts = 0});
    Storage storage = storage_for(*lanes);
    begin(*lanes, storage);
    ::kill(workers().front(), SIGKILL);
    act(*lanes, storage);
    const Status ended = lanes->step();
    REQUIRE_FALSE(ended);
    CHECK(
        ended.error().sentence ==
        "classic/CartPole-v1, step: its process was ended by SIGKILL, and the 0 allowed restarts (isolation.restarts) "
        "are used up");
}

TEST_CASE("a worker that does not answer is ended") {
    World world;
    Result<Lanes> lanes = world.lanes(IsolationRules{.workers = 1, .seconds = 0.5});
    Storage storage = storage_for(*lanes);
    begin(*lanes, storage);
    ::kill(workers().front(), SIGSTOP);
    step(*lanes, storage);
    const Problems notices = lanes->take_notices();
    REQUIRE(notices.size() == 1);
    CHECK_THAT(notices[0].sentence,
               Catch::Matchers::ContainsSubstring("did not answer within 0.5 s and was ended in step"));
    CHECK(workers().size() == 1);
}

TEST_CASE("workers end with their instance") {
    World world;
    {
        Result<Lanes> lanes = world.lanes(IsolationRules{.workers = 3});
        CHECK(workers().size() == 3);
    }
    CHECK(workers().empty());
}

TEST_CASE("a worker without memory says so") {
    World world;
    const ComponentInfo info = *world.registry.find("classic/CartPole-v1");
    const Result<LoadedComponent> loaded = isolate(info, IsolationRules{.memory_mb = 1}, world.services.table());
    REQUIRE_FALSE(loaded);
    CHECK_THAT(loaded.error().sentence, Catch::Matchers::ContainsSubstring("classic/CartPole-v1: its process "));
}

}  // namespace

}  // namespace workers_test
