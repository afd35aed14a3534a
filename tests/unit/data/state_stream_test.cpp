// SPDX-License-Identifier: Apache-2.0
#include "base/data/state_stream.hpp"

#include "support/catch.hpp"
#include "unit/data/memory_stream.hpp"

namespace state_stream_test {

namespace {

using namespace tenon;

TEST_CASE("what was written is read back, however the reader cuts it") {
    const auto most = GENERATE(as<std::size_t>{}, 1, 3, 1000);
    test::MemoryStream stream;
    stream.most = most;
    const tn_writer writer = stream.writer();
    StateSink sink(writer);
    sink.number(42);
    sink.text("hello");
    sink.number(0.1);
    sink.number<std::uint64_t>(3);
    sink.bytes("abc", 3);
    REQUIRE(sink.status("it"));
    const tn_reader reader = stream.reader();
    StateSource source(reader);
    CHECK(source.number<int>() == 42);
    CHECK(source.text() == "hello");
    CHECK(source.number<double>() == 0.1);
    std::vector<std::byte> blob;
    CHECK(source.blob(blob));
    CHECK(blob.size() == 3);
    CHECK(source.status("it"));
    CHECK(source.number<int>() == 0);
    CHECK_FALSE(source.status("it"));
}

TEST_CASE("a stream cut anywhere fails and gives zeros from there on") {
    test::MemoryStream whole;
    const tn_writer writer = whole.writer();
    StateSink sink(writer);
    sink.text("hello");
    sink.number<std::uint64_t>(20);
    sink.bytes("01234567890123456789", 20);
    for (std::size_t n = 0; n < whole.data.size(); ++n) {
        CAPTURE(n);
        test::MemoryStream cut;
        cut.data.assign(whole.data.begin(), whole.data.begin() + static_cast<std::ptrdiff_t>(n));
        const tn_reader reader = cut.reader();
        StateSource source(reader);
        const std::string text = source.text();
        CHECK((text.empty() || text == "hello"));
        std::vector<std::byte> blob;
        CHECK_FALSE(source.blob(blob));
        CHECK(source.number<int>() == 0);
        CHECK_FALSE(source.status("it"));
    }
}

TEST_CASE("a damaged size asks for no memory") {
    test::MemoryStream stream;
    const tn_writer writer = stream.writer();
    StateSink sink(writer);
    sink.number<std::uint64_t>(~std::uint64_t{0});
    const tn_reader reader = stream.reader();
    StateSource text(reader);
    CHECK(text.text().empty());
    CHECK(text.failed());
    stream.at = 0;
    StateSource source(reader);
    std::vector<std::byte> blob;
    CHECK_FALSE(source.blob(blob));
    CHECK(blob.capacity() <= 4 << 20);
}

TEST_CASE("a writer that fails is reported once") {
    test::MemoryStream stream;
    stream.room = 6;
    const tn_writer writer = stream.writer();
    StateSink sink(writer);
    sink.number(1);
    sink.number(2);
    sink.number(3);
    const Status status = sink.status("the buffer");
    REQUIRE_FALSE(status);
    CHECK_THAT(status.error().sentence, Catch::Matchers::StartsWith("the buffer could not be saved"));
    CHECK(stream.data.size() == 4);
}

}  // namespace

}  // namespace state_stream_test
