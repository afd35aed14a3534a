// SPDX-License-Identifier: Apache-2.0
// The tensors of a file with weights, whichever program has written it.
#pragma once

#include <filesystem>
#include <vector>

#include "commands/import/torch_file.hpp"

namespace tenon {

// Reads a Stable-Baselines3 zip, a file of torch.save, or safetensors: the content decides, not the name.
Result<std::vector<ForeignTensor>> read_foreign_weights(const std::filesystem::path& file);

}  // namespace tenon
