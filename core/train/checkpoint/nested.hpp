// SPDX-License-Identifier: Apache-2.0
// A section of a checkpoint whose bytes are written and read through the ABI's writer and reader.
#pragma once

#include <string_view>

#include "base/error/result.hpp"
#include "train/checkpoint/bytes.hpp"

namespace tenon {

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
