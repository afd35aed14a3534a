// SPDX-License-Identifier: Apache-2.0
#include "engines/recording_episodes/episode_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <utility>

namespace tenon {
namespace {

Problem damaged(const std::filesystem::path& path) {
    return input_problem("the recorded episodes in " + path.string() +
                         " are shorter than the checkpoint says: the file was changed or cut");
}

// Reads the rows of an episode, which are consecutive in the storage. An observation has one row more: it reaches the
// slot of the next episode's first row, which overwrites it.
void read_episode(std::istream& in, Storage& storage, std::span<const StorageColumn> columns, const EpisodeHead& head,
                  std::uint32_t first) {
    const auto length = static_cast<std::uint32_t>(head.length);
    for (const StorageColumn& column : columns) {
        const StorageColumn& into = *storage.find(column.key);
        const std::size_t size = row_bytes(into);
        const bool ends = into.final.data != nullptr;
        in.read(static_cast<char*>(row_at(into.view, first, 0)),
                static_cast<std::streamsize>(size * (length + (ends ? 1U : 0U))));
        if (ends) {
            std::memcpy(row_at(into.final, first + length - 1, 0), row_at(into.view, first + length, 0), size);
        }
    }
    const auto flag = [&](const char* key, std::uint32_t slot) {
        *static_cast<std::uint8_t*>(row_at(storage.find(key)->view, slot, 0)) = 1;
    };
    flag("is_init", first);
    flag(head.terminated != 0 ? "terminated" : "truncated", first + length - 1);
}

}  // namespace

Result<EpisodeFile> EpisodeFile::open(const std::filesystem::path& path) {
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    return file.get() < 0 ? Result<EpisodeFile>(file_problem("open", path, errno)) : EpisodeFile(path, std::move(file));
}

Status EpisodeFile::cut(const Extent& extent) {
    const off_t size = ::lseek(file_.get(), 0, SEEK_END);
    if (size < static_cast<off_t>(extent.bytes)) {
        return damaged(path_);
    }
    if (size > static_cast<off_t>(extent.bytes) && ::ftruncate(file_.get(), static_cast<off_t>(extent.bytes)) != 0) {
        return file_problem("cut", path_, errno);
    }
    extent_ = extent;
    return {};
}

Status EpisodeFile::append(const EpisodeHead& head, std::string_view bytes) {
    TENON_TRY(append_whole(file_, path_, extent_.bytes, bytes));
    extent_.bytes += bytes.size();
    extent_.frames += head.length;
    ++extent_.episodes;
    return {};
}

Status EpisodeFile::sync() const {
    return ::fdatasync(file_.get()) == 0 ? Status() : Status(file_problem("sync", path_, errno));
}

Result<EpisodeFile::Content> EpisodeFile::read(std::span<const StorageColumn> columns) const {
    if (extent_.frames >= std::numeric_limits<std::uint32_t>::max() - 1U) {
        return input_problem(std::to_string(extent_.frames) + " frames are recorded in " + path_.string() +
                             ", which is more than one file holds");
    }
    const auto frames = static_cast<std::uint32_t>(extent_.frames);
    Storage storage = TENON_TRY(Storage::make({columns.begin(), columns.end()}, frames + 1, 1));
    std::ifstream in(path_, std::ios::binary);
    Content out{.storage = std::move(storage), .episodes = {}};
    std::uint32_t first = 0;
    for (std::uint64_t i = 0; i < extent_.episodes; ++i) {
        EpisodeHead head;
        in.read(reinterpret_cast<char*>(&head), sizeof head);
        if (!in || head.length == 0 || head.length > frames - first) {
            return damaged(path_);
        }
        read_episode(in, out.storage, columns, head, first);
        first += static_cast<std::uint32_t>(head.length);
        out.episodes.push_back({.length = head.length,
                                .terminated = head.terminated != 0,
                                .truncated = head.terminated == 0,
                                .seed = head.seeded != 0 ? std::optional(head.seed) : std::nullopt});
    }
    *static_cast<std::uint8_t*>(row_at(out.storage.find("is_init")->view, first, 0)) = 1;
    const Ring::Position end{.head = first, .count = {first}, .parked = {0}, .appended = first};
    return in && out.storage.stand_at(end) ? Result<Content>(std::move(out)) : Result<Content>(damaged(path_));
}

}  // namespace tenon
