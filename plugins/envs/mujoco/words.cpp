// SPDX-License-Identifier: Apache-2.0
#include "words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

namespace physics {
namespace {

using Size = mjtSize mjModel::*;

// An array with `each` numbers for each of `count` objects of a type. The parts of joints and sensors differ in length.
struct Array {
    std::string_view name;
    Number array;
    Size count;
    std::size_t each;
    int object;  // mjOBJ_UNKNOWN: its elements have no names
    bool derived;
};

constexpr std::array kArrays = {
    Array{"qpos", &mjData::qpos, &mjModel::nq, 1, mjOBJ_JOINT, false},
    Array{"qvel", &mjData::qvel, &mjModel::nv, 1, mjOBJ_JOINT, false},
    Array{"qacc", &mjData::qacc, &mjModel::nv, 1, mjOBJ_JOINT, true},
    Array{"act", &mjData::act, &mjModel::na, 1, mjOBJ_UNKNOWN, false},
    Array{"ctrl", &mjData::ctrl, &mjModel::nu, 1, mjOBJ_ACTUATOR, false},
    Array{"actuator_force", &mjData::actuator_force, &mjModel::nout, 1, mjOBJ_UNKNOWN, true},
    Array{"actuator_length", &mjData::actuator_length, &mjModel::nout, 1, mjOBJ_UNKNOWN, true},
    Array{"actuator_velocity", &mjData::actuator_velocity, &mjModel::nout, 1, mjOBJ_UNKNOWN, true},
    Array{"qfrc_actuator", &mjData::qfrc_actuator, &mjModel::nv, 1, mjOBJ_JOINT, true},
    Array{"qfrc_constraint", &mjData::qfrc_constraint, &mjModel::nv, 1, mjOBJ_JOINT, true},
    Array{"sensordata", &mjData::sensordata, &mjModel::nsensordata, 1, mjOBJ_UNKNOWN, true},
    Array{"sensor", &mjData::sensordata, &mjModel::nsensordata, 1, mjOBJ_SENSOR, true},
    Array{"xpos", &mjData::xpos, &mjModel::nbody, 3, mjOBJ_BODY, true},
    Array{"xquat", &mjData::xquat, &mjModel::nbody, 4, mjOBJ_BODY, true},
    Array{"xmat", &mjData::xmat, &mjModel::nbody, 9, mjOBJ_BODY, true},
    Array{"xipos", &mjData::xipos, &mjModel::nbody, 3, mjOBJ_BODY, true},
    Array{"cvel", &mjData::cvel, &mjModel::nbody, 6, mjOBJ_BODY, true},
    Array{"cinert", &mjData::cinert, &mjModel::nbody, 10, mjOBJ_BODY, true},
    Array{"cfrc_ext", &mjData::cfrc_ext, &mjModel::nbody, 6, mjOBJ_BODY, true},
    Array{"subtree_com", &mjData::subtree_com, &mjModel::nbody, 3, mjOBJ_BODY, true},
    Array{"geom_xpos", &mjData::geom_xpos, &mjModel::ngeom, 3, mjOBJ_GEOM, true},
    Array{"geom_xmat", &mjData::geom_xmat, &mjModel::ngeom, 9, mjOBJ_GEOM, true},
    Array{"site_xpos", &mjData::site_xpos, &mjModel::nsite, 3, mjOBJ_SITE, true},
    Array{"site_xmat", &mjData::site_xmat, &mjModel::nsite, 9, mjOBJ_SITE, true},
    Array{"ten_length", &mjData::ten_length, &mjModel::ntendon, 1, mjOBJ_TENDON, true},
    Array{"ten_velocity", &mjData::ten_velocity, &mjModel::ntendon, 1, mjOBJ_TENDON, true},
    Array{"mocap_pos", &mjData::mocap_pos, &mjModel::nmocap, 3, mjOBJ_UNKNOWN, false},
    Array{"mocap_quat", &mjData::mocap_quat, &mjModel::nmocap, 4, mjOBJ_UNKNOWN, false},
};

struct Fixed {
    std::string_view name;
    mjtNum* mjModel::* array;
    std::size_t each;
    int object;
};

constexpr std::array kFixed = {Fixed{"geom_size", &mjModel::geom_size, 3, mjOBJ_GEOM},
                               Fixed{"site_size", &mjModel::site_size, 3, mjOBJ_SITE},
                               Fixed{"body_mass", &mjModel::body_mass, 1, mjOBJ_BODY}};

const Fixed* find_fixed(std::string_view name) {
    const auto* const found = std::ranges::find(kFixed, name, &Fixed::name);
    return found == kFixed.end() ? nullptr : found;
}

const Array* find_array(std::string_view name) {
    const auto* const found = std::ranges::find(kArrays, name, &Array::name);
    return found == kArrays.end() ? nullptr : found;
}

// The elements of a joint among the positions or velocities.
std::pair<std::size_t, std::size_t> joint_part(const mjModel& model, int joint, bool positions) {
    constexpr std::array<std::size_t, 4> kPositions = {7, 4, 1, 1};
    constexpr std::array<std::size_t, 4> kVelocities = {6, 3, 1, 1};
    const auto type = static_cast<std::size_t>(model.jnt_type[joint]);
    return positions ? std::pair(static_cast<std::size_t>(model.jnt_qposadr[joint]), kPositions.at(type))
                     : std::pair(static_cast<std::size_t>(model.jnt_dofadr[joint]), kVelocities.at(type));
}

template <class Function>
struct Named {
    std::string_view name;
    Function function;
};

constexpr std::array kUnary = {
    Named<double (*)(double)>{"abs", [](double x) { return std::abs(x); }},
    Named<double (*)(double)>{"sqrt", [](double x) { return std::sqrt(x); }},
    Named<double (*)(double)>{"exp", [](double x) { return std::exp(x); }},
    Named<double (*)(double)>{"log1p", [](double x) { return std::log1p(x); }},
    Named<double (*)(double)>{"log", [](double x) { return std::log(x); }},
    Named<double (*)(double)>{"sin", [](double x) { return std::sin(x); }},
    Named<double (*)(double)>{"cos", [](double x) { return std::cos(x); }},
    Named<double (*)(double)>{"tan", [](double x) { return std::tan(x); }},
    Named<double (*)(double)>{"asin", [](double x) { return std::asin(std::clamp(x, -1.0, 1.0)); }},
    Named<double (*)(double)>{"acos", [](double x) { return std::acos(std::clamp(x, -1.0, 1.0)); }},
    Named<double (*)(double)>{"atan", [](double x) { return std::atan(x); }},
    Named<double (*)(double)>{"tanh", [](double x) { return std::tanh(x); }},
    Named<double (*)(double)>{"floor", [](double x) { return std::floor(x); }},
    Named<double (*)(double)>{"sign", [](double x) { return x > 0 ? 1.0 : (x < 0 ? -1.0 : 0.0); }},
    Named<double (*)(double)>{"finite", [](double x) { return std::isfinite(x) ? 1.0 : 0.0; }},
};
constexpr std::array kBinary = {
    Named<double (*)(double, double)>{"atan2", [](double y, double x) { return std::atan2(y, x); }},
    Named<double (*)(double, double)>{"min", [](double a, double b) { return std::min(a, b); }},
    Named<double (*)(double, double)>{"max", [](double a, double b) { return std::max(a, b); }},
};
constexpr std::array kReductions = {
    Named<double (*)(std::span<const double>)>{
        "sum", [](std::span<const double> x) { return std::accumulate(x.begin(), x.end(), 0.0); }},
    Named<double (*)(std::span<const double>)>{"mean",
                                               [](std::span<const double> x) {
                                                   return std::accumulate(x.begin(), x.end(), 0.0) /
                                                          static_cast<double>(x.size());
                                               }},
    Named<double (*)(std::span<const double>)>{
        "prod",
        [](std::span<const double> x) { return std::accumulate(x.begin(), x.end(), 1.0, std::multiplies<double>()); }},
    Named<double (*)(std::span<const double>)>{
        "norm",
        [](std::span<const double> x) { return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0)); }},
    Named<double (*)(std::span<const double>)>{"min", [](std::span<const double> x) { return std::ranges::min(x); }},
    Named<double (*)(std::span<const double>)>{"max", [](std::span<const double> x) { return std::ranges::max(x); }},
    Named<double (*)(std::span<const double>)>{
        "all", [](std::span<const double> x) { return std::ranges::find(x, 0.0) == x.end() ? 1.0 : 0.0; }},
    Named<double (*)(std::span<const double>)>{"any",
                                               [](std::span<const double> x) {
                                                   return std::ranges::any_of(x, [](double one) { return one != 0; })
                                                              ? 1.0
                                                              : 0.0;
                                               }},
};

