// SPDX-License-Identifier: Apache-2.0
// The spans of a profile as a trace in Chrome's format, which chrome://tracing and Perfetto draw.
#pragma once

#include <filesystem>

#include "base/error/result.hpp"
#include "base/profile/profile.hpp"

namespace tenon {

Status write_trace(const Profile& profile, const std::filesystem::path& path);

}  // namespace tenon
