// SPDX-License-Identifier: Apache-2.0
// Prints a checklist for people, for scripts and for build servers.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "commands/check/check_plugin.hpp"

namespace tenon::host {

// Prints each row as soon as it is done, because a check may take a while.
class CheckPrinter {
public:
    explicit CheckPrinter(std::ostream& out) : out_(out) {}

    void row(const CheckRow& row);
    void sum(const Checklist& list);

private:
    std::ostream& out_;
    void say_skips();

    std::string component_;
    std::vector<CheckRow> skips_;  // consecutive ones with the same reason
    bool has_begun_ = false;
};

std::string check_json(const Checklist& list);
std::string check_junit(const Checklist& list);

}  // namespace tenon::host
