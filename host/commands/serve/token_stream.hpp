// SPDX-License-Identifier: Apache-2.0
// The events of one streamed answer: written by the thread that computes it, read by the connection of its client.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace tenon {

class TokenStream {
public:
    void put(const std::string& event) {
        const std::scoped_lock lock(mutex_);
        waiting_ += event;
    }
    void end() {
        const std::scoped_lock lock(mutex_);
        ended_ = true;
    }

    // HttpPieces: what has been written since the last call; none after the end.
    [[nodiscard]] std::optional<std::string> take() {
        const std::scoped_lock lock(mutex_);
        return waiting_.empty() && ended_ ? std::nullopt : std::optional(std::exchange(waiting_, {}));
    }

private:
    std::mutex mutex_;
    std::string waiting_;
    bool ended_ = false;
};

}  // namespace tenon
