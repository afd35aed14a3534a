// SPDX-License-Identifier: Apache-2.0
// The safetensors writer and reader, against the format's own library and against damaged files.
#include "train/checkpoint/safetensors.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numbers>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace safetensors_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using tenon::SafetensorsFile;
using tenon::StoredTensor;
using tenon::test::ScratchFolder;
using tenon::test::slurp;
using tenon::test::spill;

// The numbers of tests/golden/generate/safetensors_peer.py.
const std::vector<float> kWeight{1.5F, -2.0F, 0.0F, 3.25e-39F, 1e38F, -0.0F};
const std::vector<double> kBias{0.1, -1e300, std::numbers::pi};
const std::int64_t kCounter = -(std::int64_t{1} << 62) - 1;
const std::vector<std::int32_t> kIndex{7, -8};
const std::vector<std::uint8_t> kPixels{0, 127, 255};
const std::vector<std::uint8_t> kDone{1, 0, 1};

std::vector<StoredTensor> peer_tensors() {
    return {{"actor.0.bias", TN_F64, {3}, kBias.data()},
            {"counter", TN_I64, {}, &kCounter},
            {"actor.0.weight", TN_F32, {2, 3}, kWeight.data()},
            {"index", TN_I32, {2, 1}, kIndex.data()},
            {"pixels", TN_U8, {3}, kPixels.data()},
            {"done", TN_BOOL, {3}, kDone.data()},
            {"empty", TN_F32, {0, 4}, nullptr}};
}

const tenon::TensorMetadata kMetadata{{"frames", "1000"}, {"note", "quote \" backslash \\ newline \n and \u00fc"}};

// Not ==, which takes -0 for 0.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return std::ranges::equal(std::as_bytes(std::span(a)), std::as_bytes(std::span(b)));
}

void check_is_peer(const SafetensorsFile& file) {
    CHECK(file.metadata() == kMetadata);
    CHECK(file.tensors().size() == 7);
    for (const StoredTensor& wanted : peer_tensors()) {
        const StoredTensor* found = file.find(wanted.name);
        INFO(wanted.name);
        REQUIRE(found != nullptr);
        CHECK(found->dtype == wanted.dtype);
        CHECK(found->shape == wanted.shape);
    }
    std::vector<float> weight(6);
    std::vector<double> bias(3);
    std::int64_t counter = 0;
    std::vector<std::int32_t> index(2);
    std::vector<std::uint8_t> pixels(3);
    std::vector<std::uint8_t> done(3);
    const std::vector<std::int64_t> three{3};
    REQUIRE(file.read("actor.0.weight", TN_F32, std::vector<std::int64_t>{2, 3}, weight.data()).has_value());
    REQUIRE(file.read("actor.0.bias", TN_F64, three, bias.data()).has_value());
    REQUIRE(file.read("counter", TN_I64, {}, &counter).has_value());
    REQUIRE(file.read("index", TN_I32, std::vector<std::int64_t>{2, 1}, index.data()).has_value());
    REQUIRE(file.read("pixels", TN_U8, three, pixels.data()).has_value());
    REQUIRE(file.read("done", TN_BOOL, three, done.data()).has_value());
    REQUIRE(file.read("empty", TN_F32, std::vector<std::int64_t>{0, 4}, nullptr).has_value());
    CHECK(same_bits(weight, kWeight));
    CHECK(same_bits(bias, kBias));
    CHECK(counter == kCounter);
    CHECK(index == kIndex);
    CHECK(pixels == kPixels);
    CHECK(done == kDone);
}

// A file with this header, these bytes after it and, if given, another header size than its own.
std::string file_of(const std::string& header, std::size_t data_size, std::uint64_t header_size = 0) {
    header_size = header_size == 0 ? header.size() : header_size;
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &header_size, 8);
    return bytes + header + std::string(data_size, '\0');
}

}  // namespace

TEST_CASE("a file of the Python library is read equal") {
    const auto file = SafetensorsFile::open(TENON_GOLDEN "/safetensors_peer.safetensors");
    REQUIRE(file.has_value());
    check_is_peer(*file);
}

