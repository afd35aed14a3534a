// SPDX-License-Identifier: Apache-2.0
#include "engines/link_zmq/library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <type_traits>

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
    // Never closed: it has threads of its own.
    void* const opened = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) {
        return environment_problem("a run with shards needs ZeroMQ, but " + file + " cannot be loaded", {}, kHelp);
    }
    Library out{};
    const char* missing = nullptr;
    const auto get = [&](const char* name, auto& function) {
        void* const address = ::dlsym(opened, name);
        missing = address == nullptr && missing == nullptr ? name : missing;
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(address);
    };
    get("zmq_ctx_new", out.ctx_new);
    get("zmq_ctx_term", out.ctx_term);
    get("zmq_socket", out.socket);
    get("zmq_close", out.close);
    get("zmq_setsockopt", out.setsockopt);
    get("zmq_getsockopt", out.getsockopt);
    get("zmq_bind", out.bind);
    get("zmq_connect", out.connect);
    get("zmq_send", out.send);
    get("zmq_msg_init", out.msg_init);
    get("zmq_msg_recv", out.msg_recv);
    get("zmq_msg_close", out.msg_close);
    get("zmq_msg_data", out.msg_data);
    get("zmq_msg_size", out.msg_size);
    get("zmq_msg_more", out.msg_more);
    get("zmq_poll", out.poll);
    get("zmq_socket_monitor", out.monitor);
    get("zmq_curve_public", out.curve_public);
    get("zmq_z85_encode", out.z85_encode);
    get("zmq_errno", out.error);
    get("zmq_strerror", out.error_text);
    if (missing != nullptr) {
        return environment_problem(file + " is too old for a run with shards: it has no " + std::string(missing), {},
                                   kHelp);
    }
    return out;
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