template <class Table>
auto find_in(const Table& table, std::string_view name) {
    const auto* const found = std::ranges::find(table, name, &Table::value_type::name);
    return found == table.end() ? nullptr : found->function;
}

std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t corner = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = corner + (a[i] == b[j] ? 0 : 1);
            corner = std::exchange(row[j + 1], std::min({replaced, row[j] + 1, row[j + 1] + 1}));
        }
    }
    return row.back();
}

}  // namespace

std::optional<Part> whole_array(std::string_view name, const mjModel& model) {
    const Array* const array = find_array(name);
    if (array == nullptr) {
        return std::nullopt;
    }
    return Part{.array = array->array,
                .size = array->each * static_cast<std::size_t>(model.*array->count),
                .derived = array->derived,
                .contact_forces = name == "cfrc_ext"};
}

std::string_view kind_of_object(std::string_view name) {
    const Array* const array = find_array(name);
    return array == nullptr || array->object == mjOBJ_UNKNOWN ? "" : mju_type2Str(array->object);
}

std::optional<Part> part_of(std::string_view name, const std::string& object, const mjModel& model) {
    const Array& array = *find_array(name);
    const int id = mj_name2id(&model, array.object, object.c_str());
    if (id < 0) {
        return std::nullopt;
    }
    Part part = {.array = array.array,
                 .index = array.each * static_cast<std::size_t>(id),
                 .size = array.each,
                 .derived = array.derived,
                 .contact_forces = name == "cfrc_ext"};
    if (array.object == mjOBJ_JOINT) {
        std::tie(part.index, part.size) = joint_part(model, id, name == "qpos");
    } else if (array.object == mjOBJ_SENSOR) {
        part.index = static_cast<std::size_t>(model.sensor_adr[id]);
        part.size = static_cast<std::size_t>(model.sensor_dim[id]);
    }
    return part;
}

