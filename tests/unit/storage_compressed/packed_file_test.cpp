// SPDX-License-Identifier: Apache-2.0
// Compressed columns come back from their file with the same rows, and a damaged file is refused.
#include "engines/storage_compressed/packed_file.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engines/storage_compressed/packed_rows.hpp"
#include "pictures.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"
#include "train/checkpoint/safetensors.hpp"
#include "unit/checkpoint/saved_frames.hpp"

namespace packed_file_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;

constexpr std::uint32_t kSlots = 200;
constexpr std::uint32_t kLanes = 2;
constexpr std::int64_t kSide = 9;

test::Pictures played(int steps) {
    test::Pictures out(7, kSlots, kLanes, kSide, true);
    for (int i = 0; i < steps; ++i) {
        out.step();
        out.storage.mark();
    }
    return out;
}

std::string packed_bytes(const Storage& storage) {
    const test::ScratchFolder folder;
    REQUIRE(write_packed(storage, *packed_rows(storage), folder / "packed"));
    return test::slurp(folder / "packed");
}

// A storage whose other columns and position are those of `from`.
Storage other_columns(const Storage& from) {
    Storage out = *make_packed(test::Pictures::columns(kSide), kSlots, kLanes);
    REQUIRE(test::load(out, test::saved(from)));
    return out;
}

Status load_packed(Storage& storage, const std::string& bytes) {
    const test::ScratchFolder folder;
    test::spill(folder / "packed", bytes);
    return restore_packed(storage, *packed_rows(storage), folder / "packed");
}

// A file of compressed columns in memory, to be changed.
struct Damaged {
    explicit Damaged(const Storage& storage) {
        REQUIRE(write_packed(storage, *packed_rows(storage), folder / "whole"));
        in.emplace(*SafetensorsFile::open(folder / "whole"));
        tensors = in->tensors();
        metadata = in->metadata();
        StoredTensor& of = tensor("observation/about");
        about.resize(static_cast<std::size_t>(of.shape[0]) * 4);
        std::memcpy(about.data(), of.data, about.size() * sizeof(std::int64_t));
        of.data = about.data();
    }
    StoredTensor& tensor(std::string_view name) { return *std::ranges::find(tensors, name, &StoredTensor::name); }
    // What is said when a storage is restored from it, which is empty then.
    std::string refusal(const Storage& storage) {
        REQUIRE(write_safetensors(folder / "damaged", tensors, metadata));
        Storage other = other_columns(storage);
        const Status done = restore_packed(other, *packed_rows(other), folder / "damaged");
        REQUIRE_FALSE(done);
        CHECK(done.error().fault == Fault::kInput);
        CHECK(other.view().total == 0);
        CHECK(other.view().appended == 0);
        return done.error().sentence;
    }

    std::vector<std::int64_t> about;  // of each block: its first step, bytes, plain bytes, and those of a picture
    std::vector<StoredTensor> tensors;
    TensorMetadata metadata;
    test::ScratchFolder folder;
    std::optional<SafetensorsFile> in;
};

TEST_CASE("restored compressed columns have the rows and the bytes that were saved") {
    const int steps = GENERATE(0, 40, 64, 65, 66, 130, 199, 200, 330, 700);
    CAPTURE(steps);
    const test::Pictures world = played(steps);
    Storage other = other_columns(world.storage);
    REQUIRE(load_packed(other, packed_bytes(world.storage)));
    CHECK(packed_rows(other)->until() == packed_rows(world.storage)->until());
    CHECK(packed_rows(other)->packed_bytes() == packed_rows(world.storage)->packed_bytes());
    CHECK((packed_rows(other)->packed_bytes() > 0) == (steps > 64));
    CHECK(test::Gathered(other, test::kAllRows, test::kKeysOfPictures).rows() ==
          test::Gathered(world.storage, test::kAllRows, test::kKeysOfPictures).rows());
    CHECK(packed_bytes(other) == packed_bytes(world.storage));
}

TEST_CASE("a file of compressed columns whose blocks are damaged is refused, and leaves an empty storage") {
    const Storage storage = played(330).storage;
    REQUIRE(packed_rows(storage)->columns()[0].blocks.size() == 4 * kLanes);
    for (const std::size_t block : {0U, 1U, 6U}) {
        CAPTURE(block);
        REQUIRE(Damaged(storage).about[block * 4] >= 0);
        for (const std::int64_t bytes : {0, 1, -1}) {
            Damaged file(storage);
            file.about[block * 4 + 1] = bytes;
            CHECK_THAT(file.refusal(storage), ContainsSubstring("its blocks are cut off"));
        }
        for (const std::int64_t picture : {std::int64_t{0}, std::int64_t{1} << 30, kSide * kSide - 1}) {
            Damaged file(storage);
            file.about[block * 4 + 3] = picture;
            CHECK_THAT(file.refusal(storage), ContainsSubstring("its pictures do not make up a row"));
        }
    }
    for (const char* const name : {"observation/about", "observation/windows"}) {
        Damaged file(storage);
        file.tensor(name).shape[0] -= 1;
        CHECK_THAT(file.refusal(storage), ContainsSubstring("it has another number of blocks"));
    }
    Damaged file(storage);
    file.tensor("observation/blocks").shape[0] -= 1;
    CHECK_THAT(file.refusal(storage), ContainsSubstring("its blocks are cut off"));
}

TEST_CASE("a file of compressed columns that is of another buffer is refused, and leaves an empty storage") {
    const Storage storage = played(330).storage;
    for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
             {"format", "tenon packed/1"}, {"plain", "331"}, {"plain", "130"}, {"until", "321"}}) {
        CAPTURE(key, value);
        Damaged file(storage);
        file.metadata[key] = value;
        CHECK_THAT(file.refusal(storage), ContainsSubstring("its metadata does not fit the buffer"));
    }
    for (const char* const name : {"observation/rows", "observation/rows/final", "observation/blocks"}) {
        CAPTURE(name);
        Damaged file(storage);
        file.tensors.erase(std::ranges::find(file.tensors, name, &StoredTensor::name));
        CHECK_THAT(file.refusal(storage), ContainsSubstring(name));
    }
}

}  // namespace

}  // namespace packed_file_test
