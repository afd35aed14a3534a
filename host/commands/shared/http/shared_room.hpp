// SPDX-License-Identifier: Apache-2.0
// What all clients of a server share: places for connections, and bytes for the bodies of requests.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace tenon {

// The places for connections. Anybody can open a connection, so a client that has not shown the token loses its place
// to a new one.
class ConnectionPlaces {
public:
    explicit ConnectionPlaces(std::size_t most) : most_(most) {}

    // A place, which is taken until this object is destroyed.
    class Place {
    public:
        Place(ConnectionPlaces& all, std::uint64_t number) : all_(all), number_(number) {}
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;
        ~Place();
        // Its client has shown the token, so it keeps its place.
        void keep() const;

    private:
        ConnectionPlaces& all_;
        std::uint64_t number_;
    };

    // If all places are taken, the oldest connection without the token is closed. Null: there is no such connection.
    // `close` is called at most once, from any thread.
    std::unique_ptr<Place> take(std::function<void()> close);

private:
    std::size_t most_;
    std::mutex mutex_;
    std::uint64_t next_ = 0;
    std::map<std::uint64_t, std::function<void()>> taken_;  // the oldest first; empty: it is kept
};

// Bytes that bodies of all requests may have together.
struct BodyBytes {
    std::uint64_t most;
    std::atomic<std::uint64_t> taken = 0;
};

// The bytes of one body, until end() or until it is destroyed.
class BodyShare {
public:
    BodyShare() = default;
    BodyShare(BodyShare&& other) noexcept : all_(other.all_), bytes_(std::exchange(other.bytes_, 0)) {}
    BodyShare& operator=(BodyShare&&) = delete;
    ~BodyShare() { end(); }

    void begin(BodyBytes& all) { all_ = &all; }
    // Whether the body may have so many bytes in all; if not, it keeps what it has.
    [[nodiscard]] bool grow_to(std::uint64_t bytes);
    void end();

private:
    BodyBytes* all_ = nullptr;
    std::uint64_t bytes_ = 0;
};

}  // namespace tenon
