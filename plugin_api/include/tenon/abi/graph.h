/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.graph/1": policies, objectives and transforms as graphs. The host calls build once for each kind of use. The
 * plugin describes the computation with the builder and is not called in the training loop. All functions here are
 * [control] and valid only during build.
 *
 * A transform has a function "apply" with one input and one output, and an option "column" or "columns". A program that
 * reads one of these columns, at the present time or under "next.", gets the result of apply. The stored data is not
 * changed.
 *
 * Everything is a node: arithmetic, a batch column, a parameter, a call of a policy's function, a loss.
 * docs/reference/ops.md lists the ops with their revisions, attributes and exact rules; a revision never changes. In a
 * shape, the leading dimensions (rows, time, lanes, members, agents) are symbols, whose sizes the plugin never sees;
 * the other dimensions are numbers.
 *
 * Errors are sticky. A call that fails returns a status, yields value 0 and is recorded with the author's file and
 * line. Nodes that use value 0 yield 0 without another message, so that one build finds every mistake.
 *
 * Limits, beyond which the host refuses a node with such an error: TN_MAX_RANK dimensions and 2^37 elements for a
 * value, over all rows of the program; 2^20 nodes; 64 open regions; 65536 inputs, attributes, numbers in a list or
 * characters in a text. Names of metrics, losses, stages, parameters and controls consist of at most 128 letters,
 * digits and _ - . /; keys of columns and names of memories consist of letters, digits and _ - .
 * The host records metrics of its own: loss, loss/NAME, grad_norm/NAME, learning_rate, n_updates, n_left_out. A plugin
 * cannot give a metric one of these names. */
#ifndef TENON_ABI_GRAPH_H
#define TENON_ABI_GRAPH_H

#include "tenon/abi/spec.h"
#include "tenon/abi/types.h"

typedef struct tn_graph tn_graph; /* the host's */
typedef uint32_t tn_value;        /* 0: poisoned */

/* Leading dimensions in tn_type.dim. The host assigns the numbers. Each range begins at its constant and ends before
 * the next one. */
enum {
    TN_DIM_ROWS = -1,           /* B                                                         */
    TN_DIM_TIME = -2,           /* T                                                         */
    TN_DIM_LANES = -3,          /* L                                                         */
    TN_DIM_FIRST_BATCH = -4,    /* reserved: the rows of other batches                       */
    TN_DIM_FIRST_DERIVED = -16, /* members of ensembles                                      */
    TN_DIM_FIRST_GROUP = -512,  /* groups of agents                                          */
    TN_DIM_FIRST_MADE = -1024   /* dimensions that a graph creates by spread and stack       */
};

/* 8 in plugins that were built with the first headers of 0.1: see tn_graph_api.type_of. */
enum { TN_MAX_RANK = 12 };

typedef struct tn_type {
    uint32_t struct_size; /* set by the caller */
    int32_t dtype;        /* TN_REAL, TN_I64 or TN_BOOL */
    uint32_t rank;
    uint32_t reserved;
    int64_t dim[TN_MAX_RANK]; /* symbols first, then sizes; stays the last field, because its length has grown */
} tn_type;

/* Where the author wrote the node. The host copies it. file and function are null-terminated or null. */
typedef struct tn_source {
    const char* file;
    const char* function;
    uint32_t line;
    uint32_t column;
} tn_source;

enum {
    TN_ATTRIBUTE_INT = 1,    /* integer          */
    TN_ATTRIBUTE_FLOAT = 2,  /* real             */
    TN_ATTRIBUTE_STRING = 3, /* text             */
    TN_ATTRIBUTE_INTS = 4,   /* integers[count]  */
    TN_ATTRIBUTE_STRINGS = 5 /* texts[count]     */
};

typedef struct tn_attribute {
    uint32_t struct_size;
    int32_t kind;
    tn_str key;
    int64_t integer;
    double real;
    tn_str text;
    const int64_t* integers;
    const tn_str* texts;
    uint64_t count;
} tn_attribute;

/* One node to be added. Everything is borrowed for the duration of the call. */
typedef struct tn_node {
    uint32_t struct_size;
    uint32_t op; /* from find_op */
    const tn_value* in;
    const tn_attribute* const* attributes;
    uint32_t in_count;
    uint32_t attribute_count;
    tn_value* out; /* [out_capacity], written by the host */
    uint32_t out_capacity;
    uint32_t flags; /* 0 */
    const tn_source* source;
} tn_node;

