// SPDX-License-Identifier: Apache-2.0
// Event files: bytes as TensorBoard's own writer makes them, frames read back, files cut where a run goes on.
#include "engines/writer_tensorboard/event_files.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "base/file/checksum.hpp"
#include "engines/writer_tensorboard/event_format.hpp"
#include "engines/writer_tensorboard/event_hparams.hpp"
#include "folder/records/writer_kind.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace tenon {
const WriterKind& writer_tensorboard();  // cmake/kinds.cmake declares it for the program
}

namespace event_files_test {

namespace {

using tenon::EventFiles;
using tenon::EventFrame;
using tenon::test::ScratchFolder;
using tenon::test::slurp;
using tenon::test::spill;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
const std::vector<std::string> kTags{"rollout/ep_rew_mean", "train/loss"};

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> out;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        out.push_back(entry.path());
    }
    std::sort(out.begin(), out.end());
    return out;
}

// The frames of a file, which must be whole to the last byte.
std::vector<EventFrame> frames_of(const std::string& bytes) {
    std::vector<EventFrame> out;
    std::string_view rest = bytes;
    while (!rest.empty()) {
        const auto frame = tenon::read_event_frame(rest);
        REQUIRE(frame.has_value());
        out.push_back(*frame);
        rest.remove_prefix(frame->bytes);
    }
    return out;
}

std::vector<std::int64_t> steps_in(const std::filesystem::path& folder) {
    std::vector<std::int64_t> out;
    for (const auto& path : files_in(folder)) {
        for (const EventFrame& frame : frames_of(slurp(path))) {
            if (frame.values) {
                out.push_back(frame.step);
            }
        }
    }
    return out;
}

void record(EventFiles& events, double wall_time_s, std::int64_t step) {
    REQUIRE(events.record(wall_time_s, step, std::vector<double>{static_cast<double>(step) / 3, kNan}).has_value());
}

}  // namespace

TEST_CASE("a program without this writer says that it writes no event files, if they are wanted") {
    tenon::LogTable log;
    log.tensorboard = true;
    const tenon::WriterKind* const kind = &tenon::writer_tensorboard();
    CHECK(tenon::missing_writer(log, {&kind, 1}).empty());
    CHECK(
        tenon::missing_writer(log, {}) ==
        "this program has been built without core/engines/writer_tensorboard: the run writes no files for TensorBoard "
        "(log.tensorboard)");
    log.tensorboard = false;
    CHECK(tenon::missing_writer(log, {}).empty());
}

TEST_CASE("CRC-32C of the vectors of RFC 3720, B.4") {
    CHECK(tenon::crc32c("") == 0);
    CHECK(tenon::crc32c("123456789") == 0xe3069283);
    CHECK(tenon::crc32c(std::string(32, '\0')) == 0x8a9136aa);
    CHECK(tenon::crc32c(std::string(32, '\xff')) == 0x62a8ab43);
}

TEST_CASE("events are the bytes that TensorBoard's own writer makes") {
    std::string bytes;
    tenon::append_version_event(bytes, 1700000000.25);
    tenon::append_restart_event(bytes, 1700000000.5, 1001);
    tenon::append_record_event(bytes, 1700000001.0, 1024, tenon::EventTags(kTags), std::vector<double>{21.5, 0.125});
    tenon::append_record_event(bytes, 1700000002.0, 300000000000, tenon::EventTags(kTags),
                               std::vector<double>{kNan, -std::numeric_limits<double>::infinity()});
    CHECK(bytes == slurp(std::filesystem::path(TENON_GOLDEN) / "tensorboard.tfevents"));
}

TEST_CASE("values of a manifest are the bytes that TensorBoard's own writer makes") {
    std::string bytes;
    tenon::append_hparams_event(bytes, 1700000000.25,
                                {{"env.plugin", "a/b"}, {"train.batch", 256.0}, {"eval.video", false}});
    CHECK(bytes == slurp(std::filesystem::path(TENON_GOLDEN) / "tensorboard_hparams.tfevents"));
}

