// SPDX-License-Identifier: Apache-2.0
#include "train/plan/capabilities/matcher.hpp"

#include <algorithm>
#include <utility>

namespace tenon {
namespace {

// NOLINTBEGIN(cppcoreguidelines-macro-usage)
constexpr Declaration kDeclarations[] = {
#define CAPABILITY(name, text)
#define FEATURE(name, text)
#define NEEDS(feature, capability, why, cure) {Feature::feature, Relation::kNeeds, Capability::capability, why, cure},
#define TAKES(feature, capability, why, cure) {Feature::feature, Relation::kTakes, Capability::capability, why, cure},
#include "train/plan/capabilities/declarations.inc"
#undef CAPABILITY
#undef FEATURE
#undef NEEDS
#undef TAKES
};
// NOLINTEND(cppcoreguidelines-macro-usage)

template <class F>
void each_declaration(const PresentParts& parts, Relation relation, F f) {
    for (const Present& part : parts) {
        for (const Declaration& declared : kDeclarations) {
            if (declared.feature == part.feature && declared.relation == relation) {
                f(part, declared);
            }
        }
    }
}

bool concern_each_other(const Present& needs, const Present& takes) {
    return needs.of.empty() || takes.about.empty() || std::ranges::find(needs.of, takes.about) != needs.of.end();
}

std::string clause(const Present& part, const Declaration& declared) {
    return part.clause.empty() ? part.subject + " " + std::string(declared.why) : part.clause;
}

}  // namespace

std::span<const Declaration> declarations() {
    return kDeclarations;
}

void refuse_combinations(const PresentParts& parts, Problems& problems) {
    each_declaration(parts, Relation::kNeeds, [&](const Present& needing, const Declaration& need) {
        each_declaration(parts, Relation::kTakes, [&](const Present& taking, const Declaration& take) {
            if (take.capability != need.capability || !concern_each_other(needing, taking)) {
                return;
            }
            const bool at_need = !need.cure.empty() || taking.place.line == 0;
            Problem problem = input_problem(clause(needing, need) + ", but " + clause(taking, take),
                                            at_need ? needing.place : taking.place,
                                            std::string(need.cure.empty() ? take.cure : need.cure));
            const Place& other = at_need ? taking.place : needing.place;
            if (other.line > 0 && other.line != problem.place.line) {
                problem.also.push_back(other);
            }
            if (std::ranges::find(problems, problem.sentence, &Problem::sentence) != problems.end()) {
                return;  // parts of the manifest alone are also checked before all others
            }
            problems.push_back(std::move(problem));
        });
    });
}

Reason reason_of(const PresentParts& parts, Relation relation, Capability capability) {
    Reason out;
    each_declaration(parts, relation, [&](const Present& part, const Declaration& declared) {
        if (out.why.empty() && declared.capability == capability) {
            out = {.why = clause(part, declared), .cure = std::string(declared.cure)};
        }
    });
    return out;
}

}  // namespace tenon
