// SPDX-License-Identifier: Apache-2.0
// Parameters of the networks of a run: which there are (layout) and their values (slabs).
//
// Each network role has one flat slab per purpose (live, target, optimiser's), laid out alike: trainable parameters
// first, then the network's own state. So an optimiser step, a target update and a checkpoint are each one pass over
// contiguous memory. Every parameter begins at a multiple of 64 bytes; the gaps hold zeros and stay zero under every
// optimiser.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/dtype.hpp"
#include "data/slab.hpp"
#include "error/result.hpp"

namespace tenon {

struct Parameter {
    std::string name;                 // "0.weight"
    std::vector<std::int64_t> shape;  // of one member
    std::string init;                 // zeros, constant, uniform, normal, orthogonal
    double scale = 0;                 // the constant, the bound, the standard deviation, the gain
    bool trainable = true;
    std::size_t offset = 0;  // of the first element in the slab
    std::size_t size = 0;    // elements of all members together
};

struct NetworkLayout {
    std::string role;
    std::int64_t members = 1;
    bool ensemble = false;  // members > 1 or asked for: parameters carry the members' dimension
    std::vector<Parameter> parameters;
    std::size_t trainable_size = 0;  // elements, gaps included
    std::size_t size = 0;

    [[nodiscard]] const Parameter* find(std::string_view name) const;
};

// Adds a parameter or checks that it is declared as before; a problem names both declarations otherwise, or says what
// this host cannot initialise. Set role and members of the layout first.
Status declare(NetworkLayout& layout, Parameter parameter);

// Gives every parameter its size and place, trainable ones first; call once all are declared. Sizes of slabs come out
// as multiples of 64 bytes.
void place(NetworkLayout& layout);

struct NamedSlab {
    std::string name;
    Slab slab;
};

struct Network {
    NetworkLayout layout;
    Slab live;
    Slab target;                             // empty where nobody reads it
    Slab gradient;                           // of the trainable part
    std::vector<NamedSlab> optimiser_state;  // of the trainable part, as the optimiser's rule wants it
    std::int64_t steps = 0;                  // optimiser steps taken
    std::int64_t since_target = 0;           // updates since the target last moved
};

struct Learner {
    DType real = DType::kF32;
    std::vector<Network> networks;

    [[nodiscard]] Network* find(std::string_view role);
    [[nodiscard]] const Network* find(std::string_view role) const;
};

// Numbers of a network of the learner and of a parameter of it.
struct ParameterPlace {
    std::size_t network = 0;
    std::size_t parameter = 0;
};

std::optional<ParameterPlace> find_parameter(const Learner& learner, std::string_view role, std::string_view name);

// Allocates the slabs but the optimiser's and fills live with initial values, computed in double and rounded: a
// function of seed, role, parameter name, member and element alone. target, where wanted, is a copy of live. Each
// member of an ensemble gets values of its own. The problem is too little memory.
Status initialise(Network& network, DType real, std::uint64_t seed, bool wants_target);

// What to say where a slab of the network could not be had.
Problem out_of_memory(const NetworkLayout& layout, Problem why);

}  // namespace tenon
