// SPDX-License-Identifier: Apache-2.0
#include "commands/dash/run_files.hpp"

#include <filesystem>

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace tenon::run_files_test {

TEST_CASE("videos are the regular files of a run, of its folder of videos and of its checkpoints") {
    const test::ScratchFolder folder;
    std::filesystem::create_directory(folder / "videos");
    std::filesystem::create_directories(folder / "checkpoints" / "10000");
    std::filesystem::create_directories(folder / "checkpoints" / "9000");
    std::filesystem::create_directories(folder / "checkpoints" / "9000.draft");
    std::filesystem::create_directory_symlink("10000", folder / "checkpoints" / "last");
    for (const char* name : {"checkpoints/9000/video.mp4", "checkpoints/10000/video.png",
                             "checkpoints/9000.draft/video.mp4", "checkpoints/9000/complete.json", "b.mp4",
                             "videos/10.png", "videos/9.webm", "metrics.jsonl", "manifest.lock.toml"}) {
        test::spill(folder / name, "x");
    }
    std::filesystem::create_symlink("/etc/passwd", folder / "a.mp4");
    std::filesystem::create_directory(folder / "c.mp4");
    std::vector<std::string> names;
    for (const RunVideo& video : run_videos(folder.path())) {
        names.push_back(video.name);
    }
    CHECK(names == std::vector<std::string>{"b.mp4", "videos/9.webm", "videos/10.png", "checkpoints/9000/video.mp4",
                                            "checkpoints/10000/video.png"});
}

TEST_CASE("a folder of videos that is a link is left out") {
    const test::ScratchFolder folder;
    const test::ScratchFolder other;
    test::spill(other / "secret.png", "x");
    std::filesystem::create_symlink(other.path(), folder / "videos");
    std::filesystem::create_directory(other / "10");
    test::spill(other / "10/secret.png", "x");
    std::filesystem::create_symlink(other.path(), folder / "checkpoints");
    CHECK(run_videos(folder.path()).empty());
}

TEST_CASE("a log is shown from the beginning of a line, as text") {
    const test::ScratchFolder folder;
    std::string text = "first\n";
    while (text.size() < 100'000) {
        text += "a line of the log\n";
    }
    test::spill(folder / "log.txt", text + "caf\xc3\xa9 \xff\xc3\n");
    test::spill(folder / "other.txt", "x");
    const auto logs = log_ends(folder.path());
    REQUIRE(logs.size() == 1);
    CHECK(logs[0].text.size() <= 65'536);
    CHECK(logs[0].text.starts_with("a line of the log\n"));
    CHECK(logs[0].text.ends_with("caf\xc3\xa9 ??\n"));
}

}  // namespace tenon::run_files_test
