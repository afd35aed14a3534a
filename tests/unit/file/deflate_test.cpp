// SPDX-License-Identifier: Apache-2.0
// That others read what is compressed here is shown by cli.play, and that this reads files of others by `import`.
#include "base/file/deflate.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "support/catch.hpp"

namespace deflate_test {

// Of a zlib stream what a zip file has: without its header of two bytes and its checksum of four.
std::optional<std::string> back(const std::string& stream, std::size_t size) {
    return tenon::inflate(std::string_view(stream).substr(2, stream.size() - 6), size);
}

std::string noise(std::size_t size) {
    std::string out;
    std::uint32_t number = 1;
    for (std::size_t i = 0; i < size; ++i) {
        number = number * 1664525U + 1013904223U;
        out.push_back(static_cast<char>(number >> 24U));
    }
    return out;
}

std::string compressed(const std::string& text) {
    tenon::Result<std::string> stream = tenon::compress(text);
    REQUIRE(stream.has_value());
    return *std::move(stream);
}

TEST_CASE("what is compressed is read as it was") {
    for (const std::string& text : {std::string(), std::string("a"), std::string(1'000'000, '\0'), noise(100'000)}) {
        CHECK(back(compressed(text), text.size()) == text);
    }
}

TEST_CASE("what repeats becomes small, and what does not grows by little") {
    CHECK(compressed(std::string(1'000'000, '\0')).size() < 10'000);
    CHECK(compressed(noise(100'000)).size() < 101'000);
}

TEST_CASE("a stream of another size, or one that is cut, is no stream") {
    const std::string stream = compressed(noise(100'000));
    CHECK_FALSE(back(stream, 99'999));
    CHECK_FALSE(back(stream, 100'001));
    CHECK_FALSE(back(stream.substr(0, 50'000), 100'000));
    CHECK_FALSE(tenon::inflate("", 0));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which need more memory than this leaves
TEST_CASE("without memory for zlib there is a problem and no stream") {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        constexpr std::size_t kPage = 4096;
        const rlimit none{.rlim_cur = 0, .rlim_max = 0};
        ::setrlimit(RLIMIT_AS, &none);  // the heap no longer grows
        void* last = nullptr;
        for (void* next = std::malloc(kPage); next != nullptr; next = std::malloc(kPage)) {
            last = next;
        }
        std::free(last);  // enough for the sentence, not for zlib
        const tenon::Result<std::string> stream = tenon::compress("");
        ::_exit(!stream && stream.error().sentence == "not enough memory to compress 0 bytes" ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}
#endif

TEST_CASE("a checksum is that of PNG and zip files") {
    CHECK(tenon::crc32("") == 0);
    CHECK(tenon::crc32("123456789") == 0xcbf43926);
}

}  // namespace deflate_test
