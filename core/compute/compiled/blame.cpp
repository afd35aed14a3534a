// SPDX-License-Identifier: Apache-2.0
#include "compute/compiled/blame.hpp"

#include <optional>
#include <utility>

namespace tenon::compiled {

Problem blamed(Program& reference, Call call, std::string otherwise) {
    std::optional<Problem> said;
    call.part.dry = true;
    call.outputs = {};
    call.not_finite = &said;  // so that it checks gradients as well
    if (Status done = reference.run(call); !done) {
        return std::move(done).error();
    }
    return said ? std::move(*said) : plugin_problem(std::move(otherwise));
}

}  // namespace tenon::compiled
