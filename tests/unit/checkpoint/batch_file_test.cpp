// SPDX-License-Identifier: Apache-2.0
// Batches in files: what was saved is there again, in views of the file that may be written without touching it.
#include "train/checkpoint/batch_file.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"
#include "train/checkpoint/safetensors.hpp"

namespace batch_file_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;

Batch small_batch() {
    Batch out({3, 2});
    REQUIRE(out.add("next.done", DType::kBool, {}));
    const Result<View> observation = out.add("observation", DType::kF64, {5});
    REQUIRE(observation);
    for (std::int64_t i = 0; i < 30; ++i) {
        observation->as<double>()[i] = 0.5 * static_cast<double>(i);
    }
    const Result<View> action = out.add("action", DType::kI32, {});
    REQUIRE(action);
    for (std::int32_t i = 0; i < 6; ++i) {
        action->as<std::int32_t>()[i] = i - 3;
    }
    out.find("next.done")->as<std::uint8_t>()[4] = 1;
    return out;
}

std::vector<std::byte> bytes_of(const View& view) {
    std::vector<std::byte> out(view.bytes());
    copy(view, dense(out.data(), view.dtype, view.shape));
    return out;
}

void check_same(const Batch& a, const Batch& b) {
    CHECK(a.leading() == b.leading());
    REQUIRE(a.columns().size() == b.columns().size());
    for (std::size_t i = 0; i < a.columns().size(); ++i) {
        CHECK(a.columns()[i].key == b.columns()[i].key);
        CHECK(a.columns()[i].view.dtype == b.columns()[i].view.dtype);
        CHECK(a.columns()[i].view.shape == b.columns()[i].view.shape);
        CHECK(bytes_of(a.columns()[i].view) == bytes_of(b.columns()[i].view));
    }
}

TEST_CASE("a saved batch is loaded as it was, with its columns in their order") {
    const test::ScratchFolder folder;
    const auto file = folder.path() / "batch.safetensors";
    const Batch batch = small_batch();
    for (const Batch& each : {batch, batch.slice(1, 1, 1), batch.index(0, 2), batch.slice(0, 0, 0), Batch({4})}) {
        REQUIRE(save_batch(each, file));
        const Result<Batch> loaded = load_batch(file);
        REQUIRE(loaded);
        check_same(*loaded, each);
        for (const BatchColumn& column : loaded->columns()) {
            CHECK(reinterpret_cast<std::uintptr_t>(column.view.data) % size_of(column.view.dtype) == 0);
        }
    }
}

TEST_CASE("a loaded batch may be written, and its file stays") {
    const test::ScratchFolder folder;
    const auto file = folder.path() / "batch.safetensors";
    REQUIRE(save_batch(small_batch(), file));
    Result<Batch> loaded = load_batch(file);
    REQUIRE(loaded);
    loaded->find("action")->as<std::int32_t>()[0] = 99;
    check_same(*load_batch(file), small_batch());
    REQUIRE(save_batch(*loaded, file));  // over the file that it is a view of
    check_same(*load_batch(file), *loaded);
    CHECK(load_batch(file)->find("action")->as<std::int32_t>()[0] == 99);
}

TEST_CASE("a file of another program is a batch if its tensors share their first dimensions") {
    const test::ScratchFolder folder;
    const auto file = folder.path() / "other.safetensors";
    const std::array<std::uint8_t, 3> odd = {1, 2, 3};
    const std::array<float, 6> rows = {0, 1, 2, 3, 4, 5};
    REQUIRE(write_safetensors(
        file, std::vector<StoredTensor>{{"odd", TN_U8, {3}, odd.data()}, {"rows", TN_F32, {3, 2}, rows.data()}}));
    const Result<Batch> loaded = load_batch(file);
    REQUIRE(loaded);
    CHECK(loaded->leading() == Shape{3});
    CHECK(reinterpret_cast<std::uintptr_t>(loaded->find("rows")->data) % 4 == 0);
    CHECK(std::memcmp(loaded->find("rows")->data, rows.data(), sizeof rows) == 0);
    CHECK(load_batch(file, 0)->leading() == Shape{});
    CHECK_THAT(load_batch(file, 2).error().sentence, ContainsSubstring("'odd' has fewer than 2 dimensions"));
    REQUIRE(write_safetensors(
        file, std::vector<StoredTensor>{{"odd", TN_U8, {3}, odd.data()}, {"rows", TN_F32, {2, 3}, rows.data()}}));
    CHECK_THAT(load_batch(file).error().sentence, ContainsSubstring("does not begin with the batch's [3]"));
    REQUIRE(write_safetensors(file, std::vector<StoredTensor>{{"layer/odd", TN_U8, {3}, odd.data()}}));
    CHECK_THAT(load_batch(file).error().sentence, ContainsSubstring("'layer/odd' cannot be the key of a column"));
    REQUIRE(write_safetensors(file, std::vector<StoredTensor>{{"flag", TN_BOOL, {3}, odd.data()}}));
    CHECK_THAT(load_batch(file).error().sentence, ContainsSubstring("a byte other than 0 and 1"));
}

TEST_CASE("damaged files are refused") {
    const test::ScratchFolder folder;
    const auto file = folder.path() / "batch.safetensors";
    const std::array<float, 2> rows = {0, 1};
    const std::vector<StoredTensor> tensors = {{"rows", TN_F32, {2}, rows.data()}};
    for (const char* const leading :
         {"", "[", "[2", "[2,3]", "2", "[-2]", "[99999999999999999999]", "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"}) {
        CAPTURE(leading);
        REQUIRE(
            write_safetensors(file, tensors, {{"format", "tenon batch/1"}, {"leading", leading}, {"keys", "rows"}}));
        CHECK_THAT(load_batch(file).error().sentence, ContainsSubstring("no list of dimensions"));
    }
    REQUIRE(write_safetensors(file, tensors, {{"format", "tenon batch/1"}, {"leading", "[2]"}, {"keys", "rows more"}}));
    CHECK_THAT(load_batch(file).error().sentence, ContainsSubstring("\"keys\" in its metadata are not its tensors"));
    REQUIRE(write_safetensors(file, tensors, {{"format", "tenon batch/1"}, {"leading", "[2]"}, {"keys", "row"}}));
    CHECK_THAT(load_batch(file).error().sentence, ContainsSubstring("there is no tensor 'row'"));
    REQUIRE(write_safetensors(file, tensors, {{"format", "tenon batch/1"}, {"leading", "[3]"}, {"keys", "rows"}}));
    CHECK_THAT(load_batch(file).error().sentence, ContainsSubstring("'rows' has the shape [2]"));
    CHECK_FALSE(load_batch(folder.path() / "none"));
    test::spill(file, "not a file");
    CHECK_THAT(load_batch(file).error().sentence, ContainsSubstring("is not a safetensors file"));
}

}  // namespace

}  // namespace batch_file_test