TEST_CASE("what is written is read equal, and the Python library may look at it too") {
    const ScratchFolder scratch;
    const auto path = scratch / "x.safetensors";
    REQUIRE(tenon::write_safetensors(path, peer_tensors(), kMetadata).has_value());
    const auto file = SafetensorsFile::open(path);
    REQUIRE(file.has_value());
    check_is_peer(*file);
    CHECK(file->tensors().front().name == "actor.0.bias");
    if (const char* keep = std::getenv("TENON_KEEP_SAFETENSORS")) {
        std::filesystem::copy_file(path, keep, std::filesystem::copy_options::overwrite_existing);
    }
}

TEST_CASE("the bytes of a file depend on its contents only and are known") {
    const ScratchFolder scratch;
    const std::vector<float> x{1.0F, 2.0F};
    const std::vector<StoredTensor> tensors{{"x", TN_F32, {2}, x.data()}};
    REQUIRE(tenon::write_safetensors(scratch / "a", tensors, {{"k", "v"}}).has_value());
    const std::string header = R"({"__metadata__":{"k":"v"},"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
    std::string expected = file_of(header + std::string((8 - header.size() % 8) % 8, ' '), 8);
    std::memcpy(expected.data() + expected.size() - 8, x.data(), 8);
    CHECK(slurp(scratch / "a") == expected);
    CHECK((expected.size() - 8) % 8 == 0);
}

TEST_CASE("a file without tensors is a file") {
    const ScratchFolder scratch;
    REQUIRE(tenon::write_safetensors(scratch / "a", {}).has_value());
    const auto file = SafetensorsFile::open(scratch / "a");
    REQUIRE(file.has_value());
    CHECK(file->tensors().empty());
}

TEST_CASE("what cannot be written is refused and leaves no file") {
    const ScratchFolder scratch;
    const auto path = scratch / "a";
    const float x = 0;
    const auto refused = [&](const std::vector<StoredTensor>& tensors) {
        const tenon::Status status = tenon::write_safetensors(path, tensors);
        REQUIRE_FALSE(status.has_value());
        CHECK_FALSE(std::filesystem::exists(path));
        CHECK_THAT(status.error().sentence, ContainsSubstring(path.string()));
        return status.error().sentence;
    };
    CHECK_THAT(refused({{"x", TN_F32, {}, &x}, {"x", TN_F32, {}, &x}}),
               ContainsSubstring("two tensors have the name 'x'"));
    CHECK_THAT(refused({{"__metadata__", TN_F32, {}, &x}}), ContainsSubstring("__metadata__"));
    CHECK_THAT(refused({{"x", TN_REAL, {}, &x}}), ContainsSubstring("cannot be dtype 16 []"));
    CHECK_THAT(refused({{"x", TN_F32, {-1}, &x}}), ContainsSubstring("cannot be F32 [-1]"));
    CHECK_THAT(refused({{"x", TN_F32, {INT64_MAX, 4}, &x}}), ContainsSubstring("cannot be F32"));

    const tenon::Status nowhere = tenon::write_safetensors(scratch / "no/such/folder", {});
    REQUIRE_FALSE(nowhere.has_value());
    CHECK(nowhere.error().fault == tenon::Fault::kEnvironment);
}

TEST_CASE("a full disk is told and leaves no file") {
    // Every write to it fails with "no space"; removing a device node of the system is out of the question for a test
    // that may run as root, so the link to it goes instead.
    const ScratchFolder scratch;
    std::filesystem::create_symlink("/dev/full", scratch / "a");
    const float x = 0;
    const tenon::Status status =
        tenon::write_safetensors(scratch / "a", std::vector<StoredTensor>{{"x", TN_F32, {}, &x}});
    REQUIRE_FALSE(status.has_value());
    CHECK(status.error().fault == tenon::Fault::kEnvironment);
    CHECK_THAT(status.error().sentence, ContainsSubstring("No space left"));
    CHECK_FALSE(std::filesystem::is_symlink(scratch / "a"));
}

