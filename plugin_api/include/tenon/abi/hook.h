/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.hook/1": a procedure that the run calls at certain points. It reads metrics and collected frames, has metrics
 * of its own, and may move live options or end the run. Order of calls: create, describe, then call. A hook that keeps
 * something between calls offers "tenon.state/1"; everything that depends on its answers is in the checkpoint, too. */
#ifndef TENON_ABI_HOOK_H
#define TENON_ABI_HOOK_H

#include "tenon/abi/sampler.h"
#include "tenon/abi/tensor.h"
#include "tenon/abi/types.h"

/* The points of a run at which hooks are called, as bits of tn_hook_info.events. Several hooks are called in the order
 * of the manifest. A run that was interrupted and resumed makes the same calls as one that never stopped. */
enum {
    TN_HOOK_STARTED = 1,     /* once, before the first round of a new run; not when it is resumed */
    TN_HOOK_COLLECTED = 2,   /* the frames of a round have been collected, and nothing has learnt from them yet */
    TN_HOOK_UPDATED = 4,     /* after each update of each objective */
    TN_HOOK_EVALUATED = 8,   /* after the evaluations of a round */
    TN_HOOK_CHECKPOINT = 16, /* before a checkpoint that is due is written; not before that of an interrupted run */
    TN_HOOK_ENDED = 32       /* after the last round, when records and the last checkpoint are written */
};

/* Filled in by describe. Everything pointed to stays valid as long as the instance. */
typedef struct tn_hook_info {
    uint32_t struct_size; /* set by the host before the call */
    uint32_t events;      /* at which points it is called: TN_HOOK_STARTED ... combined */
    const tn_str* reads;  /* [read_count] metrics of the run that it reads, as in metrics.jsonl ("train/loss"), also
                             those of hooks. Metrics below "time/" differ between equal runs and are refused */
    uint32_t read_count;
    uint32_t column_count;
    const tn_str* columns; /* [column_count] columns of collected frames that it reads: "observation", "action",
                              "next.reward", "next.terminated", outputs of the policy */
    const tn_str* metrics; /* [metric_count] its own metrics. The records have them below "hook/" and the hook's
                              name, if the manifest gives it one */
    uint32_t metric_count;
    uint32_t option_count;
    const tn_str* options;  /* [option_count] live options that it moves, by the path that [schedule] would have:
                               "optimiser.lr". An option may be moved by one hook, or by a schedule */
    const tn_str* networks; /* [network_count] networks of the run that it reads, by their roles: "actor" */
    uint32_t network_count;
    uint32_t reserved;
} tn_hook_info;

/* The collected frames, for reading only. A row is a pair of slot and lane, as for samplers. */
typedef struct tn_hook_frames {
    uint32_t struct_size;
    uint32_t steps; /* of this round: the newest `steps` transitions of every lane, as far as it holds them */
    const tn_buffer_view* view;
    const tn_column* const* columns; /* [column_count] in the order of tn_hook_info.columns, [slots][lanes][...];
                                        key is the one that describe gave. Valid as long as the instance */
} tn_hook_frames;

/* The trainable parameters of a network, for reading only. Both lists name the same parameters in the same order, under
 * their keys ("0.weight"); an ensemble has a leading size of members. Elements are dense. Valid as long as the
 * instance. */
typedef struct tn_hook_network {
    uint32_t struct_size;
    uint32_t parameter_count;
    const tn_column* const* parameters; /* [parameter_count] the present values                                      */
    const tn_column* const* gradients;  /* [parameter_count] what the newest optimiser step has used: the mean over the
                                           minibatches of the step, after clipping. Zeros before the first step, and
                                           after a resume until the next one */
} tn_hook_network;

/* The host owns everything in it; valid during the call. */
typedef struct tn_hook_call {
    uint32_t struct_size;
    uint32_t event;        /* one of TN_HOOK_STARTED ... */
    uint64_t frames;       /* env steps of the run so far, summed over lanes */
    uint64_t updates;      /* of all objectives */
    const double* metrics; /* [read_count] the newest value of each metric; NaN: there is none yet. Metrics of updates
                              are those of the newest update, and not the mean since the last record, so that they do
                              not depend on how often a run records */
    const double* moved;   /* [option_count] the present values of the options that it moves */
    const double* options; /* [own_option_count] the present value of every option of create, in the same order; 0 for
                              an option that is not a number. [schedule] may change live options */
    uint64_t own_option_count;
    const tn_hook_frames* frames_of_round; /* in TN_HOOK_COLLECTED, if it reads columns; otherwise null */

    void* ctx; /* for the three functions below, which may be called during the call only */
    /* Sets the value of one of its metrics, which the records have until it sets another one. TN_INVALID_ARGUMENT if
     * the value is not finite; the run then ends with a sentence of the host. [control] */
    tn_status (*report)(void* ctx, uint32_t metric, double value);
    /* Sets the value of one of the options that it moves, from the next step or update on. TN_INVALID_ARGUMENT if the
     * value is outside the option's range; the run then ends with a sentence of the host. [control] */
    tn_status (*move)(void* ctx, uint32_t option, double value);
    /* Ends the run after this round, with success. The sentence says why; it is copied, printed, and kept in the
     * checkpoint. The first one counts. [control] */
    tn_status (*stop)(void* ctx, tn_str why);

    const tn_hook_network* const* networks; /* [network_count] in the order of tn_hook_info.networks */
} tn_hook_call;

typedef struct tn_hook_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* Says what the hook reads, reports and moves. The answer depends only on the options. [control] */
    tn_status (*describe)(void* self, tn_hook_info* info);

    /* Something has happened. Its answers depend only on what the call gives and on its saved state. On failure the run
     * ends with the hook's sentence, and can be resumed from its newest checkpoint. Allocates nothing once warm.
     * [control] */
    tn_status (*call)(void* self, const tn_hook_call* call);
} tn_hook_api;

#endif
