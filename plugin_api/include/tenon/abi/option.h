/* SPDX-License-Identifier: Apache-2.0 */
/* The value of one option, as the host passes it.
 *
 * A component publishes its options in the plugin's note (plugin.h): name, type, default, range or choices, help.
 * Before it loads anything, the host checks the manifest against the note and fills in the defaults. It passes every
 * option in the order of the schema. A plugin need not check ranges again. */
#ifndef TENON_ABI_OPTION_H
#define TENON_ABI_OPTION_H

#include "tenon/abi/types.h"

enum {
    TN_OPTION_BOOL = 1,    /* integer: 0 or 1     */
    TN_OPTION_INT = 2,     /* integer             */
    TN_OPTION_FLOAT = 3,   /* real                */
    TN_OPTION_STRING = 4,  /* text                */
    TN_OPTION_INTS = 5,    /* integers[count]     */
    TN_OPTION_FLOATS = 6,  /* reals[count]        */
    TN_OPTION_STRINGS = 7, /* texts[count]       */
    TN_OPTION_TABLE = 8    /* text: a JSON object */
};

/* The text of a table has the keys in the order of the manifest. Integers have neither point nor exponent, floats have
 * one of the two and read back as the same double; infinities and NaN are Infinity, -Infinity and NaN. */

/* Borrowed: valid during create only. Copy what is needed later. */
typedef struct tn_option_value {
    uint32_t struct_size;
    int32_t type;
    tn_str name;
    int64_t integer;
    double real;
    tn_str text;
    const int64_t* integers;
    const double* reals;
    const tn_str* texts;
    uint64_t count;
} tn_option_value;

#endif
