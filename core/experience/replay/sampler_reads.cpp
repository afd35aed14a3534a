// SPDX-License-Identifier: Apache-2.0
#include "experience/replay/sampler_reads.hpp"

#include <utility>

#include "base/data/key.hpp"
#include "base/error/listed.hpp"
#include "plugins/plugin/abi_text.hpp"

namespace tenon {

std::string fault_of_read(const ColumnRead& read, const Shape& row) {
    if (read.elements == 0 || row.elements() == read.elements) {
        return "";
    }
    return "has " + counted(row.elements(), "number") + ", but " + std::to_string(read.elements) +
           (read.elements == 1 ? " is needed" : " are needed");
}

Result<SamplerReads> SamplerReads::make(Callee<tn_sampler_reads_api> sampler) {
    SamplerReads out;
    if (sampler.api == nullptr) {
        return out;
    }
    tn_sampler_reads_info info{.struct_size = sizeof info, .read_count = 0, .reads = nullptr};
    TENON_TRY(sampler.call("describe", sampler.api->describe, &info));
    if (info.read_count > 0 && info.reads == nullptr) {
        return sampler.problem("it says that it reads columns, but its array of them is null");
    }
    for (std::uint32_t i = 0; i < info.read_count; ++i) {
        if (info.reads[i] == nullptr) {
            return sampler.problem("column " + std::to_string(i) + " of those that it reads is a null pointer");
        }
        ColumnRead read{.key = text_of(info.reads[i]->key), .elements = info.reads[i]->elements};
        if (const std::string fault = key_fault(read.key); !fault.empty()) {
            return input_problem(sampler.name + " reads '" + read.key + "', which is not a valid key: it " + fault,
                                 sampler.place);
        }
        if (is_next(read.key)) {
            return sampler.problem("it reads '" + read.key +
                                   "'; a sampler reads columns as they are stored, without 'next.'");
        }
        out.columns_.push_back(std::move(read));
    }
    out.callee_ = std::move(sampler);
    return out;
}

Status SamplerReads::look(const Storage& storage) {
    if (columns_.empty()) {
        return {};
    }
    shown_.clear();
    pointers_.clear();
    shown_.reserve(columns_.size());
    for (const ColumnRead& read : columns_) {
        const StorageColumn* const column = storage.find(read.key);
        if (column == nullptr) {
            return callee_.problem("it reads '" + read.key + "', which the buffer does not hold");
        }
        if (const std::string fault = fault_of_read(read, column->row); !fault.empty()) {
            return callee_.problem("it reads '" + read.key + "', which " + fault);
        }
        if (storage.backing().packs(*column)) {
            return callee_.problem("it reads '" + read.key + "', which the buffer keeps compressed");
        }
        shown_.push_back({.struct_size = sizeof(tn_column),
                          .flags = 0,
                          .key = {.data = read.key.data(), .size = read.key.size()},
                          .tensor = column->view.tensor()});
        pointers_.push_back(&shown_.back());
    }
    return callee_.call("look", callee_.api->look, pointers_.data(), static_cast<std::uint32_t>(pointers_.size()));
}

}  // namespace tenon
