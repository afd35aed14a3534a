// SPDX-License-Identifier: Apache-2.0
// Fused nodes call an author's own kernels. The attribute "of" of a node of the op "fused" names one of Graph::kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "compute/graph/type.hpp"
#include "tenon/abi/fused.h"

namespace tenon::graph {

struct Graph;
struct Node;

// of a region: an unknown kernel, which has been reported; its outputs are poisoned
inline constexpr std::size_t kNoKernel = static_cast<std::size_t>(-1);

using FusedFunction = tn_status(void* self, const tn_fused_call* call);

struct FusedKernel {
    std::string component;  // "ppo_fused/ppo"
    const tn_fused_kernel* what = nullptr;
    void* self = nullptr;
    // Calls a function of the kernel. If it fails, the problem has the text of set_error and this place. The function
    // is of the module that gave the plugin its host table, because only that module has this text.
    Status (*call)(const FusedKernel& kernel, FusedFunction* function, const Place& place,
                   const tn_fused_call& arguments) = nullptr;

    [[nodiscard]] std::string name() const { return what->name; }
    [[nodiscard]] bool takes(bool in_double) const {
        const std::uint32_t both = TN_FUSED_F32 | TN_FUSED_F64;
        return (what->flags & both) == 0 || (what->flags & (in_double ? TN_FUSED_F64 : TN_FUSED_F32)) != 0;
    }
};

// The kernels that a component offers, in the form that nodes name. The problem is an invalid list.
Result<std::vector<FusedKernel>> kernels_of(const tn_fused_api* api, void* self, const std::string& component,
                                            const Place& place);

// The kernel of a node of the op "fused", or of the op that computes its gradient.
const FusedKernel& kernel_of(const Graph& graph, const Node& node);

// Returns a problem if the kernel has no gradient.
Status check_differentiable(const Graph& graph, std::uint32_t node);

// The leading dimensions that the inputs have together; and the type of input i as the kernel gets it.
std::vector<Dim> leading_of_fused(const Graph& graph, const Node& node);
Type type_of_fused(const Graph& graph, const Node& node, std::size_t i);

// The region whose body says what the node computes; 0: there is none.
std::uint32_t body_of_fused(const Graph& graph, const Node& node);

}  // namespace tenon::graph
