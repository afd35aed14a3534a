// SPDX-License-Identifier: Apache-2.0
// Pictures of an env's lanes (tenon/abi/render.h): whole, within their memory, and without effect on the lanes.
#include <cstring>
#include <string>

#include "commands/check/env_checks.hpp"
#include "commands/check/env_drives.hpp"
#include "commands/check/guarded.hpp"
#include "commands/check/tailed.hpp"
#include "tenon/abi/render.h"

namespace tenon {
namespace {

constexpr std::uint64_t kSteps = 60;
constexpr std::uint32_t kLargest = 8192;

Result<tn_picture_info> described(const Callee<tn_env_api>& env) {
    tn_picture_info info{};
    Tailed<tn_picture_info> exact(info, false);
    TENON_TRY(env.call("describe", env.render->describe, &exact.value));
    const tn_picture_info& said = exact.value;
    if (!exact.is_whole()) {
        return plugin_problem("describe writes past the struct_size that the host has set");
    }
    if (said.height == 0 || said.width == 0 || said.height > kLargest || said.width > kLargest) {
        return plugin_problem("describe says that pictures have " + std::to_string(said.height) + " times " +
                              std::to_string(said.width) + " pixels, not 1 to 8192 each way");
    }
    return said;
}

}  // namespace

// The first drive draws its lanes and the second does not: all before the first step, then one in turn, because a
// picture may take longer than all steps. Each lane is drawn twice, over different bytes.
Verdict check_env_pictures(const CheckSubject& subject) {
    return with_drives(subject, {{}, {}}, [&](Drives& drives, const Workbench&) -> Verdict {
        const Callee<tn_env_api>& env = drives[0]->callee();
        if (env.render == nullptr) {
            return skipped("it does not offer tenon.render/1, so videos cannot show it");
        }
        const Result<tn_picture_info> info = described(env);
        if (!info) {
            return info.error().fault == Fault::kEnvironment ? skipped(info.error().sentence) : failed(info.error());
        }
        const std::size_t bytes = std::size_t{3} * info->height * info->width;
        const GuardedMemory one = TENON_TRY(GuardedMemory::make(bytes, "pixels"));
        const GuardedMemory other = TENON_TRY(GuardedMemory::make(bytes, "pixels"));
        for (auto& drive : drives) {
            TENON_TRY(drive->reset());
        }
        const std::uint32_t lanes = drives[0]->lanes();
        std::uint32_t step = 0;
        for (Pace pace(subject, kSteps); pace.more(); ++step) {
            for (std::uint32_t lane = step % lanes; lane < (step == 0 ? lanes : step % lanes + 1); ++lane) {
                std::memset(one.data(), 0x11, bytes);
                std::memset(other.data(), 0xEE, bytes);
                for (std::byte* const pixels : {one.data(), other.data()}) {
                    TENON_TRY(env.call("draw", env.render->draw, lane, reinterpret_cast<std::uint8_t*>(pixels)));
                }
                if (std::memcmp(one.data(), other.data(), bytes) != 0) {
                    return failed(
                        "two drawings of a lane differ: draw leaves pixels unwritten, or depends "
                        "on something other than the lane");
                }
            }
            for (auto& drive : drives) {
                TENON_TRY(drive->step());
            }
            const std::string found =
                drives[0]->info().deterministic ? drives[0]->difference(*drives[1]) : std::string();
            if (!found.empty()) {
                return failed("drawing a lane changes how it continues: " + found);
            }
        }
        return passed();
    });
}

}  // namespace tenon
