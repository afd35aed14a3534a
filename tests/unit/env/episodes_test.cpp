// SPDX-License-Identifier: Apache-2.0
#include "experience/env/episodes.hpp"

#include <deque>

#include "support/catch.hpp"
#include "unit/data/memory_stream.hpp"

namespace episodes_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;

Storage flags(std::uint32_t lanes) {
    return *Storage::make({}, 4, lanes);
}

TEST_CASE("returns and lengths are those of the last hundred finished episodes") {
    const auto seed = GENERATE(range(0U, 20U));
    const std::uint32_t lanes = GENERATE(3U, 21U);  // eight are recorded at a time
    CAPTURE(seed, lanes);
    Storage storage = flags(lanes);
    Episodes episodes(lanes);
    CHECK(episodes.mean_return() == 0);
    std::uint64_t state = seed;
    const auto draw = [&](std::uint32_t n) { return tn_below(tn_philox({seed, 1}, ++state).word[0], n); };
    std::vector<Episode> running(lanes);
    std::vector<double> rewards(lanes);
    std::deque<Episode> finished;
    for (int t = 0; t < 300; ++t) {
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            const double reward = static_cast<double>(draw(100)) - 50;
            rewards[lane] = reward;
            const bool parked = storage.parked()[lane] != 0;
            const std::uint32_t end = parked ? 2 : draw(3 * lanes);
            storage.find("terminated")->view.as<std::uint8_t>()[storage.head() * lanes + lane] = end == 0 ? 1 : 0;
            storage.find("truncated")->view.as<std::uint8_t>()[storage.head() * lanes + lane] = end == 1 ? 1 : 0;
            if (parked) {
                continue;
            }
            running[lane].total += reward;
            ++running[lane].length;
            if (end < 2) {
                finished.push_back(running[lane]);
                running[lane] = {};
            }
        }
        storage.advance();
        episodes.record(storage, storage.slot_before(storage.head()), rewards);
        if (t == 100) {
            storage.park(2);
        }
        if (t == 150) {
            std::vector<std::uint8_t> mask(lanes);
            mask[1] = 1;
            episodes.drop(mask.data());
            running[1] = {};
        }
        if (t == 200) {
            test::MemoryStream stream;
            REQUIRE(episodes.save(stream.writer()));
            episodes = Episodes(lanes);
            REQUIRE(episodes.load(stream.reader()));
        }
    }
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        CHECK(episodes.running(lane).total == running[lane].total);
        CHECK(episodes.running(lane).length == running[lane].length);
    }
    REQUIRE(episodes.finished() == finished.size());
    REQUIRE(finished.size() > 100);
    double total = 0;
    double length = 0;
    for (std::size_t i = finished.size() - 100; i < finished.size(); ++i) {
        total += finished[i].total;
        length += static_cast<double>(finished[i].length);
    }
    CHECK(episodes.mean_return() == total / 100);
    CHECK(episodes.mean_length() == length / 100);
    CHECK(episodes.newest().total == finished.back().total);
    CHECK(episodes.newest(99).length == finished[finished.size() - 100].length);
}

TEST_CASE("episodes of other lanes, or cut short, are refused") {
    test::MemoryStream stream;
    REQUIRE(Episodes(2).save(stream.writer()));
    Episodes other(3);
    CHECK_THAT(other.load(stream.reader()).error().sentence, ContainsSubstring("2 lanes"));
    stream.at = 0;
    stream.data.pop_back();
    Episodes same(2);
    CHECK_FALSE(same.load(stream.reader()));
    CHECK(same.finished() == 0);
}

}  // namespace

}  // namespace episodes_test
