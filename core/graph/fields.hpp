// SPDX-License-Identifier: Apache-2.0
// Reading the C structs of the graph surface, whose writer may be older or newer than this host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "graph/graph.hpp"
#include "plugin/inside.hpp"
#include "tenon/abi/graph.h"

namespace tenon::graph::fields {

using tenon::inside;

inline std::string text(tn_str s) {
    return s.data == nullptr ? std::string{} : std::string(s.data, s.size);
}

inline Attribute read(const tn_attribute& a) {
    Attribute out{text(a.key), std::int64_t{0}};
    switch (a.kind) {
        case TN_ATTRIBUTE_FLOAT:
            out.value = a.real;
            break;
        case TN_ATTRIBUTE_STRING:
            out.value = text(a.text);
            break;
        case TN_ATTRIBUTE_INTS:
            out.value = std::vector<std::int64_t>(a.integers, a.integers + a.count);
            break;
        case TN_ATTRIBUTE_STRINGS: {
            std::vector<std::string> texts;
            for (std::uint64_t i = 0; i < a.count; ++i) {
                texts.push_back(text(a.texts[i]));
            }
            out.value = std::move(texts);
            break;
        }
        default:
            out.value = a.integer;
            break;
    }
    return out;
}

}  // namespace tenon::graph::fields
