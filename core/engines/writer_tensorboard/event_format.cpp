// SPDX-License-Identifier: Apache-2.0
#include "engines/writer_tensorboard/event_format.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

#include "base/file/checksum.hpp"
#include "engines/writer_tensorboard/event_histogram.hpp"
#include "engines/writer_tensorboard/protobuf.hpp"

namespace tenon {
namespace {

using namespace protobuf;

constexpr std::size_t kHeader = 12;  // u64 length, u32 checksum
constexpr std::size_t kFooter = 4;

// Fields of the messages in tensorflow/core/util/event.proto and framework/summary.proto.
constexpr std::uint32_t kEventWallTime = 1;
constexpr std::uint32_t kEventStep = 2;
constexpr std::uint32_t kEventFileVersion = 3;
constexpr std::uint32_t kEventSummary = 5;
constexpr std::uint32_t kEventSessionLog = 7;
constexpr std::uint32_t kSummaryValue = 1;
constexpr std::uint32_t kValueTag = 1;
constexpr std::uint32_t kValueSimple = 2;
constexpr std::uint32_t kValueImage = 4;
constexpr std::uint32_t kValueHistogram = 5;
constexpr std::uint32_t kImageHeight = 1;
constexpr std::uint32_t kImageWidth = 2;
constexpr std::uint32_t kImageColours = 3;
constexpr std::uint32_t kImageBytes = 4;
constexpr std::uint64_t kRgb = 3;
constexpr std::uint32_t kSessionLogStatus = 1;
constexpr std::uint64_t kSessionStart = 1;

template <class T>
T number_at(std::string_view bytes) {
    T number = 0;
    for (std::size_t i = 0; i < sizeof number; ++i) {
        number |= static_cast<T>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    }
    return number;
}

std::uint32_t masked_crc(std::string_view bytes) {
    return std::rotr(crc32c(bytes), 15) + 0xa282ead8;
}

// Reserves the header, which end_frame fills in when the length is known.
std::size_t begin_frame(std::string& out, double wall_time_s, std::int64_t step) {
    const std::size_t at = out.size();
    out.append(kHeader, '\0');
    put_key(out, kEventWallTime, kFixed64);
    put_number(out, std::bit_cast<std::uint64_t>(wall_time_s));
    if (step != 0) {
        put_key(out, kEventStep, kVarint);
        put_varint(out, static_cast<std::uint64_t>(step));
    }
    return at;
}

void end_frame(std::string& out, std::size_t at) {
    const std::string_view data = std::string_view(out).substr(at + kHeader);
    const std::uint32_t sum = masked_crc(data);
    std::uint64_t length = data.size();
    for (std::size_t i = 0; i < sizeof length; ++i) {
        out[at + i] = static_cast<char>(length >> (8 * i) & 255U);
    }
    const std::uint32_t length_sum = masked_crc(std::string_view(out).substr(at, sizeof length));
    for (std::size_t i = 0; i < sizeof length_sum; ++i) {
        out[at + sizeof length + i] = static_cast<char>(length_sum >> (8 * i) & 255U);
    }
    put_number(out, sum);
}

std::size_t field_size(std::size_t bytes) {
    return 1 + varint_size(bytes) + bytes;
}

std::size_t value_size(const std::string& tag) {
    return field_size(tag.size()) + 1 + sizeof(float);
}

std::size_t value_size(const std::string& tag, const EventHistogram& histogram) {
    return field_size(tag.size()) + field_size(histogram.size());
}

// Calls f for each scalar that has a value, and g for each histogram that has one.
template <class F, class G>
void each_value(const EventTags& tags, std::span<const double> values, F f, G g) {
    for (std::size_t i = 0; i < tags.names.size(); ++i) {
        if (!tags.in_histogram[i] && !std::isnan(values[i])) {
            f(tags.names[i], values[i]);
        }
    }
    for (const HistogramMetrics& each : tags.histograms) {
        if (!std::isnan(values[each.first])) {
            g(each.name, EventHistogram(each, values.subspan(each.first, each.bins + 2)));
        }
    }
}

// Removes a varint from the front; nothing if the bytes end inside it.
std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
    std::uint64_t number = 0;
    for (std::uint32_t shift = 0; !bytes.empty() && shift < 64; shift += 7) {
        const auto byte = static_cast<unsigned char>(bytes.front());
        bytes.remove_prefix(1);
        number |= static_cast<std::uint64_t>(byte & 127U) << shift;
        if (byte < 128) {
            return number;
        }
    }
    return std::nullopt;
}

// The event's step and whether it has a summary; nothing if the message is invalid.
std::optional<EventFrame> read_event(std::string_view data) {
    EventFrame out;
    while (!data.empty()) {
        const std::optional<std::uint64_t> key = take_varint(data);
        if (!key) {
            return std::nullopt;
        }
        const std::uint64_t wire = *key & 7U;
        std::uint64_t size = wire == kFixed64 ? 8 : 4;
        if (wire == kVarint || wire == kBytes) {
            const std::optional<std::uint64_t> number = take_varint(data);
            if (!number) {
                return std::nullopt;
            }
            size = wire == kBytes ? *number : 0;
            out.step = *key >> 3U == kEventStep ? static_cast<std::int64_t>(*number) : out.step;
        } else if (wire != kFixed64 && wire != kFixed32) {
            return std::nullopt;
        }
        if (size > data.size()) {
            return std::nullopt;
        }
        out.values = out.values || *key >> 3U == kEventSummary;
        data.remove_prefix(size);
    }
    return out;
}

}  // namespace

