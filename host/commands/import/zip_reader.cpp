// SPDX-License-Identifier: Apache-2.0
#include "commands/import/zip_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/file/deflate.hpp"

namespace tenon {
namespace {

constexpr std::string_view kEntry("PK\3\4", 4);
constexpr std::string_view kListed("PK\1\2", 4);
constexpr std::string_view kEnd("PK\5\6", 4);
constexpr std::size_t kEntrySize = 30;  // this and the next two: without names and comments
constexpr std::size_t kListedSize = 46;
constexpr std::size_t kEndSize = 22;
constexpr std::size_t kMostTimes = 32;  // the limit of all entries together: so many times the file's size,
constexpr std::size_t kMostShrunken = std::size_t{1} << 24;  // and so many bytes more

// A little-endian number; the caller has checked that the bytes exist.
std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t size) {
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < size; ++i) {
        out |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    }
    return out;
}

ZipEntry::Form form_of(std::uint64_t method, std::uint64_t flags) {
    constexpr std::uint64_t kEncrypted = 1;
    constexpr std::uint64_t kDeflated = 8;
    return (flags & kEncrypted) != 0 ? ZipEntry::Form::kOther
           : method == 0             ? ZipEntry::Form::kStored
           : method == kDeflated     ? ZipEntry::Form::kDeflated
                                     : ZipEntry::Form::kOther;
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

Result<ZipArchive> ZipArchive::open(std::string_view bytes, std::string_view subject) {
    const std::size_t end = bytes.rfind(kEnd);
    if (end == std::string_view::npos || !has(bytes, end, kEndSize)) {
        return damaged(subject, "it has no list of its entries, so it is probably cut off");
    }
    const std::uint64_t count = number(bytes, end + 10, 2);
    std::size_t at = number(bytes, end + 16, 4);
    if (count == 0xFFFF || at == 0xFFFFFFFF) {
        return input_problem(std::string(subject) + " is a zip file of more than 4 GB, which is not read");
    }
    ZipArchive out(subject, kMostShrunken + kMostTimes * bytes.size());
    for (std::uint64_t i = 0; i < count; ++i) {
        if (!has(bytes, at, kListedSize) || bytes.substr(at, 4) != kListed) {
            return damaged(subject, "entry " + std::to_string(i) + " of its list is missing");
        }
        const std::uint64_t flags = number(bytes, at + 8, 2);
        const std::uint64_t method = number(bytes, at + 10, 2);
        const std::size_t size = number(bytes, at + 20, 4);
        const std::size_t name = number(bytes, at + 28, 2);
        const std::size_t begins = number(bytes, at + 42, 4);
        if (!has(bytes, at + kListedSize, name)) {
            return damaged(subject, "the name of entry " + std::to_string(i) + " is cut off");
        }
        ZipEntry entry{.name = bytes.substr(at + kListedSize, name),
                       .bytes = {},
                       .form = form_of(method, flags),
                       .size = number(bytes, at + 24, 4),
                       .checksum = static_cast<std::uint32_t>(number(bytes, at + 16, 4))};
        at += kListedSize + name + number(bytes, at + 30, 2) + number(bytes, at + 32, 2);
        if (entry.form != ZipEntry::Form::kOther) {
            const bool is_entry = has(bytes, begins, kEntrySize) && bytes.substr(begins, 4) == kEntry;
            const std::size_t data =
                is_entry ? begins + kEntrySize + number(bytes, begins + 26, 2) + number(bytes, begins + 28, 2) : 0;
            if (!is_entry || !has(bytes, data, size)) {
                return damaged(subject, "the bytes of " + std::string(entry.name) + " are missing");
            }
            entry.bytes = bytes.substr(data, size);
        }
        out.entries_.push_back(entry);
    }
    return out;
}

Result<std::string_view> ZipArchive::read(std::string_view name) {
    const auto found = std::ranges::find(entries_, name, &ZipEntry::name);
    if (found == entries_.end()) {
        return input_problem(std::string(subject_) + " has no entry " + std::string(name));
    }
    if (found->form == ZipEntry::Form::kOther) {
        return input_problem(std::string(subject_) + ": the entry " + std::string(name) +
                                 " is encrypted, or compressed in another way than deflate",
                             {}, "write the zip file again without compression");
    }
    return found->form == ZipEntry::Form::kStored ? found->bytes : decompress(*found);
}

Result<std::string_view> ZipArchive::decompress(const ZipEntry& entry) {
    if (const auto known = read_.find(entry.name); known != read_.end()) {
        return std::string_view(known->second);
    }
    if (entry.size > most_ - decompressed_) {
        return input_problem(std::string(subject_) + ": the entry " + std::string(entry.name) + " has " +
                                 std::to_string(entry.size) + " bytes in " + std::to_string(entry.bytes.size()) +
                                 " compressed ones, which no weights have",
                             {}, "write the zip file again without compression");
    }
    std::optional<std::string> out = inflate(entry.bytes, entry.size);
    if (!out || crc32(*out) != entry.checksum) {
        return damaged(subject_, "the entry " + std::string(entry.name) + " does not decompress to what was stored");
    }
    decompressed_ += out->size();
    return std::string_view(read_.emplace(entry.name, *std::move(out)).first->second);
}

}  // namespace tenon
