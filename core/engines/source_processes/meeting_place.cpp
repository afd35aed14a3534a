// SPDX-License-Identifier: Apache-2.0
#include "engines/source_processes/meeting_place.hpp"

#include <charconv>
#include <cstdlib>

#include "base/file/launch_site.hpp"
#include "base/simd/level.hpp"
#include "compute/exec/build_id.hpp"
#include "compute/exec/module.hpp"

namespace tenon {
namespace {

constexpr std::string_view kTcp = "tcp://";
constexpr std::string_view kIpc = "ipc://";

bool has_port(std::string_view address, bool listens) {
    const std::size_t colon = address.rfind(':');
    if (colon <= kTcp.size() || colon == std::string_view::npos) {
        return false;
    }
    const std::string_view text = address.substr(colon + 1);
    int port = -1;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), port);
    return read.ec == std::errc() && read.ptr == text.data() + text.size() && port >= (listens ? 0 : 1) &&
           port <= 65'535;
}

}  // namespace

Status check_address(std::string_view address, std::string_view key, bool listens) {
    const bool is_file = address.starts_with("ipc:///") && address.size() > std::string_view("ipc:///").size();
    return is_file || (address.starts_with(kTcp) && has_port(address, listens))
               ? Status()
               : Status(input_problem(std::string(key) + " must be tcp://HOST:PORT" +
                                      (listens ? ", such as tcp://0.0.0.0:5557" : ", such as tcp://node5:5557") +
                                      ", or ipc:///PATH for processes of one machine, but is '" + std::string(address) +
                                      "'"));
}

Result<DoorSide> door_side(const std::string& address, std::string_view key) {
    const char* const secret = std::getenv("TENON_KEY");
    DoorSide out{.endpoint = address,
                 .secret = secret != nullptr && !address.starts_with(kIpc) ? secret : "",
                 .build = build_id(),
                 .level = std::string(simd::name_of(simd::level())),
                 .name = name_of_this_process()};
    TENON_TRY(check_secret(address, out.secret, std::string(key) + " is " + address + ", which is on the network",
                           "the trainer and its workers"));
    return out;
}

Result<const DoorEngine*> load_door_engine() {
    const Result<Library> module = load_module("libtenon_link_zmq.so");
    const Result<void*> get = module ? module->symbol("tenon_door_engine") : Result<void*>(module.error());
    if (!get) {
        return environment_problem("connections of workers cannot be made: " + get.error().sentence, {},
                                   "tools/build and `ninja tenon_link_zmq_module` make this module");
    }
    return reinterpret_cast<GetDoorEngine>(*get)();
}

}  // namespace tenon
