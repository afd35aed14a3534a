// SPDX-License-Identifier: Apache-2.0
// A pause in a loop that waits for another thread: it saves power and leaves the core to its other thread.
#pragma once

namespace tenon {

inline void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace tenon
