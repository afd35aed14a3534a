// SPDX-License-Identifier: Apache-2.0
#include "train/plan/schedules.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>

#include "config/manifest/pace.hpp"
#include "config/manifest/schedule_pieces.hpp"

namespace tenon {
namespace {

ScheduleKind kind_of(const std::string& name) {
    constexpr std::array<std::string_view, 5> kNames = {"constant", "linear", "cosine", "exponential", "step"};
    return static_cast<ScheduleKind>(std::ranges::find(kNames, name) - kNames.begin());
}

double end_value(const SchedulePiece& piece, const SchedulePieceTable& table) {
    if (piece.kind == ScheduleKind::kStep) {
        const double steps = std::floor(std::max(piece.end - piece.begin, 0.0) / piece.every);
        return piece.from * std::pow(piece.factor, steps);
    }
    return table.to.value_or(piece.from);
}

}  // namespace

const ScheduleTable* schedule_of(const Manifest& manifest, std::string_view option) {
    const auto found = std::ranges::find(manifest.schedules, option, &ScheduleTable::option);
    return found == manifest.schedules.end() ? nullptr : &*found;
}

Schedule make_schedule(const Manifest& manifest, const ScheduleTable& table, double own, std::uint32_t index) {
    Schedule out{.index = index, .pieces = {}, .by_updates = only_learns(manifest)};
    double begin = 0;
    double value = own;
    for (const SchedulePieceTable& given : table.pieces) {
        SchedulePiece piece{.kind = kind_of(given.kind),
                            .from = given.from.value_or(value),
                            .begin = begin,
                            .end = std::max(begin, static_cast<double>(run_length(manifest))),
                            .factor = given.factor.value_or(1),
                            .every = static_cast<double>(given.every.value_or(1))};
        if (const std::optional<double> end = end_of(given, manifest)) {
            piece.end = *end;
        } else if (piece.kind == ScheduleKind::kConstant) {
            piece.end = std::numeric_limits<double>::infinity();
        }
        piece.to = end_value(piece, given);
        out.by_updates = out.by_updates || given.updates;
        begin = piece.end;
        value = piece.to;
        out.pieces.push_back(piece);
    }
    return out;
}

void check_schedule(const Manifest& manifest, const ScheduleTable& table, const OptionSchema& option, double own,
                    Problems& problems) {
    const Schedule schedule = make_schedule(manifest, table, own, 0);
    const std::optional<Range> range = parse_range(option.range);
    for (std::size_t i = 0; i < schedule.pieces.size(); ++i) {
        const SchedulePiece& piece = schedule.pieces[i];
        const std::string path = piece_path(table, i);
        const std::size_t before = problems.size();
        const auto check = [&](const char* verb, const char* key, double end) {
            if (range && !range->contains(end)) {
                problems.push_back(input_problem(path + verb + to_toml(end) + ", outside " + option.range,
                                                 place_of(manifest, path + key)));
            }
        };
        if (table.pieces[i].from) {
            check(" begins at ", ".from", piece.from);
        }
        check(" goes to ", ".to", piece.to);
        const bool grows = piece.kind == ScheduleKind::kExponential;
        if (grows && (piece.from <= 0 || piece.to <= 0) && problems.size() == before) {
            problems.push_back(input_problem(path + " is exponential from " + to_toml(piece.from) + " to " +
                                                 to_toml(piece.to) + "; both must be above 0",
                                             place_of(manifest, path)));
        }
    }
}

}  // namespace tenon
