// SPDX-License-Identifier: Apache-2.0
// Text for the elements and attributes of XML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace tenon {

// With entities for < > & and ". Control characters, which XML does not allow, become blanks.
std::string xml_text(std::string_view text);

}  // namespace tenon