TEST_CASE("a histogram is the bytes that TensorBoard's own writer makes") {
    const std::vector<std::string> tags = {"train/loss",     "hook/w/below/-1", "hook/w/bin/0", "hook/w/bin/1",
                                           "hook/w/above/1", "hook/v/below/0",  "hook/v/bin/0", "hook/v/above/1"};
    std::string bytes;
    tenon::append_record_event(bytes, 1700000001.0, 1024, tenon::EventTags(tags),
                               std::vector<double>{0.125, 1, 20, 7, 0, kNan, kNan, kNan});
    tenon::append_record_event(bytes, 1700000002.0, 2048, tenon::EventTags(tags),
                               std::vector<double>{kNan, 0, 0, 0, 0, 2, 3, 5});
    CHECK(bytes == slurp(std::filesystem::path(TENON_GOLDEN) / "tensorboard_histograms.tfevents"));
}

TEST_CASE("a picture is the bytes that TensorBoard's own writer makes, and is cut like a record") {
    const tenon::RecordedPicture picture{
        .tag = "eval/video", .height = 400, .width = 600, .png = "\x89PNG\r\n" + std::string(300, '\0')};
    std::string bytes;
    tenon::append_picture_event(bytes, 1700000001.0, 1024, picture);
    CHECK(bytes == slurp(std::filesystem::path(TENON_GOLDEN) / "tensorboard_pictures.tfevents"));
    const ScratchFolder folder;
    EventFiles events(folder.path(), kTags);
    record(events, 1700000000.0, 1000);
    REQUIRE(events.picture(1700000000.0, 1000, picture).has_value());
    record(events, 1700000001.0, 2000);
    REQUIRE(events.picture(1700000001.0, 2000, picture).has_value());
    CHECK(steps_in(folder.path()) == std::vector<std::int64_t>{1000, 1000, 2000, 2000});
    REQUIRE(EventFiles(folder.path(), kTags).keep(1500).has_value());
    CHECK(steps_in(folder.path()) == std::vector<std::int64_t>{1000, 1000});
}

TEST_CASE("histograms are known by the names of their metrics, and half of one is none") {
    const std::vector<std::string> names = {
        "frames",    "a/below/-1", "a/bin/0",   "a/bin/1",       "a/above/1e3", "b/below/0",      "b/bin/0",
        "b/bin/2",   "b/above/1",  "c/below/0", "c/above/1",     "d/below/x",   "d/bin/0",        "d/above/1",
        "e/below/2", "e/bin/0",    "e/above/1", "p/q/below/0.5", "p/q/bin/0",   "p/q/above/0.75", "last/below/0"};
    const auto found = tenon::histograms_in(names);
    REQUIRE(found.size() == 2);
    CHECK((found[0].name == "a" && found[0].low == -1 && found[0].high == 1e3 && found[0].first == 1 &&
           found[0].bins == 2));
    CHECK((found[1].name == "p/q" && found[1].low == 0.5 && found[1].high == 0.75 && found[1].bins == 1));
    const std::vector<bool> in = tenon::in_histograms(names);
    CHECK(std::count(in.begin(), in.end(), true) == 7);
    CHECK((in[1] && in[4] && !in[0] && !in[5] && in[17]));
}

TEST_CASE("values of a manifest by their type") {
    const tenon::Hparams seen = tenon::hparams_of({{"a", "\"x\""},
                                                   {"b", "true"},
                                                   {"c", "1e-3"},
                                                   {"d", "[1, 2]"},
                                                   {"e", "-5"},
                                                   {"f", "\"a\\n\""},
                                                   {"g", "{ k = 1 }"}});
    CHECK(
        seen ==
        tenon::Hparams{
            {"a", "x"}, {"b", true}, {"c", 1e-3}, {"d", "[1, 2]"}, {"e", -5.0}, {"f", "\"a\\n\""}, {"g", "{ k = 1 }"}});
}

