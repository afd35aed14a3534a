// SPDX-License-Identifier: Apache-2.0
#include "engines/link_zmq/library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

#include "base/file/library_functions.hpp"

namespace tenon::zmq {
namespace {

constexpr const char* kHelp =
    "install it (Debian and Ubuntu: apt install libzmq5; others: zeromq), or set TENON_LIBZMQ to the file";

Result<Library> load() {
    const char* const named = std::getenv("TENON_LIBZMQ");
    const std::string file = named != nullptr && *named != '\0' ? named : "libzmq.so.5";
    // Its own libraries may be in its folder, which is none of the loader's.
    if (const std::filesystem::path folder = std::filesystem::path(file).parent_path(); !folder.empty()) {
        for (const char* const other : {"libsodium.so.23", "libpgm-5.3.so.0", "libnorm.so.1"}) {
            (void)::dlopen((folder / other).c_str(), RTLD_NOW | RTLD_GLOBAL);
        }
    }
    const WantedLibrary wanted{.files = {file},
                               .missing = "a run with shards, or with workers that connect to it, needs ZeroMQ, but " +
                                          file + " cannot be loaded",
                               .too_old = file + " is too old",
                               .help = kHelp};
    return functions_of<Library>(wanted, [](LibraryFunctions& functions, Library& out) {
        functions.get("zmq_version", out.version);
        functions.get("zmq_ctx_new", out.ctx_new);
        functions.get("zmq_ctx_term", out.ctx_term);
        functions.get("zmq_socket", out.socket);
        functions.get("zmq_close", out.close);
        functions.get("zmq_setsockopt", out.setsockopt);
        functions.get("zmq_getsockopt", out.getsockopt);
        functions.get("zmq_bind", out.bind);
        functions.get("zmq_connect", out.connect);
        functions.get("zmq_send", out.send);
        functions.get("zmq_msg_init", out.msg_init);
        functions.get("zmq_msg_recv", out.msg_recv);
        functions.get("zmq_msg_close", out.msg_close);
        functions.get("zmq_msg_data", out.msg_data);
        functions.get("zmq_msg_size", out.msg_size);
        functions.get("zmq_msg_more", out.msg_more);
        functions.get("zmq_poll", out.poll);
        functions.get("zmq_socket_monitor", out.monitor);
        functions.get("zmq_curve_public", out.curve_public);
        functions.get("zmq_z85_encode", out.z85_encode);
        functions.get("zmq_errno", out.error);
        functions.get("zmq_strerror", out.error_text);
    });
}

}  // namespace

Result<const Library*> library() {
    static const Result<Library> loaded = load();
    return loaded ? Result<const Library*>(&*loaded) : Result<const Library*>(loaded.error());
}

std::string last_error(const Library& zmq) {
    return zmq.error_text(zmq.error());
}

}  // namespace tenon::zmq
