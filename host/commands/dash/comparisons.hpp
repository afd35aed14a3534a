// SPDX-License-Identifier: Apache-2.0
// Comparisons of watched runs, as `tenon compare --json` prints them.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "shared/watch/run_watch.hpp"

namespace tenon {

// Makes comparisons one at a time, because each takes a processor for a second or more. The latest one is kept while
// its runs have no new records. May be called from any thread.
class Comparisons {
public:
    struct Choice {
        std::vector<std::string_view> runs;  // ids
        std::string_view metric;             // empty: that of evaluations, or of training episodes
        std::string_view group_by;           // a key of the manifests; empty: runs that differ in their seeds only
    };
    // An object with `problem`, a sentence, if they cannot be compared.
    std::string of(const RunsView& view, const Choice& choice);

private:
    std::mutex mutex_;
    std::string known_of_;
    std::string known_;
};

}  // namespace tenon
