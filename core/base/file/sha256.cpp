// SPDX-License-Identifier: Apache-2.0
#include "base/file/sha256.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "base/file/read.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace tenon {
namespace {

using State = std::array<std::uint32_t, 8>;

constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian(const unsigned char* bytes) {
    return std::uint32_t{bytes[0]} << 24U | std::uint32_t{bytes[1]} << 16U | std::uint32_t{bytes[2]} << 8U | bytes[3];
}

void take_block(State& state, const unsigned char* bytes) {
    std::array<std::uint32_t, 64> w;
    for (std::size_t i = 0; i < 16; ++i) {
        w[i] = big_endian(bytes + 4 * i);
    }
    for (std::size_t i = 16; i < 64; ++i) {
        const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3U);
        const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10U);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < 64; ++i) {
        const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
        const std::uint32_t first = h + s1 + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
        const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
        const std::uint32_t second = s0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + second;
    }
    const std::array<std::uint32_t, 8> sum = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) {
        state[i] += sum[i];
    }
}

#if defined(__x86_64__)
// Two instructions make four rounds, and keep the state as ABEF and CDGH. Two others make the next four words of the
// message.
__attribute__((target("sha,sse4.1"))) void take_by_instructions(State& state, const unsigned char* bytes,
                                                                std::size_t blocks) {
    const auto load = [](const void* from) __attribute__((target("sha,sse4.1"))) {
        return _mm_loadu_si128(static_cast<const __m128i*>(from));
    };
    const auto add = [](__m128i a, __m128i b) {
        using Words __attribute__((vector_size(16))) = std::uint32_t;
        return reinterpret_cast<__m128i>(reinterpret_cast<Words>(a) + reinterpret_cast<Words>(b));
    };
    const __m128i big_endian_words = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const __m128i cdab = _mm_shuffle_epi32(load(state.data()), 0xb1);
    const __m128i efgh = _mm_shuffle_epi32(load(state.data() + 4), 0x1b);
    __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
    __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
    for (; blocks > 0; --blocks, bytes += 64) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        __m128i w[4];
#pragma GCC unroll 16
        for (std::size_t i = 0; i < 16; ++i) {
            __m128i& now = w[i % 4];
            const __m128i after = w[(i + 1) % 4], newer = w[(i + 2) % 4], newest = w[(i + 3) % 4];
            now = i < 4 ? _mm_shuffle_epi8(load(bytes + 16 * i), big_endian_words)
                        : _mm_sha256msg2_epu32(add(_mm_sha256msg1_epu32(now, after), _mm_alignr_epi8(newest, newer, 4)),
                                               newest);
            const __m128i sum = add(now, load(kRound.data() + 4 * i));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
        }
        abef = add(abef, abef_before);
        cdgh = add(cdgh, cdgh_before);
    }
    const __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data()), _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data() + 4), _mm_alignr_epi8(dchg, feba, 8));
}
#endif

}  // namespace

bool has_sha_instructions() {
#if defined(__x86_64__)
    static const bool has = [] {
        unsigned a = 0, b = 0, c = 0, d = 0;
        return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0 && __builtin_cpu_supports("sse4.1");
    }();
    return has;
#else
    return false;
#endif
}

void Sha256::take(const unsigned char* bytes, std::size_t blocks) {
#if defined(__x86_64__)
    if (by_instructions_) {
        return take_by_instructions(state_, bytes, blocks);
    }
#endif
    for (; blocks > 0; --blocks, bytes += rest_.size()) {
        take_block(state_, bytes);
    }
}

void Sha256::add(std::string_view bytes) {
    total_ += bytes.size();
    while (!bytes.empty()) {
        if (const std::size_t whole = bytes.size() / rest_.size(); used_ == 0 && whole > 0) {
            take(reinterpret_cast<const unsigned char*>(bytes.data()), whole);
            bytes.remove_prefix(whole * rest_.size());
            continue;
        }
        const std::size_t taken = std::min(bytes.size(), rest_.size() - used_);
        std::memcpy(rest_.data() + used_, bytes.data(), taken);
        used_ += taken;
        bytes.remove_prefix(taken);
        if (used_ == rest_.size()) {
            take(rest_.data(), 1);
            used_ = 0;
        }
    }
}

std::string Sha256::finish() {
    const std::uint64_t bits = total_ * 8;
    add(std::string_view("\x80", 1));
    while (used_ != 56) {
        add(std::string_view("\0", 1));
    }
    std::array<char, 8> length;
    for (std::size_t i = 0; i < 8; ++i) {
        length[i] = static_cast<char>(bits >> (56U - 8U * i) & 255U);
    }
    add({length.data(), length.size()});
    std::string digits;
    for (const std::uint32_t word : state_) {
        for (unsigned shift = 32; shift > 0; shift -= 4) {
            digits += "0123456789abcdef"[word >> (shift - 4) & 15U];
        }
    }
    return digits;
}

std::string sha256(std::string_view bytes) {
    Sha256 hash;
    hash.add(bytes);
    return hash.finish();
}

Result<std::string> sha256_of_file(const std::filesystem::path& path) {
    const FileDescriptor file = TENON_TRY(open_to_read(path));
    Sha256 hash;
    std::array<char, std::size_t{1} << 16U> block;
    for (;;) {
        const ssize_t got = ::read(file.get(), block.data(), block.size());
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return file_problem("read", path, errno);
        }
        if (got == 0) {
            return hash.finish();
        }
        hash.add({block.data(), static_cast<std::size_t>(got)});
    }
}

}  // namespace tenon
