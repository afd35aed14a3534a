// SPDX-License-Identifier: Apache-2.0
// The names that an expression may use: arrays of the simulator, parts of them that belong to a named object of the
// model, and functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program.hpp"

namespace physics {

struct Part {
    Number array = nullptr;
    std::size_t index = 0;
    std::size_t size = 0;
    bool derived = false;  // from the state, by MuJoCo
    bool contact_forces = false;
};

// The whole array of this name; nothing if there is none.
std::optional<Part> whole_array(std::string_view name, const mjModel& model);

// The kind of object whose part an array has, for sentences ("body"); empty if its parts have no names.
std::string_view kind_of_object(std::string_view array);

// The part of an array that belongs to the object; nothing if the model has no such object.
std::optional<Part> part_of(std::string_view array, const std::string& object, const mjModel& model);

// The names of all objects whose parts the array has.
std::vector<std::string> objects_of(std::string_view array, const mjModel& model);

// Numbers of the model that belong to a named object: sizes of geoms and sites, masses of bodies.
bool is_fixed(std::string_view name);
std::string_view kind_of_fixed(std::string_view name);
// Empty if the model has no such object.
std::vector<double> fixed_values(std::string_view name, const std::string& object, const mjModel& model);

double (*find_unary(std::string_view name))(double);
double (*find_binary(std::string_view name))(double, double);
double (*find_reduction(std::string_view name))(std::span<const double>);

// All names of arrays, constants and functions.
std::vector<std::string> all_words();

// " did you mean 'x'?" with the nearest of the names; empty if none is near.
std::string suggestion(std::string_view word, const std::vector<std::string>& names);

}  // namespace physics
