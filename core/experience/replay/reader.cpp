// SPDX-License-Identifier: Apache-2.0
#include "experience/replay/reader.hpp"

#include <utility>

#include "base/data/key.hpp"

namespace tenon {
namespace {

// Whether step writes the column about the transition, so that it is read under "next.".
bool is_outcome(const StorageColumn& column) {
    return tenon::is_outcome(column.role) || is_end_flag(column.key);
}

std::vector<std::string> keys_of(std::string_view key, Role role) {
    const std::string root(key);
    if (is_outcome(role) || is_end_flag(key)) {
        return {next_key(root)};
    }
    if (role == Role::kObservation) {
        return {root, next_key(root)};
    }
    return {root};
}

Problem unknown(const Storage& storage, std::string_view key, std::string_view reader) {
    const std::vector<std::string> keys = reader_keys(storage);
    const std::vector<std::string_view> candidates(keys.begin(), keys.end());
    return input_problem(std::string(reader) + " reads '" + std::string(key) + "', which nothing in the run provides" +
                         did_you_mean(key, candidates));
}

Spec flag_spec(std::string_view key) {
    Spec spec;
    spec.key = key;
    spec.kind = SpecKind::kBinary;
    spec.role = Role::kExtra;
    spec.dtype = DType::kBool;
    return spec;
}

}  // namespace

Result<ReaderColumn> resolve(const Storage& storage, std::string_view key, std::string_view reader) {
    const bool next = is_next(key);
    const std::string stored(without_next(key));
    const std::string reads = std::string(reader) + " reads '" + std::string(key) + "', ";
    const auto outcome = [&] {
        return input_problem(reads + "which is an outcome of a step; read '" + next_key(stored) + "'");
    };
    if (stored == "done") {
        return next ? Result<ReaderColumn>(ReaderColumn{
                          .port = {std::string(key), DType::kBool, {}}, .reading = Reading::kDone, .column = nullptr})
                    : outcome();
    }
    const StorageColumn* const column = storage.find(stored);
    if (column == nullptr) {
        return unknown(storage, key, reader);
    }
    ReaderColumn out{
        .port = {std::string(key), column->dtype, column->row}, .reading = Reading::kAtSlot, .column = column};
    if (column->earlier > 0) {
        out.port.row = join(Shape{column->earlier}, column->row);
        out.reading = Reading::kEarlier;
    }
    if (is_outcome(*column)) {
        return next ? Result<ReaderColumn>(std::move(out)) : outcome();
    }
    if (next) {
        if (column->final.data == nullptr) {
            return input_problem(reads +
                                 "but only observations, rewards and flags are stored for the next step, and '" +
                                 stored + "' is none of them");
        }
        out.reading = Reading::kNext;
    }
    return out;
}

std::vector<std::string> reader_keys(const Storage& storage) {
    std::vector<std::string> out;
    for (const StorageColumn& column : storage.columns()) {
        for (std::string& key : keys_of(column.key, column.role)) {
            out.push_back(std::move(key));
        }
    }
    out.emplace_back(kNextDone);
    return out;
}

Composite reader_specs(const Composite& specs) {
    Composite out;
    for (const Spec& spec : specs.specs) {
        for (std::string& key : keys_of(spec.key, spec.role)) {
            out.specs.push_back(spec);
            out.specs.back().key = std::move(key);
        }
    }
    for (const std::string_view key : {kNextTerminated, kNextTruncated, std::string_view("is_init"), kNextDone}) {
        out.specs.push_back(flag_spec(key));
    }
    return out;
}

}  // namespace tenon
