// SPDX-License-Identifier: Apache-2.0
// The values of a scan's body at every step, as values outside of the scan.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "compute/gradient/extension.hpp"

namespace tenon::graph {

class Sequences {
public:
    // `kept`: by node, whether its values come from the scan; the other values are recomputed for all steps at once.
    Sequences(Extension& extension, std::uint32_t region, NodeId scan, std::vector<bool> kept);

    // Records the arguments of the scan before unused ones are removed.
    void know_arguments(const Region& of);

    // The value at every step. A value outside of the scan is returned unchanged.
    ValueId of(ValueId value);

private:
    [[nodiscard]] const Graph& graph() const { return extension_.graph(); }
    [[nodiscard]] bool is_taken(ValueId value) const;
    ValueId computed_again(const Node& node);
    ValueId taken(ValueId value);

    Extension& extension_;
    std::uint32_t region_;
    NodeId scan_;
    std::vector<bool> kept_;
    std::map<ValueId, ValueId> known_;
};

}  // namespace tenon::graph
