// SPDX-License-Identifier: Apache-2.0
#include "commands/check/check_lists.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/data/key.hpp"
#include "base/error/listed.hpp"
#include "commands/check/acting_run.hpp"
#include "compute/graph/builder.hpp"

namespace tenon {
namespace {

constexpr std::size_t kHeadRows = 256;
constexpr std::size_t kDraws = 20000;  // per observation
constexpr double kRounding = 1e-6;     // tolerance for a value that is computed in two ways
constexpr double kDeviations = 5;      // standard errors allowed between two means over draws
constexpr double kNearBound = 1e-4;    // share of the range: nearer to a bound, squashing cannot be inverted

// Some numbers per row.
struct Numbers {
    std::vector<double> values;
    std::size_t width = 1;

    [[nodiscard]] std::size_t rows() const { return values.size() / width; }
    [[nodiscard]] std::span<const double> row(std::size_t i) const {
        return std::span(values).subspan(i * width, width);
    }
    [[nodiscard]] double sum(std::size_t i) const {
        const auto of = row(i);
        return std::accumulate(of.begin(), of.end(), 0.0);
    }
};

struct Said {
    BuiltProgram program;
    std::string group;  // whose agents have a number each; empty: there is one agent
    std::vector<std::vector<std::byte>> outputs;
    std::size_t rows = 0;

