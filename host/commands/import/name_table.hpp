// SPDX-License-Identifier: Apache-2.0
// Which tensor of a file becomes which parameter: by names that the user gives, then by the names that common libraries
// use, then by shape in the order of the file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "commands/import/torch_file.hpp"
#include "compute/parameters/network.hpp"

namespace tenon {

// A tensor whose name begins with `from` is called `to` and the rest: {"pi.", "actor/"}.
struct Renaming {
    std::string from;
    std::string to;
};

struct TakenTensor {
    std::string parameter;  // "actor/0.weight"
    std::string tensor;
};

struct Taken {
    std::vector<TakenTensor> tensors;
    std::vector<std::string> unused;  // tensors of the file
    std::vector<std::string> kept;    // networks for which the file has no tensors
};

// Reads "FROM=TO".
Result<Renaming> read_renaming(const std::string& text);

// Copies the tensors to the live parameters. A network gets all of its parameters or none; at least one gets them.
Result<Taken> take_weights(const std::vector<ForeignTensor>& tensors, const std::vector<Renaming>& renamings,
                           Learner& learner, const std::string& subject);

}  // namespace tenon
