// SPDX-License-Identifier: Apache-2.0
#include "folder/records/trace_file.hpp"

#include <string>

#include "base/file/atomic.hpp"
#include "base/json/write.hpp"

namespace tenon {

// Complete events ("X") of one thread: spans nest by their times. Times are in microseconds.
Status write_trace(const Profile& profile, const std::filesystem::path& path) {
    std::string text;
    JsonWriter json(text);
    json.begin_object().key("displayTimeUnit").text("ms").key("traceEvents").begin_array();
    for (const Profile::Event& event : profile.events()) {
        json.begin_object().key("name").text(profile.name(event.span));
        json.key("cat")
            .text(name_of(profile.work(event.span)))
            .key("ph")
            .text("X")
            .key("pid")
            .integer(1)
            .key("tid")
            .integer(1);
        json.key("ts").number(static_cast<double>(event.begin) * 1e-3);
        json.key("dur").number(static_cast<double>(event.duration) * 1e-3).end_object();
        text += '\n';
    }
    json.end_array().end_object();
    return write_quickly(path, text);
}

}  // namespace tenon
