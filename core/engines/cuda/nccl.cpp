// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/nccl.hpp"

#include <cstdlib>
#include <string_view>

#include "base/file/library_functions.hpp"

namespace tenon::nccl {
namespace {

static_assert(sizeof(UniqueId) == 128 && sizeof(Config) == 24 && offsetof(Config, blocking) == 16);

std::string version_text(int version) {
    return std::to_string(version / 10000) + "." + std::to_string(version % 10000 / 100) + "." +
           std::to_string(version % 100);
}

}  // namespace

Result<Functions> functions(bool is_emulated) {
    const char* const named = std::getenv("TENON_NCCL");
    const bool is_named = named != nullptr && *named != '\0';
    const std::string file = is_named ? named : "libnccl.so.2";
    if (file == "off" || (is_emulated && !is_named)) {
        return environment_problem(is_named ? "TENON_NCCL is \"off\""
                                            : "TENON_NCCL names no library that links emulated devices");
    }
    const WantedLibrary wanted{.files = {file},
                               .missing = "there is no NCCL: " + file + " cannot be loaded",
                               .too_old = "the NCCL in " + file + " is too old",
                               .help =
                                   "install it (python3 -m pip install nvidia-nccl-cu13), and set TENON_NCCL to "
                                   "the file libnccl.so.2"};
    return functions_of<Functions>(wanted, [](LibraryFunctions& functions, Functions& f) {
        functions.get("ncclGetVersion", f.version);
        functions.get("ncclGetUniqueId", f.unique_id);
        functions.get("ncclCommInitRankConfig", f.init);
        functions.get("ncclCommGetAsyncError", f.async_error);
        functions.get("ncclCommFinalize", f.finalize);
        functions.get("ncclCommDestroy", f.destroy);
        functions.get("ncclCommAbort", f.abort);
        functions.get("ncclGroupStart", f.group_start);
        functions.get("ncclGroupEnd", f.group_end);
        functions.get("ncclSend", f.send);
        functions.get("ncclRecv", f.receive);
        functions.get("ncclAllReduce", f.all_reduce);
        functions.get("ncclGetErrorString", f.error_text);
    });
}

Result<std::string> find() {
    const Functions found = TENON_TRY(functions());
    int version = 0;
    found.version(&version);
    return "NCCL " + version_text(version);
}

}  // namespace tenon::nccl
