// SPDX-License-Identifier: Apache-2.0
// Lanes whose columns stay on a device: the kind, which the table of all kinds names (cmake/kinds.cmake).
#include <utility>

#include "engines/source_device/device_source.hpp"
#include "engines/source_device/hosted_env.hpp"
#include "engines/source_device/hosted_sampler.hpp"
#include "train/plan/source_kind.hpp"

namespace tenon {
namespace {

class DeviceKind final : public SourceKind {
public:
    [[nodiscard]] std::string_view name() const override { return kSourceOnDevice; }
    [[nodiscard]] Result<std::unique_ptr<FrameSource>> make(const Wiring& wiring, const Learner& /*learner*/,
                                                            Lanes lanes, Storage storage) const override {
        return DeviceSource::make(wiring, std::move(lanes), std::move(storage));
    }
    [[nodiscard]] const DeviceParts* parts_of_devices() const override {
        static constexpr DeviceParts kParts{.make_env = &HostedEnv::make, .make_sampler = &HostedSampler::make};
        return &kParts;
    }
};

}  // namespace

const SourceKind& source_device() {
    static const DeviceKind out;
    return out;
}

}  // namespace tenon
