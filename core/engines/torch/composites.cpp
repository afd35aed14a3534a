// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/composites.hpp"

#include <ATen/ops/empty.h>

#include <vector>

#include "compute/exec/composites.hpp"
#include "engines/torch/align.hpp"
#include "engines/torch/placement.hpp"
#include "engines/torch/recurrence.hpp"

namespace tenon::reference {

at::Tensor composite(const Frame& k, Inputs in) {
    const KnownComposite& known = *find_composite(k.attributes[0].text, k.attributes[1].integer);
    std::vector<at::Tensor> dense;
    std::vector<const void*> inputs;
    for (const at::Tensor& input : in) {
        dense.push_back(input.to(at::kCPU).contiguous());
        inputs.push_back(dense.back().const_data_ptr());
    }
    at::Tensor out = at::empty(in[0].sizes(), in[0].options().device(at::kCPU));
    const simd::Extents extents = extents_of(out, position_of(k.out, graph::kTime));
    if (k.real == at::kDouble) {
        run(known, extents, inputs, out.data_ptr<double>());
    } else {
        run(known, extents, inputs, out.data_ptr<float>());
    }
    return moved(out, in[0].device());
}

}  // namespace tenon::reference
