// SPDX-License-Identifier: Apache-2.0
#include "run/import/zip_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tenon {
namespace {

constexpr std::string_view kEntry("PK\3\4", 4);
constexpr std::string_view kListed("PK\1\2", 4);
constexpr std::string_view kEnd("PK\5\6", 4);
constexpr std::size_t kEntrySize = 30;  // this and the next two: without names and comments
constexpr std::size_t kListedSize = 46;
constexpr std::size_t kEndSize = 22;

// A little-endian number; the caller has checked that it is there.
std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t size) {
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < size; ++i) {
        out |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    }
    return out;
}

bool has(std::string_view bytes, std::size_t at, std::size_t size) {
    return at <= bytes.size() && size <= bytes.size() - at;
}

Problem damaged(std::string_view subject, const std::string& what) {
    return input_problem(std::string(subject) + " is a damaged zip file: " + what);
}

}  // namespace

bool looks_like_zip(std::string_view bytes) {
    return bytes.starts_with(kEntry);
}

Result<std::vector<ZipEntry>> read_zip(std::string_view bytes, std::string_view subject) {
    const std::size_t end = bytes.rfind(kEnd);
    if (end == std::string_view::npos || !has(bytes, end, kEndSize)) {
        return damaged(subject, "it has no list of its entries, so it is probably cut off");
    }
    const std::uint64_t count = number(bytes, end + 10, 2);
    std::size_t at = number(bytes, end + 16, 4);
    if (count == 0xFFFF || at == 0xFFFFFFFF) {
        return input_problem(std::string(subject) + " is a zip file of more than 4 GB, which is not read");
    }
    std::vector<ZipEntry> out;
    for (std::uint64_t i = 0; i < count; ++i) {
        if (!has(bytes, at, kListedSize) || bytes.substr(at, 4) != kListed) {
            return damaged(subject, "entry " + std::to_string(i) + " of its list is not there");
        }
        const std::uint64_t flags = number(bytes, at + 8, 2);
        const std::uint64_t method = number(bytes, at + 10, 2);
        const std::size_t size = number(bytes, at + 24, 4);
        const std::size_t name = number(bytes, at + 28, 2);
        const std::size_t begins = number(bytes, at + 42, 4);
        if (!has(bytes, at + kListedSize, name)) {
            return damaged(subject, "the name of entry " + std::to_string(i) + " is cut off");
        }
        ZipEntry entry{.name = bytes.substr(at + kListedSize, name), .bytes = {}, .stored = false};
        at += kListedSize + name + number(bytes, at + 30, 2) + number(bytes, at + 32, 2);
        if (method == 0 && (flags & 1) == 0) {
            const bool there = has(bytes, begins, kEntrySize) && bytes.substr(begins, 4) == kEntry;
            const std::size_t data =
                there ? begins + kEntrySize + number(bytes, begins + 26, 2) + number(bytes, begins + 28, 2) : 0;
            if (!there || !has(bytes, data, size)) {
                return damaged(subject, "the bytes of " + std::string(entry.name) + " are not there");
            }
            entry.bytes = bytes.substr(data, size);
            entry.stored = true;
        }
        out.push_back(entry);
    }
    return out;
}

Result<std::string_view> stored_entry(const std::vector<ZipEntry>& entries, std::string_view name,
                                      std::string_view subject) {
    const auto found = std::ranges::find(entries, name, &ZipEntry::name);
    if (found == entries.end()) {
        return input_problem(std::string(subject) + " has no entry " + std::string(name));
    }
    if (!found->stored) {
        return input_problem(std::string(subject) + ": the entry " + std::string(name) +
                                 " is compressed or encrypted, and only stored entries are read",
                             {}, "write the zip file again without compression");
    }
    return found->bytes;
}

}  // namespace tenon