TEST_CASE("a tensor is read as what it is, or not at all") {
    const auto file = SafetensorsFile::open(TENON_GOLDEN "/safetensors_peer.safetensors");
    REQUIRE(file.has_value());
    std::vector<double> out(6);
    const std::vector<std::int64_t> six{6};
    CHECK_THAT(file->read("actor.1.weight", TN_F32, six, out.data()).error().sentence,
               ContainsSubstring("has no tensor 'actor.1.weight'"));
    CHECK_THAT(file->read("actor.0.weight", TN_F32, six, out.data()).error().sentence,
               ContainsSubstring("tensor 'actor.0.weight' is F32 [2, 3], but F32 [6] is needed"));
    CHECK_THAT(file->read("actor.0.bias", TN_F32, std::vector<std::int64_t>{3}, out.data()).error().sentence,
               ContainsSubstring("is F64 [3], but F32 [3] is needed"));
}

TEST_CASE("every kind of damage has its sentence") {
    struct Case {
        std::string bytes;
        std::string sentence;
    };
    const std::string x = R"("x":{"dtype":"U8","shape":[4],"data_offsets":[0,4]})";
    const auto with = [](const std::string& members, std::size_t data = 4) {
        return file_of("{" + members + "}", data);
    };
    const std::vector<Case> cases{
        {"", "it has 0 bytes"},
        {"1234567", "it has 7 bytes"},
        {file_of("", 0), "does not begin with a header"},
        {file_of(" {}", 0), "does not begin with a header"},
        {file_of("{}", 0, std::uint64_t{1} << 60), "does not begin with a header"},
        {file_of("{}", 0, 3), "is cut off: the header has 3 bytes, of which 2 are there"},
        {file_of("{", 0), "the header is not JSON"},
        {file_of("{}}", 0), "the header is not JSON"},
        {with(x, 3), "is cut off: tensor 'x' ends at byte 4 of the data, which has 3"},
        {with(x, 5), "has 1 byte after the last tensor"},
        {file_of("{}", 2), "has 2 bytes after the last tensor"},
        {with(R"("x":{"dtype":"U8","shape":[4],"data_offsets":[1,5]})", 5),
         "begins at byte 1 of the data, but the previous one ends at 0"},
        {with(x + R"(,"y":{"dtype":"U8","shape":[2],"data_offsets":[3,5]})", 5),
         "begins at byte 3 of the data, but the previous one ends at 4"},
        {with(R"("x":{"dtype":"U8","shape":[3],"data_offsets":[0,4]})"), "is U8 [3] and needs 3 bytes, but has 4"},
        {with(R"("x":{"dtype":"U8","shape":[4],"data_offsets":[4,0]})"), "no data_offsets"},
        {with(R"("x":{"dtype":"U8","shape":[4],"data_offsets":[-4,0]})"), "no data_offsets"},
        {with(R"("x":{"dtype":"U8","shape":[4],"data_offsets":[0,4,8]})"), "no data_offsets"},
        {with(R"("x":{"dtype":"U8","shape":[4],"data_offsets":[0,18446744073709551620]})"), "no data_offsets"},
        {with(R"("x":{"dtype":"U8","shape":[-4],"data_offsets":[0,4]})"), "no shape of whole numbers"},
        {with(R"("x":{"dtype":"U8","shape":[4.0],"data_offsets":[0,4]})"), "no shape of whole numbers"},
        {with(R"("x":{"dtype":"U8","data_offsets":[0,4]})"), "no shape of whole numbers"},
        {with(R"("x":{"dtype":"F64","shape":[4611686018427387904,4],"data_offsets":[0,4]})"), "cannot be F64"},
        {with(R"("x":{"dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4]})"), "has the dtype 'F8_E4M3'"},
        {with(R"("x":{"shape":[4],"data_offsets":[0,4]})"), "has no dtype"},
        {with(R"("x":7)"), "has no dtype"},
        {with(R"("__metadata__":[])", 0), "__metadata__ is not an object"},
        {with(R"("__metadata__":{"a":1})", 0), "'a' in __metadata__ is not a string"},
    };
    const ScratchFolder scratch;
    const auto path = scratch / "x.safetensors";
    for (const Case& c : cases) {
        spill(path, c.bytes);
        const auto file = SafetensorsFile::open(path);
        INFO(c.sentence);
        REQUIRE_FALSE(file.has_value());
        CHECK_THAT(file.error().sentence, ContainsSubstring(c.sentence) && ContainsSubstring(path.string()));
        CHECK(file.error().fault == tenon::Fault::kInput);
    }
    CHECK_THAT(SafetensorsFile::open(scratch / "none").error().sentence, ContainsSubstring("there is no file"));
    CHECK_THAT(SafetensorsFile::open(scratch.path()).error().sentence, ContainsSubstring("is a folder, not a file"));
}

