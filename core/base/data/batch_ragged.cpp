// SPDX-License-Identifier: Apache-2.0
#include "base/data/batch_ragged.hpp"

#include <algorithm>

#include "base/data/batch_edit.hpp"

namespace tenon {
namespace {

// The number of leading ones in a row of the mask; -1 if there are ones after a zero.
std::int64_t padded_length(const View& mask) {
    std::int64_t length = 0;
    std::int64_t ones = 0;
    for (std::int64_t i = 0; i < mask.shape[0]; ++i) {
        const bool valid = *mask.index(0, i).as<std::uint8_t>() != 0;
        ones += valid ? 1 : 0;
        length += valid && length == i ? 1 : 0;
    }
    return ones == length ? length : -1;
}

}  // namespace

Result<Batch> stack_padded(std::span<const Batch> batches, const std::string& mask) {
    if (batches.empty()) {
        return input_problem("there are no batches to stack");
    }
    std::int64_t longest = 0;
    for (std::size_t i = 0; i < batches.size(); ++i) {
        const Shape& leading = batches[i].leading();
        if (leading.rank == 0 || tail(leading, 1) != tail(batches[0].leading(), 1)) {
            return input_problem("cannot stack: batch 0 is " + to_string(batches[0].leading()) + ", but batch " +
                                 std::to_string(i) + " is " + to_string(leading) +
                                 "; padding is along the first dimension");
        }
        longest = std::max(longest, leading[0]);
    }
    std::vector<Batch> whole;
    for (const Batch& batch : batches) {
        Result<Batch> rest = zeros_like(batch, join(Shape{longest - batch.leading()[0]}, tail(batch.leading(), 1)));
        whole.push_back(TENON_TRY(rest ? cat(std::vector<Batch>{batch, *rest}, 0) : std::move(rest)));
    }
    Batch out = TENON_TRY(stack(whole, 0));
    if (out.find(mask) != nullptr) {
        return input_problem("the batches have a column '" + mask + "'; give the mask another key");
    }
    const auto count = static_cast<std::int64_t>(batches.size());
    Batch flags(Shape{count, longest});
    const View valid = TENON_TRY(flags.add(mask, DType::kBool, {}));
    for (std::int64_t i = 0; i < count; ++i) {
        std::fill_n(valid.as<std::uint8_t>() + i * longest, batches[static_cast<std::size_t>(i)].leading()[0],
                    std::uint8_t{1});
    }
    // If the batch has further leading dimensions, the mask is repeated over them.
    View view = valid;
    for (std::uint32_t dim = 2; dim < out.leading().rank; ++dim) {
        view.shape = join(view.shape, Shape{out.leading()[dim]});  // stride 0
    }
    TENON_TRY(out.set(mask, view, flags.columns()[0].owner));
    return out;
}

Result<std::vector<Batch>> unpadded(const Batch& padded, std::string_view mask) {
    const View flags = TENON_TRY(padded.get(mask));
    if (padded.leading().rank < 2 || size_of(flags.dtype) != 1 || flags.shape != padded.leading()) {
        return input_problem("the mask '" + std::string(mask) +
                             "' of a padded batch must be bool [batch, longest], not " +
                             std::string(name_of(flags.dtype)) + " " + to_string(flags.shape) + " in a batch of " +
                             to_string(padded.leading()));
    }
    const std::string_view keys[] = {mask};
    const Batch rows = TENON_TRY(exclude(padded, keys));
    std::vector<Batch> out;
    for (std::int64_t i = 0; i < padded.leading()[0]; ++i) {
        View row = flags.index(0, i);
        while (row.shape.rank > 1) {
            row = row.index(1, 0);
        }
        const std::int64_t length = padded_length(row);
        if (length < 0) {
            return input_problem("row " + std::to_string(i) + " of the mask '" + std::string(mask) +
                                 "' has a 1 after a 0: it is not padded at the end");
        }
        out.push_back(rows.index(0, i).slice(0, 0, length));
    }
    return out;
}

}  // namespace tenon
