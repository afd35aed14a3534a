// SPDX-License-Identifier: Apache-2.0
// What memory from the heap holds before anybody writes it: told, so that code which reads it shows itself.
#pragma once

namespace tenon {

// From here on, memory that this thread gets from the heap holds this byte; 0: as it comes.
void fill_fresh_memory(unsigned char byte);

}  // namespace tenon
