// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/pace.hpp"

#include <algorithm>
#include <string>

namespace tenon {
namespace {

// Moves the default of every_frames to every_updates.
template <class Table>
void count_updates(Table& table) {
    table.every_updates = every(table);
    table.every_frames.reset();
}

void check_only_learning(const Manifest& manifest, Problems& problems) {
    const auto need = [&](bool is_given, const std::string& what) {
        if (!is_given) {
            problems.push_back(
                input_problem("train.total_updates makes this a run that only learns, which needs " + what,
                              place_of(manifest, "train.total_updates")));
        }
    };
    need(!manifest.objectives.empty(), "an [objective]");
    const auto has_frames = [](const BufferTable& buffer) {
        return !buffer.init.empty() || (!buffer.collects && !buffer.path.empty());
    };
    need(std::ranges::any_of(manifest.buffers, has_frames), "a [buffer] whose init names the source of its frames");
}

}  // namespace

void complete_pace(Manifest& manifest, Problems& problems) {
    if (only_learns(manifest)) {
        count_updates(manifest.eval);
        count_updates(manifest.log);
        count_updates(manifest.checkpoint);
        check_only_learning(manifest, problems);
    }
}

}  // namespace tenon
