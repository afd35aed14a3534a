/* SPDX-License-Identifier: Apache-2.0 */
/* Versions, statuses and the small types that every other header uses.
 *
 * Rules of all headers in this folder
 *   - C11 that is also C++17; fixed-width integers, pointers and plain structs only.
 *   - A struct that crosses begins with struct_size, set by whoever fills it in. The reader asks "is the field I need
 *     inside struct_size"; it never compares for equality and never writes past the caller's struct_size.
 *   - Structs grow at the end only. Zero in an added field means what older hosts and plugins did.
 *   - Strides count elements, never bytes.
 *   - A tag on every function says who may call it and when:
 *       [control]  one thread at a time for the whole plugin
 *       [lane]     any thread, at most one call at a time for one instance and one range of lanes
 *       [any]      any thread, any time between init and deinit
 */
#ifndef TENON_ABI_TYPES_H
#define TENON_ABI_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define TN_EXTERN_C_BEGIN extern "C" {
#define TN_EXTERN_C_END }
#else
#define TN_EXTERN_C_BEGIN
#define TN_EXTERN_C_END
#endif

/* A host loads plugins with its own major and with any minor up to its own. While the major is 0, a minor may break
 * compatibility; hosts then state the oldest minor that they load. */
#define TN_ABI_MAJOR 0
#define TN_ABI_MINOR 1

/* The oldest host that the plugin supports, which its note announces. The default is the version of these headers; an
 * author sets an older one with tenon_add_plugin(... TENON_TARGET 0.1). The use of anything newer is then a compile
 * error. */
#ifndef TN_TARGET_MAJOR
#define TN_TARGET_MAJOR TN_ABI_MAJOR
#define TN_TARGET_MINOR TN_ABI_MINOR
#endif
#if TN_TARGET_MAJOR != TN_ABI_MAJOR || TN_TARGET_MINOR > TN_ABI_MINOR || TN_TARGET_MINOR < 1
#error \
    "this SDK cannot build for the plugin ABI that TENON_TARGET names; it builds for its own and older minors from 0.1 on"
#endif

/* TN_SINCE_0_2 marks the fields, constants and functions that were added with minor 2, and so on. The minor that adds
 * the first of them defines its mark here:
 *
 *     #if TN_TARGET_MINOR < 2
 *     #define TN_SINCE_0_2 TN_LATER("0.2")
 *     #else
 *     #define TN_SINCE_0_2
 *     #endif
 */
#ifdef __has_attribute
#if __has_attribute(unavailable)
#define TN_LATER(minor) __attribute__((unavailable("it came with plugin ABI " minor ", and TENON_TARGET is older")))
#endif
#endif
#ifndef TN_LATER /* GCC 11 */
#define TN_LATER(minor) __attribute__((deprecated("it came with plugin ABI " minor ", and TENON_TARGET is older")))
#endif

/* The return value of every call that can fail. Pass a text about a failure to tn_host.set_error, in the same thread,
 * before the call returns. A host treats an unknown status as TN_INTERNAL. */
typedef int32_t tn_status;
enum {
    TN_OK = 0,
    TN_INVALID_ARGUMENT = 1,    /* an option, key, shape or number is not acceptable                    */
    TN_NOT_FOUND = 2,           /* no object with the given name exists                                 */
    TN_FAILED_PRECONDITION = 3, /* the call came too early or in the wrong state                        */
    TN_UNIMPLEMENTED = 4,       /* the callee knows the request but does not support it                 */
    TN_UNAVAILABLE = 5,         /* not now or not here: no eager build, no device, a closed file        */
    TN_OUT_OF_MEMORY = 6,       /* an allocation failed; nothing was changed                            */
    TN_DATA_LOSS = 7,           /* saved state cannot be read back                                      */
    TN_INTERNAL = 8,            /* a defect of the callee, for example an escaped C++ exception         */
    TN_LOST = 9,                /* of a lane of an env: its state is gone, and reset can begin anew     */
    TN_FATAL = 64               /* from here on only destroy may be called on the instance              */
};

/* UTF-8 text that need not be null-terminated. Borrowed: valid during the call, or as long as its owner promises. */
typedef struct tn_str {
    const char* data;
    uint64_t size;
} tn_str;

/* Element types. TN_REAL exists in graphs only: float32 or float64, as run.dtype says. */
enum {
    TN_F32 = 1,
    TN_F64 = 2,
    TN_I64 = 3,
    TN_I32 = 4,
    TN_U8 = 5,
    TN_BOOL = 6, /* one byte, 0 or 1 */
    TN_BF16 = 7, /* this and the next: of weights in files; no column and no parameter has them so far */
    TN_F16 = 8,
    TN_REAL = 16
};

/* Device types, with the same numbers as in DLPack. */
enum { TN_DEVICE_CPU = 1, TN_DEVICE_CUDA = 2 };

#endif
