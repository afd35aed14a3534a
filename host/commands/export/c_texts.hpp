// SPDX-License-Identifier: Apache-2.0
// The C text of each elementwise operation, and pieces of C that all exported files share.
#pragma once

#include <string>
#include <string_view>

#include "base/data/dtype.hpp"
#include "engines/compiled/exported_program.hpp"

namespace tenon {

// The C type of a column or a value: "float", "int64_t".
std::string_view c_type(DType dtype);
std::string_view c_type(compiled::Kind kind, DType real);

// The expression with its operands $0, $1 and $2; empty if the operation has no form in C.
std::string_view c_expression(compiled::Code code, compiled::Kind kind);

// Whether the result is of another kind than the inputs.
compiled::Kind result_kind(compiled::Code code, compiled::Kind kind);

// The expression with these operands in place of $0, $1 and $2.
std::string filled(std::string_view expression, const std::string* operands);

// A number in the form that gives the same bits when it is read.
std::string c_number(const void* at, compiled::Kind kind, DType real);

// A name of C made of a column's key.
std::string c_name(std::string_view key);

}  // namespace tenon
