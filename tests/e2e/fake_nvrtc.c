/* SPDX-License-Identifier: Apache-2.0 */
/* A libnvrtc.so.13 that compiles nothing, for tests of what the host does with it. What it says to a text are the words
 * of FAKE_LOG, and then it refuses the text. With FAKE_TELLS it says when it is loaded. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN __attribute__((visibility("default")))

typedef int Code;

enum { INVALID = 4, COMPILATION = 6 };

static const char kImage[] = "an image";
static int program; /* its address is that of every program */

static const char* log_text(void) {
    const char* text = getenv("FAKE_LOG");
    return text != NULL ? text : "";
}

__attribute__((constructor)) static void tell(void) {
    if (getenv("FAKE_TELLS") != NULL) {
        fputs("NVRTC is loaded\n", stderr);
    }
}

SHOWN Code nvrtcVersion(int* major, int* minor) {
    return *major = 13, *minor = 0, 0;
}
SHOWN Code nvrtcCreateProgram(void** out, const char* text, const char* name, int headers, const char* const* texts,
                              const char* const* names) {
    const int fine = strstr(text, "tenon_jit_0") != NULL && strcmp(name, "jit.cu") == 0 && headers > 20 &&
                     texts[headers - 1] != NULL && names[headers - 1] != NULL;
    return *out = &program, fine ? 0 : INVALID;
}
SHOWN Code nvrtcDestroyProgram(void** out) {
    return *out == &program ? 0 : INVALID;
}
SHOWN Code nvrtcSetFlowCallback(void* of, int (*is_stopped)(void*, void*), void* stop) {
    return of == &program && is_stopped(stop, NULL) == 0 ? 0 : INVALID;
}
SHOWN Code nvrtcCompileProgram(void* of, int count, const char* const* options) {
    const int fine = of == &program && count > 1 && strcmp(options[0], "--gpu-architecture=sm_90") == 0;
    return !fine ? INVALID : log_text()[0] != '\0' ? COMPILATION : 0;
}
SHOWN Code nvrtcGetProgramLogSize(void* of, size_t* bytes) {
    return *bytes = strlen(log_text()) + 1, of == &program ? 0 : INVALID;
}
SHOWN Code nvrtcGetProgramLog(void* of, char* out) {
    return strcpy(out, log_text()), of == &program ? 0 : INVALID;
}
SHOWN Code nvrtcGetCUBINSize(void* of, size_t* bytes) {
    return *bytes = sizeof kImage, of == &program ? 0 : INVALID;
}
SHOWN Code nvrtcGetCUBIN(void* of, char* out) {
    return memcpy(out, kImage, sizeof kImage), of == &program ? 0 : INVALID;
}
SHOWN const char* nvrtcGetErrorString(Code code) {
    return code == COMPILATION ? "FAKE_COMPILATION" : "FAKE_ERROR";
}
