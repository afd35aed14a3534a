// SPDX-License-Identifier: Apache-2.0
// Saving and loading the state that an instance keeps between calls ("tenon.state/1"). An author whose members are
// plain numbers and arrays writes nothing. Others write one function that serves both directions:
//
//     void state(tenon::Archive& archive) { archive(board, history, name); }
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "tenon/abi/state.h"
#include "tenon/guard.hpp"
#include "tenon/random.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

class Archive {
public:
    explicit Archive(const tn_writer& writer) : writer_(&writer) {}
    explicit Archive(const tn_reader& reader) : reader_(&reader) {}

    [[nodiscard]] bool loading() const { return reader_ != nullptr; }

    // Supports values without pointers, strings, generators, and vectors of these.
    template <class... T>
    void operator()(T&... value) {
        (item(value), ...);
    }

private:
    template <class T>
    void item(T& value) {
        static_assert(std::is_trivially_copyable_v<T>, "write the members of this type one by one");
        static_assert(!std::is_pointer_v<T>, "an address means nothing in another process");
        if (loading()) {
            bytes(&value, sizeof(T));
            return;
        }
        // Clears the padding between members: equal state must give equal bytes, and padding is indeterminate.
        alignas(T) unsigned char copy[sizeof(T)];
        std::memcpy(copy, &value, sizeof(T));
#if __has_builtin(__builtin_clear_padding)
        if constexpr (std::is_class_v<T>) {
            __builtin_clear_padding(reinterpret_cast<T*>(copy));
        }
#endif
        bytes(copy, sizeof(T));
    }

    void item(Rng& rng) {
        Rng::State state = rng.state();
        item(state);
        rng.set_state(state);
    }

    void item(std::string& text) {
        text.resize(length(text.size()));
        bytes(text.data(), text.size());
    }

    template <class T>
    void item(std::vector<T>& list) {
        const std::size_t size = length(list.size());
        if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::byte>) {
            if (!loading()) {
                bytes(list.data(), size * sizeof(T));
                return;
            }
            for (list.clear(); list.size() < size;) {  // grows as data is read, as below
                const std::size_t had = list.size();
                list.resize(std::min(size, had + kPiece));
                bytes(list.data() + had, (list.size() - had) * sizeof(T));
            }
            return;
        }
        if (loading()) {
            list.clear();
            for (std::size_t i = 0; i < size; ++i) {  // a corrupt length must not allocate
                item(list.emplace_back());
            }
            return;
        }
        for (T& value : list) {
            item(value);
        }
    }

    std::size_t length(std::size_t size) {
        std::uint64_t stored = size;
        item(stored);
        if (loading() && stored > kLongest) {
            throw DataLoss("saved state is damaged: it has an impossible length");
        }
        return static_cast<std::size_t>(stored);
    }

    void bytes(void* data, std::size_t size) {
        if (loading()) {
            read(data, size);
        } else if (size > 0) {
            if (const tn_status status = writer_->write(writer_->ctx, data, size); status != TN_OK) {
                throw Error(status, "the host could not save the state");
            }
        }
    }

    void read(void* data, std::size_t size) {
        auto* at = static_cast<std::byte*>(data);
        while (size > 0) {
            std::uint64_t got = 0;
            if (const tn_status status = reader_->read(reader_->ctx, at, size, &got); status != TN_OK) {
                throw Error(status, "the host could not load the state");
            }
            if (got == 0 || got > size) {
                throw DataLoss("saved state ends too early");
            }
            at += got;
            size -= static_cast<std::size_t>(got);
        }
    }

    static constexpr std::size_t kPiece = 4096;
    static constexpr std::uint64_t kLongest = std::uint64_t{1} << 32;

    const tn_writer* writer_ = nullptr;
    const tn_reader* reader_ = nullptr;
};

template <class T>
concept HasStateFunction = requires(T& object, Archive& archive) { object.state(archive); };

// Whether the SDK can save a T at all; if not, the component does not offer "tenon.state/1".
template <class T>
concept Savable = HasStateFunction<T> || std::is_trivially_copyable_v<T>;

template <Savable T>
void archive_object(Archive& archive, T& object) {
    if constexpr (HasStateFunction<T>) {
        object.state(archive);
    } else if constexpr (!std::is_empty_v<T>) {
        archive(object);
    }
}

}  // namespace TENON_SDK
}  // namespace tenon