TEST_CASE("every file begins with the values of the manifest, and none is left with those alone") {
    const ScratchFolder scratch;
    const auto folder = scratch / "tensorboard";
    for (const std::int64_t step : {100, 200}) {
        EventFiles events(folder, kTags, {{"a", 1.0}});
        REQUIRE(events.keep(step - 1).has_value());
        record(events, 1700000000, step);
    }
    CHECK(steps_in(folder) == std::vector<std::int64_t>{0, 100, 0, 200});
    EventFiles events(folder, kTags);
    REQUIRE(events.keep(150).has_value());
    CHECK(steps_in(folder) == std::vector<std::int64_t>{0, 100});
    REQUIRE(events.keep(0).has_value());
    CHECK(files_in(folder).empty());
}

TEST_CASE("a frame that is not whole or was changed is none") {
    std::string bytes;
    tenon::append_record_event(bytes, 1.5, 7, tenon::EventTags(kTags), std::vector<double>{1, 2});
    const auto frame = tenon::read_event_frame(bytes);
    REQUIRE(frame.has_value());
    CHECK(frame->bytes == bytes.size());
    CHECK(frame->step == 7);
    CHECK(frame->values);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        CAPTURE(i);
        CHECK_FALSE(tenon::read_event_frame(std::string_view(bytes).substr(0, i)).has_value());
        std::string changed = bytes;
        changed[i] = static_cast<char>(changed[i] ^ 4);
        CHECK_FALSE(tenon::read_event_frame(changed).has_value());
    }
}

TEST_CASE("a run that goes on has a file more, and no step twice") {
    const ScratchFolder scratch;
    const auto folder = scratch / "tensorboard";
    {
        EventFiles events(folder, kTags);
        CHECK_FALSE(std::filesystem::exists(folder));
        for (const std::int64_t step : {100, 200, 300}) {
            record(events, 1700000000, step);
        }
        CHECK(events.sync().has_value());
    }
    CHECK(files_in(folder) == std::vector<std::filesystem::path>{folder / "events.out.tfevents.1700000000.0000"});
    {
        EventFiles events(folder, kTags);
        REQUIRE(events.keep(250).has_value());
        CHECK(steps_in(folder) == std::vector<std::int64_t>{100, 200});
        record(events, 1600000000, 260);  // the clock went back; the name does not
        record(events, 1600000001, 360);
    }
    CHECK(files_in(folder)[1] == folder / "events.out.tfevents.1700000000.0001");
    CHECK(steps_in(folder) == std::vector<std::int64_t>{100, 200, 260, 360});
    const std::vector<EventFrame> frames = frames_of(slurp(files_in(folder)[1]));
    REQUIRE(frames.size() == 4);
    CHECK(frames[1].step == 251);  // what a reader that has seen more is to forget

    EventFiles again(folder, kTags);
    REQUIRE(again.keep(210).has_value());
    CHECK(files_in(folder).size() == 1);  // nothing was left of the second
    REQUIRE(again.keep(0).has_value());
    CHECK(files_in(folder).empty());
}

TEST_CASE("what a killed run left of a last record goes") {
    const ScratchFolder scratch;
    const auto folder = scratch / "tensorboard";
    {
        EventFiles events(folder, kTags);
        record(events, 1700000000, 100);
        record(events, 1700000000, 200);
    }
    const auto path = files_in(folder).front();
    const std::string whole = slurp(path);
    spill(path, whole.substr(0, whole.size() - 3));
    EventFiles events(folder, kTags);
    REQUIRE(events.keep(1000).has_value());
    CHECK(steps_in(folder) == std::vector<std::int64_t>{100});
}

TEST_CASE("a folder that cannot be made is told") {
    const ScratchFolder scratch;
    spill(scratch / "tensorboard", "");
    EventFiles events(scratch / "tensorboard", kTags);
    const tenon::Status status = events.record(1, 1, std::vector<double>{1, 2});
    REQUIRE_FALSE(status.has_value());
    CHECK(status.error().fault == tenon::Fault::kEnvironment);
}

}  // namespace event_files_test
