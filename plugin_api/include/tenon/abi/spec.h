/* SPDX-License-Identifier: Apache-2.0 */
/* The permitted values of one column. The same grammar serves observations, actions, rewards and states. */
#ifndef TENON_ABI_SPEC_H
#define TENON_ABI_SPEC_H

#include "tenon/abi/types.h"

enum {
    TN_SPEC_UNBOUNDED = 1,         /* any value of the dtype                                        */
    TN_SPEC_BOUNDED = 2,           /* low <= value <= high, element by element                      */
    TN_SPEC_CATEGORICAL = 3,       /* an index 0 .. categories[0]-1                                 */
    TN_SPEC_ONE_HOT = 4,           /* the size of the last dimension is categories[0]; exactly one element is 1 */
    TN_SPEC_MULTI_CATEGORICAL = 5, /* the size of the last dimension is category_count; one index per element */
    TN_SPEC_BINARY = 6             /* every element 0 or 1                                          */
};

/* Flags of a row of tokens: TN_SPEC_MULTI_CATEGORICAL with one size (after that of a group) and the same number of
 * choices everywhere, which is the vocabulary. It has TN_SPEC_TEXT, and the env also has the column KEY_length:
 * TN_SPEC_CATEGORICAL without sizes, in the same group, whose choices are 0 to the row's size. It says how many tokens
 * there are; the others are padding. */
enum {
    TN_SPEC_TEXT = 1,     /* the tokens are the first ones of the row */
    TN_SPEC_TEXT_LAST = 2 /* with TN_SPEC_TEXT: they are the last ones, as in a prompt that an answer follows */
};

/* The role of the column in the loop that steps the environment. */
enum {
    TN_ROLE_OBSERVATION = 1, /* written by reset and step, read by policies            */
    TN_ROLE_ACTION = 2,      /* written by policies, read by step                      */
    TN_ROLE_REWARD = 3,      /* written by step                                        */
    TN_ROLE_STATE = 4,       /* carried by policies from step to step, per lane        */
    TN_ROLE_EXTRA = 5,       /* written by reset and step, read on request */
    TN_ROLE_END = 6          /* written by step: which agents of a group have ended, see tenon/abi/env.h */
};

/* Everything pointed to belongs to the publisher of the spec and stays valid as long as the instance it describes. */
typedef struct tn_spec {
    uint32_t struct_size;
    int32_t kind;
    int32_t role;
    int32_t dtype; /* TN_F32 ... TN_BOOL */
    tn_str key;
    const int64_t* shape; /* [rank], without slot and lane; null where rank is 0 */
    uint32_t rank;
    uint32_t bound_count;      /* 0, 1 (for all elements) or the number of elements; the same for both arrays */
    const double* low;         /* [bound_count], infinities allowed */
    const double* high;        /* [bound_count] */
    const int64_t* categories; /* [category_count], each at least 1 */
    uint32_t category_count;
    uint32_t flags; /* of TN_SPEC_TEXT and TN_SPEC_TEXT_LAST */
    /* The group of agents that the column belongs to, or empty. Then the first size is the number of the group's
     * agents, the same for all of its columns, and the key is below the group's name: "agents.observation" of the group
     * "agents". A component of the group sees the column without this size, under the rest of the key. */
    tn_str group;
} tn_spec;

#endif
