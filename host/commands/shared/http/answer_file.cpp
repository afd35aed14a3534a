// SPDX-License-Identifier: Apache-2.0
#include "shared/http/answer_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file/sync.hpp"

namespace tenon {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16U;

struct Span {
    std::uint64_t begin = 0, end = 0;
};

// The bytes that "bytes=A-B" or "bytes=A-" asks for. Anything else gets the whole file, as the protocol permits.
std::optional<Span> asked(std::string_view range, std::uint64_t size) {
    constexpr std::string_view kUnit = "bytes=";
    if (!range.starts_with(kUnit)) {
        return std::nullopt;
    }
    range.remove_prefix(kUnit.size());
    Span out{.end = size};
    const char* end = range.data() + range.size();
    const auto first = std::from_chars(range.data(), range.data() + range.size(), out.begin);
    if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '-') {
        return std::nullopt;
    }
    if (first.ptr + 1 != end) {
        std::uint64_t last = 0;
        const auto read = std::from_chars(first.ptr + 1, end, last);
        if (read.ec != std::errc{} || read.ptr != end || last < out.begin) {
            return std::nullopt;
        }
        out.end = std::min(size, last == UINT64_MAX ? size : last + 1);
    }
    return out;
}

}  // namespace

HttpResponse answer_file(const std::filesystem::path& path, std::string type, const HttpRequest& request) {
    auto file = std::make_shared<FileDescriptor>(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat info{};
    if (file->get() < 0 || ::fstat(file->get(), &info) != 0 || !S_ISREG(info.st_mode)) {
        return refusal(404, "there is no such file");
    }
    const auto size = static_cast<std::uint64_t>(info.st_size);
    HttpResponse out{.type = std::move(type), .headers = {{"Accept-Ranges", "bytes"}}};
    Span span{.end = size};
    if (const std::optional<Span> part = asked(request.range, size)) {
        if (part->begin >= size) {
            HttpResponse beyond = refusal(416, "the file is shorter than that");
            beyond.headers.emplace_back("Content-Range", "bytes */" + std::to_string(size));
            return beyond;
        }
        span = *part;
        out.status = 206;
        out.headers.emplace_back("Content-Range", "bytes " + std::to_string(span.begin) + "-" +
                                                      std::to_string(span.end - 1) + "/" + std::to_string(size));
    }
    out.length = span.end - span.begin;
    out.pieces = [file = std::move(file), span]() mutable -> std::optional<std::string> {
        std::string piece(std::min<std::uint64_t>(kPiece, span.end - span.begin), '\0');
        const ssize_t got = ::pread(file->get(), piece.data(), piece.size(), static_cast<off_t>(span.begin));
        if (got <= 0) {
            return std::nullopt;  // complete, or cut meanwhile: the client sees that it is shorter
        }
        piece.resize(static_cast<std::size_t>(got));
        span.begin += piece.size();
        return piece;
    };
    return out;
}

}  // namespace tenon
