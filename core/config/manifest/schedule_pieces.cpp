// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/schedule_pieces.hpp"

#include <string_view>
#include <utility>

#include "config/manifest/pace.hpp"
#include "config/manifest/table_reader.hpp"
#include "config/manifest/tables.hpp"

namespace tenon {
namespace {

class PiecesReader {
public:
    PiecesReader(Manifest& manifest, Problems& problems, ScheduleTable& schedule)
        : manifest_(manifest), problems_(problems), schedule_(schedule) {}

    void read(const TomlNode& node) {
        if (node.table()) {
            read_piece(node);
        } else if (!node.list() || node.list()->empty()) {
            report(path(), "must be a table or a list of tables, but is " +
                               (node.list() ? "an empty list" : std::string(phrase_of(node))));
        } else {
            schedule_.list = true;
            for (const TomlNode& element : *node.list()) {
                read_piece(element);
            }
        }
    }

    void check_each_key() {
        for (at_ = 0; at_ < schedule_.pieces.size(); ++at_) {
            check_keys(schedule_.pieces[at_]);
        }
    }

    void check_ends() {
        for (at_ = 0; at_ < schedule_.pieces.size(); ++at_) {
            check_end(schedule_.pieces[at_], at_ == 0 ? nullptr : &schedule_.pieces[at_ - 1]);
        }
    }

private:
    [[nodiscard]] std::string path() const { return piece_path(schedule_, at_); }

    void report(const std::string& where, const std::string& what, std::string help = {}) {
        problems_.push_back(input_problem(where + " " + what, place_of(manifest_, where), std::move(help)));
    }

    void read_piece(const TomlNode& node) {
        at_ = schedule_.pieces.size();
        const FoundTable found = as_table(manifest_, problems_, path(), node);
        schedule_.pieces.emplace_back();
        TableReader(manifest_, problems_, table_schema("schedule"), found).fill(schedule_.pieces.back());
    }

    void check_keys(const SchedulePieceTable& piece) {
        const auto refuse = [&](std::string_view key, const std::string& kinds) {
            report(path_of(path(), key),
                   "cannot be given: it is a key of " + kinds + ", but this one is " + piece.kind);
        };
        const bool steps = piece.kind == "step";
        if (piece.to && (steps || piece.kind == "constant")) {
            refuse("to", "linear, cosine and exponential schedules");
        } else if (!piece.to && !steps && piece.kind != "constant") {
            report(path() + ".to", "must be given", "It is the value at the end of the schedule and after it.");
        }
        if (steps && !(piece.factor && piece.every)) {
            report(path(), "is a step schedule, which needs 'factor' and 'every'");
        } else if (!steps && piece.factor) {
            refuse("factor", "step schedules");
        } else if (!steps && piece.every) {
            refuse("every", "step schedules");
        }
        if (schedule_.pieces.size() == 1 && piece.kind == "constant" && !piece.from) {
            report(path() + ".from", "must be given", "It is the value of a constant schedule.");
        }
        const int ends = (piece.frames ? 1 : 0) + (piece.updates ? 1 : 0) + (piece.fraction ? 1 : 0);
        if (piece.frames && only_learns(manifest_)) {
            report(path_of(path(), "frames"),
                   "cannot be given: the run has no frames, it only learns (train.total_updates)",
                   "give its end as 'updates' or 'fraction'");
        }
        if (ends > 1) {
            report(path(), "must have one of 'frames', 'updates' and 'fraction', but has " + std::to_string(ends));
        }
    }

    void check_end(const SchedulePieceTable& piece, const SchedulePieceTable* before) {
        const std::optional<double> end = end_of(piece, manifest_);
        const bool always = only_learns(manifest_);
        const bool by_updates = always || (before && before->updates);
        if (!end && &piece != &schedule_.pieces.back()) {
            report(path(), "must have an end, because another piece follows it",
                   "give it one of 'frames', 'updates' and 'fraction'");
        } else if (!end && by_updates && !always && piece.kind != "constant") {
            report(path(),
                   "must end by 'updates' like the piece before it, because the number of updates in a run is not "
                   "known in advance");
        } else if (end && before && !always && piece.updates.has_value() != by_updates) {
            const std::string_view counted = by_updates ? "updates" : "frames";
            report(path(), "must count " + std::string(counted) + " like the piece before it");
        } else if (end && before && end_of(*before, manifest_) && comes_too_late(piece, *before)) {
            report(path(),
                   "ends before it begins: the previous piece ends at " +
                       std::to_string(static_cast<std::int64_t>(*end_of(*before, manifest_))) +
                       (by_updates ? " updates" : " frames") + ", this one at " +
                       std::to_string(static_cast<std::int64_t>(*end)),
                   "ends are counted from the start of the run");
        }
    }

    // If the run is too short for the previous piece, this is not called: only ends of the same unit are compared.
    bool comes_too_late(const SchedulePieceTable& piece, const SchedulePieceTable& before) const {
        const double begin = *end_of(before, manifest_);
        const bool same_sort = piece.fraction.has_value() == before.fraction.has_value();
        return *end_of(piece, manifest_) <= begin && (same_sort || begin < static_cast<double>(run_length(manifest_)));
    }

    Manifest& manifest_;
    Problems& problems_;
    ScheduleTable& schedule_;
    std::size_t at_ = 0;
};

}  // namespace

std::optional<ScheduleTable> read_schedule(Manifest& manifest, Problems& problems, const std::string& option,
                                           const TomlNode& node) {
    ScheduleTable schedule{.option = option, .pieces = {}, .list = false, .place = node.key_place};
    const std::size_t before = problems.size();
    manifest.given[path_of("schedule", option)] = node.place;
    PiecesReader reader(manifest, problems, schedule);
    reader.read(node);
    if (problems.size() == before) {
        reader.check_each_key();
    }
    if (problems.size() == before) {
        reader.check_ends();
    }
    return problems.size() == before ? std::optional(std::move(schedule)) : std::nullopt;
}

std::string piece_path(const ScheduleTable& schedule, std::size_t piece) {
    const std::string path = path_of("schedule", schedule.option);
    return schedule.list ? path_of(path, std::to_string(piece)) : path;
}

std::optional<double> end_of(const SchedulePieceTable& piece, const Manifest& manifest) {
    if (piece.fraction) {
        return *piece.fraction * static_cast<double>(run_length(manifest));
    }
    const std::optional<std::int64_t>& end = piece.frames ? piece.frames : piece.updates;
    return end ? std::optional(static_cast<double>(*end)) : std::nullopt;
}

}  // namespace tenon
