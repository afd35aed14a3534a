// SPDX-License-Identifier: Apache-2.0
#include "base/file/sha256.hpp"

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace sha256_test {

using namespace tenon;

TEST_CASE("sha256 gives the digests of the standard") {
    CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sha256(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("instructions for SHA-256 give the digests of code without them") {
    if (!has_sha_instructions()) {
        SKIP("this processor has no instructions for SHA-256");
    }
    std::string bytes;
    for (int size = 0; size < 300; ++size) {
        Sha256 one(false);
        Sha256 other(true);
        one.add(bytes);
        other.add(bytes);
        REQUIRE(one.finish() == other.finish());
        bytes += static_cast<char>(size * 37);
    }
}

TEST_CASE("any cut gives the same digest") {
    const std::string bytes(300, 'q');
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
        Sha256 hash;
        hash.add(std::string_view(bytes).substr(0, cut));
        hash.add(std::string_view(bytes).substr(cut));
        REQUIRE(hash.finish() == sha256(bytes));
    }
}

TEST_CASE("a file has the digest of its bytes, a missing one has a problem") {
    const test::ScratchFolder scratch;
    test::spill(scratch / "f", "abc");
    CHECK(*sha256_of_file(scratch / "f") == sha256("abc"));
    CHECK_FALSE(sha256_of_file(scratch / "none"));
    std::string long_text(200'000, 'x');  // several blocks, the last one not full
    long_text[131'072] = 'y';
    test::spill(scratch / "g", long_text);
    CHECK(*sha256_of_file(scratch / "g") == sha256(long_text));
}

}  // namespace sha256_test
