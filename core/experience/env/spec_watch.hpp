// SPDX-License-Identifier: Apache-2.0
// Checks that an env adheres to its announced specs. A violation does not end the run, but code that scales or encodes
// observations by the specs would silently go wrong, so it is reported once per column.
#pragma once

#include <string>
#include <vector>

#include "base/data/spec.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

class SpecWatch {
public:
    // Watches the observations among the specs. The storage may be moved, but not destroyed.
    SpecWatch(const Composite& specs, const Storage& storage);
    SpecWatch() = default;

    // Checks the lanes at the storage's head; the first time also all rows before it and the final observations.
    // Returns the rest of a sentence that begins with the env's name for a column with a first violation; empty if
    // there is none, and then allocates nothing. newest: the storage has only those at the head.
    [[nodiscard]] std::string look(const Storage& storage, bool newest = false);

private:
    struct Watched {
        Spec spec;
        View view;
        View final;  // without data if there is none
        bool said = false;
    };
    [[nodiscard]] std::string look(Watched& watched, const Storage& storage, std::uint32_t slot) const;

    std::vector<Watched> observations_;
    bool has_looked_ = false;
};

}  // namespace tenon
