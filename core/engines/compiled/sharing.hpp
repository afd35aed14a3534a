// SPDX-License-Identifier: Apache-2.0
// Distributes work of a tape over the threads of its pool.
#pragma once

#include "engines/compiled/tape.hpp"

namespace tenon::compiled {

// Calls work(first, count, desk) for 0, part, 2 part, .. below `units`, each with its own desk: the number of
// concurrent calls is at most the number of desks.
template <class Work>
void share(const Memory& memory, std::int64_t units, std::int64_t part, const Work& work) {
    struct Shared {
        const Memory& memory;
        std::int64_t part;
        const Work& work;
    };
    Shared shared{memory, part, work};
    memory.pool->parallel_for(
        static_cast<std::uint64_t>(units), static_cast<std::uint64_t>(part),
        [](void* arg, std::uint64_t first, std::uint64_t count) {
            const Shared& all = *static_cast<const Shared*>(arg);
            all.work(static_cast<std::int64_t>(first), static_cast<std::int64_t>(count),
                     all.memory.desks[first / static_cast<std::uint64_t>(all.part)]);
        },
        &shared);
}

}  // namespace tenon::compiled
