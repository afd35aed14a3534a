// SPDX-License-Identifier: Apache-2.0
#include "base/data/batch_ports.hpp"

#include <string>

namespace tenon {

Batch batch_of(std::span<const Port> ports, std::span<void* const> columns, const Shape& leading) {
    Batch out(leading);
    for (std::size_t i = 0; i < ports.size(); ++i) {
        [[maybe_unused]] const Status set =
            out.set(ports[i].key, dense(columns[i], ports[i].dtype, join(leading, ports[i].row)));
        assert(set);  // ports have valid keys
    }
    return out;
}

Result<std::vector<const void*>> columns_of(const Batch& batch, std::span<const Port> ports, std::string_view reader) {
    std::vector<const void*> out;
    for (const Port& port : ports) {
        const View* const view = batch.find(port.key);
        if (view == nullptr) {
            return input_problem("the batch has no column '" + port.key + "', which " + std::string(reader) + " reads");
        }
        const Shape wanted = join(batch.leading(), port.row);
        if (view->dtype != port.dtype || view->shape != wanted || !view->contiguous()) {
            return input_problem("the column '" + port.key + "' of the batch must be dense " +
                                 std::string(name_of(port.dtype)) + " " + to_string(wanted) + ", but is " +
                                 std::string(name_of(view->dtype)) + " " + to_string(view->shape));
        }
        out.push_back(view->data);
    }
    return out;
}

}  // namespace tenon
