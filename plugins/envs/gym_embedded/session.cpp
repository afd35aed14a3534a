// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <utility>

#include "bridge/answer.hpp"
#include "tenon/guard.hpp"

namespace embedded {
namespace {

constexpr int kWritable = 0x200;  // PyBUF_WRITE

}  // namespace

Session::Session(const std::string& config, std::string name) : name_(std::move(name)) {
    {
        const Lock lock;
        const Owned module = checked(python.PyImport_ImportModule("tenon_worker.embedded"));
        const Owned type = checked(python.PyUnicode_InternFromString("Embedded"));
        session_ = Kept(checked(python.PyObject_CallMethodObjArgs(module.get(), type.get(), nullptr)));
        answer_ = Kept(checked(python.PyUnicode_InternFromString("answer")));
        serve_ = Kept(checked(python.PyUnicode_InternFromString("serve")));
    }
    description_ = bridge::read_description(ask("{\"call\":\"describe\"," + config + "}"));
}

Session::~Session() {
    try {
        ask("{\"call\":\"close\"}");
        // Nobody waits for an environment that does not close.
    } catch (const tenon::Error&) {  // NOLINT(bugprone-empty-catch)
    }
}

std::string Session::ask(const std::string& message) {
    const Lock lock;
    const Owned bytes =
        checked(python.PyBytes_FromStringAndSize(message.data(), static_cast<std::ptrdiff_t>(message.size())));
    const Owned answer =
        checked(python.PyObject_CallMethodObjArgs(session_.get(), answer_.get(), bytes.get(), nullptr));
    char* data = nullptr;
    std::ptrdiff_t size = 0;
    python.PyBytes_AsStringAndSize(answer.get(), &data, &size);
    return bridge::unpack_answer(std::string(data, static_cast<std::size_t>(size)), name_);
}

void Session::open(std::uint32_t lanes) {
    bridge::SlabLayout layout(description_.spec, lanes);
    memory_ = std::make_unique<Line[]>((layout.size + sizeof(Line) - 1) / sizeof(Line));
    slab_.data = memory_[0].bytes;
    {
        const Lock lock;
        const Owned view = checked(python.PyMemoryView_FromMemory(reinterpret_cast<char*>(slab_.data),
                                                                  static_cast<std::ptrdiff_t>(layout.size), kWritable));
        python.PyObject_SetAttrString(session_.get(), "memory", view.get());
    }
    ask("{\"call\":\"open\",\"draws\":false," + layout.json() + "}");
    const Lock lock;
    lanes_ = Kept(checked(python.PyObject_GetAttrString(session_.get(), "lanes")));
    layout_ = std::move(layout);
}

void Session::serve() {
    checked(python.PyObject_CallMethodObjArgs(lanes_.get(), serve_.get(), nullptr));
}

Owned Session::steps() const {
    const Owned word = checked(python.PyUnicode_InternFromString("steps"));
    return checked(python.PyObject_CallMethodObjArgs(session_.get(), word.get(), nullptr));
}

}  // namespace embedded
