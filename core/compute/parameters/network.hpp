// SPDX-License-Identifier: Apache-2.0
// The parameters of a run's networks: their declaration (layout) and their values (slabs).
//
// Each network role has one flat slab per purpose (live, target, reference, optimiser state, ...), all with the same
// layout: trainable parameters first, then the network's own state. So an optimiser step, a target update and a
// checkpoint are each one pass over contiguous memory. Every parameter is aligned to 64 bytes. The padding holds zeros,
// and every optimiser keeps it zero.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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
    std::int64_t each = 1;  // agents with an ensemble each; members counts all: [members / each, each]
    std::vector<Parameter> parameters = {};
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

// The versions of a network's parameters that graphs read. All but live are copies of it, made at other times.
enum class ParameterSlab : std::uint8_t {
    kLive,       // what the optimiser steps
    kTarget,     // follows live as [target] says
    kReference,  // copied every so many updates, or never
    kBehaviour,  // live of some rounds ago, for collecting
    kPerturbed,  // live with noise, for collecting
};

// The slab with this name in a graph: "live", "target", "reference", "behaviour", "perturbed".
ParameterSlab parameter_slab(std::string_view name);

struct Network {
    NetworkLayout layout;
    Slab live;
    Slab target;  // this and the next three: empty if nothing reads it
    Slab reference;
    Slab behaviour;
    Slab perturbed;
    std::vector<Slab> waiting;               // live of the rounds after that of behaviour, the oldest first
    Slab gradient;                           // of the trainable parameters
    std::vector<NamedSlab> optimiser_state;  // of the trainable parameters, depending on the optimiser
    std::int64_t steps = 0;                  // optimiser steps taken
    std::int64_t since_target = 0;           // updates since the last target update
    std::int64_t since_reference = 0;        // the same, of the reference
};

[[nodiscard]] Slab& slab_of(Network& network, ParameterSlab which);
[[nodiscard]] const Slab& slab_of(const Network& network, ParameterSlab which);

class DeviceCopies;

struct Learner {
    DType real = DType::kF32;
    std::vector<Network> networks;
    std::shared_ptr<DeviceCopies> on_device =
        nullptr;  // not null if a device has newer slabs (device_copies.hpp); the network must not be moved then

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

// Allocates one of the copies and makes it equal live. The problem is a lack of memory.
Status add_copy(Network& network, ParameterSlab which);

// Adds behaviour, and as many waiting versions as collecting lags in rounds. The problem is a lack of memory.
Status add_behaviour(Network& network, std::int64_t rounds);

// Makes every copy that the network has equal live.
void copy_live(Network& network);

// A slab of the network. If it cannot be allocated, the problem says which network is too large.
Result<Slab> make_slab(const NetworkLayout& layout, std::size_t bytes);

}  // namespace tenon
