// SPDX-License-Identifier: Apache-2.0
#include "engines/shards/shards.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/file/atomic.hpp"
#include "base/file/checksum.hpp"
#include "base/file/launch_site.hpp"
#include "base/file/lifeline.hpp"
#include "base/file/stop_signals.hpp"
#include "base/log/log.hpp"
#include "compute/parameters/device_copies.hpp"
#include "train/loop/snapshot.hpp"

namespace tenon {
namespace {

// Words of shard 0.
constexpr std::string_view kFrom = "from ";
constexpr std::string_view kGo = "go";
constexpr std::string_view kSave = "save ";
constexpr std::string_view kEnd = "end";

constexpr std::chrono::milliseconds kStoppedPatience = std::chrono::seconds(10);  // as after the meeting, by a link

// What a shard tells after a round. All but the last two must be equal.
struct RoundReport {
    std::int64_t frames = 0;
    std::int64_t updates = 0;
    std::uint64_t parameters = 0;
    std::int64_t stops = 0;
    double waited_s = 0;  // since the run began
};

Result<RoundReport> report_of(Trainer& trainer, const Group& group) {
    TENON_TRY(fetch_to_host(trainer.learner(), kLiveSlabs));
    RoundReport out{.frames = trainer.standing().frames, .updates = trainer.standing().updates};
    for (const Network& network : trainer.learner().networks) {
        out.parameters = checksum64(network.live.as<std::byte>(), network.live.size(), out.parameters);
    }
    out.stops = StopSignals::requested() ? 1 : 0;
    out.waited_s = group.waited_s();
    return out;
}

std::string text_of(const RoundReport& report) {
    return {reinterpret_cast<const char*>(&report), sizeof report};
}

std::string in_words(const RoundReport& report) {
    return std::to_string(report.frames) + " frames and " + std::to_string(report.updates) + " updates";
}

}  // namespace

Result<std::unique_ptr<Shards>> Shards::begin(const std::vector<std::string>& command, std::size_t count) {
    const std::string link = link_of_process(variable_of_process);
    auto out = std::make_unique<Shards>();
    out->count_ = count;
    out->engine_ = TENON_TRY(load_link_engine(link));
    TENON_TRY(out->engine_->find());
    const std::optional<ShardPlace> place =
        TENON_TRY(shard_of_launcher(variable_of_process, count, out->engine_->meets_at_endpoint));
    if (place) {
        out->place_ = *place;
        if (place->by_tenon && !end_with_starter(kShardLifeline)) {
            return environment_problem("the process that has started this shard has ended");
        }
        return out;
    }
    if (command.empty()) {
        return input_problem("run.shards is " + std::to_string(count) +
                             ", and only `tenon run` starts the other shards");
    }
    if (!out->engine_->meets_at_endpoint) {
        return input_problem("shards that are linked by '" + link + "' are started by its launcher", {},
                             "start " + std::to_string(count) + " processes with it, or do not set TENON_LINK");
    }
    out->started_ = TENON_TRY(StartedShards::start(command, count));
    out->place_ = out->started_->own();
    return out;
}

Status Shards::meet(const std::vector<Common>& common) {
    const std::string name = name_of_this_machine() + ", process " + std::to_string(::getpid());
    if (started_ == nullptr && !place_.by_tenon) {  // a launcher's other processes may not come
        log(Level::kInfo, "shard " + std::to_string(place_.rank) + " of " + std::to_string(count_) +
                              " meets the others at " + place_.endpoint);
    }
    Result<std::unique_ptr<Link>> link = engine_->open({.rank = place_.rank,
                                                        .count = count_,
                                                        .endpoint = place_.endpoint,
                                                        .secret = place_.secret,
                                                        .name = name,
                                                        .limit = place_.limit,
                                                        .given_up = [this] { return who_does_not_come(); }});
    if (!link) {
        if (place_.by_tenon && started_ == nullptr) {
            end_stopped_starter();
        }
        return link.error();
    }
    const auto told = [](const std::string& sentence) { log(Level::kWarning, sentence); };
    group_ =
        std::make_unique<Group>(std::move(*link), GroupPlace{.rank = place_.rank, .count = count_, .tell = told}, name);
    if (started_ != nullptr) {
        group_->explain_ends([this](std::size_t rank) { return started_->how_ended(rank); });
    }
    return group_->meet(common);
}

std::string Shards::who_does_not_come() {
    const auto before_begin = [this](std::size_t rank, const std::string& what) {
        return "shard " + std::to_string(rank) + " of " + std::to_string(count_) + " " + what + " before the run began";
    };
    const auto patience = std::min(kStoppedPatience, place_.limit / 2);
    if (started_ == nullptr) {
        return place_.by_tenon && starter_.is_stopped(::getppid(), patience) ? before_begin(0, "was stopped (SIGSTOP)")
                                                                             : "";
    }
    for (std::size_t rank = 1; rank < count_; ++rank) {
        if (started_->has_ended(rank)) {
            return before_begin(rank, started_->how_ended(rank).how);
        }
        if (started_->is_stopped(rank, patience)) {
            return before_begin(rank, "was stopped (SIGSTOP)");
        }
    }
    return {};
}

Result<std::filesystem::path> Shards::where_to_begin() {
    const std::string word = TENON_TRY(group_->hear(0, MessageKind::kWord));
    if (!word.starts_with(kFrom)) {
        return environment_problem(group_->named(0) + " does not say where the run begins");
    }
    return std::filesystem::path(word.substr(kFrom.size()));
}

Status Shards::tell_all(std::string_view word) {
    for (std::size_t rank = 1; rank < count_; ++rank) {
        TENON_TRY(group_->tell(rank, MessageKind::kWord, word));
    }
    return {};
}

Status Shards::begin_from(const std::filesystem::path& checkpoint) {
    const std::string path = checkpoint.empty() ? "" : std::filesystem::absolute(checkpoint).string();
    return tell_all(std::string(kFrom) + path);
}

Status Shards::begin_round() {
    return tell_all(kGo);
}

Result<bool> Shards::end_round(Trainer& trainer) {
    const RoundReport own = TENON_TRY(report_of(trainer, *group_));
    bool stops = own.stops != 0;
    for (std::size_t rank = 1; rank < count_; ++rank) {
        const std::string said = TENON_TRY(group_->hear(rank, MessageKind::kRound));
        RoundReport theirs;
        if (said.size() != sizeof theirs) {
            return environment_problem(group_->named(rank) + " sent an incomplete message");
        }
        std::memcpy(&theirs, said.data(), sizeof theirs);
        if (theirs.frames != own.frames || theirs.updates != own.updates) {
            return environment_problem("the shards have come apart: " + group_->named(rank) + " has " +
                                       in_words(theirs) + ", " + group_->named(0) + " " + in_words(own));
        }
        if (theirs.parameters != own.parameters) {
            return environment_problem("the shards have come apart: after " + in_words(own) + " the parameters of " +
                                       group_->named(rank) + " differ from those of " + group_->named(0));
        }
        stops = stops || theirs.stops != 0;
        group_->note_wait(rank, theirs.waited_s);
    }
    return stops;
}

Status Shards::save(const std::filesystem::path& checkpoint) {
    return tell_all(std::string(kSave) + std::filesystem::absolute(checkpoint).string());
}

Status Shards::saved() {
    for (std::size_t rank = 1; rank < count_; ++rank) {
        TENON_TRY(group_->hear(rank, MessageKind::kSaved));
    }
    return {};
}

Status Shards::end() {
    TENON_TRY(tell_all(kEnd));
    group_->leave(nullptr);
    if (started_ != nullptr) {
        started_->await_ends();
    }
    return {};
}

bool Shards::prints_problems() const {
    return place_.rank == 0 || group_ == nullptr || group_->lost(0);
}

bool Shards::has_lost_one() const {
    for (std::size_t rank = 0; group_ != nullptr && rank < count_; ++rank) {
        if (group_->lost(rank)) {
            return true;
        }
    }
    return false;
}

void Shards::leave(const Problem& why) {
    if (group_ != nullptr) {
        group_->leave(&why);
        if (place_.by_tenon && group_->lost(0)) {
            end_stopped_starter();
        }
    }
}

Status follow(Trainer& trainer, const Executor* executor, Shards& shards) {
    const StopSignals signals;
    Group& group = shards.group();
    for (;;) {
        const std::string word = TENON_TRY(group.hear(0, MessageKind::kWord));
        if (word == kGo) {
            TENON_TRY(trainer.round());
            const RoundReport report = TENON_TRY(report_of(trainer, group));
            TENON_TRY(group.tell(0, MessageKind::kRound, text_of(report)));
        } else if (word.starts_with(kSave)) {
            const std::filesystem::path folder = folder_of_shard(word.substr(kSave.size()), shards.rank());
            TENON_TRY(make_folders(folder));
            SnapshotExtras extras;
            extras.executor = executor == nullptr ? "" : executor->name();
            TENON_TRY(save(trainer, extras, trainer.wiring().manifest.checkpoint.buffer, folder));
            TENON_TRY(group.tell(0, MessageKind::kSaved, ""));
        } else {
            group.leave(nullptr);
            return {};
        }
    }
}

}  // namespace tenon