    [[nodiscard]] Numbers numbers(std::string_view name) const;
};

Numbers Said::numbers(std::string_view name) const {
    const auto port = std::ranges::find(program.outputs, join_keys(group, name), &Port::key);
    const std::vector<std::byte>& column = outputs[static_cast<std::size_t>(port - program.outputs.begin())];
    Numbers out;
    with_element(port->dtype, [&](auto element) {
        constexpr std::size_t kBytes = sizeof element;
        for (std::size_t i = 0; i < column.size() / kBytes; ++i) {
            std::memcpy(&element, &column[i * kBytes], kBytes);
            out.values.push_back(static_cast<double>(element));
        }
    });
    out.width = out.values.size() / rows;
    return out;
}

// The results of the policy's functions on rows of these columns, in evaluation mode, where parameters have no noise.
Result<Said> ask(const ActingRun& acting, const std::vector<graph::Column>& columns, const Observed& observed,
                 const std::function<void(graph::Builder&)>& assemble) {
    const Wiring& wiring = acting.run->wiring();
    Layouts layouts = wiring.layouts;
    const BuildSite site{.networks = &wiring.networks,
                         .transforms = &wiring.transforms,
                         .layouts = &layouts,
                         .real = wiring.real(),
                         .groups = &wiring.groups};
    Problems problems;
    Said out{.program = build_by_hand(site, "check", columns, assemble, problems),
             .group = acting.policy->group,
             .outputs = {},
             .rows = observed.rows};
    if (!problems.empty()) {
        return std::move(problems.front());
    }
    const auto same = [](const NetworkLayout& a, const NetworkLayout& b) {
        return a.parameters.size() == b.parameters.size();
    };
    if (!std::ranges::equal(layouts.networks, wiring.layouts.networks, same)) {
        return input_problem("it reads parameters that nothing else in the run reads");
    }
    Outcome given =
        TENON_TRY(acting.forward(*acting.run->executor, out.program, observed.of(out.program.inputs), observed.rows));
    out.outputs = std::move(given.outputs);
    return out;
}

// A draw with everything that acting stores of it, and the results of `more` for the drawn action.
Result<Said> ask_of_draw(const ActingRun& acting, const Observed& observed,
                         const std::function<void(graph::Builder&, graph::ValueId)>& more) {
    const auto names = graph::split_names(graph::find_function(*acting.policy, "sample")->outputs);
    return ask(acting, acting.run->wiring().act_columns, observed, [&](graph::Builder& builder) {
        const std::vector<graph::ValueId> drawn = builder.build(*acting.policy, "sample", {}, "eval");
        for (std::size_t i = 0; i < names.size() && !builder.failed(); ++i) {
            builder.write(names[i] == "action" ? "drawn" : std::string(names[i]), drawn[i]);
        }
        if (!builder.failed()) {
            more(builder, drawn[static_cast<std::size_t>(std::ranges::find(names, "action") - names.begin())]);
        }
    });
}

// The policy may not support the question.
Verdict no_answer(const Problem& problem) {
    return problem.fault == Fault::kPlugin ? failed(problem) : skipped(problem.sentence);
}

std::optional<std::string> missing(const ActingRun& acting, std::initializer_list<std::string_view> functions) {
    const auto names = graph::split_names(graph::find_function(*acting.policy, "sample")->outputs);
    if (std::ranges::find(names, "log_prob") == names.end()) {
        return "its function sample has no output log_prob";
    }
    for (const std::string_view name : functions) {
        if (graph::find_function(*acting.policy, name) == nullptr) {
            return "it has no function " + std::string(name);
        }
    }
    return std::nullopt;
}

// The distance of an action from its nearest bound, as a share of the range; 1 if the action has no bounds.
double nearest_bound(const Spec* spec, std::span<const double> action) {
    double out = 1;
    for (std::size_t i = 0; spec != nullptr && spec->kind == SpecKind::kBounded && i < action.size(); ++i) {
        const double share = (action[i] - spec->low_of(i)) / (spec->high_of(i) - spec->low_of(i));
        out = std::min({out, share, 1 - share});
    }
    return out;
}

Verdict look_at_log_prob(const ActingRun& acting) {
    if (const auto what = missing(acting, {"log_prob"})) {
        return skipped(*what);
    }
    const auto said = ask_of_draw(acting, acting.observed, [&](graph::Builder& builder, graph::ValueId action) {
        builder.write("again", builder.build(*acting.policy, "log_prob", std::span(&action, 1), "eval").front());
    });
    if (!said) {
        return no_answer(said.error());
    }
    const Numbers drawn = said->numbers("drawn");
    const Numbers first = said->numbers("log_prob");
    const Numbers again = said->numbers("again");
    if (first.width != again.width) {
        return failed("sample gives " + counted(first.width, "number") + " as log_prob, but log_prob " +
                      std::to_string(again.width));
    }
    const Spec* const spec = acting.run->wiring().env_specs.find(join_keys(acting.policy->group, "action"));
    for (std::size_t i = 0; i < said->rows; ++i) {
        for (std::size_t k = 0; k < first.width && nearest_bound(spec, drawn.row(i)) > kNearBound; ++k) {
            const double a = first.row(i)[k];
            const double b = again.row(i)[k];
            if (!(std::abs(a - b) <= kRounding * (1 + std::abs(a)))) {
                return failed("sample says that its draw has the log-probability " + std::to_string(a) +
                              ", but log_prob says " + std::to_string(b));
            }
        }
    }
    return passed();
}

struct Mean {
    double value = 0;
    double error = 0;  // standard error
};

Mean mean_of_sums(const Numbers& numbers) {
    const auto rows = static_cast<double>(numbers.rows());
    Mean out;
    for (std::size_t i = 0; i < numbers.rows(); ++i) {
        out.value += numbers.sum(i) / rows;
    }
    for (std::size_t i = 0; i < numbers.rows(); ++i) {
        out.error += std::pow(numbers.sum(i) - out.value, 2);
    }
    out.error = std::sqrt(out.error) / rows;
    return out;
}

Verdict look_at_entropy(const ActingRun& acting) {
    if (const auto what = missing(acting, {"entropy"})) {
        return skipped(*what);
    }
    Observed repeated{.rows = kDraws, .columns = acting.observed.columns};
    const std::vector<std::size_t> first(kDraws, 0);
    for (auto& [key, column] : repeated.columns) {
        column = chosen_rows(column, column.size() / acting.observed.rows, first);
    }
    const auto said = ask_of_draw(acting, repeated, [&](graph::Builder& builder, graph::ValueId /*action*/) {
        builder.write("entropy", builder.build(*acting.policy, "entropy", {}, "eval").front());
    });
    if (!said) {
        return no_answer(said.error());
    }
    const Mean entropy = mean_of_sums(said->numbers("entropy"));
    const Mean log_prob = mean_of_sums(said->numbers("log_prob"));
    const double apart = std::abs(entropy.value + log_prob.value);
    return apart <= kDeviations * std::hypot(entropy.error, log_prob.error) + kRounding
               ? passed()
               : failed("over " + std::to_string(kDraws) + " draws for one observation -log_prob is " +
                        std::to_string(-log_prob.value) + ", but entropy " + std::to_string(entropy.value));
}

// Reads the stored draw from columns of a batch, as an objective does.
Verdict look_at_kl(const ActingRun& acting) {
    if (const auto what = missing(acting, {"kl"})) {
        return skipped(*what);
    }
    const auto drawn = ask_of_draw(acting, acting.observed, [](graph::Builder&, graph::ValueId) {});
    if (!drawn) {
        return no_answer(drawn.error());
    }
    std::vector<graph::Column> columns = acting.run->wiring().act_columns;
    Observed observed = acting.observed;
    for (std::size_t i = 0; i < drawn->program.outputs.size(); ++i) {
        const Port& port = drawn->program.outputs[i];
        Spec spec;
        spec.key = port.key;
        spec.role = Role::kState;
        spec.dtype = port.dtype;
        spec.shape = port.row;
        columns.push_back({std::move(spec), acting.policy->role});
        observed.columns[port.key] = drawn->outputs[i];
    }
    const auto said = ask(acting, columns, observed, [&](graph::Builder& builder) {
        builder.write("kl", builder.build(*acting.policy, "kl", {}, "eval").front());
    });
    if (!said) {
        return no_answer(said.error());
    }
    for (const double kl : said->numbers("kl").values) {
        if (!(std::abs(kl) <= kRounding)) {
            return failed("kl from a distribution to itself is " + std::to_string(kl));
        }
    }
    return passed();
}

}  // namespace

Verdict check_log_prob(const CheckSubject& subject) {
    return in_acting_run(subject, kHeadRows, look_at_log_prob);
}

Verdict check_entropy(const CheckSubject& subject) {
    return in_acting_run(subject, 1, look_at_entropy);
}

Verdict check_kl(const CheckSubject& subject) {
    return in_acting_run(subject, kHeadRows, look_at_kl);
}

}  // namespace tenon
