// SPDX-License-Identifier: Apache-2.0
#include "compute/compiled/device/building.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "compute/compiled/device/loop_steps.hpp"
#include "compute/compiled/element.hpp"
#include "compute/exec/rows.hpp"

namespace tenon::compiled::device {
namespace {

constexpr std::size_t kFaultBytes = 8;  // at the start of a block
constexpr std::size_t kLine = 256;

constexpr std::size_t in_lines_of_device(std::size_t bytes) {
    return (bytes + kLine - 1) / kLine * kLine;
}

Strides strides_from(std::span<const std::int64_t> strides) {
    Strides out{};
    std::copy_n(strides.begin(), std::min<std::size_t>(strides.size(), kMostDims), out.along);
    return out;
}

Shape shape_from(std::span<const std::int64_t> sizes) {
    Shape out{.rank = static_cast<std::int32_t>(sizes.size()), .size = {}};
    std::copy(sizes.begin(), sizes.end(), out.size);
    return out;
}

std::int64_t product_of_sizes(std::span<const std::int64_t> sizes) {
    std::int64_t out = 1;
    for (const std::int64_t size : sizes) {
        out *= size;
    }
    return out;
}

// The dimensions that the kernels of rows go through.
std::span<const std::int64_t> row_sizes(const Op& op) {
    const std::span<const std::int64_t> x(op.in[0].shape);
    return op.code == Code::kGather         ? std::span<const std::int64_t>(op.out.shape)
           : op.code == Code::kLeastMembers ? x.subspan(1)
                                            : x.first(x.size() - 1);
}

// The kernel of an operation; nothing if it has none.
std::optional<Kernel> kernel_of(const Op& op) {
    switch (op.code) {
        case Code::kSum:
        case Code::kMax:
        case Code::kMin:
            return Kernel::kReduce;
        case Code::kArgmax:
            return Kernel::kArgmax;
        case Code::kGather:
            return Kernel::kGather;
        case Code::kProduct:
            return Kernel::kProduct;
        case Code::kDraw:  // which the host does
            return Kernel::kCopy;
        case Code::kLeastMembers:
            return Kernel::kLeastMembers;
        case Code::kArgsort:
            return Kernel::kArgsort;
        case Code::kPutAlong:
            return Kernel::kPutAlong;
        case Code::kImport:
            return Kernel::kImport;
        default:
            return std::nullopt;
    }
}

// Whether the CPU adds up the elements of a product in lanes (kernels/products.inc).
bool adds_in_lanes(const ProductWork& work) {
    constexpr std::int64_t kFewRows = 3;
    constexpr std::int64_t kFewColumns = 4;
    constexpr std::int64_t kLanes = 16;
    const bool few_rows = work.m <= kFewRows && work.b_strides[2] != 1 && work.b_strides[1] == 1;
    return (work.n <= kFewColumns || few_rows) && work.k >= kLanes && work.a_strides[2] == 1;
}

// Whether it adds up the elements of a reduction one after the other (operations_reductions.cpp).
bool adds_in_order(const Op& op) {
    constexpr std::int64_t kShort = 16;
    const auto kept = static_cast<std::size_t>(op.number);
    const View& x = op.in[0];
    const bool by_columns = kept > 0 && x.strides[kept - 1] == 1 && op.out.strides[kept - 1] == 1;
    return by_columns || kept == x.shape.size() || (kept == 1 && x.shape.size() == 2 && x.shape[1] <= kShort);
}

Stored stored_as_of(DType dtype) {
    switch (dtype) {
        case DType::kF32:
            return Stored::kF32;
        case DType::kF64:
            return Stored::kF64;
        case DType::kI64:
            return Stored::kI64;
        case DType::kI32:
            return Stored::kI32;
        default:
            return Stored::kByte;
    }
}

}  // namespace

Status check_kernels(const Tape& tape) {
    const Listing& listing = tape.listing();
    const auto fits = [](const View& view) { return flattened(view).shape.size() <= kMostDims; };
    for (const Instruction& instruction : tape.instructions()) {
        if (const auto* loop = std::get_if<Loop>(&instruction.what)) {
            const std::optional<LoopSteps> steps = steps_of(*loop, listing);
            if (!steps) {
                return plugin_problem("a loop of " + std::to_string(loop->steps.size()) +
                                      " operations has more values at the same time than a kernel has room for");
            }
            if (!std::ranges::all_of(steps->places, [&](const View* view) { return fits(*view); })) {
                return plugin_problem("a value has too many dimensions for a kernel");
            }
            continue;
        }
        const Op& op = listing.ops[std::get<std::uint32_t>(instruction.what)];
        if (!kernel_of(op)) {
            return plugin_problem("the operation '" + std::string(name_of(op.code)) + "' has no kernel");
        }
        const bool has_rows = op.code != Code::kProduct && op.code != Code::kDraw && op.code != Code::kImport;
        if (has_rows && op.in[0].shape.size() > kMostDims) {
            return plugin_problem("a value of the operation '" + std::string(name_of(op.code)) +
                                  "' has too many dimensions");
        }
    }
    for (const Buffer& buffer : listing.buffers) {
        if (buffer.home == Home::kParameter && buffer.slab != ParameterSlab::kLive &&
            buffer.slab != ParameterSlab::kTarget && buffer.slab != ParameterSlab::kReference) {
            return plugin_problem("it reads parameters that act with a lag or with noise");
        }
    }
    return {};
}

Status Building::build() {
    if (Status known = check_kernels(tape_); !known) {
        return known;
    }
    lay_out_given();
    if (Status allocated = allocate(); !allocated) {
        return allocated;
    }
    for (const Instruction& instruction : tape_.instructions()) {
        add(instruction);
    }
    Status seen = see_results();
    return seen ? send_tables() : seen;
}

// Draws have a place of their own, because the host makes them before anything runs.
void Building::lay_out_given() {
    const Listing& listing = tape_.listing();
    given_at_.assign(listing.buffers.size(), 0);
    given_end_ = kFaultBytes;
    for (std::uint32_t i = 1; i < listing.buffers.size(); ++i) {
        if (listing.buffers[i].home == Home::kLive) {
            out_.numbers_.push_back(give(i, sizeof(float), 0));
        }
    }
    for (std::size_t i = 0; i < tape_.instructions().size(); ++i) {
        const auto* number = std::get_if<std::uint32_t>(&tape_.instructions()[i].what);
        if (number != nullptr && listing.ops[*number].code == Code::kDraw) {
            const std::uint32_t buffer = listing.ops[*number].out.buffer;
            given_end_ = in_lines_of_device(given_end_);
            out_.draws_.push_back(
                give(buffer, static_cast<std::size_t>(listing.buffers[buffer].size) * sizeof(float), i));
        }
    }
    for (std::uint32_t i = 1; i < listing.buffers.size(); ++i) {
        const Buffer& buffer = listing.buffers[i];
        if (buffer.home == Home::kPort) {
            given_end_ = in_lines_of_device(given_end_);
            out_.columns_.push_back(give(
                i, static_cast<std::size_t>(buffer.size) * size_of(spec_.inputs[buffer.index].dtype), buffer.index));
        }
    }
}

Given Building::give(std::uint32_t buffer, std::size_t bytes, std::size_t index) {
    given_at_[buffer] = given_end_;
    const std::size_t at = std::exchange(given_end_, given_end_ + (bytes + 7) / 8 * 8);
    return {.buffer = buffer, .offset = at, .bytes = bytes, .index = index};
}

Status Building::allocate() {
    std::size_t states = 0;
    for (const SeenState& state : out_.program_.states) {
        states += static_cast<std::size_t>(state.value.view.count()) * sizeof(float);
    }
    const std::pair<Block*, std::size_t> blocks[] = {{&out_.arena_, tape_.scratch_bytes()},
                                                     {&out_.kept_, tape_.kept().size()},
                                                     {&out_.given_, given_end_},
                                                     {&out_.states_, states}};
    for (const auto& [block, bytes] : blocks) {
        Result<Block> made = Block::make(out_.slabs_.device(), bytes, block == &out_.given_);
        if (!made) {
            return std::move(made).error();
        }
        *block = std::move(*made);
    }
    std::memset(out_.given_.staged(), 0, given_end_);
    return out_.kept_.write(tape_.kept().data(), tape_.kept().size());
}

std::size_t Building::bytes_of_one(std::uint32_t buffer) const {
    return bytes_of(tape_.listing().buffers[buffer].kind, tape_.real());
}

std::byte* Building::base(std::uint32_t number) const {
    const Buffer& buffer = tape_.listing().buffers[number];
    if (given_at_[number] != 0) {
        return out_.given_.memory() + given_at_[number];
    }
    if (buffer.home == Home::kParameter) {
        return out_.slabs_.memory(buffer.index, buffer.slab) + buffer.offset * sizeof(float);
    }
    const Block& block = buffer.home == Home::kScratch ? out_.arena_ : out_.kept_;
    return block.memory() + tape_.offset_of(number);
}

std::byte* Building::start(const View& view) const {
    return base(view.buffer) + static_cast<std::size_t>(view.offset) * bytes_of_one(view.buffer);
}

Place Building::place_of(const View& view) const {
    const View flat = flattened(view);
    return {.at = start(view), .shape = shape_from(flat.shape), .strides = strides_from(flat.strides)};
}

// Its address is an offset until the tables are on the device.
template <class T>
const T* Building::table(std::span<const T> entries) {
    constexpr std::size_t kAligned = 16;
    const std::size_t at = (tables_.size() + kAligned - 1) / kAligned * kAligned;
    tables_.resize(at + entries.size_bytes());
    std::memcpy(tables_.data() + at, entries.data(), entries.size_bytes());
    return reinterpret_cast<const T*>(at);
}

Status Building::send_tables() {
    Result<Block> made = Block::make(out_.slabs_.device(), tables_.size());
    if (!made) {
        return std::move(made).error();
    }
    out_.tables_ = std::move(*made);
    const auto place = [&]<class T>(const T*& entries) {
        entries = reinterpret_cast<const T*>(out_.tables_.memory() + reinterpret_cast<std::uintptr_t>(entries));
    };
    const auto all = [&](std::vector<Copying>& list) {
        for (Copying& each : list) {
            place(each.work.items);
        }
    };
    for (Launch& launch : out_.launches_) {
        if (auto* loop = std::get_if<LoopWork>(&launch.work)) {
            place(loop->places);
            place(loop->steps);
        }
    }
    for (Shown& shown : out_.phases_) {
        place(shown.copying.work.items);
    }
    for (Shown& shown : out_.gradients_) {
        place(shown.copying.work.items);
    }
    all(out_.stored_);
    all(out_.added_);
    for (auto& snapshot : out_.snapshots_) {
        place(snapshot.second.work.items);
    }
    place(out_.read_states_.work.items);
    place(out_.write_states_.work.items);
    return out_.tables_.write(tables_.data(), tables_.size());
}

void Building::add(const Instruction& instruction) {
    Launch launch;
    launch.phase = instruction.phase;
    if (const auto* loop = std::get_if<Loop>(&instruction.what)) {
        launch.work = loop_of(*loop);
        launch.count = loop->count;
        out_.launches_.push_back(launch);
        return;
    }
    add_operation(tape_.listing().ops[std::get<std::uint32_t>(instruction.what)], launch);
}

void Building::add_operation(const Op& op, Launch launch) {
    launch.kernel = *kernel_of(op);
    switch (op.code) {
        case Code::kDraw:
            return;
        case Code::kProduct: {
            constexpr std::int64_t kTileSide = 32;  // kTile of products.cuh
            const ProductWork work = product_of(op);
            const auto tiles = [](std::int64_t n) { return (n + kTileSide - 1) / kTileSide; };
            launch.by_block = work.by_lanes == 0;
            launch.kernel = launch.by_block ? Kernel::kProduct : Kernel::kProductByLanes;
            launch.count = work.batch * (launch.by_block ? tiles(work.m) * tiles(work.n) : work.m * work.n);
            launch.work = work;
            break;
        }
        case Code::kSum:
        case Code::kMax:
        case Code::kMin: {
            const ReduceWork work = reduce_of(op);
            launch.by_block = !adds_in_order(op);
            launch.kernel = launch.by_block ? Kernel::kReduceRuns : Kernel::kReduce;
            launch.count = work.reduced == 0 ? 0 : work.outputs;
            launch.work = work;
            break;
        }
        case Code::kImport: {
            const ImportWork work = import_of(op);
            launch.count = work.count;
            launch.work = work;
            break;
        }
        default: {
            const RowsWork work = rows_of(op);
            const bool each = op.code == Code::kArgsort || op.code == Code::kLeastMembers;
            launch.count = each ? work.rows * work.n : work.rows;
            launch.work = work;
            break;
        }
    }
    if (launch.count > 0) {
        out_.launches_.push_back(launch);
    }
}

LoopWork Building::loop_of(const Loop& loop) {
    const LoopSteps made = *steps_of(loop, tape_.listing());
    std::vector<Place> places;
    for (const View* view : made.places) {
        places.push_back(place_of(*view));
    }
    return {.count = loop.count,
            .places = table(std::span<const Place>(places)),
            .steps = table(std::span<const LoopStep>(made.steps)),
            .step_count = static_cast<std::uint32_t>(made.steps.size())};
}

ProductWork Building::product_of(const Op& op) const {
    const View& a = op.in[0];
    const View& b = op.in[1];
    const auto reals_at = [&](const View& view) { return reinterpret_cast<const float*>(start(view)); };
    ProductWork out{};
    out.batch = a.shape[0];
    out.m = a.shape[1];
    out.k = a.shape[2];
    out.n = b.shape[2];
    out.a = reals_at(a);
    out.b = reals_at(b);
    std::copy_n(a.strides.begin(), 3, out.a_strides);
    std::copy_n(b.strides.begin(), 3, out.b_strides);
    if (const View* bias = bias_of(op)) {
        out.bias = reals_at(*bias);
        out.bias_stride = bias->strides[0];
    }
    out.tail = static_cast<std::int32_t>(op.tail);
    if (const View* with = tail_input_of(op)) {
        out.with = reals_at(*with);
        out.with_batch = with->strides[0];
        out.with_row = with->strides[1];
    }
    out.c = reinterpret_cast<float*>(start(op.out));
    out.c_batch = op.out.strides[0];
    out.c_row = op.out.strides[1];
    out.by_lanes = adds_in_lanes(out) ? 1 : 0;
    return out;
}

ReduceWork Building::reduce_of(const Op& op) const {
    const View& x = op.in[0];
    const auto kept = static_cast<std::size_t>(op.number);
    const std::span<const std::int64_t> sizes(x.shape);
    return {.x = {.at = start(x), .shape = shape_from(sizes), .strides = strides_from(x.strides)},
            .kept = static_cast<std::int32_t>(kept),
            .joining = op.code == Code::kSum   ? Joining::kSum
                       : op.code == Code::kMax ? Joining::kMax
                                               : Joining::kMin,
            .out = reinterpret_cast<float*>(start(op.out)),
            .out_strides = strides_from(op.out.strides),
            .outputs = product_of_sizes(sizes.first(kept)),
            .reduced = product_of_sizes(sizes.subspan(kept))};
}

RowsWork Building::rows_of(const Op& op) const {
    const View& x = op.in[0];
    const std::span<const std::int64_t> sizes = row_sizes(op);
    const bool over_members = op.code == Code::kLeastMembers;
    const std::size_t first = over_members ? 1 : 0;
    const auto strides_of = [&](const View& view) {
        return strides_from(std::span(view.strides).subspan(first, sizes.size()));
    };
    RowsWork out{};
    out.shape = shape_from(sizes);
    out.rows = product_of_sizes(sizes);
    out.x = start(x);
    out.x_strides = strides_of(x);
    out.out = start(op.out);
    out.out_strides = strides_of(op.out);
    out.n = over_members ? x.shape[0] : op.code == Code::kPutAlong ? op.out.shape.back() : x.shape.back();
    out.given = x.shape.back();
    out.x_step = over_members ? x.strides[0] : x.strides.back();
    out.out_step = over_members ? op.out.strides[0] : 1;
    if (op.code == Code::kGather || op.code == Code::kPutAlong) {
        const View& index = op.in[1];
        out.index = reinterpret_cast<const std::int64_t*>(start(index));
        out.index_strides = strides_of(index);
        out.index_step = index.strides.back();
    }
    out.bytes = static_cast<std::int32_t>(bytes_of(op.kind, tape_.real()));
    out.number = static_cast<std::int32_t>(op.number);
    out.fault = reinterpret_cast<std::uint32_t*>(out_.given_.memory());
    return out;
}

ImportWork Building::import_of(const Op& op) const {
    return {.from = base(op.in[0].buffer),
            .to = base(op.out.buffer),
            .count = op.out.count(),
            .stored = stored_as_of(static_cast<DType>(op.number)),
            .wanted = op.kind == Kind::kInt    ? Wanted::kInt
                      : op.kind == Kind::kBool ? Wanted::kBool
                                               : Wanted::kReal};
}

Copying Building::copying_of(std::span<const CopyItem> items) {
    Copying out{.work = {.items = table(items), .count = static_cast<std::uint32_t>(items.size())}, .longest = 0};
    for (const CopyItem& item : items) {
        out.longest = std::max(out.longest, item.count);
    }
    return out;
}

// Whole buffers, so that the host's tape has them where it would have computed them.
Shown Building::show(std::span<const Seen> values) {
    const Listing& listing = tape_.listing();
    Shown out{.parts = {}, .end = kFaultBytes, .copying = {}};
    for (const Seen& seen : values) {
        const std::uint32_t number = seen.view.buffer;
        const Buffer& buffer = listing.buffers[number];
        const bool is_known = buffer.home == Home::kConstant || buffer.home == Home::kPort ||
                              buffer.home == Home::kLive || number == 0 ||
                              std::ranges::find(out.parts, number, &Shown::Part::buffer) != out.parts.end();
        if (!is_known) {
            const std::size_t bytes = static_cast<std::size_t>(buffer.size) * bytes_of_one(number);
            out.parts.push_back({.buffer = number, .offset = out.end, .bytes = bytes});
            out.end += (bytes + 7) / 8 * 8;
        }
    }
    return out;
}

Status Building::see_results() {
    const Specialised& program = out_.program_;
    const PhasePlan& plan = *program.plan;
    out_.phases_.resize(plan.phases.count);
    for (std::uint32_t phase = 0; phase < plan.phases.count; ++phase) {
        std::vector<Seen> seen;
        for (std::size_t i = 0; i < plan.effects.size(); ++i) {
            if (plan.effects[i].phase == phase) {
                seen.push_back(program.effects[i]);
            }
        }
        for (const StageRun& run : plan.sequence) {
            for (std::size_t i = 0; i < run.losses.size() && run.phase == phase; ++i) {
                seen.push_back(program.losses[run.losses[i]]);
            }
        }
        out_.phases_[phase] = show(seen);
    }
    for (const std::vector<Seen>& gradients : program.gradients) {
        out_.gradients_.push_back(show(gradients));
    }
    std::size_t most = kFaultBytes;
    for (const std::vector<Shown>* list : {&out_.phases_, &out_.gradients_}) {
        for (const Shown& shown : *list) {
            most = std::max(most, shown.end);
        }
    }
    if (Status shown = show_in(most); !shown) {
        return shown;
    }
    for (std::size_t place = 0; place < program.gradients.size(); ++place) {
        std::vector<CopyItem> stored;
        std::vector<CopyItem> added;
        for (std::size_t i = 0; i < program.gradients[place].size(); ++i) {
            const ParameterPlace& at = plan.sequence[place].parameters[i];
            const Parameter& parameter = out_.learner_.networks[at.network].layout.parameters[at.parameter];
            const View& view = program.gradients[place][i].view;
            CopyItem item{.from = view.buffer == 0 ? Place{} : place_of(view),
                          .to = out_.slabs_.gradient(at.network) + parameter.offset * sizeof(float),
                          .count = static_cast<std::int64_t>(parameter.size),
                          .bytes = sizeof(float),
                          .adds = 0};
            stored.push_back(item);
            if (view.buffer != 0) {
                item.adds = 1;
                added.push_back(item);
            }
        }
        out_.stored_.push_back(copying_of(stored));
        out_.added_.push_back(copying_of(added));
    }
    for (const Snapshot& snapshot : program.snapshots) {
        const CopyItem item{.from = place_of(snapshot.from),
                            .to = start(snapshot.to),
                            .count = snapshot.from.count(),
                            .bytes = sizeof(float),
                            .adds = 0};
        out_.snapshots_.emplace_back(snapshot.after, copying_of(std::span(&item, 1)));
    }
    see_states();
    return {};
}

// All of them are read before one is written.
void Building::see_states() {
    std::vector<CopyItem> read;
    std::vector<CopyItem> written;
    std::byte* at = out_.states_.memory();
    for (const SeenState& state : out_.program_.states) {
        const Parameter& parameter = out_.learner_.networks[state.network].layout.parameters[state.parameter];
        const std::int64_t count = state.value.view.count();
        read.push_back(
            {.from = place_of(state.value.view), .to = at, .count = count, .bytes = sizeof(float), .adds = 0});
        written.push_back(
            {.from = {.at = at, .shape = shape_from(std::span(&count, 1)), .strides = {.along = {1}}},
             .to = out_.slabs_.memory(state.network, ParameterSlab::kLive) + parameter.offset * sizeof(float),
             .count = count,
             .bytes = sizeof(float),
             .adds = 0});
        at += static_cast<std::size_t>(count) * sizeof(float);
    }
    out_.read_states_ = copying_of(read);
    out_.write_states_ = copying_of(written);
}

// With room for the longest.
Status Building::show_in(std::size_t bytes) {
    Result<Block> made = Block::make(out_.slabs_.device(), bytes, true);
    if (!made) {
        return std::move(made).error();
    }
    out_.shown_ = std::move(*made);
    const std::int64_t one = 1;
    for (std::vector<Shown>* list : {&out_.phases_, &out_.gradients_}) {
        for (Shown& shown : *list) {
            std::vector<CopyItem> items{
                {.from = {.at = out_.given_.memory(), .shape = shape_from(std::span(&one, 1)), .strides = {}},
                 .to = out_.shown_.memory(),
                 .count = 1,
                 .bytes = sizeof(std::uint32_t),
                 .adds = 0}};
            for (const Shown::Part& part : shown.parts) {
                const std::size_t each = bytes_of_one(part.buffer);
                const auto count = static_cast<std::int64_t>(part.bytes / each);
                items.push_back({.from = {.at = base(part.buffer),
                                          .shape = shape_from(std::span(&count, 1)),
                                          .strides = {.along = {1}}},
                                 .to = out_.shown_.memory() + part.offset,
                                 .count = count,
                                 .bytes = static_cast<std::int32_t>(each),
                                 .adds = 0});
            }
            shown.copying = copying_of(items);
        }
    }
    return {};
}

}  // namespace tenon::compiled::device
