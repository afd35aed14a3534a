// SPDX-License-Identifier: Apache-2.0
// A network's trainable parameters and their gradients as a hook sees them: views of its slabs.
#pragma once

#include <cstdint>
#include <vector>

#include "compute/parameters/network.hpp"
#include "tenon/abi/hook.h"

namespace tenon {

class HookNetworkView {
public:
    // The network must outlive it, and keep its slabs.
    HookNetworkView(const Network& network, DType real);
    HookNetworkView(const HookNetworkView&) = delete;
    HookNetworkView& operator=(const HookNetworkView&) = delete;

    [[nodiscard]] const tn_hook_network& view() const { return view_; }

private:
    struct List {
        std::vector<tn_column> columns;
        std::vector<const tn_column*> pointers;
    };
    void fill(List& list, const Network& network, const Slab& slab, DType real);

    std::vector<std::vector<std::int64_t>> shapes_;
    std::vector<std::vector<std::int64_t>> strides_;
    List parameters_;
    List gradients_;
    tn_hook_network view_{};
};

}  // namespace tenon
