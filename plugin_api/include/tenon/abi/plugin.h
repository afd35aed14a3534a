/* SPDX-License-Identifier: Apache-2.0 */
/* What a plugin library exports, and what its note says before the host loads it. */
#ifndef TENON_ABI_PLUGIN_H
#define TENON_ABI_PLUGIN_H

#include "tenon/abi/host.h"
#include "tenon/abi/option.h"
#include "tenon/abi/types.h"

/* The arguments for creating an instance of a component. Everything but host is borrowed for the duration of the
 * call. */
typedef struct tn_create_args {
    uint32_t struct_size;
    uint32_t lanes; /* how many lanes the instance will serve; 0 for kinds that have none */
    const tn_host* host;
    const tn_option_value* const* options; /* every option of the schema, in the same order */
    uint64_t option_count;
    tn_key key; /* the instance's own random stream, unique in the run */
} tn_create_args;

/* One component of a plugin. The struct and everything it points to are constant and live as long as the library, which
 * the host never unmaps. */
typedef struct tn_component {
    uint32_t struct_size;
    uint32_t flags;   /* 0 */
    const char* id;   /* "CartPole-v1"; a manifest writes library/id */
    const char* kind; /* "env", "wrapper", "transform", "policy", "buffer", "objective", "hook", "dataset" */

    /* Creates an instance and writes it to *self. On failure *self is unchanged and nothing is leaked.
     * TN_INVALID_ARGUMENT, TN_OUT_OF_MEMORY, TN_INTERNAL. [control] */
    tn_status (*create)(const tn_create_args* args, void** self);

    /* Destroys an instance: joins its threads and frees what it owns. Called exactly once for each create that returned
     * TN_OK. [control] */
    void (*destroy)(void* self);

    /* The function table of an interface id, constant for ever, or null if the component does not offer that interface.
     *   "tenon.env/1"      env.h        "tenon.transform/1"  transform.h    "tenon.policy/1"   policy.h
     *   "tenon.sampler/1"  sampler.h    "tenon.graph/1"      graph.h        "tenon.state/1"    state.h
     *   "tenon.common/1"   common.h     "tenon.fused/1"      fused.h        "tenon.render/1"   render.h
     *   "tenon.wrapper/1"  wrapper.h    "tenon.live/1"       live.h         "tenon.hook/1"     hook.h
     *   "tenon.dataset/1"  dataset.h    "tenon.needs/1"      needs.h        "tenon.arithmetic/1" arithmetic.h
     *   "tenon.goal/1"     goal.h       "tenon.env.async/1"  env_async.h    "tenon.sampler_reads/1" sampler_reads.h
     * An env offers env/1, a wrapper wrapper/1 and env/1, a transform transform/1, a policy policy/1 or graph/1, a
     * buffer sampler/1, an objective graph/1, a hook hook/1, a dataset dataset/1. needs/1 is optional for all, state/1
     * for all but datasets, render/1 for envs and wrappers, goal/1 and env.async/1 for envs, live/1 for wrappers,
     * sampler_reads/1 for buffers, common/1 and arithmetic/1 for transforms, and fused/1 for components with graph/1.
     * [any] */
    const void* (*get_interface)(const char* id);
} tn_component;

/* "TENON" and the major of the entry, little-endian. */
#define TN_ENTRY_MAGIC UINT64_C(0x0001004E4F4E4554)

/* The only symbol that a plugin exports. It is data, so that reading it runs no code of the plugin. */
typedef struct tn_plugin_entry {
    uint64_t magic; /* TN_ENTRY_MAGIC */
    uint32_t struct_size;
    uint16_t abi_major;        /* TN_ABI_MAJOR of the headers that the plugin was built with       */
    uint16_t abi_minor_needed; /* the oldest minor of a host that can run it                        */
    const char* name;          /* the library's name, as in the note and in its file name           */
    const char* version;       /* the plugin's own version                                          */
    uint32_t component_count;  /* the same number as in the note                                    */
    uint32_t reserved;

    /* Called before anything else. Repeated calls are counted and return TN_OK. [control] */
    tn_status (*init)(const tn_host* host);

    /* The counterpart of init. After the last call the host calls no function of the plugin. [control] */
    void (*deinit)(void);

    /* The component with this id, or null. The id must match completely. [any] */
    const tn_component* (*get_component)(const char* id);
} tn_plugin_entry;

#define TN_ENTRY_SYMBOL "tn_plugin_entry_v1"

/* The visibility must be on this declaration: compilers ignore it on a later definition. */
TN_EXTERN_C_BEGIN
extern __attribute__((visibility("default"))) const tn_plugin_entry tn_plugin_entry_v1;
TN_EXTERN_C_END

/* The ELF note that a host reads instead of loading the file: section ".note.tenon", name TN_NOTE_NAME, type
 * TN_NOTE_TYPE. The description is a JSON object in UTF-8, padded with zeros to a multiple of four bytes:
 *
 *   {"abi": [major, minor needed], "name": "...", "version": "...", "sdk": "...", "components": [
 *     {"id": "...", "kind": "...", "help": "...", "devices": ["cpu", "cuda"], "example": true, "options": [
 *       {"name": "...", "type": "bool|int|float|string|ints|floats|strings|table", "default": value,
 *        "range": "[0,1]", "choices": "a|b|c", "live": true, "path": "file|file_or_name", "help": "..."}]}]}
 *
 * "devices": where the component works; absent: on the CPU alone. One that works on "cuda" works on the emulated device
 * too; "emulated": on that alone, because the file has no kernels for GPUs.
 * "example": an env for authors to read. `tenon run ppo NAME` takes it only if no other library has an env of this id.
 * range and choices are absent or empty if every value is allowed. "(" and ")" exclude the end point; "inf" is allowed.
 * "live": the option is read as a graph node, so [schedule] may change it. The default of a table is {}.
 * "path": the text is the path of a file or folder. The host makes a relative one absolute: it begins at the folder of
 * the manifest that has it, and after --set at the working directory. "file_or_name": a text without '/' is a name and
 * stays as it is. An empty text stays empty. */
#define TN_NOTE_NAME "Tenon"
#define TN_NOTE_TYPE 1u

#endif
