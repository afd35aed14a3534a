// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint/bytes.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <exception>
#include <limits>
#include <utility>

#include "base/error/listed.hpp"
#include "base/file/read.hpp"
#include "base/file/sync.hpp"

namespace tenon {

void ByteWriter::begin(std::string_view tag, std::uint32_t version) {
    assert(tag.size() <= 255);
    number(static_cast<std::uint8_t>(tag.size()));
    raw(tag.data(), tag.size());
    number(version);
    open_.push_back(bytes_.size());
    number(std::uint64_t{0});
}

void ByteWriter::end() {
    assert(!open_.empty());
    const std::size_t place = open_.back();
    open_.pop_back();
    const std::uint64_t size = bytes_.size() - place - sizeof(std::uint64_t);
    std::memcpy(bytes_.data() + place, &size, sizeof size);
}

void ByteWriter::text(std::string_view value) {
    number(static_cast<std::uint64_t>(value.size()));
    raw(value.data(), value.size());
}

void ByteWriter::raw(const void* bytes, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(bytes);
    bytes_.insert(bytes_.end(), first, first + size);
}

std::span<const std::byte> ByteWriter::bytes() const {
    assert(open_.empty());
    return bytes_;
}

Status ByteWriter::write_to(const std::filesystem::path& file) const {
    return write_and_sync(file, {reinterpret_cast<const char*>(bytes().data()), bytes().size()});
}

ByteReader::ByteReader(std::span<const std::byte> bytes, std::string source)
    : bytes_(bytes), source_(std::move(source)) {}

Result<ByteReader> ByteReader::open(const std::filesystem::path& file) {
    const auto own = std::make_shared<const std::string>(TENON_TRY(read_file(file)));
    ByteReader out(std::as_bytes(std::span(*own)), file.string());
    out.own_ = own;
    return out;
}

std::size_t ByteReader::left() const {
    return (open_.empty() ? bytes_.size() : open_.back().end) - at_;
}

void ByteReader::fail(std::string_view what) {
    if (problem_) {
        return;
    }
    std::string sentence = "the saved state in " + source_ + " is damaged: ";
    if (!open_.empty()) {
        sentence += "section '" + open_.back().tag + "' ";
    }
    problem_ = input_problem(sentence + std::string(what));
}

std::uint32_t ByteReader::enter(std::string_view tag, std::uint32_t newest) {
    const std::string wanted = "'" + std::string(tag) + "'";
    if (left() == 0) {
        fail("ends where section " + wanted + " should begin");
    }
    std::string found(number<std::uint8_t>(), '\0');
    raw(found.data(), found.size());
    const auto version = number<std::uint32_t>();
    const auto size = number<std::uint64_t>();
    if (!problem_ && found != tag) {
        const bool readable = std::all_of(found.begin(), found.end(), [](char c) { return c >= ' ' && c <= '~'; });
        fail((readable ? "has section '" + found + "'" : std::string("has unreadable bytes")) + " where section " +
             wanted + " should be");
    }
    if (!problem_ && (version == 0 || version > newest)) {
        fail("has section " + wanted + " in version " + std::to_string(version) +
             ", this program reads up to version " + std::to_string(newest));
    }
    if (!problem_ && size > left()) {
        fail("has section " + wanted + " with " + counted(size, "byte") + ", of which only " + std::to_string(left()) +
             " are there");
    }
    // Recorded even on failure, so that leave() matches it.
    open_.push_back({std::string(tag), problem_ ? at_ : at_ + static_cast<std::size_t>(size)});
    return problem_ ? 0 : version;
}

void ByteReader::leave() {
    assert(!open_.empty());
    if (left() != 0) {
        fail("has " + counted(left(), "unread byte"));
    }
    open_.pop_back();
}

void ByteReader::skip(std::string_view tag) {
    enter(tag, std::numeric_limits<std::uint32_t>::max());
    at_ = open_.back().end;
    open_.pop_back();
}

bool ByteReader::boolean() {
    const auto value = number<std::uint8_t>();
    if (value > 1) {
        fail("has " + std::to_string(value) + " where 0 or 1 should be");
    }
    return value == 1;
}

std::string ByteReader::text() {
    std::string value(count(1), '\0');
    raw(value.data(), value.size());
    return value;
}

void ByteReader::raw(void* bytes, std::size_t size) {
    if (!problem_ && size > left()) {
        fail("ends too early: " + counted(size, "byte") + " wanted, " + std::to_string(left()) + " left");
    }
    if (size == 0) {
        return;
    }
    if (problem_) {
        std::memset(bytes, 0, size);
        return;
    }
    std::memcpy(bytes, bytes_.data() + at_, size);
    at_ += size;
}

std::size_t ByteReader::count(std::size_t element_size) {
    const auto wanted = number<std::uint64_t>();
    if (wanted > left() / element_size) {  // before the caller allocates
        fail("claims " + counted(wanted, "element") + ", more than its bytes can hold");
    }
    return problem_ ? 0 : static_cast<std::size_t>(wanted);
}

tn_writer plugin_writer(ByteWriter& writer) {
    const auto write = [](void* ctx, const void* bytes, std::uint64_t size) -> tn_status {
        try {
            static_cast<ByteWriter*>(ctx)->raw(bytes, static_cast<std::size_t>(size));
            return TN_OK;
        } catch (const std::exception&) {  // bad_alloc, length_error: they must not unwind through the plugin's frames
            return TN_OUT_OF_MEMORY;
        }
    };
    return {.struct_size = sizeof(tn_writer), .flags = 0, .ctx = &writer, .write = write};
}

tn_reader plugin_reader(ByteReader& reader) {
    const auto read = [](void* ctx, void* bytes, std::uint64_t size, std::uint64_t* got) -> tn_status {
        auto* self = static_cast<ByteReader*>(ctx);
        *got = 0;
        if (!self->status()) {
            return TN_DATA_LOSS;
        }
        const std::size_t take = std::min<std::size_t>(static_cast<std::size_t>(size), self->left());
        self->raw(bytes, take);
        *got = take;
        return TN_OK;
    };
    return {.struct_size = sizeof(tn_reader), .flags = 0, .ctx = &reader, .read = read};
}

}  // namespace tenon
