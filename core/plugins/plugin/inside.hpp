// SPDX-License-Identifier: Apache-2.0
// Reading structs of the ABI, which grow at their end and whose writer may be older or newer than this host.
#pragma once

#include <cstddef>

namespace tenon {

// Whether the field is within the size that the struct's writer set.
template <class Struct, class Field>
bool inside(const Struct& s, Field Struct::* field) {
    const auto* begin = reinterpret_cast<const unsigned char*>(&s);
    const auto* end = reinterpret_cast<const unsigned char*>(&(s.*field)) + sizeof(Field);
    return s.struct_size >= static_cast<std::size_t>(end - begin);
}

}  // namespace tenon
