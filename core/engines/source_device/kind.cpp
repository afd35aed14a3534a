// SPDX-License-Identifier: Apache-2.0
#include "engines/source_device/kind.hpp"

#include <utility>

#include "engines/source_device/device_source.hpp"

namespace tenon {
namespace {

class DeviceKind final : public SourceKind {
public:
    [[nodiscard]] std::string_view name() const override { return kSourceOnDevice; }
    [[nodiscard]] Result<std::unique_ptr<FrameSource>> make(const Wiring& wiring, const Learner& /*learner*/,
                                                            Lanes lanes, Storage storage) const override {
        return DeviceSource::make(wiring, std::move(lanes), std::move(storage));
    }
};

}  // namespace

const SourceKind& source_device() {
    static const DeviceKind out;
    return out;
}

}  // namespace tenon
