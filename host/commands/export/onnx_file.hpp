// SPDX-License-Identifier: Apache-2.0
// A policy as a model of ONNX: columns and memories in, actions and memories out, for any number of rows at once.
#pragma once

#include <filesystem>

#include "commands/export/acting_policy.hpp"
#include "commands/export/onnx_model.hpp"

namespace tenon {

// The problem names an operation that has no form in ONNX.
Result<OnnxModel> onnx_model(const ActingPolicy& policy);

// Opens the policy and writes the file. Adds every problem.
bool export_onnx(const RunRequest& request, const std::filesystem::path& out, const Notice& notice, Problems& problems);

}  // namespace tenon
