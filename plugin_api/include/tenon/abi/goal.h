/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.goal/1": what steps of an env would have been worth if their goal had been another one. Optional for envs, for
 * learning from goals in hindsight (buffer.relabel_by = "env").
 *
 * The env has two observations of one type and shape: what has been achieved, and the goal. A sampler that relabels
 * rows gives its batches two columns,
 *
 *     hindsight.goal        the goal that a row may take: what another step has achieved
 *     hindsight.relabelled  (TN_BOOL) whether it takes it.
 *
 * The host gathers the rows of a batch. Where a row takes its goal, the host puts it in place of the goal that was
 * stored, and has judge write the reward and the end that the step would have had. Other rows stay as they were stored.
 * Rows are as the env has written them: transforms and wrappers have not changed these columns.
 *
 * The host calls these functions on an instance of their own, made with the options of the run's env and one lane,
 * which is never bound, reset or stepped. It may be called while other instances step. */
#ifndef TENON_ABI_GOAL_H
#define TENON_ABI_GOAL_H

#include "tenon/abi/types.h"

/* Filled in by describe. Everything pointed to stays valid as long as the instance. */
typedef struct tn_goal_info {
    uint32_t struct_size; /* set by the host before the call */
    uint32_t column_count;
    tn_str achieved;       /* the key of the observation that says what has been achieved */
    tn_str desired;        /* the key of the observation that is the goal                  */
    const tn_str* columns; /* [column_count] what else judge reads, as a batch names it: "action", "observation" (before
                              the step), "next.observation" (after it). Null if column_count is 0 */
} tn_goal_info;

/* Dense memory of the host, valid during the call: [rows], then the shape of the column's spec, of its dtype. */
typedef struct tn_goal_call {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    uint64_t rows;
    const void* achieved;       /* what the step of the row has achieved: "next.<achieved>"  */
    const void* desired;        /* the goal to judge by                                      */
    const void* const* columns; /* [column_count] those of tn_goal_info, in the same order   */
    const uint8_t* wanted;      /* [rows] 1: the row is to be judged; 0: it is left as it is */
    void* reward;               /* [rows] to be written where wanted: of the reward's dtype  */
    uint8_t* terminated;        /* [rows] to be written where wanted: 0 or 1                 */
} tn_goal_call;

typedef struct tn_goal_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* Says what judge reads. The answer depends only on the options. Called before judge. TN_UNAVAILABLE: with these
     * options the env has no goals; the sentence passed to set_error says why. [control] */
    tn_status (*describe)(void* self, tn_goal_info* info);

    /* Writes what step would have written as reward and terminated for each wanted row, if it had begun with the goal
     * of the row. With the goal that the step had, these are the bytes of that step. The result of a row depends on the
     * options and the row alone. Changes nothing else; allocates nothing once warm. TN_INTERNAL. [lane] */
    tn_status (*judge)(void* self, const tn_goal_call* call);
} tn_goal_api;

#endif
