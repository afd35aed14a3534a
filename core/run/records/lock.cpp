// SPDX-License-Identifier: Apache-2.0
#include "run/records/lock.hpp"

#include "base/file/lock.hpp"

namespace tenon {

Result<FileDescriptor> lock_run(const std::filesystem::path& folder) {
    return lock_alone(folder / "lock", "another process is writing the run in " + folder.string());
}

}  // namespace tenon
