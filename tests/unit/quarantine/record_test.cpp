// SPDX-License-Identifier: Apache-2.0
#include "engines/quarantine/record.hpp"

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace record_test {

namespace {

using namespace tenon;
using namespace tenon::test;

LoadingRecord some_record() {
    return {.path = "/plugins/a \"b\"\n.so",
            .stamp = {.size = 123, .modified = 1'764'000'000'123'456'789, .inode = -1},
            .sha256 = std::string(64, 'a'),
            .host = host_version(),
            .end = "was ended by SIGSEGV in init",
            .tried_at = 1'764'000'000};
}

TEST_CASE("a record that was written is read as it was") {
    const LoadingRecord before = some_record();
    const std::optional<LoadingRecord> after = read_record(write_record(before));
    REQUIRE(after);
    CHECK(after->stamp == before.stamp);
    CHECK(after->sha256 == before.sha256);
    CHECK(after->host == before.host);
    CHECK(after->end == before.end);
    CHECK(after->tried_at == before.tried_at);
    CHECK_FALSE(after->is_sound());
    LoadingRecord sound = before;
    sound.end.clear();
    CHECK(read_record(write_record(sound))->is_sound());
}

TEST_CASE("a record that is cut off anywhere is none") {
    const std::string text = write_record(some_record());
    for (std::size_t size = 0; size + 2 < text.size(); ++size) {  // the last bytes are "}\n"
        CHECK_FALSE(read_record(text.substr(0, size)));
    }
}

TEST_CASE("a record with a member of another type or without it is none") {
    const std::string text = write_record(some_record());
    for (const std::string name : {"size", "modified", "inode", "sha256", "host", "end", "tried_at"}) {
        std::string renamed = text;
        renamed.replace(renamed.find("\"" + name + "\""), 2, "\"_");
        CHECK_FALSE(read_record(renamed));
        std::string emptied = text;
        const std::size_t value = emptied.find("\"" + name + "\":") + name.size() + 3;
        emptied.replace(value, emptied.find_first_of(",}", value) - value, "null");
        CHECK_FALSE(read_record(emptied));
    }
    LoadingRecord other = some_record();
    other.sha256 = "not a hash";
    CHECK_FALSE(read_record(write_record(other)));
}

TEST_CASE("a stamp changes with what is written into a file, and with the file in its place") {
    const ScratchFolder scratch;
    CHECK_FALSE(stamp_of(scratch / "none"));
    spill(scratch / "file", "one");
    const std::optional<FileStamp> first = stamp_of(scratch / "file");
    REQUIRE(first);
    CHECK(first->size == 3);
    CHECK(stamp_of(scratch / "file") == first);
    spill(scratch / "other", "two");
    std::filesystem::last_write_time(scratch / "other", std::filesystem::last_write_time(scratch / "file"));
    std::filesystem::rename(scratch / "other", scratch / "file");
    CHECK(stamp_of(scratch / "file")->modified == first->modified);
    CHECK(stamp_of(scratch / "file") != first);
}

}  // namespace

}  // namespace record_test
