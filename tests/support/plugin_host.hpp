// SPDX-License-Identifier: Apache-2.0
// A host small enough to see through, for tests of what a plugin does with it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "tenon/abi/host.h"

namespace tenon::test {

class PluginHost {
public:
    PluginHost() {
        table_.struct_size = sizeof(tn_host);
        table_.abi_major = TN_ABI_MAJOR;
        table_.abi_minor = TN_ABI_MINOR;
        table_.ctx = this;
        table_.set_error = [](void* ctx, tn_status code, tn_str text) {
            of(ctx).status = code;
            of(ctx).error.assign(text.data, text.size);
        };
        table_.log = [](void* ctx, std::int32_t, tn_str text) { of(ctx).log.emplace_back(text.data, text.size); };
        // Not normal, but a function of key and counter that tells one stream from another.
        table_.normal = [](void*, tn_key key, std::uint64_t counter, double* out, std::uint64_t count) {
            for (std::uint64_t i = 0; i < count; ++i) {
                const tn_random_block block = tn_philox(key, counter + i);
                out[i] = 2 * tn_uniform(block.word[2], block.word[3]) - 1;
            }
        };
        table_.parallel_for = [](void*, std::uint64_t n, std::uint64_t grain,
                                 void (*body)(void*, std::uint64_t, std::uint64_t), void* arg) {
            for (std::uint64_t first = 0; first < n; first += grain) {
                body(arg, first, grain < n - first ? grain : n - first);
            }
        };
        table_.alloc = [](void*, std::uint64_t bytes, std::uint64_t alignment) -> void* {
            return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
        };
        table_.free = [](void*, void* memory) { std::free(memory); };
    }
    PluginHost(const PluginHost&) = delete;
    PluginHost& operator=(const PluginHost&) = delete;

    [[nodiscard]] const tn_host& table() const { return table_; }

    tn_status status = TN_OK;
    std::string error;
    std::vector<std::string> log;

private:
    static PluginHost& of(void* ctx) { return *static_cast<PluginHost*>(ctx); }

    tn_host table_{};
};

}  // namespace tenon::test
