// SPDX-License-Identifier: Apache-2.0
// Saved state that is not tensors: what goes in comes out, and damage gives one sentence that names the section.
#include "train/checkpoint/bytes.hpp"

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace bytes_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using tenon::ByteReader;
using tenon::ByteWriter;

std::vector<std::byte> sample() {
    ByteWriter out;
    out.begin("run", 3);
    out.number(std::int64_t{-7});
    out.number(0.1);
    out.boolean(true);
    out.text("na" + std::string(1, '\0'));
    out.begin("inner", 1);
    out.numbers(std::span<const float>(std::vector<float>{1.5F, -0.0F, std::numeric_limits<float>::quiet_NaN()}));
    out.end();
    out.number(std::uint32_t{9});
    out.end();
    return {out.bytes().begin(), out.bytes().end()};
}

// Reads what sample() wrote; only the status tells whether the values mean anything.
tenon::Status read_sample(std::span<const std::byte> bytes) {
    ByteReader in(bytes, "state.bin");
    in.enter("run", 3);
    in.number<std::int64_t>();
    in.number<double>();
    in.boolean();
    in.text();
    in.enter("inner", 1);
    in.numbers<float>();
    in.leave();
    in.number<std::uint32_t>();
    in.leave();
    return in.status();
}

std::string sentence_of(const ByteReader& reader) {
    const tenon::Status status = reader.status();
    return status ? std::string() : status.error().sentence;
}

}  // namespace

TEST_CASE("sections give back what was written, bit for bit") {
    const auto bytes = sample();
    ByteReader in(bytes, "state.bin");
    CHECK(in.enter("run", 5) == 3);
    CHECK(in.number<std::int64_t>() == -7);
    CHECK(in.number<double>() == 0.1);
    CHECK(in.boolean());
    CHECK(in.text() == "na" + std::string(1, '\0'));
    CHECK(in.enter("inner", 1) == 1);
    const auto floats = in.numbers<float>();
    REQUIRE(floats.size() == 3);
    CHECK(floats[0] == 1.5F);
    CHECK(std::signbit(floats[1]));
    CHECK(std::isnan(floats[2]));
    in.leave();
    CHECK(in.number<std::uint32_t>() == 9);
    in.leave();
    CHECK(in.left() == 0);
    CHECK(in.status().has_value());
    CHECK(sample() == bytes);
}

TEST_CASE("the layout on disk is fixed") {
    ByteWriter out;
    out.begin("ab", 0x01020304);
    out.number(std::uint16_t{0x0506});
    out.end();
    const std::vector<std::uint8_t> expected{2, 'a', 'b', 4, 3, 2, 1, 2, 0, 0, 0, 0, 0, 0, 0, 6, 5};
    std::vector<std::uint8_t> found;
    for (const std::byte b : out.bytes()) {
        found.push_back(std::to_integer<std::uint8_t>(b));
    }
    CHECK(found == expected);
}

TEST_CASE("another section than asked for is named together with the one that was wanted") {
    const auto bytes = sample();
    ByteReader in(bytes, "state.bin");
    CHECK(in.enter("buffer", 1) == 0);
    CHECK(sentence_of(in) ==
          "the saved state in state.bin is damaged: has section 'run' where section 'buffer' should be");
}

TEST_CASE("a newer version of a section is refused") {
    const auto bytes = sample();
    ByteReader in(bytes, "state.bin");
    CHECK(in.enter("run", 2) == 0);
    CHECK_THAT(sentence_of(in),
               ContainsSubstring("section 'run' in version 3") && ContainsSubstring("up to version 2"));
}

TEST_CASE("reading past the end of a section fails and gives zeros from then on") {
    const auto bytes = sample();
    ByteReader in(bytes, "state.bin");
    in.enter("run", 3);
    std::vector<std::byte> all(in.left());
    in.raw(all.data(), all.size());
    REQUIRE(in.status().has_value());
    CHECK(in.number<std::int64_t>() == 0);
    CHECK_THAT(sentence_of(in), ContainsSubstring("section 'run' ends too early: 8 bytes wanted, 0 left"));
    CHECK(in.text().empty());
}

TEST_CASE("what is not read of a section is a failure") {
    const auto bytes = sample();
    ByteReader in(bytes, "state.bin");
    in.enter("run", 3);
    in.number<std::int64_t>();
    in.leave();
    CHECK_THAT(sentence_of(in), ContainsSubstring("section 'run' has") && ContainsSubstring("unread bytes"));
}

TEST_CASE("every truncation is noticed, whatever is asked for") {
    const auto bytes = sample();
    REQUIRE(read_sample(bytes).has_value());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const tenon::Status status = read_sample(std::span(bytes).first(size));
        INFO("cut at " << size);
        REQUIRE_FALSE(status.has_value());
        CHECK_THAT(status.error().sentence, ContainsSubstring("state.bin"));
    }
}

TEST_CASE("changed bytes never read past the end or allocate without bound") {
    const auto original = sample();
    std::mt19937_64 random(20240607);  // NOLINT(bugprone-random-generator-seed): the same cases each time
    for (int i = 0; i < 5000; ++i) {
        auto bytes = original;
        for (int changes = 0; changes <= i % 3; ++changes) {
            bytes[random() % bytes.size()] = static_cast<std::byte>(random());
        }
        const tenon::Status status = read_sample(bytes);
        if (!status) {
            CHECK_FALSE(status.error().sentence.empty());
        }
    }
}

TEST_CASE("a plugin's state streams through sections in short pieces") {
    ByteWriter out;
    out.begin("env/1", 1);
    const tn_writer writer = tenon::plugin_writer(out);
    const std::vector<std::uint8_t> state{1, 2, 3, 4, 5};
    REQUIRE(writer.write(writer.ctx, state.data(), 2) == TN_OK);
    REQUIRE(writer.write(writer.ctx, state.data() + 2, 3) == TN_OK);
    out.end();
    out.begin("after", 1);
    out.end();

    ByteReader in(out.bytes(), "state.bin");
    in.enter("env/1", 1);
    const tn_reader reader = tenon::plugin_reader(in);
    std::vector<std::uint8_t> found(8);
    std::uint64_t got = 0;
    REQUIRE(reader.read(reader.ctx, found.data(), 4, &got) == TN_OK);
    CHECK(got == 4);
    REQUIRE(reader.read(reader.ctx, found.data() + 4, 4, &got) == TN_OK);
    CHECK(got == 1);  // the section's end is the stream's end
    REQUIRE(reader.read(reader.ctx, found.data() + 5, 3, &got) == TN_OK);
    CHECK(got == 0);
    CHECK(std::vector(found.begin(), found.begin() + 5) == state);
    in.leave();
    in.enter("after", 1);
    in.leave();
    CHECK(in.status().has_value());

    in.number<int>();
    CHECK(reader.read(reader.ctx, found.data(), 1, &got) == TN_DATA_LOSS);
}

}  // namespace bytes_test
