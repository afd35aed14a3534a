// SPDX-License-Identifier: Apache-2.0
// Environments in a checkpoint, as pickle writes them. One that cannot be pickled begins anew after loading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rows.hpp"
#include "tenon/state.hpp"

namespace bridge {

class SavedLanes {
public:
    // The environment of a lane as bytes; none, and why, if it cannot be pickled.
    using Save = std::function<std::vector<std::byte>(std::string& why)>;
    using Load = std::function<void(const std::vector<std::byte>& bytes)>;

    void open(tenon::EnvBatch batch, std::string name);
    void archive(tenon::Archive& archive, std::uint32_t lane, const Save& save, const Load& load);

    // A lane was not in the checkpoint, and was not reset since then.
    [[nodiscard]] bool lacks(std::uint32_t lane) const { return is_unsaved_[lane] != 0; }
    [[nodiscard]] Failure begins_anew() const;
    void note_reset(std::uint32_t lane) { is_unsaved_[lane] = 0; }

private:
    tenon::EnvBatch batch_{};
    std::string name_;
    std::vector<std::uint8_t> is_unsaved_;  // [lane]
    bool has_warned_ = false;
};

}  // namespace bridge
