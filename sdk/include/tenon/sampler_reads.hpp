// SPDX-License-Identifier: Apache-2.0
// Samplers that look at columns of the buffer ("tenon.sampler_reads/1"). An author adds to plan and sample
//
//     std::vector<tenon::ReadColumn> reads() const { return {{.key = "reward"}}; }
//
// and reads buffer.number(at) in sample: the reward of the transition that begins there. Columns are those that the
// run stores; one that nothing else in the run reads is stored for the sampler.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tenon/abi/sampler_reads.h"
#include "tenon/spec.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct ReadColumn {
    std::string key;             // as stored, without "next."
    std::uint32_t elements = 1;  // how many numbers a row must have; 0: any number
};

template <class T>
concept ReadsColumns = requires(const T& sampler) {
    { sampler.reads() } -> std::convertible_to<std::vector<ReadColumn>>;
};

// What a sampler says that it reads, in the form of the ABI.
class ReadsInfo {
public:
    explicit ReadsInfo(std::vector<ReadColumn> columns) : columns_(std::move(columns)) {
        for (const ReadColumn& column : columns_) {
            reads_.push_back({sizeof(tn_sampler_read), column.elements, to_str(column.key)});
        }
        for (const tn_sampler_read& read : reads_) {
            pointers_.push_back(&read);
        }
    }
    void tell(tn_sampler_reads_info& info) const {
        info.read_count = static_cast<std::uint32_t>(pointers_.size());
        info.reads = pointers_.data();
    }

private:
    std::vector<ReadColumn> columns_;
    std::vector<tn_sampler_read> reads_;
    std::vector<const tn_sampler_read*> pointers_;
};

}  // namespace TENON_SDK
}  // namespace tenon
