// SPDX-License-Identifier: Apache-2.0
// The component in a worker, and the requests that it handles.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/data/column_table.hpp"
#include "base/thread/pool.hpp"
#include "engines/isolation/mailbox.hpp"
#include "engines/isolation/messages.hpp"
#include "plugins/plugin/host_services.hpp"
#include "plugins/plugin/registry.hpp"
#include "tenon/abi/common.h"
#include "tenon/abi/env.h"
#include "tenon/abi/policy.h"
#include "tenon/abi/state.h"
#include "tenon/abi/transform.h"

namespace tenon {

// The interfaces of a component as bits of a mask: the index of the id in this list.
inline constexpr const char* kServedInterfaces[] = {"tenon.env/1",   "tenon.transform/1", "tenon.policy/1",
                                                    "tenon.graph/1", "tenon.sampler/1",   "tenon.state/1",
                                                    "tenon.common/1"};
// The bit after these: the transform has an inverse.
inline constexpr std::uint64_t kInvertible = std::uint64_t{1} << std::size(kServedInterfaces);

class Served {
public:
    struct Request {
        WorkerCall call = WorkerCall::kEnd;
        std::array<std::uint64_t, 8> args{};
        std::span<const std::byte> bytes;
        std::byte* room = nullptr;  // the shared memory after the mailbox
        std::size_t room_size = 0;
    };

    Served();
    ~Served();
    Served(const Served&) = delete;
    Served& operator=(const Served&) = delete;

    // Returns the status. Texts are this thread's (error_text.hpp); an answer's bytes and number are in `out` and
    // `number`.
    tn_status handle(const Request& request);

    Bytes out;
    std::uint64_t number = 0;

private:
    tn_status attempt(const Request& request);
    tn_status load(const Request& request);
    tn_status create();
    tn_status describe(const Request& request);
    tn_status bind(const Request& request);
    tn_status reset(const Request& request);
    tn_status step(const Request& request);
    tn_status transform(const Request& request);
    tn_status act(const Request& request);
    tn_status save(const Request& request, bool common);
    tn_status restore(const Request& request, bool common);

    template <class T>
    [[nodiscard]] const T* table(const char* id) const {
        return static_cast<const T*>(loaded_->component->get_interface(id));
    }
    template <class Function, class... Args>
    tn_status call(const char* name, Function* function, Args... args);

    Pool pool_{1};
    HostServices services_{pool_};
    std::optional<Registry> registry_;
    std::optional<LoadedComponent> loaded_;
    WorkerOrder order_;
    void* self_ = nullptr;
    bool made_ = false;
    ColumnTable inner_;
    ColumnTable outer_;
    tn_env_buffers env_{};
    tn_transform_buffers transform_{};
    tn_policy_buffers policy_{};
};

}  // namespace tenon
