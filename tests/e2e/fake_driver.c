/* SPDX-License-Identifier: Apache-2.0 */
/* A libcuda.so.1 without a GPU, for tests of what the host asks of the driver and says when it refuses: memory is the
 * host's, kernels do nothing. FAKE_VERSION is the driver's version, FAKE_DEVICES the number of devices, FAKE_MEMORY the
 * bytes that each has. After FAKE_LAUNCHES kernels it is gone. With FAKE_EXCLUSIVE another program has it. At the end
 * it writes to FAKE_REPORT how many kernels were launched, and how often somebody waited. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int Code;
typedef unsigned long long Address;

enum { INVALID = 1, OUT_OF_MEMORY = 2, UNAVAILABLE = 46, NOT_FOUND = 500, GONE = 719 };

static uint64_t used, launches, waits;

static long long setting(const char* name, long long otherwise) {
    const char* text = getenv(name);
    return text != NULL ? atoll(text) : otherwise;
}

/* What work on the device gives: 0, or that there is no device any more. */
static Code work(int fine) {
    return launches >= (uint64_t)setting("FAKE_LAUNCHES", 1LL << 40) ? GONE : fine ? 0 : INVALID;
}

static void report(void) {
    const char* path = getenv("FAKE_REPORT");
    FILE* file = path != NULL ? fopen(path, "w") : NULL;
    if (file != NULL) {
        fprintf(file, "%llu %llu\n", (unsigned long long)launches, (unsigned long long)waits);
        fclose(file);
    }
}

static Code init(unsigned flags) {
    return flags == 0 && atexit(report) == 0 ? 0 : INVALID;
}
static Code driver_version(int* version) {
    return *version = (int)setting("FAKE_VERSION", 13000), 0;
}
static Code device_count(int* count) {
    return *count = (int)setting("FAKE_DEVICES", 1), 0;
}
static Code device_get(int* device, int ordinal) {
    return *device = ordinal, 0;
}
static Code device_name(char* name, int bytes, int device) {
    return snprintf(name, (size_t)bytes, "Stand-in %d", device), 0;
}
static Code device_attribute(int* value, int attribute, int device) {
    return *value = attribute + device, 0;
}
static Code retain(void** context, int device) {
    return (void)device, *context = &used, getenv("FAKE_EXCLUSIVE") != NULL ? UNAVAILABLE : 0;
}
static Code release(int device) {
    return device;
}
static Code set_current(void* context) {
    return context == &used ? 0 : INVALID;
}
static Code stream_create(void** stream, unsigned flags) {
    return *stream = &waits, flags == 1 ? 0 : INVALID;
}
static Code stream_destroy(void* stream) {
    return stream == &waits ? 0 : INVALID;
}
static Code stream_wait(void* stream) {
    return ++waits, work(stream == &waits);
}
static Code mem_alloc(Address* memory, size_t bytes) {
    if (used + bytes > (uint64_t)setting("FAKE_MEMORY", 1LL << 40)) {
        return OUT_OF_MEMORY;
    }
    used += bytes;
    *memory = (Address)(uintptr_t)malloc(bytes);
    return 0;
}
static Code mem_free(Address memory) {
    return free((void*)(uintptr_t)memory), 0;
}
static Code mem_info(size_t* available, size_t* total) {
    *total = (size_t)setting("FAKE_MEMORY", 1LL << 40);
    *available = *total - used;
    return 0;
}
static Code mem_set(Address memory, unsigned char value, size_t bytes, void* stream) {
    return memset((void*)(uintptr_t)memory, value, bytes), stream == &waits ? 0 : INVALID;
}
static Code to_device(Address to, const void* from, size_t bytes, void* stream) {
    return memcpy((void*)(uintptr_t)to, from, bytes), work(stream == &waits);
}
static Code to_host(void* to, Address from, size_t bytes, void* stream) {
    return memcpy(to, (const void*)(uintptr_t)from, bytes), work(stream == &waits);
}
static Code host_alloc(void** memory, size_t bytes, unsigned flags) {
    return *memory = malloc(bytes), flags == 0 ? 0 : INVALID;
}
static Code host_free(void* memory) {
    return free(memory), 0;
}
static Code module_load(void** module, const void* image) {
    return *module = &launches, image != NULL ? 0 : INVALID;
}
static Code module_function(void** function, void* module, const char* name) {
    *function = module;
    const int known = strncmp(name, "replay_", 7) == 0 || strncmp(name, "cartpole_", 9) == 0 ||
                      strncmp(name, "tenon_", 6) == 0 || strncmp(name, "broken_", 7) == 0;
    return module == &launches && known ? 0 : NOT_FOUND;
}
static Code launch(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void* stream, void** arguments, void** extra) {
    ++launches;
    const int fine = function == &launches && gx > 0 && gy == 1 && gz == 1 && bx % 32 == 0 && by == 1 && bz == 1 &&
                     shared == 0 && stream == &waits && arguments != NULL && extra == NULL;
    return work(fine);
}
static Code error_name(Code code, const char** name) {
    return *name = code == GONE ? "FAKE_GONE" : "FAKE_ERROR", code == 0;
}

#define ENTRY(name, function) {name, (void (*)(void))function}
static const struct {
    const char* name;
    void (*function)(void);
} kEntries[] = {
    ENTRY("cuInit", init),
    ENTRY("cuDriverGetVersion", driver_version),
    ENTRY("cuDeviceGetCount", device_count),
    ENTRY("cuDeviceGet", device_get),
    ENTRY("cuDeviceGetName", device_name),
    ENTRY("cuDeviceGetAttribute", device_attribute),
    ENTRY("cuDevicePrimaryCtxRetain", retain),
    ENTRY("cuDevicePrimaryCtxRelease", release),
    ENTRY("cuCtxSetCurrent", set_current),
    ENTRY("cuStreamCreate", stream_create),
    ENTRY("cuStreamDestroy", stream_destroy),
    ENTRY("cuStreamSynchronize", stream_wait),
    ENTRY("cuMemAlloc", mem_alloc),
    ENTRY("cuMemFree", mem_free),
    ENTRY("cuMemGetInfo", mem_info),
    ENTRY("cuMemsetD8Async", mem_set),
    ENTRY("cuMemcpyHtoDAsync", to_device),
    ENTRY("cuMemcpyDtoHAsync", to_host),
    ENTRY("cuMemHostAlloc", host_alloc),
    ENTRY("cuMemFreeHost", host_free),
    ENTRY("cuModuleLoadData", module_load),
    ENTRY("cuModuleGetFunction", module_function),
    ENTRY("cuLaunchKernel", launch),
    ENTRY("cuGetErrorName", error_name),
};

__attribute__((visibility("default"))) Code cuGetProcAddress_v2(const char* name, void (**function)(void), int version,
                                                                uint64_t flags, int* found) {
    for (size_t i = 0; i < sizeof kEntries / sizeof *kEntries; ++i) {
        if (strcmp(kEntries[i].name, name) == 0 && version >= 12000 && flags == 0) {
            *function = kEntries[i].function;
            *found = 0;
            return 0;
        }
    }
    return NOT_FOUND;
}
