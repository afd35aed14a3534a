/* SPDX-License-Identifier: Apache-2.0 */
/* TENON_PLUGIN for plugins in C: the last line of the file. It defines the one symbol that a plugin exports and the
 * note that a host reads without loading the file.
 *
 *     static const tn_component components[] = {{.struct_size = sizeof(tn_component), .id = "Walk-v0", ...}};
 *
 *     TENON_PLUGIN("walk", "0.1.0", components,
 *         {"id": "Walk-v0", "kind": "env", "help": "what it is", "options": [
 *             {"name": "speed", "type": "float", "default": 0.1, "range": "(0,1]", "help": "in metres a step"}]})
 *
 * The array is followed by plain JSON, one object for each component in the array: the preprocessor turns it into the
 * note's text (abi/plugin.h says what it may contain). Every instance gets all options, in this order. The compiler
 * cannot check the JSON, but `tenon inspect` can: it reports errors, and whether the array has the same components. C
 * compilers need only support string literals of up to 4095 characters, and -Wpedantic warns about longer ones; GCC and
 * Clang accept any length. */
#ifndef TENON_PLUGIN_H
#define TENON_PLUGIN_H

#ifdef __cplusplus
#error "this header is for C; in C++ include tenon/plugin.hpp"
#endif

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tenon/abi/plugin.h"
#include "tenon/version.h"

/* Two macros, so that macro arguments are expanded first. */
#define TENON_TEXT(x) TENON_TEXT_(x)
#define TENON_TEXT_(x) #x

/* A plugin needs the minor it was built for (abi/types.h). */
#define TENON_NOTE_TEXT(plugin_name, plugin_version, ...)                                                    \
    "{\"abi\":[" TENON_TEXT(TN_ABI_MAJOR) "," TENON_TEXT(TN_TARGET_MINOR) "],\"name\":\"" plugin_name        \
                                                                          "\",\"version\":\"" plugin_version \
                                                                          "\",\"sdk\":\"" TENON_SDK_VERSION  \
                                                                          " C\",\"components\":[" #__VA_ARGS__ "]}"

/* The parts of a note are padded with zeros to a multiple of four bytes. */
#define TENON_PADDED(size) (((size) + 3) / 4 * 4)
#define TENON_NOTE(text)                                                                    \
    __attribute__((section(".note.tenon"), used, aligned(4))) static const struct {         \
        uint32_t name_size, text_size, type;                                                \
        char name[TENON_PADDED(sizeof(TN_NOTE_NAME))], content[TENON_PADDED(sizeof(text))]; \
    } tenon_note = {sizeof(TN_NOTE_NAME), sizeof(text) - 1, TN_NOTE_TYPE, TN_NOTE_NAME, text}

#define TENON_PLUGIN(plugin_name, plugin_version, components, ...)                                            \
    TENON_NOTE(TENON_NOTE_TEXT(plugin_name, plugin_version, __VA_ARGS__));                                    \
    static tn_status tenon_init(const tn_host* host) {                                                        \
        const size_t needed = offsetof(tn_host, free) + sizeof host->free;                                    \
        return host != NULL && host->struct_size >= needed ? TN_OK : TN_FAILED_PRECONDITION;                  \
    }                                                                                                         \
    static void tenon_deinit(void) {}                                                                         \
    static const tn_component* tenon_get_component(const char* id) {                                          \
        for (size_t i = 0; i < sizeof(components) / sizeof *(components); ++i) {                              \
            if (strcmp((components)[i].id, id) == 0) {                                                        \
                return &(components)[i];                                                                      \
            }                                                                                                 \
        }                                                                                                     \
        return NULL;                                                                                          \
    }                                                                                                         \
    const tn_plugin_entry tn_plugin_entry_v1 = {.magic = TN_ENTRY_MAGIC,                                      \
                                                .struct_size = sizeof(tn_plugin_entry),                       \
                                                .abi_major = TN_ABI_MAJOR,                                    \
                                                .abi_minor_needed = TN_TARGET_MINOR,                          \
                                                .name = plugin_name,                                          \
                                                .version = plugin_version,                                    \
                                                .component_count = sizeof(components) / sizeof *(components), \
                                                .init = tenon_init,                                           \
                                                .deinit = tenon_deinit,                                       \
                                                .get_component = tenon_get_component}

#endif
