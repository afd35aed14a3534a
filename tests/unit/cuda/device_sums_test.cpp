// SPDX-License-Identifier: Apache-2.0
// Sums of gradients over linked devices against those of a group on the host. The devices are emulated, and sockets
// stand for NCCL (tests/e2e/fake_nccl.cpp).
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../shards/memory_link.hpp"
#include "compute/exec/device_engine.hpp"
#include "compute/exec/device_slabs.hpp"
#include "engines/cuda/devices.hpp"
#include "engines/shards/device_link.hpp"
#include "support.hpp"
#include "support/catch.hpp"

namespace device_sums_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr std::size_t kLarge = 70'000;  // so that four processes send halves
constexpr std::size_t kSmall = 3;

std::vector<double> numbers_of(std::size_t rank, std::size_t size) {
    std::mt19937_64 draw(rank + 1);
    std::vector<double> out(size);
    for (double& each : out) {
        each = (static_cast<double>(draw() % 2'000'001) - 1e6) * std::pow(10.0, static_cast<double>(draw() % 9) - 8);
    }
    return out;
}

// These throw. Assertions of Catch2 are for one thread, and each process is one here.
template <class T>
T must(Result<T> result) {
    return result ? std::move(*result) : throw std::runtime_error(result.error().sentence);
}
void must(const Status& done) {
    if (!done) {
        throw std::runtime_error(done.error().sentence);
    }
}

// A learner of one process with two networks, whose gradients are on a device.
struct Process {
    Learner learner{.real = DType::kF32, .networks = {}};
    std::shared_ptr<Device> device = open_emulated();
    std::shared_ptr<DeviceSlabs> slabs;
    std::vector<Network*> networks;

    Process(std::size_t rank, std::size_t size) {
        for (const std::size_t count : {size, kSmall}) {
            const auto shape = static_cast<std::int64_t>(count);
            add_network(learner, "network " + std::to_string(count),
                        {{.name = "w", .shape = {shape}, .values = std::vector<double>(count), .trainable = true}});
        }
        for (Network& network : learner.networks) {
            const std::vector<double> numbers = numbers_of(rank, network.gradient.size() / sizeof(float));
            std::copy(numbers.begin(), numbers.end(), network.gradient.as<float>());
            networks.push_back(&network);
        }
        slabs = must(device->engine->slabs(device, learner));
        must(slabs->take_gradients(networks));
    }

    [[nodiscard]] std::vector<std::byte> on_device() const {
        StageStep step;
        step.owned = networks;
        std::size_t bytes = 0;
        for (const Network* network : networks) {
            bytes += network->gradient.size();
        }
        std::vector<std::byte> out(bytes);
        must(slabs->leave_gradients(step, out.data()));
        return out;
    }
    [[nodiscard]] std::vector<std::byte> on_host() const {
        std::vector<std::byte> out;
        for (const Network* network : networks) {
            const auto* const at = network->gradient.as<std::byte>();
            out.insert(out.end(), at, at + network->gradient.size());
        }
        return out;
    }
};

std::string new_id() {
    ::setenv("TENON_NCCL", TENON_FAKE_NCCL, 1);
    const std::shared_ptr<Device> device = open_emulated();
    return must(device->engine->links->new_id(*device));
}

// Whether all of so many processes have the same bytes by devices as on the host.
std::vector<int> same_sums(std::size_t count, std::size_t size, bool exact) {
    std::vector<int> out(count);
    const std::string id = new_id();
    in_whole_group(count, [&](Group& group) {
        Process own(group.rank(), size);
        const DeviceMeeting meeting{.rank = group.rank(), .count = count, .id = id, .exact = exact};
        const std::shared_ptr<DeviceLink> link = must(own.device->engine->links->open(own.device, meeting));
        ExchangeHead head{.gathered = 1};
        const Status on_device = own.slabs->sum_gradients(own.networks, *link);
        const Status on_host = group.sum(head, own.networks, DType::kF32);
        out[group.rank()] = on_device && on_host && own.on_device() == own.on_host() ? 1 : 0;
    });
    return out;
}

}  // namespace

TEST_CASE("linked devices of 2 to 9 processes have the sums of the host, to the bit") {
    for (std::size_t count = 2; count <= 9; ++count) {
        CAPTURE(count);
        CHECK(same_sums(count, 100, true) == std::vector<int>(count, 1));
    }
    CHECK(same_sums(4, kLarge, true) == std::vector<int>(4, 1));
    CHECK(same_sums(6, kLarge, true) == std::vector<int>(6, 1));
}

TEST_CASE("without the order of the shards, sums of two processes are the same and those of four are not") {
    CHECK(same_sums(2, kLarge, false) == std::vector<int>(2, 1));
    CHECK(same_sums(4, kLarge, false) == std::vector<int>(4, 0));
}

TEST_CASE("a process that does not answer, or is gone, ends the wait for its device with one sentence") {
    const std::string id = new_id();
    Process first(0, kSmall);
    Process second(1, kSmall);
    const DeviceLinks& links = *first.device->engine->links;
    std::shared_ptr<DeviceLink> one;
    std::string gone;  // what the link between hosts says
    const auto check = [&] { return gone.empty() ? Status() : Status(environment_problem(gone)); };
    DeviceMeeting meeting{.rank = 0, .count = 2, .id = id, .limit = std::chrono::seconds(60), .check = check};
    std::thread meets([&] { one = must(links.open(first.device, meeting)); });
    std::shared_ptr<DeviceLink> other = must(links.open(second.device, {.rank = 1, .count = 2, .id = id}));
    meets.join();

    gone = "shard 1 of 2 was ended by SIGKILL";
    Status summed = first.slabs->sum_gradients(first.networks, *one);
    REQUIRE(!summed);
    CHECK(summed.error().sentence == gone);
    CHECK(first.slabs->sum_gradients(first.networks, *one).error().sentence ==
          "the link between the devices of this run has ended");
    summed = second.slabs->sum_gradients(second.networks, *other);
    REQUIRE(!summed);
    CHECK(summed.error().sentence == "NCCL cannot exchange the gradients of shard 1 of 2: another process has ended");

    meeting.id = new_id();
    meeting.limit = std::chrono::milliseconds(20);
    meeting.check = {};
    const Result<std::shared_ptr<DeviceLink>> alone = links.open(first.device, meeting);
    REQUIRE(!alone);
    CHECK(alone.error().sentence == "the devices of other shards have not answered that of shard 0 for 1 s");
}

}  // namespace device_sums_test
