// SPDX-License-Identifier: Apache-2.0
// The table of functions that plugins get from the host.
#pragma once

#include "tenon/abi/host.h"
#include "thread/pool.hpp"

namespace tenon {

// Must outlive every Registry that hands its table to plugins; stays where it is, since plugins keep its address.
class HostServices {
public:
    explicit HostServices(Pool& pool);
    HostServices(const HostServices&) = delete;
    HostServices& operator=(const HostServices&) = delete;

    [[nodiscard]] const tn_host& table() const { return table_; }

private:
    tn_host table_;
};

}  // namespace tenon
