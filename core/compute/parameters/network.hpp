// SPDX-License-Identifier: Apache-2.0
// The parameters of a run's networks: their declaration (layout) and their values (slabs).
//
// Each network role has one flat slab per purpose (live, target, optimiser state), all with the same layout: trainable
// parameters first, then the network's own state. So an optimiser step, a target update and a checkpoint are each one
// pass over contiguous memory. Every parameter is aligned to 64 bytes. The padding holds zeros, and every optimiser
// keeps it zero.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/dtype.hpp"
#include "base/data/slab.hpp"
#include "base/error/result.hpp"

namespace tenon {

struct Parameter {
    std::string name;                 // "0.weight"
    std::vector<std::int64_t> shape;  // of one member
    std::string init;                 // zeros, constant, uniform, normal, orthogonal
    double scale = 0;                 // the constant, the bound, the standard deviation, the gain
    bool trainable = true;
    std::size_t offset = 0;  // of the first element, in the slab
    std::size_t size = 0;    // number of elements of all members
};

struct NetworkLayout {
    std::string role;
    std::int64_t members = 1;
    bool ensemble = false;  // members > 1, or requested: parameters have a member dimension
    std::vector<Parameter> parameters;
    std::size_t trainable_size = 0;  // elements, including padding
    std::size_t size = 0;

    [[nodiscard]] const Parameter* find(std::string_view name) const;
};

// Adds a parameter, or checks that it is declared as before. Problems: different declarations, or an initialiser that
// this host does not know. Set role and members of the layout first.
Status declare(NetworkLayout& layout, Parameter parameter);

// Assigns size and offset to every parameter, trainable ones first. Call it once, when all are declared. Slab sizes are
// multiples of 64 bytes.
void place(NetworkLayout& layout);

struct NamedSlab {
    std::string name;
    Slab slab;
};

struct Network {
    NetworkLayout layout;
    Slab live;
    Slab target;                             // empty if it is not read
    Slab gradient;                           // of the trainable parameters
    std::vector<NamedSlab> optimiser_state;  // of the trainable parameters, depending on the optimiser
    std::int64_t steps = 0;                  // optimiser steps taken
    std::int64_t since_target = 0;           // updates since the last target update
};

struct Learner {
    DType real = DType::kF32;
    std::vector<Network> networks;

    [[nodiscard]] Network* find(std::string_view role);
    [[nodiscard]] const Network* find(std::string_view role) const;
};

// The indices of a network of the learner and of one of its parameters.
struct ParameterPlace {
    std::size_t network = 0;
    std::size_t parameter = 0;
};

std::optional<ParameterPlace> find_parameter(const Learner& learner, std::string_view role, std::string_view name);

// Allocates all slabs but the optimiser's and fills live with initial values, computed in double and rounded. They
// depend only on seed, role, parameter name, member and element; the members of an ensemble get different values. The
// target, if wanted, is a copy of live. The problem is a lack of memory.
Status initialise(Network& network, DType real, std::uint64_t seed, bool wants_target);

// The problem if a slab of the network could not be allocated.
Problem out_of_memory(const NetworkLayout& layout, Problem why);

}  // namespace tenon
