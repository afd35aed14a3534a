/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.render/1": pictures of an env's lanes, for videos and for policies that see pixels. Optional for envs. */
#ifndef TENON_ABI_RENDER_H
#define TENON_ABI_RENDER_H

#include "tenon/abi/types.h"

/* Filled in by describe. */
typedef struct tn_picture_info {
    uint32_t struct_size;    /* set by the host before the call */
    uint32_t height;         /* in pixels, 1 to 8192 */
    uint32_t width;          /* in pixels, 1 to 8192 */
    uint32_t reserved;       /* 0 */
    double steps_per_second; /* how many steps a second of the world has; 0: it has no clock of its own */
} tn_picture_info;

typedef struct tn_render_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* Says how large the pictures are. The answer depends only on the options. TN_UNAVAILABLE: this machine lacks what
     * drawing needs; the sentence passed to set_error says what. [control] */
    tn_status (*describe)(void* self, tn_picture_info* info);

    /* Writes the lane as it is now to pixels: [height][width][3] bytes, red, green and blue, dense, from the top row
     * down. After a step that ended an episode the lane is already at the beginning of the next one, unless the step
     * set needs_reset (env.h). Changes nothing that later calls depend on. The lane has been reset and is not parked.
     * Several threads may draw different lanes of one instance at the same time. [lane] */
    tn_status (*draw)(void* self, uint32_t lane, uint8_t* pixels);
} tn_render_api;

#endif
