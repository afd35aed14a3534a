// SPDX-License-Identifier: Apache-2.0
// Reads the tensors that a pickle of torch names. A pickle is a program that may call anything, but this reader calls
// nothing: it knows collections.OrderedDict, torch._utils._rebuild_tensor_v2 and the storages of torch, and refuses
// every other name. The bytes may be anything: work and memory are bounded by their number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"

namespace tenon {

struct PickledTensor {
    std::string name;     // keys of nested dictionaries are joined by '.'
    std::string storage;  // "FloatStorage"
    std::string key;      // of the file with the storage's elements
    std::int64_t offset = 0;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides;  // as many as extents
};

// The tensors in the dictionary that the pickle describes, in its order; other values are left out. The problem's
// sentence begins with `subject`.
Result<std::vector<PickledTensor>> read_pickle(std::string_view bytes, std::string_view subject);

}  // namespace tenon
