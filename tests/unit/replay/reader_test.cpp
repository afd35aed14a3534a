// SPDX-License-Identifier: Apache-2.0
// What readers may ask for, and what they are told where they may not.
#include "experience/replay/reader.hpp"

#include "support/catch.hpp"
#include "world.hpp"

namespace reader_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("time t is at the root, t+1 under next") {
    const Storage storage = *Storage::make(test::World::columns(2), 4, 2);
    const auto reading = [&](const char* key) {
        const Result<ReaderColumn> column = resolve(storage, key, "objective test");
        REQUIRE(column);
        return column->reading;
    };
    CHECK(reading("observation") == Reading::kAtSlot);
    CHECK(reading("next.observation") == Reading::kNext);
    CHECK(reading("action") == Reading::kAtSlot);
    CHECK(reading("next.reward") == Reading::kAtSlot);
    CHECK(reading("next.terminated") == Reading::kAtSlot);
    CHECK(reading("next.done") == Reading::kDone);
    CHECK(reading("is_init") == Reading::kAtSlot);
    for (const std::string& key : reader_keys(storage)) {
        CAPTURE(key);
        CHECK(resolve(storage, key, "objective test"));
    }
    CHECK(reader_keys(storage).size() == 8);
}

TEST_CASE("who asks for the wrong key is told the right one") {
    const Storage storage = *Storage::make(test::World::columns(2), 4, 2);
    const auto refusal = [&](const char* key) {
        const Result<ReaderColumn> column = resolve(storage, key, "objective test");
        REQUIRE_FALSE(column);
        CHECK_THAT(column.error().sentence, ContainsSubstring("objective test reads '" + std::string(key) + "'"));
        return column.error().sentence;
    };
    CHECK_THAT(refusal("reward"), ContainsSubstring("read 'next.reward'"));
    CHECK_THAT(refusal("terminated"), ContainsSubstring("read 'next.terminated'"));
    CHECK_THAT(refusal("done"), ContainsSubstring("read 'next.done'"));
    CHECK_THAT(refusal("next.action"), ContainsSubstring("'action' is none of them"));
    CHECK_THAT(refusal("next.observatoin"), ContainsSubstring("did you mean 'next.observation'?"));
    CHECK_THAT(refusal("advantage"), ContainsSubstring("which nothing in the run provides"));
}

TEST_CASE("the specs promised before there is a storage are the keys it then has") {
    Composite specs;
    for (const StorageColumn& column : test::World::columns(2)) {
        Spec spec;
        spec.key = column.key;
        spec.role = column.role;
        spec.dtype = column.dtype;
        spec.shape = column.row;
        specs.specs.push_back(spec);
    }
    const Storage storage = *Storage::make(storage_columns(specs), 4, 2);
    const Composite promised = reader_specs(specs);
    const std::vector<std::string> keys = reader_keys(storage);
    REQUIRE(promised.specs.size() == keys.size());
    for (const std::string& key : keys) {
        CAPTURE(key);
        REQUIRE(promised.find(key) != nullptr);
        const Result<ReaderColumn> column = resolve(storage, key, "test");
        CHECK(promised.find(key)->dtype == column->port.dtype);
        CHECK(promised.find(key)->shape == column->port.row);
    }
}

}  // namespace

}  // namespace reader_test
