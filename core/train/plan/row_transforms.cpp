// SPDX-License-Identifier: Apache-2.0
#include "train/plan/row_transforms.hpp"

#include <algorithm>
#include <utility>

#include "base/data/key.hpp"
#include "train/plan/capabilities/matcher.hpp"
#include "train/plan/units.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

Result<RowTransform> make_one(const Wiring& w, const Part& part, std::uint32_t rows) {
    if (is_graph_transform(part)) {
        return input_problem(part.info.name + " is a graph, which programs apply where they read a column",
                             part.table->ref.place, "list it in [[env.transforms]]");
    }
    Instance instance = TENON_TRY(instantiate(part, rows, w.seed(), ""));
    return RowTransform::make(std::move(instance), keys_of(part), w.env_specs, rows);
}

// Refuses columns from which the sampler computes others, such as the rewards of several steps: it would compute them
// from the stored values.
void check_derived(const BufferPlan& buffer, const Part& part, const RowTransform& transform, Problems& problems) {
    const ComponentTable& sampler = buffer.table->component;
    for (const GatherLine& line : buffer.sampling.lines) {
        const std::string column(without_next(line.source));
        if (line.names_column() && line.target != line.source &&
            std::ranges::find(transform.columns(), column, &Spec::key) != transform.columns().end()) {
            refuse_combinations({{.feature = Feature::kRowTransform,
                                  .subject = part.info.name,
                                  .place = part.table->ref.place,
                                  .clause = part.info.name + " changes '" + column + "'"},
                                 {.feature = Feature::kDerivingSampler,
                                  .subject = buffer.sampling.sampler,
                                  .place = sampler.ref.place,
                                  .clause = buffer.sampling.sampler + " also makes '" + line.target + "' of it"}},
                                problems);
        }
    }
}

}  // namespace

Result<std::vector<RowTransform>> make_row_transforms(const Wiring& w, const BufferPlan& buffer, std::uint32_t rows) {
    std::vector<RowTransform> out;
    for (const Part& part : *buffer.transforms) {
        out.push_back(TENON_TRY(make_one(w, part, rows)));
    }
    return out;
}

void check_row_transforms(const Wiring& w, Problems& problems) {
    for (const BufferPlan& buffer : w.buffers) {
        for (const Part& part : *buffer.transforms) {
            if (const Result<RowTransform> made = make_one(w, part, 1); is_done(made, problems)) {
                check_derived(buffer, part, *made, problems);
            }
        }
    }
}

}  // namespace tenon
