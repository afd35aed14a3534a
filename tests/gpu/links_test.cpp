// SPDX-License-Identifier: Apache-2.0
// Sums of gradients by NCCL: on one GPU, which shows what its calls take, and on two against plain additions.
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engines/cuda/devices.hpp"
#include "engines/cuda/gradient_link.hpp"
#include "support/catch.hpp"

namespace links_test {
namespace {

using namespace tenon;
using namespace tenon::compiled::device;

constexpr std::size_t kRank = 7;  // a factor of the numbers

// Throws, also in a thread.
template <class T>
T must(Result<T> result) {
    return result ? std::move(*result) : throw std::runtime_error(result.error().sentence);
}
void must(const Status& status) {
    if (!status) {
        throw std::runtime_error(status.error().sentence);
    }
}

// The GPU of this number, or why there is nothing to test.
std::shared_ptr<Device> gpu(int number) {
    Result<std::shared_ptr<Device>> device = open_cuda(number, JitWhen::kNever);
    if (!device) {
        SKIP(device.error().sentence);
    }
    if (const auto kernels = load_kernels(**device); !kernels) {
        SKIP(kernels.error().sentence);
    }
    if (const Result<std::string> place = kDeviceLinks.place(**device); !place) {
        SKIP(place.error().sentence);
    }
    return *device;
}

std::vector<float> numbers_of(std::size_t rank, std::size_t count) {
    std::vector<float> out(count);
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = 1.0F / static_cast<float>(i + 1 + kRank * rank);
    }
    return out;
}

// Sums so many times, and returns the numbers. `us`: the microseconds of one sum, enqueued together with the others.
std::vector<float> sums_of(const std::shared_ptr<Device>& device, const DeviceMeeting& meeting, std::size_t count,
                           int times, double& us) {
    std::vector<float> out = numbers_of(meeting.rank, count);
    const std::size_t bytes = count * sizeof(float);
    Block gradient = must(Block::make(device, bytes));
    Queue queue(device, must(load_kernels(*device)));
    const std::shared_ptr<DeviceLink> link = must(kDeviceLinks.open(device, meeting));
    auto& sums = static_cast<GradientLink&>(*link);
    const GradientLink::Parts parts = {{reinterpret_cast<float*>(gradient.memory()), count}};
    const auto run = [&](int each) {
        for (int i = 0; i < each; ++i) {
            must(sums.sum(parts, queue));
        }
        must(queue.send());
        must(gradient.read(out.data(), bytes));
    };
    must(gradient.write(numbers_of(meeting.rank, count).data(), bytes));
    run(1);  // makes the connections
    must(gradient.write(numbers_of(meeting.rank, count).data(), bytes));
    const auto began = std::chrono::steady_clock::now();
    run(times);
    us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - began).count() / times;
    return out;
}

}  // namespace

TEST_CASE("one rank's NCCL leaves its gradients as they are", "[gpu]") {
    const std::shared_ptr<Device> device = gpu(0);
    for (const std::size_t count : {5'000U, 70'000U, 3'000'000U}) {
        const std::string id = must(kDeviceLinks.new_id(*device));
        double us = 0;
        CHECK(sums_of(device, {.rank = 0, .count = 1, .id = id, .exact = false}, count, 100, us) ==
              numbers_of(0, count));
        WARN("one rank's all-reduce of " << count << " floats takes " << us << " us");
    }
}

TEST_CASE("two GPUs have the sums of plain additions", "[gpu]") {
    const std::shared_ptr<Device> devices[] = {gpu(0), gpu(1)};
    for (const std::size_t count : {5'000U, 70'000U, 3'000'000U}) {
        std::vector<float> wanted = numbers_of(0, count);
        const std::vector<float> other = numbers_of(1, count);
        for (std::size_t i = 0; i < count; ++i) {
            wanted[i] += other[i];
        }
        for (const bool exact : {true, false}) {
            const std::string id = must(kDeviceLinks.new_id(*devices[0]));
            std::vector<float> found[2];
            double us[2];
            const auto rank = [&](std::size_t r) {
                found[r] = sums_of(devices[r], {.rank = r, .count = 2, .id = id, .exact = exact}, count, 1, us[r]);
            };
            std::thread second(rank, 1);
            rank(0);
            second.join();
            CHECK(found[0] == wanted);
            CHECK(found[1] == wanted);
            WARN("two GPUs sum " << count << " floats in " << us[0] << " us" << (exact ? "" : " by NCCL's all-reduce"));
        }
    }
}

}  // namespace links_test
