// SPDX-License-Identifier: Apache-2.0
// A session of the package tenon_worker in this process: its environments, and a slab in ordinary memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bridge/description.hpp"
#include "bridge/rows.hpp"
#include "bridge/slab.hpp"
#include "python.hpp"

namespace embedded {

// [all functions take Python's lock, except serve]
class Session {
public:
    // `config` has the members of a JSON object, `name` is of the environments in sentences.
    Session(const std::string& config, std::string name);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session();

    [[nodiscard]] const bridge::Description& description() const { return description_; }
    [[nodiscard]] const std::string& name() const { return name_; }

    // Makes the environments, one a lane.
    void open(std::uint32_t lanes);
    [[nodiscard]] bool is_open() const { return layout_.has_value(); }
    [[nodiscard]] const bridge::SlabLayout& layout() const { return *layout_; }
    [[nodiscard]] const bridge::Slab& slab() const { return slab_; }

    // Does what is asked of lanes in the slab. The caller holds the lock.
    void serve();

    // Sends a message to the session, and returns its answer. Throws with the session's sentence if it refuses.
    std::string ask(const std::string& message);

    // The object of the package that says how lanes are stepped. The caller holds the lock.
    [[nodiscard]] Owned steps() const;

private:
    struct Line {
        alignas(64) std::byte bytes[64];
    };

    std::string name_;
    Kept session_, lanes_, answer_, serve_;
    bridge::Description description_;
    std::optional<bridge::SlabLayout> layout_;
    std::unique_ptr<Line[]> memory_;
    bridge::Slab slab_;
};

}  // namespace embedded
