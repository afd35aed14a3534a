// SPDX-License-Identifier: Apache-2.0
#include "commands/dash/run_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "base/file/sync.hpp"
#include "shared/history/natural_order.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 500;
constexpr off_t kEnd = off_t{1} << 16;
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kVideos = {{{".mp4", "video/mp4"},
                                                                                   {".webm", "video/webm"},
                                                                                   {".png", "image/png"},
                                                                                   {".apng", "image/png"},
                                                                                   {".gif", "image/gif"}}};

std::vector<fs::path> regular_files(const fs::path& folder) {
    std::vector<fs::path> out;
    std::error_code code;
    for (fs::directory_iterator it(folder, code), end; !code && it != end && out.size() < kMostFiles;
         it.increment(code)) {
        std::error_code ignored;
        if (it->symlink_status(ignored).type() == fs::file_type::regular) {
            out.push_back(it->path());
        }
    }
    std::ranges::sort(out, [](const fs::path& a, const fs::path& b) {
        return natural_less(a.filename().string(), b.filename().string());
    });
    return out;
}

}  // namespace

std::string as_text(std::string_view bytes) {
    std::string out;
    for (std::size_t i = 0; i < bytes.size();) {
        const auto first = static_cast<unsigned char>(bytes[i]);
        const std::size_t length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
        bool whole = length > 0 && first < 0xf5 && i + length <= bytes.size();
        for (std::size_t k = 1; whole && k < length; ++k) {
            whole = (static_cast<unsigned char>(bytes[i + k]) & 0xc0U) == 0x80;
        }
        whole ? out.append(bytes, i, length) : out.append("?");
        i += whole ? length : 1;
    }
    return out;
}

namespace {

std::string end_of(const fs::path& path) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat info{};
    if (file.get() < 0 || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
        return {};
    }
    const off_t begin = std::max<off_t>(info.st_size - kEnd, 0);
    std::string text(static_cast<std::size_t>(std::min<off_t>(info.st_size, kEnd)), '\0');
    const ssize_t got = ::pread(file.get(), text.data(), text.size(), begin);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (begin > 0) {
        text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);
    }
    return as_text(text);
}

// The run folder, its folder `videos`, and the folders of its checkpoints.
std::vector<fs::path> folders_of_videos(const fs::path& run) {
    std::vector<fs::path> out = {run};
    const auto is_folder = [](const fs::path& path) {
        std::error_code code;
        return fs::symlink_status(path, code).type() == fs::file_type::directory;
    };
    if (is_folder(run / "videos")) {
        out.push_back(run / "videos");
    }
    const fs::path checkpoints = run / "checkpoints";
    std::error_code code;
    std::vector<fs::path> numbered;
    for (fs::directory_iterator it(is_folder(checkpoints) ? checkpoints : fs::path(), code), end;
         !code && it != end && numbered.size() < kMostFiles; it.increment(code)) {
        const std::string name = it->path().filename().string();
        if (name.find_first_not_of("0123456789") == std::string::npos && is_folder(it->path())) {
            numbered.push_back(it->path());
        }
    }
    std::ranges::sort(numbered,
                      [](const fs::path& a, const fs::path& b) { return natural_less(a.string(), b.string()); });
    out.insert(out.end(), numbered.begin(), numbered.end());
    return out;
}

}  // namespace

std::vector<RunVideo> run_videos(const fs::path& run) {
    std::vector<RunVideo> out;
    for (const fs::path& folder : folders_of_videos(run)) {
        for (const fs::path& path : regular_files(folder)) {
            const auto found =
                std::ranges::find(kVideos, path.extension().string(), [](const auto& kind) { return kind.first; });
            if (found != kVideos.end()) {
                out.push_back({path, as_text(path.lexically_relative(run).string()), found->second});
            }
        }
    }
    return out;
}

std::vector<LogEnd> log_ends(const fs::path& run) {
    std::vector<LogEnd> out;
    for (const fs::path& path : regular_files(run)) {
        if (path.extension() == ".log" || path.filename() == "log.txt") {
            out.push_back({as_text(path.filename().string()), end_of(path)});
        }
    }
    return out;
}

}  // namespace tenon
