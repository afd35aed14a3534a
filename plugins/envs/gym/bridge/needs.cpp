// SPDX-License-Identifier: Apache-2.0
#include "needs.hpp"

#include <cstdlib>
#include <sstream>

#include "answer.hpp"
#include "interpreter.hpp"
#include "making.hpp"
#include "process.hpp"
#include "tenon/guard.hpp"

namespace bridge {
namespace {

constexpr double kSeconds = 20;  // in which Python starts

std::string joined(const std::vector<std::string>& words, const char* between) {
    std::string out;
    for (const std::string& word : words) {
        out += (out.empty() ? "" : between) + word;
    }
    return out;
}

// Asks for versions: the interpreter's, then "numpy 2.4.6", or the name alone if it is missing.
std::vector<std::string> versions(const std::string& python, const std::vector<std::string>& packages) {
    Process process(python, worker_package());
    process.send("{\"call\":\"versions\",\"packages\":" + json_string(joined(packages, " ")) + "}");
    std::istringstream answer(answer_of(process, "Python", python, kSeconds));
    process.dismiss();
    std::vector<std::string> out;
    for (std::string line; std::getline(answer, line);) {
        out.push_back(line);
    }
    return out;
}

}  // namespace

tenon::Need python_with(const std::vector<std::string>& packages, const std::string& use) {
    tenon::Need need{.name = "Python with " + packages.back(), .use = use};
    const std::string wanted = joined(packages, " ");
    try {
        const std::string python = find_python({});
        need.bring = std::getenv("VIRTUAL_ENV") != nullptr
                         ? python + " -m pip install " + wanted
                         : "python3 -m venv venv && venv/bin/pip install " + wanted + " && . venv/bin/activate";
        std::vector<std::string> lacking;
        const std::vector<std::string> found = versions(python, packages);
        for (std::size_t i = 1; i < found.size(); ++i) {
            if (found[i].find(' ') == std::string::npos) {
                lacking.push_back(found[i]);
            }
        }
        if (lacking.empty()) {
            need.found = python + ": " + joined(found, ", ");
        } else {
            need.missing = python + " has no " + joined(lacking, " and no ");
        }
    } catch (const tenon::Error& error) {
        need.missing = error.what();
        if (need.bring.empty()) {
            need.bring = "apt-get install -y python3-venv";
        }
    }
    return need;
}

}  // namespace bridge
