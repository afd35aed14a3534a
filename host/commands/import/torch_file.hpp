// SPDX-License-Identifier: Apache-2.0
// The tensors of a file that torch.save has written, or of one that contains it: the zip file of a Stable-Baselines3
// model. Nothing in it is executed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"

namespace tenon {

// A tensor of real numbers, dense and row-major.
struct ForeignTensor {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<double> values;
};

// A tensor that is to become the parameter NETWORK/NAME, if its name is one.
struct NamedTensor {
    std::string name;
    ForeignTensor tensor;
};

// Reads the tensors; those of integers are left out. The problem's sentence begins with `subject`.
Result<std::vector<ForeignTensor>> read_torch_file(std::string_view bytes, const std::string& subject);

}  // namespace tenon
