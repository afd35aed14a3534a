// SPDX-License-Identifier: Apache-2.0
// Whether an env keeps to the specs that it announced. Nothing breaks where it does not, but whoever scales or encodes
// observations by them goes wrong without a sound: said once a column, and the run goes on.
#pragma once

#include <string>
#include <vector>

#include "data/spec.hpp"
#include "replay/storage.hpp"

namespace tenon {

class SpecWatch {
public:
    // Of the observations among the specs. The storage may be moved, not destroyed.
    SpecWatch(const Composite& specs, const Storage& storage);
    SpecWatch() = default;

    // Looks at the lanes at the storage's head. A sentence's rest that begins with the env's name for a column found
    // out for the first time; empty where there is none. Allocates nothing then.
    [[nodiscard]] std::string look(const Storage& storage);

private:
    struct Watched {
        Spec spec;
        View view;
        bool said = false;
    };
    std::vector<Watched> observations_;
};

}  // namespace tenon
