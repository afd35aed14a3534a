// SPDX-License-Identifier: Apache-2.0
// Functions of loops over many numbers, compiled for each kind of x86-64; which of them runs is chosen when the plugin
// is loaded. All of them give the same bits. Elsewhere, and where a sanitizer is not ready for such a choice so early,
// there is one.
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FOR_EACH_MACHINE __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define FOR_EACH_MACHINE
#endif
