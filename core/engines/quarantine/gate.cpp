// SPDX-License-Identifier: Apache-2.0
#include "engines/quarantine/gate.hpp"

#include <time.h>

#include <array>
#include <filesystem>
#include <string>
#include <utility>

#include "base/file/sha256.hpp"
#include "base/log/log.hpp"
#include "engines/quarantine/attempt.hpp"
#include "engines/quarantine/known.hpp"
#include "plugins/plugin/search_path.hpp"

namespace tenon {
namespace {

// Time limits: while a run waits to start, and when only this was requested.
constexpr double kPatience = 10;
constexpr double kMorePatience = 60;

// The path under which a file is recorded, however it was found.
std::filesystem::path known_as(const PluginFile& file) {
    return file.path.lexically_normal();
}

std::string day_of(std::int64_t seconds) {
    const time_t time = seconds;
    tm parts{};
    std::array<char, 32> text{};
    return ::gmtime_r(&time, &parts) != nullptr && ::strftime(text.data(), text.size(), "%Y-%m-%d", &parts) > 0
               ? text.data()
               : "an unknown day";
}

Problem in_quarantine(const LoadingRecord& record) {
    const std::filesystem::path folder = std::filesystem::path(record.path).parent_path();
    const std::string more = folder == installed_folder() / "plugins" ? "" : " --plugins " + folder.string();
    return plugin_problem(record.path + " is in quarantine since " + day_of(record.tried_at) +
                              ": the first process that loaded it " + record.end,
                          {}, "change the file, or run `tenon list --rescan" + more + "` to test it again");
}

struct Tried {
    Attempt attempt;
    LoadingRecord record;
};

// The result is kept if it describes the file. A refusal to load may depend on the machine, so the file is tried again
// next time.
Tried try_and_keep(const std::filesystem::path& file, double patience) {
    Tried out{.attempt = {},
              .record = {.path = file.string(),
                         .stamp = stamp_of(file).value_or(FileStamp()),
                         .host = host_version(),
                         .tried_at = ::time(nullptr)}};
    out.attempt = try_loading(file, patience);
    const Attempt::Outcome outcome = out.attempt.outcome;
    if (outcome == Attempt::Outcome::kEnded) {
        out.record.end = out.attempt.text;
    }
    if (outcome == Attempt::Outcome::kRefused) {
        forget(file);
    } else if (outcome == Attempt::Outcome::kEnded || outcome == Attempt::Outcome::kSound) {
        Result<std::string> hash = sha256_of_file(file);
        if (hash && stamp_of(file) == out.record.stamp) {  // not rebuilt meanwhile
            out.record.sha256 = *std::move(hash);
            keep_record(out.record);
        }
    }
    return out;
}

// Whether this process may load the file.
Status judge(const Tried& tried) {
    if (tried.attempt.outcome == Attempt::Outcome::kEnded) {
        return in_quarantine(tried.record);
    }
    if (tried.attempt.outcome == Attempt::Outcome::kStopped) {
        return environment_problem(tried.record.path + " is not loaded: the process that tests it first " +
                                   tried.attempt.text);
    }
    return {};
}

}  // namespace

Status admit(const ComponentInfo& info) {
    const std::filesystem::path file = known_as(*info.plugin);
    if (const std::optional<LoadingRecord> record = recall(file)) {
        return placed(record->is_sound() ? Status() : in_quarantine(*record), info.place);
    }
    const Tried tried = try_and_keep(file, kPatience);
    if (tried.attempt.outcome == Attempt::Outcome::kUntried) {
        log(Level::kDebug, tried.record.path + " is loaded without a test: " + tried.attempt.text);
    }
    return placed(judge(tried), info.place);
}

std::optional<Problem> quarantine_of(const PluginFile& file) {
    const std::optional<LoadingRecord> record = recall(known_as(file));
    return record && !record->is_sound() ? std::optional(in_quarantine(*record)) : std::nullopt;
}

Status try_again(const PluginFile& file) {
    Tried tried = try_and_keep(known_as(file), kMorePatience);
    switch (tried.attempt.outcome) {
        case Attempt::Outcome::kRefused:
            return plugin_problem(std::move(tried.attempt.text));
        case Attempt::Outcome::kUntried:
            return environment_problem(tried.record.path + " could not be tested: " + tried.attempt.text);
        default:
            return judge(tried);
    }
}

}  // namespace tenon
