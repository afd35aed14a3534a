// SPDX-License-Identifier: Apache-2.0
// What a queue says that it has enqueued, which `tenon bench` prints.
#include "engines/cuda/queue.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engines/cuda/devices.hpp"
#include "support/catch.hpp"

namespace queue_test {
namespace {

using namespace tenon;
using namespace tenon::compiled::device;

constexpr std::int64_t kCount = 8;
constexpr std::int64_t kLarge = kSmallCost + 1;

// Blocks of numbers, the first of which are ones, and works that copy one to another.
struct Copying {
    std::shared_ptr<Device> device = open_emulated();
    Queue queue;
    std::array<Block, 4> blocks;

    Copying() : queue(device, kernels_of(*device)) {
        for (Block& block : blocks) {
            Numbers numbers{};
            numbers.fill(&block == blocks.data() ? 1.0F : 0.0F);
            Result<Block> made = Block::make(device, sizeof numbers);
            REQUIRE(made);
            REQUIRE(made->write(numbers.data(), sizeof numbers));
            block = std::move(*made);
        }
    }

    void add(std::size_t from, std::size_t to, std::int64_t cost = 0) {
        Launch launch = launch_of(Kernel::kImport, kCount,
                                  ImportWork{.from = blocks.at(from).memory(),
                                             .to = blocks.at(to).memory(),
                                             .count = kCount,
                                             .stored = Stored::kF32,
                                             .wanted = Wanted::kReal});
        launch.cost = cost;
        REQUIRE(queue.add(launch));
    }
    void count_is(std::size_t works, std::size_t levels, std::size_t launches) {
        CHECK(queue.enqueued().works == works);
        CHECK(queue.enqueued().levels == levels);
        CHECK(queue.enqueued().launches == launches);
        queue.begin_count();
    }
    [[nodiscard]] bool are_ones(std::size_t which) const {
        Numbers numbers{};
        REQUIRE(blocks.at(which).read(numbers.data(), sizeof numbers));
        return std::ranges::all_of(numbers, [](float each) { return each == 1; });
    }

private:
    using Numbers = std::array<float, kCount>;

    static Kernels kernels_of(Device& device) {
        const Result<Kernels> loaded = load_kernels(device);
        REQUIRE(loaded);
        return *loaded;
    }
};

}  // namespace

TEST_CASE("small works are counted once they are sent, as one launch of several levels") {
    Copying at;
    at.add(0, 1);
    at.add(0, 2);
    at.add(1, 3);
    at.count_is(0, 0, 0);
    REQUIRE(at.queue.send());
    at.count_is(3, 2, 1);
    REQUIRE(at.queue.send());
    at.count_is(0, 0, 0);
    CHECK(at.are_ones(2));
    CHECK(at.are_ones(3));
}

TEST_CASE("a large work is a launch of its own, and so is a small one without others") {
    Copying at;
    at.add(0, 1, kLarge);
    at.count_is(1, 1, 1);
    at.add(1, 2);
    at.add(0, 3);
    at.add(0, 1, kLarge);
    at.add(1, 2);
    REQUIRE(at.queue.send());
    at.count_is(4, 3, 3);
    CHECK(at.are_ones(2));
}

TEST_CASE("words that do not fit into a launch are several, in their order") {
    Copying at;
    std::array<std::uint64_t, 3 * kMostWords> to{};
    const auto put = [&](std::size_t first, std::size_t count) {
        std::vector<PutWord> words;
        for (std::size_t i = first; i < first + count; ++i) {
            words.push_back({.to = &to.at(i), .value = i + 1});
        }
        REQUIRE(at.queue.put(words));
    };
    put(0, kMostWords - 1);
    put(kMostWords - 1, 1);
    at.count_is(0, 0, 0);  // they fit
    put(kMostWords, 1);
    at.count_is(0, 0, 1);
    put(kMostWords + 1, 2 * kMostWords - 1);
    REQUIRE(at.queue.send());
    at.count_is(0, 0, 3);  // the word that waited, and twice as many as fit but for one
    for (std::size_t i = 0; i < to.size(); ++i) {
        CAPTURE(i);
        CHECK(to.at(i) == i + 1);
    }
}

TEST_CASE("words that are put are a launch without works, unless works follow") {
    Copying at;
    std::uint64_t word = 0;
    const std::array<PutWord, 1> words{{{.to = &word, .value = 7}}};
    REQUIRE(at.queue.put(words));
    REQUIRE(at.queue.send());
    at.count_is(0, 0, 1);
    REQUIRE(at.queue.put(words));
    at.add(0, 1);
    REQUIRE(at.queue.send());
    at.count_is(1, 1, 1);
    CHECK(word == 7);
}

}  // namespace queue_test
