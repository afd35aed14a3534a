// SPDX-License-Identifier: Apache-2.0
// The kinds of sources of frames that collector.kind names, besides lanes that step in this process, which need none.
// Each is a folder core/engines/source_NAME, and only the table of this program (run/start/kinds.hpp) knows it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error/problem.hpp"
#include "base/error/result.hpp"
#include "compute/exec/program.hpp"
#include "compute/parameters/network.hpp"
#include "config/manifest/node.hpp"
#include "experience/replay/device_parts.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

class FrameSource;

// What a process needs that steps lanes for another one. Later members depend on earlier ones.
struct LaneRun {
    std::unique_ptr<Host> host;
    std::unique_ptr<Wiring> wiring;
    Running running;
    Learner learner;
    std::unique_ptr<Executor> executor;
};
using OpenLaneRun = Result<LaneRun> (*)(TomlTable manifest);

class SourceKind {
public:
    SourceKind() = default;
    SourceKind(const SourceKind&) = delete;
    SourceKind& operator=(const SourceKind&) = delete;
    virtual ~SourceKind() = default;

    // The value of collector.kind, or kSourceOnDevice.
    [[nodiscard]] virtual std::string_view name() const = 0;
    // The source of a training run. What it depends on must outlive it.
    [[nodiscard]] virtual Result<std::unique_ptr<FrameSource>> make(const Wiring& wiring, const Learner& learner,
                                                                    Lanes lanes, Storage storage) const = 0;
    // Adds what is wrong with the keys of [collector].
    virtual void check(const Wiring& /*wiring*/, Problems& /*problems*/) const {}

    // Who calls plugins that work on a device, if this kind has it.
    [[nodiscard]] virtual const DeviceParts* parts_of_devices() const { return nullptr; }

    // For `tenon explain`: what collects while the run learns, "2 worker processes collect"; and sentences about the
    // lanes.
    [[nodiscard]] virtual std::string collectors(const Wiring& /*wiring*/) const { return {}; }
    [[nodiscard]] virtual std::string explanation(const Wiring& /*wiring*/) const { return {}; }

    // Does what these words tell the program tenon-worker, and returns its exit code; nothing if they are not of this
    // kind.
    [[nodiscard]] virtual std::optional<int> serve(std::span<const char* const> /*words*/, OpenLaneRun /*open*/) const {
        return {};
    }
};

// The kind that a run uses if all its columns stay on a device.
inline constexpr std::string_view kSourceOnDevice = "device";

using SourceKinds = std::span<const SourceKind* const>;

// The kind of this name; null: this program does not have it.
[[nodiscard]] const SourceKind* source_kind(SourceKinds kinds, std::string_view name);
// The kind that collector.kind names; null: the lanes step in this process, or this program does not have it.
[[nodiscard]] const SourceKind* source_kind(const Wiring& wiring);

// As open_device_or_cpu, with what calls plugins on the device.
Result<std::shared_ptr<Device>> open_device_with(SourceKinds kinds, std::string_view name,
                                                 JitWhen jit = JitWhen::kNever);

// Reports a kind that this program does not have, and what is wrong with the kind's keys.
void check_source(const Wiring& wiring, Problems& problems);

}  // namespace tenon
