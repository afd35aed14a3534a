// SPDX-License-Identifier: Apache-2.0
// log.tensorboard: the kind, which the table of all kinds names (cmake/kinds.cmake).
#include <utility>

#include "engines/writer_tensorboard/event_files.hpp"
#include "folder/records/writer_kind.hpp"

namespace tenon {
namespace {

class TensorboardKind final : public WriterKind {
public:
    [[nodiscard]] std::string_view name() const override { return "tensorboard"; }
    [[nodiscard]] bool is_wanted(const LogTable& log) const override { return log.tensorboard; }
    [[nodiscard]] std::unique_ptr<RecordWriter> make(const std::filesystem::path& folder,
                                                     std::vector<std::string> names,
                                                     const std::map<std::string, std::string>& values) const override {
        return std::make_unique<EventFiles>(folder / "tensorboard", std::move(names), hparams_of(values));
    }
};

}  // namespace

const WriterKind& writer_tensorboard() {
    static const TensorboardKind out;
    return out;
}

}  // namespace tenon
