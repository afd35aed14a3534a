// SPDX-License-Identifier: Apache-2.0
// The only file that includes zlib.h.
#include "base/file/deflate.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tenon {
namespace {

const Bytef* first_of(std::string_view bytes) {
    return reinterpret_cast<const Bytef*>(bytes.data());
}

}  // namespace

Result<std::string> compress(std::string_view bytes) {
    uLongf size = compressBound(bytes.size());
    std::string out(size, '\0');
    if (compress2(reinterpret_cast<Bytef*>(out.data()), &size, first_of(bytes), bytes.size(), Z_BEST_SPEED) != Z_OK) {
        return environment_problem("not enough memory to compress " + std::to_string(bytes.size()) + " bytes");
    }
    out.resize(size);
    return out;
}

// `size` comes from the file and may be wrong, so the output grows only with what is decompressed.
std::optional<std::string> inflate(std::string_view bytes, std::size_t size) {
    constexpr std::size_t kAtOnce = std::size_t{1} << 30U;  // zlib counts in 32 bits
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
        return std::nullopt;
    }
    std::string out;
    std::array<char, 1U << 15U> part{};
    int state = Z_OK;
    while (state == Z_OK && out.size() <= size) {
        if (stream.avail_in == 0) {
            const std::string_view next = bytes.substr(0, kAtOnce);
            bytes.remove_prefix(next.size());
            stream.next_in = const_cast<Bytef*>(first_of(next));
            stream.avail_in = static_cast<uInt>(next.size());
        }
        stream.next_out = reinterpret_cast<Bytef*>(part.data());
        stream.avail_out = part.size();
        state = ::inflate(&stream, Z_NO_FLUSH);
        out.append(part.data(), part.size() - stream.avail_out);
    }
    inflateEnd(&stream);
    return state == Z_STREAM_END && out.size() == size ? std::optional(std::move(out)) : std::nullopt;
}

std::uint32_t crc32(std::string_view bytes) {
    return static_cast<std::uint32_t>(::crc32_z(0, first_of(bytes), bytes.size()));
}

}  // namespace tenon