/* The builder. */
typedef struct tn_graph_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* Returns the number of the op with exactly this name and revision, for use in emit, or 0 if this host does not
     * have it. The number is valid for this graph only. emit with op 0 records one sentence, with the name of the
     * latest search. */
    uint32_t (*find_op)(tn_graph* graph, const char* name, uint32_t revision);

    /* Adds a node and writes as many values as the op has results (at most out_capacity; the others are 0). If an equal
     * node exists already and is not random, its values are returned. TN_INVALID_ARGUMENT, TN_NOT_FOUND,
     * TN_UNIMPLEMENTED: the error is recorded and all outputs are 0. */
    tn_status (*emit)(tn_graph* graph, const tn_node* node);

    /* The type of a value. TN_INVALID_ARGUMENT for value 0 and unknown values; no error is recorded. If the value has
     * more dimensions than struct_size leaves room for, the error is recorded. */
    tn_status (*type_of)(tn_graph* graph, tn_value value, tn_type* type);

    /* The spec of a column as wired, for sizes that decide the structure, such as the number of actions. Valid during
     * build. TN_NOT_FOUND; the error is recorded unless optional is not 0. */
    tn_status (*spec_of)(tn_graph* graph, tn_str key, int32_t optional, const tn_source* source, const tn_spec** spec);

    /* Opens a region and writes into body the values that represent the node's inputs inside it. node->op is
     *   "composite": attributes name and revision. A host that knows this name and revision may use its own kernel
     *                instead of the body, with the same result.
     *   "scan": attribute carries = n. in[0 .. n) are the initial carried values. The other inputs are sequences over
     *           time T; inside the body they have no time dimension. The attribute reset, if given, is the index of the
     *           input (boolean, over time) that resets the carried values to zero before a step.
     *           Since revision 2 a scan has the attributes steps and name instead of reset. It runs that many times,
     *           along a dimension of that name, which takes the place of time in all of the above.
     * node->out is not used. Regions may be nested. */
    tn_status (*region_begin)(tn_graph* graph, const tn_node* node, tn_value* body, uint32_t body_capacity);

    /* Closes the innermost region. The outputs of a composite are its results. The first n results of a scan are the
     * carried values of the next step; all results are outputs, with the dimension of the steps. */
    tn_status (*region_end)(tn_graph* graph, const tn_value* results, uint32_t result_count, tn_value* out,
                            uint32_t out_capacity);

    /* In an eager build, writes up to capacity elements of a value computed on the sample batch, and the total number
     * of elements to *count. TN_UNAVAILABLE in any other build. */
    tn_status (*peek)(tn_graph* graph, tn_value value, double* data, uint64_t capacity, uint64_t* count);

    /* The specs of the columns that the env takes as its action, in the env's order. Valid during build. If there are
     * several ("action.move" and "action.dial") and none is called "action", the graph may still read a column
     * "action": the elements of all action columns, concatenated in this order as one row of real numbers. An output
     * "action" of a policy's sample or mode is such a row as well, and the host splits it into the columns. */
    tn_status (*actions)(tn_graph* graph, const tn_spec* const** list, uint32_t* count);
} tn_graph_api;

/* A function that a component exports: a policy's "sample", "mode", "log_prob", "q"; an objective's "prepare",
 * "update", "conclude". The names of inputs and of outputs are separated by blanks. Acting stores each output in the
 * column of the same name. */
typedef struct tn_function {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    const char* name;
    const char* inputs;
    const char* outputs;
} tn_function;

typedef struct tn_build_args {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    const char* function;
    const tn_graph_api* api;
    tn_graph* graph;
    const tn_value* in; /* one for each input of the function; 0 for one that failed */
    uint32_t in_count;
    uint32_t out_capacity;
    tn_value* out; /* to be written: one for each output of the function */
    /* What the function is built for: "train" (an update), "act" (acting while training) or "eval" (acting without
     * random draws, preparing and concluding a batch, and where an objective asks for it). It decides between the
     * training and evaluation behaviour of layers such as dropout. */
    const char* mode;
} tn_build_args;

typedef struct tn_graph_component_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* The functions that the instance exports: a constant array, valid as long as the instance. It may depend on the
     * options. */
    tn_status (*functions)(void* self, const tn_function* const** list, uint32_t* count);

    /* Builds one function. It is pure: the same options and inputs add the same nodes. The host may call it again for
     * another graph, dtype or process. The builder records mistakes. A status other than TN_OK means that the function
     * could not be built at all; the reason is in set_error. TN_INVALID_ARGUMENT: the component does not support what
     * it is wired to, for example a continuous action where it needs a categorical one. */
    tn_status (*build)(void* self, const tn_build_args* args);
} tn_graph_component_api;

#endif
