// SPDX-License-Identifier: Apache-2.0
// Episodes that are recorded while they are collected: whole ones, whatever the rounds are.
#include "engines/recording_episodes/running_episodes.hpp"

#include <optional>

#include "experience/dataset/episodes.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"
#include "unit/dataset/two_lanes.hpp"

namespace running_episodes_test {

using tenon::EpisodeFile;
using tenon::RunningEpisodes;
using tenon::Storage;

namespace {

std::vector<tenon::StorageColumn> own(const Storage& storage) {
    std::vector<tenon::StorageColumn> out;
    for (const tenon::StorageColumn& column : storage.columns()) {
        if (!tenon::is_flag_column(column.key)) {
            out.push_back(column);
        }
    }
    return out;
}

std::vector<float> floats(const tenon::View& view, std::uint32_t count) {
    const auto* const first = static_cast<const float*>(view.data);
    return {first, first + count};
}

struct Rig {
    tenon::test::ScratchFolder scratch;
    std::optional<EpisodeFile> file;

    Rig() {
        tenon::Result<EpisodeFile> made = EpisodeFile::open(scratch / "episodes");
        REQUIRE(made);
        file.emplace(std::move(*made));
        REQUIRE(file->cut({}));
    }
};

}  // namespace

TEST_CASE("whole episodes are recorded in the order in which they end, with their final observations") {
    Rig rig;
    const Storage storage = tenon::test::two_lanes(16, 7);  // lane 0 ends after steps 2 and 4
    RunningEpisodes running(storage, own(storage), std::vector<std::uint64_t>{5, 6});
    REQUIRE(running.take(7, *rig.file));
    CHECK(rig.file->extent().episodes == 2);
    CHECK(rig.file->extent().frames == 5);
    const tenon::Result<EpisodeFile::Content> content = rig.file->read(own(storage));
    REQUIRE(content);
    const Storage& read = content->storage;
    CHECK(read.lanes() == 1);
    CHECK(floats(read.find("reward")->view, 5) == std::vector<float>{1, 2, 3, 4, 5});
    CHECK(floats(read.find("observation")->view, 5) == std::vector<float>{0, 1, 2, 3, 4});
    CHECK(*static_cast<const float*>(row_at(read.find("observation")->final, 2, 0)) == -1);
    const std::vector<tenon::StoredEpisode> episodes = tenon::episodes_of(read);
    REQUIRE(episodes.size() == 2);
    CHECK((episodes[0].length == 3 && episodes[0].terminated && !episodes[0].truncated));
    CHECK((episodes[1].length == 2 && !episodes[1].terminated && episodes[1].truncated));
    CHECK((content->episodes[0].seed == 5 && !content->episodes[1].seed));
}

TEST_CASE("rounds and a saved state between them change nothing") {
    Rig whole;
    Rig parts;
    const Storage all = tenon::test::two_lanes(16, 7);
    RunningEpisodes at_once(all, own(all), {});
    REQUIRE(at_once.take(7, *whole.file));
    tenon::ByteWriter state;
    state.begin("running", 1);
    std::uint32_t seen = 0;
    {
        const Storage first = tenon::test::two_lanes(16, seen = 2);
        RunningEpisodes running(first, own(first), {});
        REQUIRE(running.take(1, *parts.file));  // one step is missing: the episode's beginning was not seen
        CHECK(parts.file->extent().episodes == 0);
        RunningEpisodes again(first, own(first), {});
        REQUIRE(again.take(2, *parts.file));
        tenon::SavedFields saved(state);
        again.visit(saved);
    }
    state.end();
    const Storage rest = tenon::test::two_lanes(16, 7);
    RunningEpisodes running(rest, own(rest), {});
    tenon::ByteReader in(state.bytes(), "state");
    in.enter("running", 1);
    tenon::SavedFields saved(in);
    running.visit(saved);
    in.leave();
    REQUIRE(in.status());
    REQUIRE(running.take(7 - seen, *parts.file));
    CHECK(parts.file->extent().bytes == whole.file->extent().bytes);
    const auto left = whole.file->read(own(all));
    const auto right = parts.file->read(own(all));
    REQUIRE((left && right));
    CHECK(floats(left->storage.find("observation")->view, 6) == floats(right->storage.find("observation")->view, 6));
}

TEST_CASE("an episode that the run cuts ends as truncated, and one with missing steps is left out") {
    Rig rig;
    Storage storage = tenon::test::two_lanes(16, 2);
    RunningEpisodes running(storage, own(storage), {});
    REQUIRE(running.take(2, *rig.file));
    storage.begin_episodes(nullptr);
    storage.advance();
    REQUIRE(running.take(1, *rig.file));
    CHECK(rig.file->extent().episodes == 2);  // of both lanes
    const auto content = rig.file->read(own(storage));
    REQUIRE(content);
    CHECK(content->episodes[0].truncated);
    CHECK(*static_cast<const float*>(row_at(content->storage.find("observation")->final, 1, 0)) == 2);

    Rig other;
    const Storage small = tenon::test::two_lanes(3, 7);  // holds two steps
    RunningEpisodes late(small, own(small), {});
    REQUIRE(late.take(7, *other.file));
    CHECK(other.file->extent().episodes == 0);
}

TEST_CASE("a file that is shorter than a checkpoint says is refused") {
    Rig rig;
    const tenon::Status cut = rig.file->cut({.bytes = 8, .episodes = 1, .frames = 1});
    REQUIRE(!cut);
    CHECK(cut.error().sentence.find("are shorter than the checkpoint says") != std::string::npos);
}

}  // namespace running_episodes_test
