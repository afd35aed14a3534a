// SPDX-License-Identifier: Apache-2.0
#include "engines/isolation/messages.hpp"

#include <type_traits>
#include <utility>
#include <variant>

#include "base/data/state_bytes.hpp"
#include "base/data/state_stream.hpp"

namespace tenon {
namespace {

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 24U;

StateBytes copied(std::span<const std::byte> bytes) {
    return {.data = Bytes(bytes.begin(), bytes.end())};
}

// Lists grow as their data is read; a length that a message claims allocates nothing.
template <class T>
std::vector<T> list_of(StateSource& in) {
    const auto count = in.number<std::uint64_t>();
    std::vector<T> out;
    for (std::uint64_t i = 0; i < count && i < kMostElements && !in.failed(); ++i) {
        if constexpr (std::is_arithmetic_v<T>) {
            out.push_back(in.number<T>());
        } else {
            out.push_back(in.text());
        }
    }
    return out;
}

template <class T>
void write_list(StateSink& out, const T* data, std::uint64_t count) {
    out.number<std::uint64_t>(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        if constexpr (std::is_arithmetic_v<T>) {
            out.number<T>(data[i]);
        } else {
            out.text(data[i]);
        }
    }
}

void write_option(StateSink& out, const OptionValue& value) {
    out.number<std::uint32_t>(static_cast<std::uint32_t>(value.index()));
    std::visit(
        [&]<class T>(const T& held) {
            if constexpr (std::is_same_v<T, bool>) {
                out.number<std::uint8_t>(held ? 1 : 0);
            } else if constexpr (std::is_arithmetic_v<T>) {
                out.number<T>(held);
            } else if constexpr (std::is_same_v<T, std::string>) {
                out.text(held);
            } else if constexpr (std::is_same_v<T, OptionTable>) {
                out.text(held.json);
                out.text(held.toml);
            } else {
                write_list(out, held.data(), held.size());
            }
        },
        value);
}

std::optional<OptionValue> read_option(StateSource& in) {
    switch (static_cast<OptionType>(in.number<std::uint32_t>())) {
        case OptionType::kBool:
            return OptionValue(in.number<std::uint8_t>() != 0);
        case OptionType::kInt:
            return OptionValue(in.number<std::int64_t>());
        case OptionType::kFloat:
            return OptionValue(in.number<double>());
        case OptionType::kString:
            return OptionValue(in.text());
        case OptionType::kInts:
            return OptionValue(list_of<std::int64_t>(in));
        case OptionType::kFloats:
            return OptionValue(list_of<double>(in));
        case OptionType::kStrings:
            return OptionValue(list_of<std::string>(in));
        case OptionType::kTable: {
            OptionTable table{.json = in.text(), .toml = {}};
            table.toml = in.text();
            return OptionValue(std::move(table));
        }
    }
    return std::nullopt;
}

void write_column(StateSink& out, const SharedColumn& column) {
    out.text(column.key);
    out.number<std::int32_t>(static_cast<std::int32_t>(column.dtype));
    write_list(out, column.row.extents().data(), column.row.rank);
    out.number<std::uint32_t>(column.slots);
    out.number<std::uint64_t>(column.offset);
}

std::optional<SharedColumn> read_column(StateSource& in) {
    SharedColumn out;
    out.key = in.text();
    const std::optional<DType> dtype = to_dtype(in.number<std::int32_t>());
    const std::vector<std::int64_t> row = list_of<std::int64_t>(in);
    out.slots = in.number<std::uint32_t>();
    out.offset = in.number<std::uint64_t>();
    if (!dtype || row.size() > kMaxRank - 2) {
        return std::nullopt;
    }
    out.dtype = *dtype;
    out.row = Shape(row);
    return out;
}

std::optional<std::vector<SharedColumn>> read_column_list(StateSource& in) {
    const auto count = in.number<std::uint64_t>();
    std::vector<SharedColumn> out;
    for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
        std::optional<SharedColumn> column = read_column(in);
        if (!column) {
            return std::nullopt;
        }
        out.push_back(std::move(*column));
    }
    return out;
}

}  // namespace

Bytes write_order(const WorkerOrder& order) {
    StateBytes bytes;
    const tn_writer writer = bytes.writer();
    StateSink out(writer);
    out.text(order.folder);
    out.text(order.component);
    out.number<std::uint32_t>(order.lanes);
    out.number<std::uint64_t>(order.key.seed);
    out.number<std::uint64_t>(order.key.stream);
    out.number<std::uint64_t>(order.options.size());
    for (const OptionValue& option : order.options) {
        write_option(out, option);
    }
    return std::move(bytes.data);
}

