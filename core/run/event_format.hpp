// SPDX-License-Identifier: Apache-2.0
// The records of TensorBoard's event files: a protocol buffer "Event" in a TFRecord frame (length, its checksum, bytes,
// their checksum, all little-endian). Of the format only what scalars need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tenon {

// The first event of every file.
void append_version_event(std::string& out, double wall_time_s);

// Readers forget what they have of this step and later ones: a run goes on from before it.
void append_restart_event(std::string& out, double wall_time_s, std::int64_t step);

// One event with a value for every tag; of NaN, which stands for none, there is nothing in it. Allocates only where the
// string has to grow.
void append_scalars_event(std::string& out, double wall_time_s, std::int64_t step, std::span<const std::string> tags,
                          std::span<const double> values);

struct EventFrame {
    std::size_t bytes = 0;  // of the whole frame
    std::int64_t step = 0;
    bool scalars = false;  // not one of the two others
};

// The frame that `bytes` begin with; nothing where it is not whole or a checksum is wrong.
std::optional<EventFrame> read_event_frame(std::string_view bytes);

}  // namespace tenon
