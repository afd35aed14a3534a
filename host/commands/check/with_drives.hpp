// SPDX-License-Identifier: Apache-2.0
// Several instances of one component, each driven in its own way, for checks that compare them.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "commands/check/verdict.hpp"
#include "commands/check/workbench.hpp"

namespace tenon {

// Calls body(drives) with a drive of every shape, in their order; all are instances of the subject.
template <class Drive, class Shape, class Body>
Verdict with_drives(const CheckSubject& subject, const std::vector<Shape>& shapes, const Body& body) {
    std::unique_ptr<Workbench> bench = TENON_TRY(Workbench::open(subject));
    std::vector<std::unique_ptr<Drive>> drives;
    for (const Shape& shape : shapes) {
        std::unique_ptr<Drive> drive = TENON_TRY(Drive::make(*bench, shape));
        drives.push_back(std::move(drive));
    }
    return body(drives);
}

}  // namespace tenon
