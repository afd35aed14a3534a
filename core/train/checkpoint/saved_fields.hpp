// SPDX-License-Identifier: Apache-2.0
// One list of fields that a section of a checkpoint has, for both directions: what it writes, it also reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "train/checkpoint/bytes.hpp"

namespace tenon {

class SavedFields {
public:
    explicit SavedFields(ByteWriter& out) : out_(&out) {}
    explicit SavedFields(ByteReader& in) : in_(&in) {}

    [[nodiscard]] bool reads() const { return in_ != nullptr; }
    [[nodiscard]] Status status() const { return reads() ? in_->status() : Status(); }

    // Calls list(version), which has the fields: `newest` is the version that is written; a version that is read is
    // that of the data, or 0 if they are damaged.
    template <class F>
    void section(std::string_view tag, std::uint32_t newest, F list) {
        if (reads()) {
            list(in_->enter(tag, newest));
            in_->leave();
        } else {
            out_->begin(tag, newest);
            list(newest);
            out_->end();
        }
    }

    // Passes over a section of the data.
    void skip(std::string_view tag) { in_->skip(tag); }

    template <class... T>
    void fields(T&... values) {
        (field(values), ...);
    }

    // The number of elements, then each of them. A list that is read replaces `values`.
    template <class T, class F>
    void list(std::vector<T>& values, F each) {
        auto left = static_cast<std::uint64_t>(values.size());
        field(left);
        if (reads()) {
            values.clear();
            for (; left > 0 && in_->status(); --left) {
                each(values.emplace_back());
            }
        } else {
            for (T& value : values) {
                each(value);
            }
        }
    }

    // What must be the same in the data; otherwise reading fails with this sentence.
    void same(const std::string& value, std::string_view otherwise) {
        std::string saved = value;
        field(saved);
        check(saved == value, otherwise);
    }
    void check(bool fits, std::string_view otherwise) {
        if (!fits) {
            in_->fail(otherwise);
        }
    }

    // A section of an object that saves and loads itself. extra: what saving takes in addition.
    template <class T, class... Extra>
    Status part(std::string_view tag, T& object, Extra&... extra) {
        return reads() ? nested(*in_, tag, [&](const tn_reader& reader) { return object.load(reader); })
                       : nested(*out_, tag, [&](const tn_writer& writer) { return object.save(extra..., writer); });
    }

private:
    template <SavedNumber T>
    void field(std::vector<T>& values) {
        if (reads()) {
            values = in_->numbers<T>();
        } else {
            out_->numbers(std::span<const T>(values));
        }
    }
    template <SavedNumber T>
    void field(T& value) {
        if (reads()) {
            value = in_->number<T>();
        } else {
            out_->number(value);
        }
    }
    void field(bool& value) {
        if (reads()) {
            value = in_->boolean();
        } else {
            out_->boolean(value);
        }
    }
    void field(std::string& value) {
        if (reads()) {
            value = in_->text();
        } else {
            out_->text(value);
        }
    }

    ByteWriter* out_ = nullptr;
    ByteReader* in_ = nullptr;
};

}  // namespace tenon
