// SPDX-License-Identifier: Apache-2.0
// The entries of a zip file in memory, stored or deflated. An entry in another form is refused when it is read. The
// bytes may be anything: entries that would become much larger than entries of weights do are refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"

namespace tenon {

struct ZipEntry {
    enum class Form : std::uint8_t { kStored, kDeflated, kOther };

    std::string_view name;   // this and bytes: borrowed from the file
    std::string_view bytes;  // as they are in the file; empty for other forms
    Form form = Form::kOther;
    std::size_t size = 0;  // decompressed
    std::uint32_t checksum = 0;
};

[[nodiscard]] bool looks_like_zip(std::string_view bytes);

class ZipArchive {
public:
    // The problem's sentence begins with `subject`. Borrows both.
    static Result<ZipArchive> open(std::string_view bytes, std::string_view subject);

    [[nodiscard]] std::span<const ZipEntry> entries() const { return entries_; }
    // The bytes of the entry with that name; they stay as long as the archive. An entry is decompressed once.
    Result<std::string_view> read(std::string_view name);
    // How many bytes have been decompressed.
    [[nodiscard]] std::size_t decompressed() const { return decompressed_; }

private:
    ZipArchive(std::string_view subject, std::size_t most) : subject_(subject), most_(most) {}
    Result<std::string_view> decompress(const ZipEntry& entry);

    std::string_view subject_;
    std::size_t most_;  // bytes, of all entries together
    std::vector<ZipEntry> entries_;
    std::map<std::string_view, std::string> read_;  // those that were compressed
    std::size_t decompressed_ = 0;
};

}  // namespace tenon
