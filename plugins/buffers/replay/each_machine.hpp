// SPDX-License-Identifier: Apache-2.0
// Loops over many numbers, compiled for each kind of x86-64; the version is selected when the plugin is loaded. All
// versions give the same bits. There is only one version on other machines, and with sanitizers that do not support
// such an early selection.
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FOR_EACH_MACHINE __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define FOR_EACH_MACHINE
#endif
