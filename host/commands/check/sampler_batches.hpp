// SPDX-License-Identifier: Apache-2.0
// Batches of several drives of one sampler, from buffers that fill up and wrap around.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands/check/sampler_drive.hpp"
#include "commands/check/with_drives.hpp"

namespace tenon::of_batches {

using Drives = std::vector<std::unique_ptr<SamplerDrive>>;

// Steps between batches: an empty ring buffer, a full one, one that has wrapped around.
inline constexpr std::array<std::uint32_t, 7> kAppended = {13, 5, 5, 1, 2, 30, 7};
inline constexpr std::array<std::uint32_t, 3> kRowsOfBatches = {1, 7, 64};

template <class Body>
Verdict with_samplers(const CheckSubject& subject, const std::vector<SamplerShape>& shapes, const Body& body) {
    return with_drives<SamplerDrive>(subject, shapes, body);
}

// Fills the buffers according to kAppended, takes batches of several sizes from each and calls `look` after each.
template <class Look>
Verdict each_batch(Drives& drives, const Look& look) {
    std::uint64_t counter = 0;
    std::size_t taken = 0;
    for (const std::uint32_t steps : kAppended) {
        for (auto& drive : drives) {
            drive->append(steps);
        }
        for (const std::uint32_t rows : kRowsOfBatches) {
            bool is_enough = true;
            for (auto& drive : drives) {
                const bool sampled = TENON_TRY(drive->sample(rows, counter));
                is_enough = is_enough && sampled;
            }
            ++counter;
            taken += is_enough ? 1 : 0;
            if (const std::string odd = is_enough ? look(drives) : ""; !odd.empty()) {
                return failed(odd);
            }
        }
    }
    return taken > 0 ? passed()
                     : failed("it reports too few transitions though the buffer is full: " +
                              std::to_string(SamplerDrive::kSlots) + " slots of " +
                              std::to_string(SamplerDrive::kLanes) + " lanes");
}

// For `look`: compares the first two drives; the sentence begins with `beginning`.
inline auto differing(std::string beginning) {
    return [beginning = std::move(beginning)](Drives& drives) {
        const std::string found = drives[0]->difference(*drives[1]);
        return found.empty() ? found : beginning + ": " + found;
    };
}

}  // namespace tenon::of_batches
