// SPDX-License-Identifier: Apache-2.0
#include "engines/quarantine/known.hpp"

#include <chrono>
#include <cstdlib>

#include "base/file/sha256.hpp"
#include "base/file/state_folder.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace known_test {

namespace {

using namespace tenon;
using namespace tenon::test;

// With a state folder of its own while it lives.
class Rig {
public:
    explicit Rig(const std::string& state = "state") {
        const char* const before = std::getenv("TENON_STATE");
        before_ = before != nullptr ? before : "";
        ::setenv("TENON_STATE", (scratch / state).c_str(), 1);
        spill(file, "the plugin");
    }
    ~Rig() { ::setenv("TENON_STATE", before_.c_str(), 1); }
    Rig(const Rig&) = delete;
    Rig& operator=(const Rig&) = delete;

    [[nodiscard]] LoadingRecord record() const {
        return {.path = file.string(),
                .stamp = *stamp_of(file),
                .sha256 = *sha256_of_file(file),
                .host = host_version(),
                .end = "was ended by SIGABRT",
                .tried_at = 7};
    }
    // The one record that there is.
    [[nodiscard]] std::filesystem::path kept() const {
        return *std::filesystem::directory_iterator(scratch / "state" / "plugins");
    }

    ScratchFolder scratch;
    std::filesystem::path file = scratch / "plugin.so";

private:
    std::string before_;
};

TEST_CASE("what is kept of a file is known until its bytes change") {
    const Rig rig;
    CHECK_FALSE(recall(rig.file));
    keep_record(rig.record());
    REQUIRE(recall(rig.file));
    CHECK(recall(rig.file)->end == "was ended by SIGABRT");
    CHECK_FALSE(recall(rig.scratch / "other.so"));
    spill(rig.file, "the plugIn");  // as long as it was
    CHECK_FALSE(recall(rig.file));
    spill(rig.file, "the plugin, longer");
    CHECK_FALSE(recall(rig.file));
    std::filesystem::remove(rig.file);
    CHECK_FALSE(recall(rig.file));
}

TEST_CASE("a file that was touched is known, and the next look at it is a short one") {
    const Rig rig;
    keep_record(rig.record());
    std::filesystem::last_write_time(rig.file, std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
    REQUIRE(recall(rig.file));
    CHECK(recall(rig.file)->tried_at == 7);
    CHECK(read_record(slurp(rig.kept()))->stamp == stamp_of(rig.file));
}

TEST_CASE("what another version of the host has tried is not known") {
    const Rig rig;
    LoadingRecord record = rig.record();
    record.host = "0.0.1 (plugin ABI 0.1)";
    keep_record(record);
    CHECK_FALSE(recall(rig.file));
}

TEST_CASE("what is forgotten is not known") {
    const Rig rig;
    forget(rig.file);
    keep_record(rig.record());
    forget(rig.file);
    CHECK_FALSE(recall(rig.file));
}

TEST_CASE("of files that are gone nothing stays, and what is no record stays") {
    const Rig rig;
    forget_gone();
    keep_record(rig.record());
    const std::filesystem::path kept = rig.kept();
    spill(rig.scratch / "state/plugins/a.so", "somebody else's");
    forget_gone();
    CHECK(recall(rig.file));
    std::filesystem::remove(rig.file);
    forget_gone();
    CHECK_FALSE(std::filesystem::exists(kept));
    CHECK(slurp(rig.scratch / "state/plugins/a.so") == "somebody else's");
}

TEST_CASE("records that are damaged, huge or no files are as none") {
    const Rig rig;
    keep_record(rig.record());
    const std::string whole = slurp(rig.kept());
    for (const std::string& text : {std::string(), whole.substr(0, 40), std::string(100, '\0'), std::string(1000, '['),
                                    whole + std::string(1U << 17U, ' ')}) {
        spill(rig.kept(), text);
        CHECK_FALSE(recall(rig.file));
    }
    const std::filesystem::path place = rig.kept();
    std::filesystem::remove(place);
    std::filesystem::create_directory(place);
    CHECK_FALSE(recall(rig.file));
}

TEST_CASE("where no folder can be made nothing is kept") {
    const Rig rig("file/state");
    spill(rig.scratch / "file", "");
    keep_record(rig.record());
    CHECK_FALSE(recall(rig.file));
}

}  // namespace

}  // namespace known_test
