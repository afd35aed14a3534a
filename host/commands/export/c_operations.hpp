// SPDX-License-Identifier: Apache-2.0
// The instructions of a lowered program as statements of C.
#pragma once

#include <functional>
#include <string>

#include "base/error/result.hpp"
#include "engines/compiled/exported_program.hpp"

namespace tenon {

// How a buffer is addressed: an array, or a pointer to its first element.
using BufferName = std::function<std::string(std::uint32_t buffer)>;

// The array with the bias and the right side of a product, packed into panels (c_panels.hpp); the first `whole` numbers
// of each sum are in lanes. Empty if one of them is not constant.
using PanelName = std::function<std::string(const compiled::Op& product, std::int64_t whole)>;

// The problem names an operation that has no form in C.
Result<std::string> c_statements(const compiled::ExportedProgram& program, const BufferName& name,
                                 const PanelName& panels);

// The element number `i` (an expression of C) of the view, in the order of its shape.
std::string c_element(const compiled::View& view, const std::string& i, const BufferName& name);

}  // namespace tenon
