// SPDX-License-Identifier: Apache-2.0
#include "experience/env/spec_watch.hpp"

#include <cstddef>

#include "base/data/spec_values.hpp"
#include "experience/env/row_values.hpp"

namespace tenon {
namespace {

// Whether the dtype has no values outside of the spec. The bytes of pictures are an example, and checking them would
// take long.
bool admits_all(const Spec& spec) {
    if (spec.kind != SpecKind::kBounded || spec.dtype != DType::kU8) {
        return false;
    }
    const auto elements = static_cast<std::size_t>(spec.shape.elements());
    for (std::size_t i = 0; i < elements; ++i) {
        if (spec.low_of(i) > 0 || spec.high_of(i) < 255) {
            return false;
        }
    }
    return true;
}

}  // namespace

SpecWatch::SpecWatch(const Composite& specs, const Storage& storage) {
    for (const Spec& spec : specs.specs) {
        const StorageColumn* const column = storage.find(spec.key);
        if (spec.role == Role::kObservation && column != nullptr && !admits_all(spec)) {
            observations_.push_back({spec, column->view, column->final});
        }
    }
}

std::string SpecWatch::look(Watched& watched, const Storage& storage, std::uint32_t slot) const {
    const auto check = [&](const View& view, std::uint32_t lane) -> std::string {
        if (contains(watched.spec, row_at(view, slot, lane))) {
            return "";
        }
        watched.said = true;
        return "it observes " + row_text(view, slot, lane) + " in lane " + std::to_string(lane) + ", but its spec is " +
               to_string(watched.spec) + "; this is reported once";
    };
    const std::uint32_t lanes = storage.lanes();
    for (std::uint32_t lane = 0; lane < lanes && !watched.said; ++lane) {
        if (storage.parked()[lane] != 0) {
            continue;
        }
        if (std::string lie = check(watched.view, lane); !lie.empty()) {
            return lie;
        }
        const bool is_end = storage.flags().ended(slot, lane);
        if (slot != storage.head() && is_end && watched.final.data != nullptr) {
            if (std::string lie = check(watched.final, lane); !lie.empty()) {
                return lie;
            }
        }
    }
    return "";
}

std::string SpecWatch::look(const Storage& storage, bool newest) {
    const std::uint32_t head = storage.head();
    has_looked_ = has_looked_ || newest;
    for (Watched& watched : observations_) {
        for (std::uint32_t slot = has_looked_ ? head : 0; slot <= head && !watched.said; ++slot) {
            if (std::string lie = look(watched, storage, slot); !lie.empty()) {
                return lie;
            }
        }
    }
    has_looked_ = true;
    return "";
}

}  // namespace tenon
