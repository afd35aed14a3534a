// SPDX-License-Identifier: Apache-2.0
#include "engines/writer_tensorboard/event_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file/atomic.hpp"
#include "base/file/read.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "events.out.tfevents.";

// The event files of the folder in the order in which TensorBoard reads them.
Result<std::vector<fs::path>> event_files(const fs::path& folder) {
    std::vector<fs::path> out;
    std::error_code code;
    for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
        if (it->path().filename().string().starts_with(kPrefix)) {
            out.push_back(it->path());
        }
    }
    if (code && code != std::errc::no_such_file_or_directory) {
        return file_problem("list", folder, code.value());
    }
    std::sort(out.begin(), out.end());
    return out;
}

// "events.out.tfevents.SECONDS.N". The name sorts after the last file even if the clock has gone back, because
// TensorBoard reads files in that order and never returns to an earlier one.
fs::path next_path(const fs::path& folder, const std::vector<fs::path>& files, double wall_time_s) {
    auto seconds = static_cast<std::int64_t>(wall_time_s);
    std::int64_t number = 0;
    if (!files.empty()) {
        const std::string name = files.back().filename().string();
        const char* const end = name.data() + name.size();
        std::int64_t last_seconds = 0;
        std::int64_t last_number = 0;
        const auto read = std::from_chars(name.data() + kPrefix.size(), end, last_seconds);
        if (read.ec == std::errc{} && read.ptr != end) {
            std::from_chars(read.ptr + 1, end, last_number);
        }
        if (last_seconds >= seconds) {
            seconds = last_seconds;
            number = last_number + 1;
        }
    }
    const std::string digits = std::to_string(number);
    const std::string padding(digits.size() < 4 ? 4 - digits.size() : 0, '0');
    return folder / (std::string(kPrefix) + std::to_string(seconds) + "." + padding + digits);
}

// Truncates a file after the last record of that step or an earlier one; removes a file without any.
Status keep_in(const fs::path& path, std::int64_t step) {
    const std::string bytes = TENON_TRY(read_file(path));
    std::string_view rest = bytes;
    bool any = false;
    while (const std::optional<EventFrame> frame = read_event_frame(rest)) {
        if (frame->step > step) {
            break;
        }
        any = any || (frame->values && frame->step > 0);  // hparams alone are at step 0
        rest.remove_prefix(frame->bytes);
    }
    std::error_code code;
    if (!any) {
        fs::remove(path, code);
    } else if (!rest.empty()) {
        fs::resize_file(path, bytes.size() - rest.size(), code);
    }
    return code ? Status(file_problem("cut", path, code.value())) : Status();
}

}  // namespace

EventFiles::EventFiles(fs::path folder, std::vector<std::string> tags, Hparams hparams)
    : folder_(std::move(folder)), tags_(std::move(tags)), hparams_(std::move(hparams)) {
    constexpr std::size_t kAnyEvent = 128;  // frames, times, steps, and the prefix of the first record
    constexpr std::size_t kAnyValue = 24;   // a value without its tag
    std::size_t longest = kAnyEvent;
    for (const std::string& tag : tags_.names) {
        longest += tag.size() + kAnyValue;
    }
    buffer_.reserve(longest);
}

Status EventFiles::keep(std::int64_t step) {
    const std::vector<fs::path> files = TENON_TRY(event_files(folder_));
    for (const fs::path& path : files) {
        TENON_TRY(keep_in(path, step));
    }
    step_before_ = step;
    return {};
}

Status EventFiles::record(double wall_time_s, std::int64_t step, std::span<const double> values) {
    buffer_.clear();
    if (!file_) {
        TENON_TRY(begin(wall_time_s));
    }
    append_record_event(buffer_, wall_time_s, step, tags_, values);
    return append();
}

Status EventFiles::picture(double wall_time_s, std::int64_t step, const RecordedPicture& picture) {
    buffer_.clear();
    if (!file_) {
        TENON_TRY(begin(wall_time_s));
    }
    append_picture_event(buffer_, wall_time_s, step, picture);
    return append();
}

Status EventFiles::append() {
    TENON_TRY(append_whole(*file_, path_, length_, buffer_));
    length_ += buffer_.size();
    return {};
}

Status EventFiles::begin(double wall_time_s) {
    TENON_TRY(make_folders(folder_));
    const std::vector<fs::path> files = TENON_TRY(event_files(folder_));
    path_ = next_path(folder_, files, wall_time_s);
    FileDescriptor file(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666));
    if (file.get() < 0) {
        return file_problem("open", path_, errno);
    }
    file_.emplace(std::move(file));
    append_version_event(buffer_, wall_time_s);
    if (!hparams_.empty()) {
        append_hparams_event(buffer_, wall_time_s, hparams_);
    }
    if (step_before_) {
        append_restart_event(buffer_, wall_time_s, *step_before_ + 1);
    }
    return {};
}

Status EventFiles::sync() {
    if (file_ && ::fdatasync(file_->get()) != 0) {
        return file_problem("sync", path_, errno);
    }
    return {};
}

}  // namespace tenon
