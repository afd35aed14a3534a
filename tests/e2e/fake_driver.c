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

enum {
    INVALID = 1,
    OUT_OF_MEMORY = 2,
    UNAVAILABLE = 46,
    NOT_FOUND = 500,
    GONE = 719,
    REFUSED_IN_CAPTURE = 900,
    INVALIDATED = 901
};

static uint64_t used, launches, waits; /* the address of waits is that of the stream */
static uint64_t captured;              /* kernels; its address is that of the stream of captures, and of the graph */
static enum { NO_CAPTURE, CAPTURES, SPOILT } capture;

static long long setting(const char* name, long long otherwise) {
    const char* text = getenv(name);
    return text != NULL ? atoll(text) : otherwise;
}

/* What work on the device gives: 0, or that there is no device any more. */
static Code work(int fine) {
    return launches >= (uint64_t)setting("FAKE_LAUNCHES", 1LL << 40) ? GONE : fine ? 0 : INVALID;
}

static int is_stream(const void* stream) {
    return stream == &waits || stream == &captured;
}

/* What may not be in a capture. */
static Code refused(void) {
    if (capture == NO_CAPTURE) {
        return 0;
    }
    capture = SPOILT;
    return REFUSED_IN_CAPTURE;
}

static void report(void) {
    char path[4096]; /* of each shard its own */
    const char *base = getenv("FAKE_REPORT"), *rank = getenv("RANK");
    snprintf(path, sizeof path, "%s%s%s", base != NULL ? base : "", rank != NULL ? "." : "", rank != NULL ? rank : "");
    FILE* file = base != NULL ? fopen(path, "w") : NULL;
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
    const int major = 75, minor = 76;
    *value = attribute == major ? (int)setting("FAKE_MAJOR", 9) : attribute == minor ? 0 : attribute + device;
    return 0;
}
static Code device_bus(char* address, int bytes, int device) {
    return snprintf(address, (size_t)bytes, "0000:%02x:00.0", device), 0;
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
    return *stream = flags == 1 ? &waits : &captured, flags <= 1 ? 0 : INVALID;
}
static Code stream_destroy(void* stream) {
    return is_stream(stream) ? 0 : INVALID;
}
static Code stream_wait(void* stream) {
    const Code code = refused();
    return ++waits, code != 0 ? code : work(is_stream(stream));
}
static Code stream_query(void* stream) {
    return work(is_stream(stream));
}
static Code mem_alloc(Address* memory, size_t bytes) {
    if (refused() != 0) {
        return REFUSED_IN_CAPTURE;
    }
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
    const Code code = stream == NULL ? refused() : 0; /* the default stream */
    return memset((void*)(uintptr_t)memory, value, bytes), code != 0                             ? code
                                                           : stream == NULL || is_stream(stream) ? 0
                                                                                                 : INVALID;
}
static Code to_device(Address to, const void* from, size_t bytes, void* stream) {
    return memcpy((void*)(uintptr_t)to, from, bytes), work(is_stream(stream));
}
static Code to_host(void* to, Address from, size_t bytes, void* stream) {
    return memcpy(to, (const void*)(uintptr_t)from, bytes), work(is_stream(stream));
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
static Code module_drop(void* module) {
    return module == &launches ? 0 : INVALID;
}
static Code function_set(void* function, int attribute, int value) {
    (void)function, (void)attribute, (void)value;
    return 0;
}

static Code module_function(void** function, void* module, const char* name) {
    *function = module;
    const int known = strncmp(name, "replay_", 7) == 0 || strncmp(name, "cartpole_", 9) == 0 ||
                      strncmp(name, "tenon_", 6) == 0 || strncmp(name, "broken_", 7) == 0;
    return module == &launches && known ? 0 : NOT_FOUND;
}
static Code launch(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void* stream, void** arguments, void** extra) {
    ++*(capture == CAPTURES ? &captured : &launches);
    const int fine = function == &launches && gx > 0 && gy == 1 && gz == 1 && bx % 32 == 0 && by == 1 && bz == 1 &&
                     shared == 0 && is_stream(stream) && arguments != NULL && extra == NULL;
    return work(fine);
}
static Code capture_begin(void* stream, int mode) {
    captured = 0;
    capture = CAPTURES;
    return stream == &captured && mode == 0 ? 0 : INVALID;
}
static Code capture_end(void* stream, void** graph) {
    const int fine = capture == CAPTURES && stream == &captured;
    capture = NO_CAPTURE;
    *graph = fine ? &captured : NULL;
    return fine ? 0 : INVALIDATED;
}
static Code graph_make(void** executable, void* graph, unsigned long long flags) {
    return *executable = graph, graph == &captured && flags == 0 ? 0 : INVALID;
}
static Code graph_launch(void* executable, void* stream) {
    launches += captured;
    return work(executable == &captured && stream == &waits);
}
static Code graph_drop(void* graph) {
    return graph == &captured ? 0 : INVALID;
}
static Code error_name(Code code, const char** name) {
    return *name = code == GONE ? "FAKE_GONE" : code == INVALIDATED ? "FAKE_INVALIDATED" : "FAKE_ERROR", code == 0;
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
    ENTRY("cuDeviceGetPCIBusId", device_bus),
    ENTRY("cuDevicePrimaryCtxRetain", retain),
    ENTRY("cuDevicePrimaryCtxRelease", release),
    ENTRY("cuCtxSetCurrent", set_current),
    ENTRY("cuStreamCreate", stream_create),
    ENTRY("cuStreamDestroy", stream_destroy),
    ENTRY("cuStreamSynchronize", stream_wait),
    ENTRY("cuStreamQuery", stream_query),
    ENTRY("cuMemAlloc", mem_alloc),
    ENTRY("cuMemFree", mem_free),
    ENTRY("cuMemGetInfo", mem_info),
    ENTRY("cuMemsetD8Async", mem_set),
    ENTRY("cuMemcpyHtoDAsync", to_device),
    ENTRY("cuMemcpyDtoHAsync", to_host),
    ENTRY("cuMemHostAlloc", host_alloc),
    ENTRY("cuMemFreeHost", host_free),
    ENTRY("cuModuleLoadData", module_load),
    ENTRY("cuModuleUnload", module_drop),
    ENTRY("cuModuleGetFunction", module_function),
    ENTRY("cuFuncSetAttribute", function_set),
    ENTRY("cuLaunchKernel", launch),
    ENTRY("cuStreamBeginCapture", capture_begin),
    ENTRY("cuStreamEndCapture", capture_end),
    ENTRY("cuGraphInstantiateWithFlags", graph_make),
    ENTRY("cuGraphLaunch", graph_launch),
    ENTRY("cuGraphExecDestroy", graph_drop),
    ENTRY("cuGraphDestroy", graph_drop),
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
