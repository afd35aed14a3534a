// SPDX-License-Identifier: Apache-2.0
// Identifies the build. The modules that the host loads share its structs, so they must be of the same build.
#pragma once

namespace tenon {

// A hash of the headers of core/, the compiler and its options: builds with the same hash have the same structs and
// calls. It is defined in a separate source file, so that a changed header does not recompile other files.
const char* build_id();

}  // namespace tenon
