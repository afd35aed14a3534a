// SPDX-License-Identifier: Apache-2.0
// Resumes a run: its manifest, and the settings that may differ this time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "config/manifest/document.hpp"
#include "config/manifest/manifest.hpp"
#include "folder/records/folder.hpp"
#include "run/start/setup.hpp"

namespace tenon {

// The manifest of the run in `folder`, or the one that the request names, with the request's --set values applied.
std::optional<Document> document_to_resume(const std::filesystem::path& folder, const Request& request,
                                           Problems& problems);

// The wiring of that manifest, if check_same_components, check_same_run and check_same_plugins find no difference.
Setup set_up_resumed(const std::filesystem::path& folder, const Request& request,
                     const std::vector<std::string>& changed, Problems& problems);

// The difference between two resolved manifests: one problem that lists everything, or nothing. Left out are settings
// that change no result or only the end (`tenon run --help` lists them), and the keys in `changed` with those below
// them.
Status check_same_run(const Document& before, const Document& now, const std::filesystem::path& folder,
                      const std::vector<std::string>& changed = {});

// Refuses a length below `had`, the frames or updates that the run in `folder` has made. The length that the run was
// given before is always accepted: its last round may have gone beyond it.
Status check_length(const RunFolder& folder, const Manifest& now, std::int64_t had);

}  // namespace tenon
