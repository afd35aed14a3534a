// SPDX-License-Identifier: Apache-2.0
#include "experience/replay/reader.hpp"

#include "base/data/key.hpp"

namespace tenon {
namespace {

bool is_flag(std::string_view key) {
    return key == "terminated" || key == "truncated";
}

// step writes it about the transition, so it is read under "next.".
bool is_outcome(const StorageColumn& column) {
    return tenon::is_outcome(column.role) || is_flag(column.key);
}

std::vector<std::string> keys_of(std::string_view key, Role role) {
    const std::string root(key);
    if (is_outcome(role) || is_flag(key)) {
        return {join_keys("next", root)};
    }
    if (role == Role::kObservation) {
        return {root, join_keys("next", root)};
    }
    return {root};
}

Problem unknown(const Storage& storage, const Want& want) {
    const std::vector<std::string> keys = reader_keys(storage);
    const std::vector<std::string_view> candidates(keys.begin(), keys.end());
    return input_problem(want.reader + " reads '" + want.key + "', which nothing in the run provides" +
                         did_you_mean(want.key, candidates));
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

Result<ReaderColumn> resolve(const Storage& storage, const Want& want) {
    const bool next = want.key.starts_with(kNextPrefix);
    const std::string key(without_next(want.key));
    if (key == "done") {
        if (!next) {
            return input_problem(want.reader + " reads 'done', which is an outcome of a step; read 'next.done'");
        }
        return ReaderColumn{.port = {want.key, DType::kBool, {}}, .reading = Reading::kDone, .column = nullptr};
    }
    const StorageColumn* const column = storage.find(key);
    if (column == nullptr) {
        return unknown(storage, want);
    }
    ReaderColumn out{.port = {want.key, column->dtype, column->row}, .reading = Reading::kAtSlot, .column = column};
    if (is_outcome(*column)) {
        if (!next) {
            return input_problem(want.reader + " reads '" + key + "', which is an outcome of a step; read 'next." +
                                 key + "'");
        }
        return out;
    }
    if (next) {
        if (column->final.data == nullptr) {
            return input_problem(want.reader + " reads '" + want.key + "', but only observations, " +
                                 "rewards and flags are stored for the next step, and '" + key + "' is none of them");
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
    out.emplace_back("next.done");
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
    for (const std::string_view key : {"next.terminated", "next.truncated", "is_init", "next.done"}) {
        out.specs.push_back(flag_spec(key));
    }
    return out;
}

}  // namespace tenon
