// SPDX-License-Identifier: Apache-2.0
// The records of TensorBoard's event files: a protocol buffer "Event" in a TFRecord frame (length, its checksum, data,
// their checksum, all little-endian). Only the parts of the format that scalars, histograms, pictures and hparams need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "folder/records/histograms.hpp"
#include "folder/records/writer_kind.hpp"

namespace tenon {

// The tags of the values of a record. Those of a histogram are one value of an event.
struct EventTags {
    explicit EventTags(std::vector<std::string> tags);

    std::vector<std::string> names;
    std::vector<bool> in_histogram;
    std::vector<HistogramMetrics> histograms;
};

// The first event of every file.
void append_version_event(std::string& out, double wall_time_s);

// An event whose summary has one value, a message that is not a scalar.
void append_summary_event(std::string& out, double wall_time_s, std::int64_t step, std::string_view value);

void append_picture_event(std::string& out, double wall_time_s, std::int64_t step, const RecordedPicture& picture);

// Makes readers discard this step and later ones: the run continues from before it.
void append_restart_event(std::string& out, double wall_time_s, std::int64_t step);

// One event with a value for every tag, and one for every histogram, whose tag is its name; NaN values are omitted.
// Allocates only when the string grows.
void append_record_event(std::string& out, double wall_time_s, std::int64_t step, const EventTags& tags,
                         std::span<const double> values);

struct EventFrame {
    std::size_t bytes = 0;  // of the whole frame
    std::int64_t step = 0;
    bool values = false;  // false for the other two kinds
};

// The frame at the start of `bytes`; nothing if it is incomplete or a checksum is wrong.
std::optional<EventFrame> read_event_frame(std::string_view bytes);

}  // namespace tenon
