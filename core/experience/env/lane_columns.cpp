// SPDX-License-Identifier: Apache-2.0
#include "experience/env/lane_columns.hpp"

#include "base/data/key.hpp"
#include "experience/env/describe.hpp"

namespace tenon {
namespace {

// Allocates separate memory for a column, one slot deep.
Result<View> make_shallow(LaneColumns& columns, const Spec& spec, const Storage& storage) {
    View view = dense(nullptr, spec.dtype, join(Shape{storage.slots(), storage.lanes()}, spec.shape));
    view.strides[0] = 0;
    Slab slab =
        TENON_TRY(Slab::make(storage.lanes() * static_cast<std::size_t>(spec.shape.elements()) * size_of(spec.dtype)));
    view.data = slab.data();
    columns.memory.push_back(std::move(slab));
    return view;
}

Status add_own(LaneColumns& columns, ColumnTable& table, const std::string& key, const Spec& spec,
               const Storage& storage) {
    View view = TENON_TRY(make_shallow(columns, spec, storage));
    table.add(key, view);
    return {};
}

Status add_outermost(LaneColumns& columns, ColumnTable& table, const Spec& spec, const Storage& storage) {
    const StorageColumn* const stored = storage.find(spec.key);
    if (stored != nullptr && (stored->dtype != spec.dtype || stored->row != spec.shape)) {
        return input_problem("'" + spec.key + "' is stored as " + std::string(name_of(stored->dtype)) + " " +
                             to_string(stored->row) + ", but the env gives " + std::string(name_of(spec.dtype)) + " " +
                             to_string(spec.shape));
    }
    if (stored != nullptr) {
        table.add(spec.key, stored->view);
    } else {
        TENON_TRY(add_own(columns, table, spec.key, spec, storage));
    }
    if (spec.role != Role::kObservation) {
        return {};
    }
    if (stored != nullptr && stored->final.data != nullptr) {
        table.add(next_key(spec.key), stored->final);
        return {};
    }
    return add_own(columns, table, next_key(spec.key), spec, storage);
}

// A column as the transform with this index reads it, before it changes it.
Status add_inner(LaneColumns& columns, std::size_t transform, const Spec& spec, const Composite& outer_specs,
                 bool inverts, const Storage& storage) {
    ColumnTable& table = columns.sides[transform];
    const ColumnTable& outer = columns.sides[transform + 1];
    const Spec* const after = outer_specs.find(spec.key);
    const bool shared = after != nullptr && shares_memory(spec, *after, inverts);
    for (const std::string& key : {spec.key, next_key(spec.key)}) {
        if (key != spec.key && spec.role != Role::kObservation) {
            continue;
        }
        const View* const same = shared ? outer.find(key) : nullptr;
        if (same != nullptr) {
            table.add(key, *same);
        } else {
            TENON_TRY(add_own(columns, table, key, spec, storage));
        }
    }
    if (!shared && CopiedAction::is_alike(spec, after)) {
        columns.actions[transform].push_back(CopiedAction::of(spec, *outer.find(spec.key), *table.find(spec.key)));
    }
    return {};
}

}  // namespace

Result<LaneColumns> lay_out(std::span<const Composite> sides, std::span<const Callee<tn_transform_api>> transforms,
                            const Storage& storage) {
    LaneColumns out;
    out.sides.resize(sides.size());
    out.actions.resize(transforms.size());
    for (std::size_t i = sides.size(); i-- > 0;) {
        const bool outermost = i + 1 == sides.size();
        for (const Spec& spec : sides[i].specs) {
            TENON_TRY(outermost ? add_outermost(out, out.sides[i], spec, storage)
                                : add_inner(out, i, spec, sides[i + 1], transforms[i].api->invert != nullptr, storage));
        }
        for (const char* const key : {"terminated", "truncated"}) {
            out.sides[i].add(key, storage.find(key)->view);
        }
    }
    return out;
}

}  // namespace tenon
