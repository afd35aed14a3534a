// SPDX-License-Identifier: Apache-2.0
#include "engines/shards/link_engine.hpp"

#include <algorithm>

#include "compute/exec/module.hpp"

namespace tenon {

Result<const LinkEngine*> load_link_engine(std::string_view name) {
    const std::string engine(name);
    if (!std::ranges::all_of(engine, [](char letter) { return letter >= 'a' && letter <= 'z'; })) {
        return input_problem("TENON_LINK is '" + engine + "', but must name an engine of links, such as zmq");
    }
    const Result<Library> module = load_module("libtenon_link_" + engine + ".so");
    const Result<void*> get = module ? module->symbol("tenon_link_engine") : Result<void*>(module.error());
    if (!get) {
        return environment_problem("the shards' link '" + engine + "' cannot be loaded: " + get.error().sentence, {},
                                   "it is made by tools/build, by `ninja tenon_link_" + engine +
                                       "_module` and, if it is zmq and the command or its manifest has shards, "
                                       "by `./tenon`; TENON_LINK names another link");
    }
    return reinterpret_cast<GetLinkEngine>(*get)();
}

}  // namespace tenon
