// SPDX-License-Identifier: Apache-2.0
// Saved state other than tensors: a stream of little-endian numbers in named, versioned sections. A reader that meets
// another section, a newer version or the end of the data keeps one sentence with the section's name.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"
#include "tenon/abi/state.h"

namespace tenon {

static_assert(std::endian::native == std::endian::little, "saved state is written as it lies in memory");

template <class T>
concept SavedNumber = (std::integral<T> || std::floating_point<T>) && !std::same_as<T, bool>;

// A section is: tag size (u8), tag, version (u32), size (u64), contents. Sections nest.
class ByteWriter {
public:
    // `tag` has at most 255 characters.
    void begin(std::string_view tag, std::uint32_t version);
    void end();

    template <SavedNumber T>
    void number(T value) {
        raw(&value, sizeof value);
    }
    void boolean(bool value) { number(static_cast<std::uint8_t>(value)); }
    void text(std::string_view value);

    // Writes the count, then the numbers.
    template <SavedNumber T>
    void numbers(std::span<const T> values) {
        number(static_cast<std::uint64_t>(values.size()));
        raw(values.data(), values.size_bytes());
    }

    void raw(const void* bytes, std::size_t size);

    // All sections must be closed.
    [[nodiscard]] std::span<const std::byte> bytes() const;
    // Writes them to a file, which is then on the disk.
    [[nodiscard]] Status write_to(const std::filesystem::path& file) const;

private:
    std::vector<std::byte> bytes_;
    std::vector<std::size_t> open_;  // positions of the sizes of open sections
};

// Keeps the first failure; every later read gives zeros. So callers check status() once before they use the data.
class ByteReader {
public:
    // `bytes` are borrowed; `source` names them in messages, usually a file name.
    ByteReader(std::span<const std::byte> bytes, std::string source);
    static Result<ByteReader> open(const std::filesystem::path& file);

    // Enters the section, which must be the next one, and returns its version, 1 to `newest`; 0 on failure.
    std::uint32_t enter(std::string_view tag, std::uint32_t newest);
    // Fails if a part of the section was not read.
    void leave();
    // Skips the section, which must be the next one.
    void skip(std::string_view tag);

    template <SavedNumber T>
    T number() {
        T value{};
        raw(&value, sizeof value);
        return value;
    }
    bool boolean();
    std::string text();

    template <SavedNumber T>
    std::vector<T> numbers() {
        std::vector<T> values(count(sizeof(T)));
        raw(values.data(), values.size() * sizeof(T));
        return values;
    }

    // Fills `bytes` with zeros on failure.
    void raw(void* bytes, std::size_t size);

    [[nodiscard]] std::size_t left() const;  // in the current section
    [[nodiscard]] Status status() const { return problem_ ? Status(*problem_) : Status(); }
    // Reports an error that the caller finds in the data; the section and the source are added.
    void fail(std::string_view what);

private:
    struct Section {
        std::string tag;
        std::size_t end;
    };

    std::size_t count(std::size_t element_size);

    std::shared_ptr<const std::string> own_;  // of a file
    std::span<const std::byte> bytes_;
    std::string source_;
    std::size_t at_ = 0;
    std::vector<Section> open_;
    std::optional<Problem> problem_;
};

// The streams for a plugin's tenon.state/1. The reader ends at the end of the current section. Both arguments must
// outlive the result.
tn_writer plugin_writer(ByteWriter& writer);
tn_reader plugin_reader(ByteReader& reader);

// A section whose bytes are written and read through these streams.
template <class F>
Status nested(ByteWriter& out, std::string_view tag, F save_into) {
    out.begin(tag, 1);
    const tn_writer writer = plugin_writer(out);
    Status done = save_into(writer);
    out.end();
    return done;
}

template <class F>
Status nested(ByteReader& in, std::string_view tag, F load_from) {
    in.enter(tag, 1);
    const tn_reader reader = plugin_reader(in);
    TENON_TRY(load_from(reader));
    in.leave();
    return in.status();
}

}  // namespace tenon
