// SPDX-License-Identifier: Apache-2.0
// Sets the content of uninitialised heap memory, so that code that reads it is detected.
#pragma once

namespace tenon {

// From now on, uninitialised heap memory of this thread holds this byte; 0: unchanged.
void fill_fresh_memory(unsigned char byte);

}  // namespace tenon
