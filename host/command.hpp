// SPDX-License-Identifier: Apache-2.0
// The commands of the program. To add one, write a file cmd_NAME.cpp, a declaration here and a line in commands.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenon::host {

using Arguments = std::vector<std::string>;  // the words after the command's name

struct Command {
    std::string_view name;
    std::string_view summary;
    int (*run)(const Arguments& arguments);  // returns the exit code
};

const std::vector<Command>& commands();

int run_run(const Arguments& arguments);
int run_init(const Arguments& arguments);
int run_eval(const Arguments& arguments);
int run_play(const Arguments& arguments);
int run_record(const Arguments& arguments);
int run_export(const Arguments& arguments);
int run_import(const Arguments& arguments);
int run_data(const Arguments& arguments);
int run_serve(const Arguments& arguments);
int run_dash(const Arguments& arguments);
int run_top(const Arguments& arguments);
int run_validate(const Arguments& arguments);
int run_explain(const Arguments& arguments);
int run_compare(const Arguments& arguments);
int run_sweep_file(const Arguments& arguments);
int run_bench(const Arguments& arguments);
int run_list(const Arguments& arguments);
int run_inspect(const Arguments& arguments);
int run_check(const Arguments& arguments);
int run_new(const Arguments& arguments);
int run_doctor(const Arguments& arguments);
int run_completion(const Arguments& arguments);

}  // namespace tenon::host
