// SPDX-License-Identifier: Apache-2.0
// What the two couriers (courier.hpp) tell each other: a head and some bytes. Numbers are as in memory, because both
// sides are the same build.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tenon {

enum class CourierWord : std::uint32_t {
    kOpen = 1,  // the first one of the trainer's side
    kReached,   // the first one of the worker's side
    kOrder,
    kTaken,
    kHalt,
    kStepped,
    kAnswered,
    kGone,  // the worker has ended; the last one of this list
};

inline constexpr std::chrono::milliseconds kNoLimit = std::chrono::milliseconds(-1);

class CourierMessage {
public:
    CourierMessage() = default;
    CourierMessage(CourierWord says, std::uint32_t of) { begin(says, of); }
    // Drops what it has, and keeps the memory.
    void begin(CourierWord says, std::uint32_t of) {
        word = says;
        number = of;
        end_ = 0;
        tail_ = {};
        make_room(kHead);
    }

    CourierWord word = CourierWord::kOpen;
    std::uint32_t number = 0;

    void put(const void* from, std::size_t bytes) {
        std::byte* const to = make_room(bytes);
        if (bytes > 0) {
            std::memcpy(to, from, bytes);
        }
    }
    template <class T>
        requires std::is_trivially_copyable_v<T>
    void put(const T& value) {
        put(&value, sizeof value);
    }
    void put(std::string_view text) {
        put(static_cast<std::uint64_t>(text.size()));
        put(text.data(), text.size());
    }

    // Bytes that are sent behind all others, without a copy; they must stay as they are until then.
    void put_last(std::span<const std::byte> bytes) { tail_ = bytes; }

    // False if the message has fewer bytes left; nothing is then read.
    bool take(void* to, std::size_t bytes) {
        if (bytes > end_ - at_) {
            return false;
        }
        std::memcpy(to, body_.data() + at_, bytes);
        at_ += bytes;
        return true;
    }
    template <class T>
        requires std::is_trivially_copyable_v<T>
    bool take(T& value) {
        return take(&value, sizeof value);
    }
    bool take(std::string& text) {
        std::uint64_t size = 0;
        if (!take(size) || size > end_ - at_) {
            return false;
        }
        text.resize(size);
        return take(text.data(), size);
    }

    // Both wait; receive() for each part of the message no longer than this. False: the other side is gone, nothing has
    // come for so long, or what has come is no message; `stray` is then its beginning.
    [[nodiscard]] bool send(int descriptor);
    static bool receive(int descriptor, CourierMessage& message, std::string* stray = nullptr,
                        std::chrono::milliseconds limit = kNoLimit);

private:
    static constexpr std::size_t kHead = 16;

    // The memory stays, because new memory is cleared by the kernel, and again by the vector.
    std::byte* make_room(std::size_t bytes) {
        const std::size_t at = end_;
        end_ += bytes;
        if (end_ > body_.size()) {
            body_.resize(std::max(end_, 2 * body_.size()));
        }
        return body_.data() + at;
    }

    std::vector<std::byte> body_;  // of what is sent, behind room for its head, so that one call sends both
    std::size_t end_ = 0;          // of the bytes in it
    std::size_t at_ = 0;           // of the next byte that is taken
    std::span<const std::byte> tail_;
};

}  // namespace tenon
