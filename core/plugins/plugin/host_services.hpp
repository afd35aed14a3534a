// SPDX-License-Identifier: Apache-2.0
// The table of functions that the host provides to plugins.
#pragma once

#include <atomic>
#include <memory>

#include "base/thread/pool.hpp"
#include "tenon/abi/host.h"

namespace tenon {

// Must outlive every Registry that passes its table to plugins. Like plugins' code, the table itself stays until the
// end of the process. A plugin that calls the host after deinit, from a forgotten thread or a static destructor, gets
// no service (log and set_error do nothing, and there are no threads), but does no harm.
class HostServices {
public:
    explicit HostServices(Pool& pool);
    ~HostServices();
    HostServices(const HostServices&) = delete;
    HostServices& operator=(const HostServices&) = delete;

    [[nodiscard]] const tn_host& table() const { return desk_->table; }

private:
    struct Desk {
        tn_host table{};
        std::atomic<Pool*> pool{nullptr};  // ctx of the table points to it
    };
    static Desk* keep(std::unique_ptr<Desk> desk);

    Desk* desk_;
};

}  // namespace tenon