TEST_CASE("a byte other than 0 and 1 is no boolean") {
    const ScratchFolder scratch;
    const std::uint8_t two = 2;
    REQUIRE(tenon::write_safetensors(scratch / "a", std::vector<StoredTensor>{{"x", TN_BOOL, {1}, &two}}).has_value());
    const auto file = SafetensorsFile::open(scratch / "a");
    REQUIRE(file.has_value());
    std::uint8_t out = 9;
    CHECK_THAT(file->read("x", TN_BOOL, std::vector<std::int64_t>{1}, &out).error().sentence,
               ContainsSubstring("other than 0 and 1"));
    CHECK(out == 9);
}

TEST_CASE("numbers of 16 bits are read as what they stand for") {
    const auto read = [](std::int32_t dtype, std::vector<std::uint16_t> bits) {
        return tenon::real_numbers(
            {.name = {}, .dtype = dtype, .shape = {static_cast<std::int64_t>(bits.size())}, .data = bits.data()});
    };
    CHECK(read(TN_BF16, {0x3F80, 0xC040, 0x0000, 0x7F80, 0x0001}) ==
          std::vector<double>{1, -3, 0, HUGE_VAL, std::ldexp(1, -133)});
    CHECK(read(TN_F16, {0x3C00, 0xC200, 0x3555, 0x7BFF, 0xFC00, 0x0001, 0x83FF}) ==
          std::vector<double>{1, -3, 0.333251953125, 65504, -HUGE_VAL, std::ldexp(1, -24), -std::ldexp(1023, -24)});
    CHECK(std::isnan(read(TN_F16, {0x7E00})[0]));
    CHECK(std::isnan(read(TN_BF16, {0x7FC0})[0]));
    CHECK(read(TN_I32, {0, 0}).empty());
}

TEST_CASE("no truncation and no changed byte makes the reader leave the file's bytes") {
    const ScratchFolder scratch;
    const auto path = scratch / "x.safetensors";
    const std::string original = slurp(TENON_GOLDEN "/safetensors_peer.safetensors");
    REQUIRE(original.size() > 500);
    for (std::size_t size = 0; size < original.size(); ++size) {
        spill(path, original.substr(0, size));
        REQUIRE_FALSE(SafetensorsFile::open(path).has_value());
    }
    std::mt19937_64 random(7);  // NOLINT(bugprone-random-generator-seed): the same cases each time
    std::size_t opened = 0;
    for (int i = 0; i < 2000; ++i) {
        std::string bytes = original;
        for (int changes = 0; changes <= i % 4; ++changes) {
            bytes[random() % bytes.size()] = static_cast<char>(random());
        }
        spill(path, bytes);
        const auto file = SafetensorsFile::open(path);
        if (!file) {
            CHECK_FALSE(file.error().sentence.empty());
            continue;
        }
        ++opened;
        for (const StoredTensor& tensor : file->tensors()) {
            std::vector<char> out(bytes.size());  // no tensor is larger than the file
            static_cast<void>(file->read(tensor.name, tensor.dtype, tensor.shape, out.data()));
        }
    }
    CHECK(opened > 100);   // changed numbers and names are no damage that this format can see
    CHECK(opened < 1900);  // changed structure is
}

}  // namespace safetensors_test
