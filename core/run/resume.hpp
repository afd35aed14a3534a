// SPDX-License-Identifier: Apache-2.0
// Going on with a run: its manifest, and what of it may be different this time.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "error/result.hpp"
#include "manifest/document.hpp"
#include "run/setup.hpp"

namespace tenon {

// The manifest of the run in `folder` with the request's --set values on top; if the request names a manifest, that
// one.
std::optional<Document> document_to_resume(const std::filesystem::path& folder, const Request& request,
                                           Problems& problems);

// That manifest wired, where neither check_same_run nor check_same_plugins has anything against it.
Setup set_up_resumed(const std::filesystem::path& folder, const Request& request, Problems& problems);

// Of two resolved manifests, what differs beyond run.threads, run.total_frames, train.total_updates, run.name, eval
// (but not the names of its envs), log, checkpoint and the search paths: one problem that lists all of it, or nothing.
Status check_same_run(const Document& before, const Document& now, const std::filesystem::path& folder);

}  // namespace tenon
