// SPDX-License-Identifier: Apache-2.0
#include "engines/shards/shards.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "base/data/state_bytes.hpp"
#include "base/data/state_stream.hpp"
#include "base/file/atomic.hpp"
#include "base/file/checksum.hpp"
#include "base/file/launch_site.hpp"
#include "base/file/lifeline.hpp"
#include "base/file/read.hpp"
#include "base/file/stop_signals.hpp"
#include "base/log/log.hpp"
#include "compute/parameters/device_copies.hpp"
#include "train/loop/snapshot.hpp"

namespace tenon {
namespace {

// Words of shard 0.
constexpr std::string_view kFrom = "from ";
constexpr std::string_view kIn = "in ";
constexpr std::string_view kGo = "go";
constexpr std::string_view kSave = "save ";
constexpr std::string_view kDistrust = "distrust";
constexpr std::string_view kJoin = "join ";
constexpr std::string_view kEnd = "end";

constexpr std::chrono::milliseconds kParting = std::chrono::seconds(10);
constexpr std::chrono::milliseconds kSightPatience = std::chrono::milliseconds(500);
constexpr std::chrono::milliseconds kSightGlance = std::chrono::milliseconds(20);

// `path` is another shard's. The problem: it is not on the file system of this one. A network's may show it late.
Status check_sees(const Group& group, std::size_t other, const std::string& what, const std::filesystem::path& path) {
    std::error_code ignored;
    const auto end = std::chrono::steady_clock::now() + kSightPatience;
    while (!std::filesystem::exists(path, ignored)) {
        if (std::chrono::steady_clock::now() >= end) {
            return environment_problem(group.named(group.rank()) + " does not see " + what + " " + path.string() +
                                       " of " + group.named(other) +
                                       ": all shards need one file system; without one, other machines "
                                       "can collect frames (tenon collect)");
        }
        std::this_thread::sleep_for(kSightGlance);
    }
    return {};
}

// Identifies a checkpoint: a checksum of the list of its files with their hashes. Empty: there is none.
std::string mark_of(const std::filesystem::path& checkpoint) {
    const Result<std::string> list = read_file(checkpoint / "complete.json");
    return list ? std::to_string(checksum64(list->data(), list->size(), 0)) : "";
}

// What a shard tells after a round. The first three must be equal.
struct RoundReport {
    std::int64_t frames = 0;
    std::int64_t updates = 0;
    std::uint64_t parameters = 0;
    std::int64_t stops = 0;
    std::int64_t distrusts = 0;
    double waited_s = 0;  // since the run began
};

Result<RoundReport> report_of(Trainer& trainer, const Group& group) {
    TENON_TRY(fetch_to_host(trainer.learner(), kLiveSlabs));
    RoundReport out{.frames = trainer.standing().frames, .updates = trainer.standing().updates};
    for (const Network& network : trainer.learner().networks) {
        out.parameters = checksum64(network.live.as<std::byte>(), network.live.size(), out.parameters);
    }
    out.stops = StopSignals::requested() ? 1 : 0;
    out.distrusts = group.distrusts() ? 1 : 0;
    out.waited_s = group.waited_s();
    return out;
}

std::string text_of(const RoundReport& report) {
    return {reinterpret_cast<const char*>(&report), sizeof report};
}

// What this shard's transforms have seen in the round, if any learn from the lanes.
Result<std::string> seen_by(Trainer& trainer) {
    const Lanes& lanes = trainer.source().lanes();
    StateBytes out;
    TENON_TRY(lanes.commons().empty() ? Status() : lanes.part(out.writer()));
    return std::string(reinterpret_cast<const char*>(out.data.data()), out.data.size());
}

StateBytes bytes_of(std::string_view text) {
    const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
    return {.data = {begin, begin + text.size()}};
}

// The message with what the transforms of all shards have seen, by rank.
std::string joining(const std::vector<std::string>& parts) {
    StateBytes all;
    const tn_writer writer = all.writer();
    StateSink sink(writer);
    for (const std::string& part : parts) {
        sink.number<std::uint64_t>(part.size());
        sink.bytes(part.data(), part.size());
    }
    return std::string(kJoin) + std::string(reinterpret_cast<const char*>(all.data.data()), all.data.size());
}

// All merge the same parts in the same order, so that their transforms stay equal.
Status join(Trainer& trainer, std::string_view message, std::size_t count) {
    StateBytes all = bytes_of(message.substr(kJoin.size()));
    const tn_reader reader = all.reader();
    StateSource source(reader);
    std::vector<StateBytes> parts(count);
    for (StateBytes& part : parts) {
        if (!source.blob(part.data)) {
            return source.status("what the lanes of a shard have seen");
        }
    }
    return trainer.source().lanes().join(parts);
}

void warn(const std::string& sentence) {
    log(Level::kWarning, sentence);
}

std::string named(std::size_t rank, std::size_t count) {
    return "shard " + std::to_string(rank) + " of " + std::to_string(count);
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

Meeting Shards::meeting(const std::string& name) {
    const bool is_launched = started_ == nullptr && !place_.by_tenon;
    return {.rank = place_.rank,
            .count = count_,
            .endpoint = place_.endpoint,
            .secret = place_.secret,
            .name = name,
            .limit = place_.limit,
            .parting = is_launched ? std::min(place_.limit, kParting) : std::chrono::milliseconds(0),
            .given_up = [this] { return who_does_not_come(); },
            .tell = warn};
}

bool Shards::leave_before_meeting(const Problem& why) {
    if (started_ != nullptr || !engine_->meets_at_endpoint) {
        return false;  // the end of this process ends the others
    }
    if (!place_.by_tenon) {  // it takes a while if they have not come yet
        log(Level::kInfo, named(place_.rank, count_) + " tells the others at " + place_.endpoint + " why it ends");
    }
    Meeting last = meeting(name_of_this_process());
    last.limit = std::min(place_.limit, kParting);
    last.failed = &why;
    const Result<std::unique_ptr<Link>> link = engine_->open(last);
    return place_.by_tenon && !link && link.error().sentence == why.sentence;
}

Status Shards::meet(const std::vector<Common>& common) {
    const std::string name = name_of_this_process();
    if (started_ == nullptr && !place_.by_tenon) {  // a launcher's other processes may not come
        log(Level::kInfo, named(place_.rank, count_) + " meets the others at " + place_.endpoint);
    }
    Result<std::unique_ptr<Link>> link = engine_->open(meeting(name));
    if (!link) {
        if (place_.by_tenon && started_ == nullptr) {
            end_stopped_starter();
        }
        return link.error();
    }
    group_ =
        std::make_unique<Group>(std::move(*link), GroupPlace{.rank = place_.rank, .count = count_, .tell = warn}, name);
    if (started_ != nullptr) {
        group_->explain_ends([this](std::size_t rank) { return started_->how_ended(rank); });
    }
    return group_->meet(common);
}

Status Shards::link_devices(const std::shared_ptr<Device>& device, bool exact,
                            const std::function<void(const std::string& sentence)>& tell) {
    const std::string why_apart = TENON_TRY(tenon::link_devices(*group_, device, exact));
    if (!why_apart.empty() && rank() == 0) {
        tell("gradients go through the host, not from device to device: " + why_apart);
    }
    return {};
}

std::string Shards::who_does_not_come() {
    const auto before_begin = [this](std::size_t rank, const std::string& what) {
        return named(rank, count_) + " " + what + " before the run began";
    };
    const auto patience = stop_patience(place_.limit);
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
    const std::size_t space = word.find(' ', kFrom.size());
    const std::string mark = word.substr(kFrom.size(), space - kFrom.size());
    std::filesystem::path checkpoint(word.substr(std::min(space, word.size() - 1) + 1));
    if (checkpoint.empty()) {
        return checkpoint;
    }
    TENON_TRY(check_sees(*group_, 0, "the checkpoint", checkpoint));
    if (mark_of(checkpoint) != mark) {
        return environment_problem(group_->named(rank()) + " sees other files in the checkpoint " +
                                   checkpoint.string() + " than " + group_->named(0) +
                                   ": all shards need one file system");
    }
    return checkpoint;
}

Status Shards::tell_all(std::string_view word) {
    for (std::size_t rank = 1; rank < count_; ++rank) {
        TENON_TRY(group_->tell(rank, MessageKind::kWord, word));
    }
    return {};
}

Status Shards::begin_from(const std::filesystem::path& checkpoint) {
    const std::string path = checkpoint.empty() ? "" : std::filesystem::absolute(checkpoint).string();
    return tell_all(std::string(kFrom) + (path.empty() ? "" : mark_of(checkpoint)) + " " + path);
}

Status Shards::begin_in(const std::filesystem::path& folder) {
    return tell_all(std::string(kIn) + std::filesystem::absolute(folder).string());
}

Status Shards::tell_distrust() {
    if (!group_->distrusts() || group_->is_distrusted()) {
        return {};
    }
    group_->note_distrust();
    return tell_all(kDistrust);
}

Status Shards::begin_round() {
    TENON_TRY(tell_distrust());
    return tell_all(kGo);
}

Result<bool> Shards::end_round(Trainer& trainer) {
    const RoundReport own = TENON_TRY(report_of(trainer, *group_));
    bool stops = own.stops != 0;
    std::vector<std::string> seen = {TENON_TRY(seen_by(trainer))};
    for (std::size_t rank = 1; rank < count_; ++rank) {
        const std::string said = TENON_TRY(group_->hear(rank, MessageKind::kRound));
        RoundReport theirs;
        if (said.size() < sizeof theirs) {
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
        if (theirs.distrusts != 0) {
            group_->distrust();
        }
        group_->note_wait(rank, theirs.waited_s);
        seen.push_back(said.substr(sizeof theirs));
    }
    if (!seen.front().empty()) {
        const std::string message = joining(seen);
        TENON_TRY(tell_all(message));
        TENON_TRY(join(trainer, message, count_));
    }
    return stops;
}

Status Shards::save(const std::filesystem::path& checkpoint) {
    TENON_TRY(tell_distrust());
    return tell_all(std::string(kSave) + std::filesystem::absolute(checkpoint).string());
}

Status Shards::saved(const std::filesystem::path& checkpoint) {
    for (std::size_t rank = 1; rank < count_; ++rank) {
        TENON_TRY(group_->hear(rank, MessageKind::kSaved));
        TENON_TRY(check_sees(*group_, rank, "the folder", folder_of_shard(checkpoint, rank)));
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

bool leave_before_meeting(const Problem& why, std::size_t shards) {
    const std::size_t count = shards != 0 ? shards : launched_processes(variable_of_process);
    const Result<std::unique_ptr<Shards>> begun =
        count > 1 ? Shards::begin({}, count) : Result<std::unique_ptr<Shards>>(nullptr);
    return begun && *begun != nullptr && (*begun)->leave_before_meeting(why);
}

Status follow(Trainer& trainer, const Executor* executor, Shards& shards) {
    const StopSignals signals;
    Group& group = shards.group();
    for (;;) {
        const std::string word = TENON_TRY(group.hear(0, MessageKind::kWord));
        if (word == kGo) {
            TENON_TRY(trainer.round());
            for (const Problem& warning : trainer.take_warnings()) {
                warn(group.named(group.rank()) + ": " + warning.sentence);
            }
            const RoundReport report = TENON_TRY(report_of(trainer, group));
            const std::string seen = TENON_TRY(seen_by(trainer));
            TENON_TRY(group.tell(0, MessageKind::kRound, text_of(report) + seen));
        } else if (word.starts_with(kJoin)) {
            TENON_TRY(join(trainer, word, group.count()));
        } else if (word.starts_with(kIn)) {
            TENON_TRY(check_sees(group, 0, "the run folder", word.substr(kIn.size())));
        } else if (word == kDistrust) {
            group.note_distrust();
        } else if (word.starts_with(kSave)) {
            const std::filesystem::path checkpoint = word.substr(kSave.size());
            TENON_TRY(check_sees(group, 0, "the checkpoint", checkpoint));
            const std::filesystem::path folder = folder_of_shard(checkpoint, shards.rank());
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
