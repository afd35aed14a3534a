// SPDX-License-Identifier: Apache-2.0
// Thousands of random changes of valid files, pickles and compressed bytes: each gives tensors or a sentence. The
// changes are the same in every run.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "base/file/deflate.hpp"
#include "commands/import/pickle_reader.hpp"
#include "commands/import/torch_file.hpp"
#include "commands/import/zip_reader.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace changed_files_test {

namespace {

using tenon::test::slurp;

class Changes {
public:
    explicit Changes(std::uint32_t seed) : random_(seed) {}

    // With one to eight changes: bytes are replaced, flipped in one bit, removed, repeated, or copied elsewhere.
    std::string of(std::string bytes) {
        for (std::size_t count = 1 + below(8); count > 0 && !bytes.empty(); --count) {
            const std::size_t at = below(bytes.size());
            const std::size_t size = std::min(1 + below(16), bytes.size() - at);
            switch (below(6)) {
                case 0:
                    bytes[at] = static_cast<char>(below(256));
                    break;
                case 1:
                    bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
                    break;
                case 2:
                    bytes.erase(at, size);
                    break;
                case 3:
                    bytes.insert(below(bytes.size()), bytes.substr(at, size));
                    break;
                case 4:
                    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), size, below(2) == 0 ? '\xff' : '\0');
                    break;
                default:
                    bytes.replace(below(bytes.size() - size + 1), size, bytes.substr(at, size));
            }
        }
        return bytes;
    }

private:
    std::size_t below(std::size_t most) { return random_() % most; }

    std::mt19937 random_;
};

std::string golden(const std::string& name) {
    return slurp(std::string(TENON_GOLDEN) + "/" + name);
}

// How many of the changed files are still read.
std::size_t read_changed(const std::string& bytes, int times, std::uint32_t seed) {
    Changes changes(seed);
    std::size_t out = 0;
    for (int i = 0; i < times; ++i) {
        const auto read = tenon::read_torch_file(changes.of(bytes), "x.pt");
        REQUIRE((read || !read.error().sentence.empty()));
        out += read ? 1 : 0;
    }
    return out;
}

}  // namespace

TEST_CASE("changed files give tensors or a sentence") {
    CHECK(read_changed(golden("torch_state.pt"), 4000, 1) > 100);
    CHECK(read_changed(golden("torch_deflated.pt"), 4000, 2) > 10);
    read_changed(golden("sb3_deflated.zip"), 100, 3);
}

TEST_CASE("changed pickles give tensors or a sentence") {
    const std::string file = golden("torch_state.pt");
    auto archive = tenon::ZipArchive::open(file, "x.pt");
    REQUIRE(archive);
    const auto pickle = archive->read(archive->entries().front().name);
    REQUIRE(pickle);
    REQUIRE(tenon::read_pickle(*pickle, "x.pt"));
    Changes changes(4);
    std::size_t whole = 0;
    for (int i = 0; i < 10'000; ++i) {
        const auto read = tenon::read_pickle(changes.of(std::string(*pickle)), "x.pt");
        REQUIRE((read || !read.error().sentence.empty()));
        whole += read ? 1 : 0;
    }
    CHECK(whole > 100);
    CHECK(whole < 9'900);
}

TEST_CASE("changed compressed bytes give bytes or nothing, and never more than were asked for") {
    const std::string file = golden("sb3_deflated.zip");
    const auto archive = tenon::ZipArchive::open(file, "x.zip");
    REQUIRE(archive);
    const tenon::ZipEntry& entry = archive->entries().front();
    REQUIRE(entry.form == tenon::ZipEntry::Form::kDeflated);
    REQUIRE(tenon::inflate(entry.bytes, entry.size));
    CHECK_FALSE(tenon::inflate(entry.bytes, entry.size - 1));
    CHECK_FALSE(tenon::inflate(entry.bytes, entry.size + 1));
    CHECK_FALSE(tenon::inflate(entry.bytes.substr(0, entry.bytes.size() - 1), entry.size));
    Changes changes(5);
    for (int i = 0; i < 3000; ++i) {
        const std::string begin(entry.bytes.substr(0, 400));
        const auto out = tenon::inflate(changes.of(begin), 4096);
        REQUIRE((!out || out->size() == 4096));
    }
}

}  // namespace changed_files_test
