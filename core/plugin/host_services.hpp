// SPDX-License-Identifier: Apache-2.0
// The table of functions that plugins get from the host.
#pragma once

#include <atomic>
#include <memory>

#include "tenon/abi/host.h"
#include "thread/pool.hpp"

namespace tenon {

// Must outlive every Registry that hands its table to plugins. The table itself stays to the end of the process, as
// plugins' code does: one that calls the host after deinit, from a thread that it forgot or a static destructor, is not
// heard (log and set_error do nothing) and gets no threads, but harms nobody.
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
