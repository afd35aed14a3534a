// SPDX-License-Identifier: Apache-2.0
// The host's own modules: libraries in lib/tenon that are loaded once something needs them. Their exports are in
// reference_module.hpp, device_engine.hpp and engines/shards/link_engine.hpp.
#pragma once

#include <string_view>

#include "base/error/result.hpp"
#include "plugins/plugin/library.hpp"

namespace tenon {

// "tenon_module_build": the build_id() of the module, which must be the host's, because they share structs.
using ModuleBuild = const char* (*)();

// Maps lib/tenon/FILE. The problem: it is missing, cannot be mapped, or is of another build.
Result<Library> load_module(std::string_view file);

}  // namespace tenon
