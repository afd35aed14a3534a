/* SPDX-License-Identifier: Apache-2.0 */
/* "tenon.graph/1": policies, objectives and transforms as graphs. The host calls build once per kind of use; the plugin
 * describes the computation with the builder and is not needed in the training loop. All of it is [control] and valid
 * during build only.
 *
 * A transform has a function "apply" of one input and one output, and an option "column" or "columns": whoever reads
 * one of these columns in a program, now or under "next.", gets what apply makes of it. What is stored is not changed.
 *
 * Everything is a node: arithmetic, a batch column, a parameter, the call of a policy's function, a loss. The ops,
 * their revisions, attributes and exact rules are listed in docs/reference/ops.md; a revision never changes. Shapes
 * have symbols for the leading dimensions (rows, time, lanes, members), whose sizes a plugin never sees, and numbers
 * for the others.
 *
 * Errors are sticky: a call that cannot be made returns a status, gives value 0 and is recorded with the author's file
 * and line; nodes that use value 0 give 0 without another message, so that one build finds every mistake. */
#ifndef TENON_ABI_GRAPH_H
#define TENON_ABI_GRAPH_H

#include "tenon/abi/spec.h"
#include "tenon/abi/types.h"

typedef struct tn_graph tn_graph; /* the host's */
typedef uint32_t tn_value;        /* 0: poisoned */

/* Leading dimensions in tn_type.dim. Numbers below TN_DIM_FIRST_DERIVED are given out by the host, one per ensemble,
 * say. */
enum {
    TN_DIM_ROWS = -1,           /* B */
    TN_DIM_TIME = -2,           /* T */
    TN_DIM_LANES = -3,          /* L */
    TN_DIM_FIRST_DERIVED = -16, /* down to above the next: members of ensembles */
    TN_DIM_FIRST_MADE = -1024   /* and below: what a graph has made by spread and stack */
};

enum { TN_MAX_RANK = 8 };

typedef struct tn_type {
    uint32_t struct_size; /* set by the caller */
    int32_t dtype;        /* TN_REAL, TN_I64 or TN_BOOL */
    uint32_t rank;
    uint32_t reserved;
    int64_t dim[TN_MAX_RANK]; /* symbols first, then sizes */
} tn_type;

/* Where the author wrote the node. Copied by the host. file and function end in a zero or are null. */
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

/* One node to be added. Everything is borrowed for the call. */
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

    /* The number of an op of exactly that name and revision, for emit; 0 where this host has none. The number is good
     * for this graph only. emit with op 0 records one sentence with the name asked for last. */
    uint32_t (*find_op)(tn_graph* graph, const char* name, uint32_t revision);

    /* Adds a node and writes as many values as the op has results (at most out_capacity; the others are 0). A node
     * equal to one that is there already, random ones apart, gives the same values. TN_INVALID_ARGUMENT, TN_NOT_FOUND,
     * TN_UNIMPLEMENTED: recorded, all outputs 0. */
    tn_status (*emit)(tn_graph* graph, const tn_node* node);

    /* The type of a value. TN_INVALID_ARGUMENT for value 0 and unknown ones, without a record. */
    tn_status (*type_of)(tn_graph* graph, tn_value value, tn_type* type);

    /* The spec of a column as wired, for sizes that decide the structure: how many actions, which bounds. Valid during
     * build. TN_NOT_FOUND, recorded unless optional is not 0. */
    tn_status (*spec_of)(tn_graph* graph, tn_str key, int32_t optional, const tn_source* source, const tn_spec** spec);

    /* Opens a region and writes into body the values that stand for the node's inputs inside it. node->op is
     *   "composite": attributes name and revision; a host that knows that name and revision may use a kernel of its own
     *                instead of the body, with the same result;
     *   "scan": attribute carries = n; in[0 .. n) are first values of what is carried, the others run over time T and
     *           stand in the body without it; attribute reset, if given, is the number of the input (boolean, over
     * time) that puts the carried values back to zero before a step. node->out is not used. Regions nest. */
    tn_status (*region_begin)(tn_graph* graph, const tn_node* node, tn_value* body, uint32_t body_capacity);

    /* Closes the innermost region. A composite's outputs are its results. Of a scan's results the first n are the
     * carried values of the next step; its outputs are all results, with time. */
    tn_status (*region_end)(tn_graph* graph, const tn_value* results, uint32_t result_count, tn_value* out,
                            uint32_t out_capacity);

    /* In an eager build, up to capacity elements of a value computed on the sample batch, and their full number in
     * *count. TN_UNAVAILABLE in any other build. */
    tn_status (*peek)(tn_graph* graph, tn_value value, double* data, uint64_t capacity, uint64_t* count);

    /* The specs of the columns that the env takes as its action, in the order in which it lists them. Valid during
     * build. Where there are several, "action.move" and "action.dial", and none that is called "action", a column
     * "action" is read all the same: the elements of all, one column after the other, as one row of real numbers. An
     * output "action" of a policy's sample and mode is such a row, too, and the host cuts it into the columns. */
    tn_status (*actions)(tn_graph* graph, const tn_spec* const** list, uint32_t* count);
} tn_graph_api;

/* A function that a component exports: a policy's "sample", "mode", "log_prob", "q"; an objective's "prepare",
 * "update", "conclude". Inputs and outputs are names separated by blanks; acting stores outputs in the columns of their
 * names. */
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
    const tn_value* in; /* as many as the function has inputs */
    uint32_t in_count;
    uint32_t out_capacity;
    tn_value* out; /* to be written: as many as the function has outputs */
    /* What the function is called for: "train" (an update), "act" (acting while training), "eval" (acting without
     * drawing, preparing and concluding a batch, and where an objective asks for it). Layers that differ between
     * training and use go by it. */
    const char* mode;
} tn_build_args;

typedef struct tn_graph_component_api {
    uint32_t struct_size;
    uint32_t flags; /* 0 */

    /* The functions the instance exports: a constant array, valid as long as the instance. It may depend on the
     * options. */
    tn_status (*functions)(void* self, const tn_function* const** list, uint32_t* count);

    /* Builds one function. Pure: the same options and inputs add the same nodes; the host may call it again, in another
     * graph, dtype or process. Mistakes are recorded by the builder; a status other than TN_OK means the function could
     * not be built at all, with the reason in set_error. TN_INVALID_ARGUMENT: what it has been wired with does not suit
     * it, a continuous action where it needs a categorical one for example. */
    tn_status (*build)(void* self, const tn_build_args* args);
} tn_graph_component_api;

#endif
