// SPDX-License-Identifier: Apache-2.0
// Which tensor of a file becomes which parameter: by names that the user gives, then by the names that common libraries
// use, then by shape in the order of the file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error/problem.hpp"
#include "commands/import/name_rules.hpp"
#include "commands/import/torch_file.hpp"
#include "compute/parameters/network.hpp"

namespace tenon {

struct TakenTensor {
    std::string parameter;  // "actor/0.weight"
    std::string tensor;
};

struct Taken {
    std::vector<TakenTensor> tensors;
    std::vector<std::string> unused;  // tensors of the file
    std::vector<std::string> kept;    // networks for which the file has no tensors
};

// Copies the tensors to the live parameters. A network gets all of its parameters or none; at least one gets them.
// Every parameter that no tensor fits is a problem, with the tensor that is nearest.
std::optional<Taken> take_weights(const std::vector<ForeignTensor>& tensors, const std::vector<NameRule>& rules,
                                  Learner& learner, const std::string& subject, Problems& problems);

}  // namespace tenon
