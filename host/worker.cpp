// SPDX-License-Identifier: Apache-2.0
// The program tenon-worker: a process in which the host runs a plugin, or that works for a source of frames: lanes with
// their policy, or a courier. Only the host starts it.
#include <cstddef>
#include <span>

#include "engines/isolation/serve.hpp"
#include "run/start/kinds.hpp"
#include "run/start/lane_run.hpp"

int main(int count, char** words) {
    const std::span<const char* const> all(words, static_cast<std::size_t>(count));
    for (const tenon::SourceKind* const kind : tenon::source_kinds()) {
        if (const std::optional<int> code = kind->serve(all.subspan(1), &tenon::open_lane_run)) {
            return *code;
        }
    }
    return tenon::serve(all);
}