std::vector<std::string> objects_of(std::string_view name, const mjModel& model) {
    std::vector<std::string> names;
    const Array& array = *find_array(name);
    for (int id = 0;; ++id) {
        const char* const one = mj_id2name(&model, array.object, id);
        if (one != nullptr) {
            names.emplace_back(one);
        } else if (id >=
                   model.nbody + model.njnt + model.ngeom + model.nsite + model.nu + model.nsensor + model.ntendon) {
            return names;
        }
    }
}

bool is_fixed(std::string_view name) {
    return find_fixed(name) != nullptr;
}
std::string_view kind_of_fixed(std::string_view name) {
    return mju_type2Str(find_fixed(name)->object);
}
std::vector<double> fixed_values(std::string_view name, const std::string& object, const mjModel& model) {
    const Fixed& fixed = *find_fixed(name);
    const int id = mj_name2id(&model, fixed.object, object.c_str());
    if (id < 0) {
        return {};
    }
    const mjtNum* const first = model.*fixed.array + fixed.each * static_cast<std::size_t>(id);
    return {first, first + fixed.each};
}

double (*find_unary(std::string_view name))(double) {
    return find_in(kUnary, name);
}
double (*find_binary(std::string_view name))(double, double) {
    return find_in(kBinary, name);
}
double (*find_reduction(std::string_view name))(std::span<const double>) {
    return find_in(kReductions, name);
}

std::vector<std::string> all_words() {
    std::vector<std::string> words = {"time",
                                      "dt",
                                      "pi",
                                      "inf",
                                      "contacts",
                                      "dot",
                                      "clip",
                                      "if",
                                      "true",
                                      "tolerance",
                                      "before",
                                      "false",
                                      "tolerance_linear",
                                      "tolerance_quadratic",
                                      "tolerance_long_tail"};
    const auto add = [&](const auto& table) {
        for (const auto& one : table) {
            words.emplace_back(one.name);
        }
    };
    add(kArrays);
    add(kFixed);
    add(kUnary);
    add(kBinary);
    add(kReductions);
    return words;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& names) {
    const std::string* nearest = nullptr;
    std::size_t least =
        std::max<std::size_t>(word.size() < 3 ? 1 : 2, word.size() / 3) + 1;  // two letters swapped are 2
    for (const std::string& name : names) {
        if (const std::size_t far = distance(word, name); far < least) {
            least = far;
            nearest = &name;
        }
    }
    return nearest == nullptr ? "" : "; did you mean '" + *nearest + "'?";
}

}  // namespace physics
