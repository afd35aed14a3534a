// SPDX-License-Identifier: Apache-2.0
// Which build this is. The modules that the host loads share its structs, so they must be of the same build.
#pragma once

namespace tenon {

// A hash of the headers of core/, the compiler and its options: equal where structs and calls are. It is in a source
// file of its own, so that a changed header compiles no other file again.
const char* build_id();

}  // namespace tenon
