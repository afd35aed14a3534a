// SPDX-License-Identifier: Apache-2.0
#include "steps.hpp"

#include <algorithm>
#include <cstring>

namespace embedded {
namespace {

constexpr int kContiguous = 0x38;      // PyBUF_C_CONTIGUOUS
constexpr std::ptrdiff_t kResult = 5;  // observation, reward, terminated, truncated, info
constexpr std::ptrdiff_t kBegin = 2;   // observation, info

Kept word(const char* text) {
    return Kept(checked(python.PyUnicode_InternFromString(text)));
}

Kept attribute(const Kept& owner, const char* name) {
    return Kept(checked(python.PyObject_GetAttrString(owner.get(), name)));
}

std::int64_t whole_number(const Kept& owner, const char* name) {
    return python.PyLong_AsLongLong(attribute(owner, name).get());
}

bool is_tuple_of(const Owned& object, std::ptrdiff_t size) {
    return object && python.PyTuple_Size(object.get()) == size;
}

struct Flags {
    double reward;
    bool terminated, truncated;
};

// The reward and the two flags of a step's result; none if Python cannot read one of them as a number or a flag.
std::optional<Flags> flags_of(const Owned& result) {
    const double reward = python.PyFloat_AsDouble(python.PyTuple_GetItem(result.get(), 1));
    if (reward == -1.0 && python.PyErr_Occurred() != nullptr) {
        return std::nullopt;
    }
    const int terminated = python.PyObject_IsTrue(python.PyTuple_GetItem(result.get(), 2));
    const int truncated = python.PyObject_IsTrue(python.PyTuple_GetItem(result.get(), 3));
    if (terminated < 0 || truncated < 0) {
        return std::nullopt;
    }
    return Flags{reward, terminated != 0, truncated != 0};
}

}  // namespace

Steps::Steps(const Session& session)
    : session_(&session),
      steps_(session.steps()),
      envs_(attribute(steps_, "envs")),
      dtype_(attribute(steps_, "dtype")),
      choices_(attribute(steps_, "choices")),
      read_(attribute(steps_, "read")),
      actions_(attribute(steps_, "actions")),
      word_step_(word("step")),
      word_reset_(word("reset")),
      word_dtype_(word("dtype")),
      word_again_(word("again")),
      kind_(static_cast<Kind>(whole_number(steps_, "kind"))),
      start_(whole_number(steps_, "start")),
      choice_count_(static_cast<std::uint64_t>(python.PyTuple_Size(choices_.get()))) {
    const std::vector<std::int64_t>& shape = session.description().spec.observations[0].shape;
    shape_.assign(shape.begin(), shape.end());
}

// A choice that is kept, or none.
Object* Steps::choice_of(const tenon::BatchRow& row) const {
    if (choice_count_ == 0) {
        return nullptr;
    }
    const auto number = static_cast<std::uint64_t>(row.action<std::int64_t>()[0]);
    return number < choice_count_ ? python.PyTuple_GetItem(choices_.get(), static_cast<std::ptrdiff_t>(number))
                                  : nullptr;
}

Owned Steps::call_step(const tenon::BatchRow& row, Object* env) const {
    if (Object* const choice = choice_of(row)) {
        return Owned(python.PyObject_CallMethodObjArgs(env, word_step_.get(), choice, nullptr));
    }
    for (std::size_t i = 0; i < session_->layout().actions.size(); ++i) {
        const std::span<const std::byte> bytes = row.action_bytes(i);
        std::memcpy(session_->slab().row(session_->layout().actions[i], row.lane()), bytes.data(), bytes.size());
    }
    const Owned lane = checked(python.PyLong_FromLongLong(row.lane()));
    const Owned action(python.PyObject_CallFunctionObjArgs(read_.get(), actions_.get(), lane.get(), nullptr));
    return Owned(action ? python.PyObject_CallMethodObjArgs(env, word_step_.get(), action.get(), nullptr) : nullptr);
}

bool Steps::write(Object* observation, std::span<std::byte> row) const {
    return kind_ == Kind::kArray ? write_array(observation, row) : write_number(observation, row);
}

bool Steps::write_array(Object* observation, std::span<std::byte> row) const {
    const Owned dtype(python.PyObject_GetAttr(observation, word_dtype_.get()));
    if (dtype.get() != dtype_.get()) {
        return false;
    }
    Buffer buffer{};
    if (python.PyObject_GetBuffer(observation, &buffer, kContiguous) != 0) {
        return false;
    }
    const bool fits = buffer.bytes == static_cast<std::ptrdiff_t>(row.size()) &&
                      std::equal(shape_.begin(), shape_.end(), buffer.shape, buffer.shape + buffer.dimensions);
    if (fits) {
        std::memcpy(row.data(), buffer.data, row.size());
    }
    python.PyBuffer_Release(&buffer);
    return fits;
}

bool Steps::write_number(Object* observation, std::span<std::byte> row) const {
    const Owned index(python.PyNumber_Index(observation));
    if (!index) {
        return false;
    }
    const std::int64_t number = python.PyLong_AsLongLong(index.get());
    if (number == -1 && python.PyErr_Occurred() != nullptr) {
        return false;
    }
    const std::int64_t category = number - start_;
    std::memcpy(row.data(), &category, sizeof category);
    return true;
}

std::optional<bridge::Failure> Steps::step(const tenon::BatchRow& row) const {
    Object* const env = python.PyList_GetItem(envs_.get(), row.lane());
    const Owned result = call_step(row, env);
    if (!result) {
        return leave(row, take_exception().get());
    }
    const std::optional<Flags> flags = is_tuple_of(result, kResult) ? flags_of(result) : std::nullopt;
    Object* const observation = flags ? python.PyTuple_GetItem(result.get(), 0) : nullptr;
    const bool is_over = flags && (flags->terminated || flags->truncated);
    if (!flags || !write(observation, is_over ? row.final_observation_bytes() : row.observation_bytes())) {
        return leave(row, result.get());
    }
    if (is_over) {
        const Owned begun(python.PyObject_CallMethodObjArgs(env, word_reset_.get(), nullptr));
        if (!begun) {
            return leave(row, result.get(), take_exception().get());
        }
        if (!is_tuple_of(begun, kBegin) || !write(python.PyTuple_GetItem(begun.get(), 0), row.observation_bytes())) {
            return leave(row, result.get(), begun.get());
        }
    }
    row.result(flags->reward, flags->terminated, flags->truncated);
    return std::nullopt;
}

// The package does the step with what step and reset have returned or raised.
std::optional<bridge::Failure> Steps::leave(const tenon::BatchRow& row, Object* stepped, Object* begun) const {
    python.PyErr_Clear();  // of a look at what was returned
    const Owned lane = checked(python.PyLong_FromLongLong(row.lane()));
    checked(python.PyObject_CallMethodObjArgs(steps_.get(), word_again_.get(), lane.get(), stepped, begun, nullptr));
    return bridge::take_lane(session_->slab(), session_->layout(), row.lane(), row, bridge::Command::kStep);
}

}  // namespace embedded
