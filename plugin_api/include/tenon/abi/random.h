/* SPDX-License-Identifier: Apache-2.0 */
/* Philox4x32-10, the counter-based generator behind every random number of a run (Salmon et al., "Parallel random
 * numbers: as easy as 1, 2, 3", SC 2011). It is part of the ABI: host and plugins compute the same bits from the same
 * key and counter, on any thread and in any order. To save a generator it is enough to save its counter. */
#ifndef TENON_ABI_RANDOM_H
#define TENON_ABI_RANDOM_H

#include "tenon/abi/types.h"

/* Identifies a random stream: made from the run's seed and the consumer's name, so that streams never overlap. */
typedef struct tn_key {
    uint64_t seed;
    uint64_t stream;
} tn_key;

typedef struct tn_random_block {
    uint32_t word[4];
} tn_random_block;

/* Block number `counter` of the stream. The stream id takes the counter's upper half, so each stream has 2^64 blocks.
 * [any] */
static inline tn_random_block tn_philox(tn_key key, uint64_t counter) {
    uint32_t c0 = (uint32_t)counter, c1 = (uint32_t)(counter >> 32);
    uint32_t c2 = (uint32_t)key.stream, c3 = (uint32_t)(key.stream >> 32);
    uint32_t k0 = (uint32_t)key.seed, k1 = (uint32_t)(key.seed >> 32);
    tn_random_block out;
    for (int round = 0; round < 10; ++round) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c0;
        uint64_t p1 = (uint64_t)0xCD9E8D57u * c2;
        uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        uint32_t n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        c0 = n0;
        c2 = n2;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out.word[0] = c0;
    out.word[1] = c1;
    out.word[2] = c2;
    out.word[3] = c3;
    return out;
}

/* 53 random bits as a double in [0, 1). [any] */
static inline double tn_uniform(uint32_t high, uint32_t low) {
    return (double)((((uint64_t)high << 32) | low) >> 11) * (1.0 / 9007199254740992.0);
}

/* An index in [0, n), n > 0, from 32 random bits: the upper half of the product. Its bias is below n / 2^32. [any] */
static inline uint32_t tn_below(uint32_t bits, uint32_t n) {
    return (uint32_t)(((uint64_t)bits * n) >> 32);
}

#endif
