/* SPDX-License-Identifier: Apache-2.0 */
/* The library libtenon.so for other languages: envs that the caller steps, and policies of checkpoints that act for the
 * caller. The Python package uses it. Every function may be called from any thread, but one handle by one thread at a
 * time. Texts that are returned are valid until the same thread calls the next function. The environment variable
 * TENON_HOME must name the installation before the first call, because the program is another one. */
#ifndef TENON_LIBRARY_H
#define TENON_LIBRARY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tenon_driven tenon_driven; /* an env or a policy; NOLINT(readability-identifier-naming): C */

/* Why the latest function of this thread failed: sentences as the program prints them. */
const char* tenon_error(void);

/* An env by "library/component" or by a manifest that ends in .toml, with so many lanes; sets: count values of --set.
 * Null: it failed. */
tenon_driven* tenon_env_open(const char* env, int64_t lanes, const char* const* sets, uint64_t count);

/* The policy of a run's checkpoint, for so many observations at once. checkpoint: "best", "last" or a number of frames,
 * null: the best. actions: "mode", "mean" or "sample", null: as in evaluations. Null: it failed. */
tenon_driven* tenon_policy_open(const char* folder, const char* checkpoint, const char* actions, int64_t lanes);

void tenon_close(tenon_driven* handle);

/* A JSON list of the columns: key, role, dtype, shape, kind, low, high, categories, final. */
const char* tenon_columns(tenon_driven* handle);

/* The memory of a column, [2][lanes][shape], and of its final values, or null. It stays where it is until the handle is
 * closed. */
void* tenon_column(tenon_driven* handle, const char* key);
void* tenon_final(tenon_driven* handle, const char* key);

/* Which of the two slots has the newest observations, and takes the actions. */
uint32_t tenon_head(tenon_driven* handle);

/* Of an env: begins new episodes in all lanes; seed below 0: the generators continue. Of a policy: the next
 * observations of the lanes whose byte in mask is 1 (null: all) are the first of their episodes. 0, or an exit code of
 * the program. */
int tenon_env_reset(tenon_driven* handle, int64_t seed);
int tenon_policy_begin(tenon_driven* handle, const uint8_t* mask);

/* Of an env: one step with the actions at the head. Flags and rewards are at the slot that was the head; where an
 * episode ended, its last observation is in the final values of that slot, and the head has the first observation of
 * the next episode. Of a policy: reads the observations at the head, and writes the actions there. 0, or an exit code.
 */
int tenon_env_step(tenon_driven* handle);
int tenon_policy_act(tenon_driven* handle);

#ifdef __cplusplus
}
#endif

#endif
