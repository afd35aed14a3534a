// SPDX-License-Identifier: Apache-2.0
// The columns that an env is given.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/data/view.hpp"
#include "tenon/abi/env.h"

namespace tenon {

// The memory of the column with this key; without data if there is none.
inline View column_of(const tn_env_buffers& buffers, std::string_view key) {
    for (std::uint64_t i = 0; i < buffers.column_count; ++i) {
        const tn_column& column = *buffers.columns[i];
        if (std::string_view(column.key.data, column.key.size) == key) {
            return view_of(column.tensor);
        }
    }
    return {};
}

}  // namespace tenon
