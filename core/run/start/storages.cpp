// SPDX-License-Identifier: Apache-2.0
#include "run/start/storages.hpp"

#include <array>

#include "engines/storage_compressed/kind.hpp"
#include "engines/storage_disk/kind.hpp"

namespace tenon {

std::span<const StorageKind* const> storage_kinds() {
    static const std::array kinds = {&disk_storage(), &compressed_storage()};
    return kinds;
}

}  // namespace tenon
