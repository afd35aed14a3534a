// SPDX-License-Identifier: Apache-2.0
// A file as a response, in pieces: a video.
#pragma once

#include <filesystem>
#include <string>

#include "shared/http/message.hpp"

namespace tenon {

// The path is the server's own, never a client's. Links, devices and pipes are refused. A player may ask for a range.
HttpResponse answer_file(const std::filesystem::path& path, std::string type, const HttpRequest& request);

}  // namespace tenon
