// SPDX-License-Identifier: Apache-2.0
#include "base/data/xml_text.hpp"

namespace tenon {

std::string xml_text(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '&':
                out += "&amp;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += static_cast<unsigned char>(c) < 0x20U ? ' ' : c;
        }
    }
    return out;
}

}  // namespace tenon