EventTags::EventTags(std::vector<std::string> tags)
    : names(std::move(tags)), in_histogram(in_histograms(names)), histograms(histograms_in(names)) {}

void append_version_event(std::string& out, double wall_time_s) {
    const std::size_t at = begin_frame(out, wall_time_s, 0);
    put_bytes(out, kEventFileVersion, "brain.Event:2");
    end_frame(out, at);
}

void append_summary_event(std::string& out, double wall_time_s, std::int64_t step, std::string_view value) {
    const std::size_t at = begin_frame(out, wall_time_s, step);
    put_key(out, kEventSummary, kBytes);
    put_varint(out, 1 + varint_size(value.size()) + value.size());
    put_bytes(out, kSummaryValue, value);
    end_frame(out, at);
}

void append_picture_event(std::string& out, double wall_time_s, std::int64_t step, const RecordedPicture& picture) {
    std::string image;
    for (const auto& [field, number] : {std::pair<std::uint32_t, std::uint64_t>{kImageHeight, picture.height},
                                        {kImageWidth, picture.width},
                                        {kImageColours, kRgb}}) {
        put_key(image, field, kVarint);
        put_varint(image, number);
    }
    put_bytes(image, kImageBytes, picture.png);
    std::string value;
    put_bytes(value, kValueTag, picture.tag);
    put_bytes(value, kValueImage, image);
    append_summary_event(out, wall_time_s, step, value);
}

void append_restart_event(std::string& out, double wall_time_s, std::int64_t step) {
    const std::size_t at = begin_frame(out, wall_time_s, step);
    put_key(out, kEventSessionLog, kBytes);
    put_varint(out, 2);
    put_key(out, kSessionLogStatus, kVarint);
    put_varint(out, kSessionStart);
    end_frame(out, at);
}

void append_record_event(std::string& out, double wall_time_s, std::int64_t step, const EventTags& tags,
                         std::span<const double> values) {
    assert(tags.names.size() == values.size());
    const std::size_t at = begin_frame(out, wall_time_s, step);
    std::size_t size = 0;
    each_value(
        tags, values, [&](const std::string& tag, double) { size += field_size(value_size(tag)); },
        [&](const std::string& tag, const EventHistogram& histogram) {
            size += field_size(value_size(tag, histogram));
        });
    put_key(out, kEventSummary, kBytes);
    put_varint(out, size);
    each_value(
        tags, values,
        [&](const std::string& tag, double value) {
            put_key(out, kSummaryValue, kBytes);
            put_varint(out, value_size(tag));
            put_bytes(out, kValueTag, tag);
            put_key(out, kValueSimple, kFixed32);
            put_number(out, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
        },
        [&](const std::string& tag, const EventHistogram& histogram) {
            put_key(out, kSummaryValue, kBytes);
            put_varint(out, value_size(tag, histogram));
            put_bytes(out, kValueTag, tag);
            put_key(out, kValueHistogram, kBytes);
            put_varint(out, histogram.size());
            histogram.put(out);
        });
    end_frame(out, at);
}

std::optional<EventFrame> read_event_frame(std::string_view bytes) {
    if (bytes.size() < kHeader ||
        number_at<std::uint32_t>(bytes.substr(sizeof(std::uint64_t))) != masked_crc(bytes.substr(0, 8))) {
        return std::nullopt;
    }
    const auto length = number_at<std::uint64_t>(bytes);
    if (length > bytes.size() - kHeader || bytes.size() - kHeader - length < kFooter) {
        return std::nullopt;
    }
    const std::string_view data = bytes.substr(kHeader, length);
    if (number_at<std::uint32_t>(bytes.substr(kHeader + length)) != masked_crc(data)) {
        return std::nullopt;
    }
    std::optional<EventFrame> event = read_event(data);
    if (event) {
        event->bytes = kHeader + length + kFooter;
    }
    return event;
}

}  // namespace tenon
