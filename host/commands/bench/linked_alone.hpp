// SPDX-License-Identifier: Apache-2.0
// What a shard exchanges with nobody: its device sums gradients by its link, over this process alone. So an update has
// what the link's calls cost, and nothing of another process.
#pragma once

#include <memory>
#include <utility>

#include "base/device/device.hpp"
#include "compute/exec/device_engine.hpp"
#include "compute/exec/device_slabs.hpp"
#include "compute/exec/exchange.hpp"
#include "engines/shards/device_link.hpp"

namespace tenon {

class LinkedAlone final : public Exchange {
public:
    // The order of sums is the link's: in that of shards there is nothing to send.
    static Result<std::unique_ptr<LinkedAlone>> open(const std::shared_ptr<Device>& device) {
        const DeviceLinks& links = *device->engine->links;
        const std::string id = TENON_TRY(links.new_id(*device));
        return std::make_unique<LinkedAlone>(
            TENON_TRY(links.open(device, {.rank = 0, .count = 1, .id = id, .exact = false})));
    }
    explicit LinkedAlone(std::shared_ptr<DeviceLink> link) : link_(std::move(link)) {}

    Status sum(ExchangeHead& /*head*/, std::span<Network* const> /*networks*/, DType /*real*/) override { return {}; }
    [[nodiscard]] bool links_devices() const override { return true; }
    Status sum_on_device(ExchangeHead& head, std::span<Network* const> networks, DeviceSlabs& slabs) override {
        return head.gathered > 0 ? slabs.sum_gradients(networks, *link_) : Status();
    }
    void distrust() override {}
    [[nodiscard]] bool is_distrusted() const override { return false; }
    [[nodiscard]] ExchangeTimes times() const override { return {}; }
    void forget_times() override {}

private:
    std::shared_ptr<DeviceLink> link_;
};

}  // namespace tenon