std::optional<WorkerOrder> read_order(std::span<const std::byte> message) {
    StateBytes bytes = copied(message);
    const tn_reader reader = bytes.reader();
    StateSource in(reader);
    WorkerOrder out;
    out.folder = in.text();
    out.component = in.text();
    out.lanes = in.number<std::uint32_t>();
    out.key.seed = in.number<std::uint64_t>();
    out.key.stream = in.number<std::uint64_t>();
    const auto count = in.number<std::uint64_t>();
    for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
        std::optional<OptionValue> option = read_option(in);
        if (!option) {
            return std::nullopt;
        }
        out.options.push_back(std::move(*option));
    }
    return in.failed() ? std::nullopt : std::optional(std::move(out));
}

Bytes write_specs(const tn_spec* const* specs, std::uint32_t count, std::int64_t first, std::int64_t second) {
    StateBytes bytes;
    const tn_writer writer = bytes.writer();
    StateSink out(writer);
    out.number<std::int64_t>(first);
    out.number<std::int64_t>(second);
    out.number<std::uint32_t>(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const tn_spec& spec = *specs[i];
        out.text({spec.key.data, spec.key.size});
        out.number<std::int32_t>(spec.kind);
        out.number<std::int32_t>(spec.role);
        out.number<std::int32_t>(spec.dtype);
        out.number<std::uint32_t>(spec.flags);
        write_list(out, spec.shape, spec.rank);
        write_list(out, spec.low, spec.bound_count);
        write_list(out, spec.high, spec.bound_count);
        write_list(out, spec.categories, spec.category_count);
        const bool grouped = spec.struct_size >= sizeof spec && spec.group.data != nullptr;
        out.text(grouped ? std::string_view(spec.group.data, spec.group.size) : std::string_view());
    }
    return std::move(bytes.data);
}

std::optional<SpecList> read_specs_message(std::span<const std::byte> message) {
    StateBytes bytes = copied(message);
    const tn_reader reader = bytes.reader();
    StateSource in(reader);
    SpecList out;
    out.numbers[0] = in.number<std::int64_t>();
    out.numbers[1] = in.number<std::int64_t>();
    const auto count = in.number<std::uint32_t>();
    for (std::uint32_t i = 0; i < count && !in.failed(); ++i) {
        SpecList::Entry& entry = out.entries_.emplace_back();
        entry.key = in.text();
        entry.spec.struct_size = sizeof(tn_spec);
        entry.spec.kind = in.number<std::int32_t>();
        entry.spec.role = in.number<std::int32_t>();
        entry.spec.dtype = in.number<std::int32_t>();
        entry.spec.flags = in.number<std::uint32_t>();
        entry.shape = list_of<std::int64_t>(in);
        entry.low = list_of<double>(in);
        entry.high = list_of<double>(in);
        entry.categories = list_of<std::int64_t>(in);
        entry.group = in.text();
        if (entry.low.size() != entry.high.size()) {
            return std::nullopt;
        }
        entry.spec.key = {entry.key.data(), entry.key.size()};
        entry.spec.shape = entry.shape.data();
        entry.spec.rank = static_cast<std::uint32_t>(entry.shape.size());
        entry.spec.low = entry.low.data();
        entry.spec.high = entry.high.data();
        entry.spec.bound_count = static_cast<std::uint32_t>(entry.low.size());
        entry.spec.categories = entry.categories.data();
        entry.spec.category_count = static_cast<std::uint32_t>(entry.categories.size());
        entry.spec.group = entry.group.empty() ? tn_str{} : tn_str{entry.group.data(), entry.group.size()};
        out.pointers_.push_back(&entry.spec);
    }
    return in.failed() ? std::nullopt : std::optional(std::move(out));
}

Bytes write_columns(const ColumnsMessage& message) {
    StateBytes bytes;
    const tn_writer writer = bytes.writer();
    StateSink out(writer);
    out.number<std::uint32_t>(message.lanes);
    out.number<std::uint64_t>(message.status_offset);
    for (const auto* list : {&message.inner, &message.outer}) {
        out.number<std::uint64_t>(list->size());
        for (const SharedColumn& column : *list) {
            write_column(out, column);
        }
    }
    return std::move(bytes.data);
}

std::optional<ColumnsMessage> read_columns(std::span<const std::byte> message) {
    StateBytes bytes = copied(message);
    const tn_reader reader = bytes.reader();
    StateSource in(reader);
    ColumnsMessage out;
    out.lanes = in.number<std::uint32_t>();
    out.status_offset = in.number<std::uint64_t>();
    std::optional<std::vector<SharedColumn>> inner = read_column_list(in);
    std::optional<std::vector<SharedColumn>> outer = inner ? read_column_list(in) : std::nullopt;
    if (!outer || in.failed()) {
        return std::nullopt;
    }
    out.inner = std::move(*inner);
    out.outer = std::move(*outer);
    return out;
}

}  // namespace tenon
