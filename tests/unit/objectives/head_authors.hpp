// SPDX-License-Identifier: Apache-2.0
// Objectives that write down all that a head of tenon/heads.hpp says, whatever head it is.
#pragma once

#include "authors.hpp"

namespace tenon::test {

// "CategoricalHead", "OneHotHead", ...: a head on the columns with its parameters ("logits", or "loc" and "scale") and
// the spec of "action". It writes
//
//     drawn, drawn.log_prob    sample
//     drawn.again              log_prob of what was drawn; drawn.other by the other head
//     log_prob                 of the column "action"
//     mode, entropy, mean      mean where the head has one
//     kl                       from the head on the columns under "other." to this one; kl.itself from it to itself;
//                              kl.unpacked as kl, after packed and unpacked
//
// "CompositeHead" has a head for each column "action.NAME" and reads what describes them from "parameters"; so has
// "CompositeHeads", with a log-probability for each.
//
// "ActorSays" writes what the network "actor" says by sample, log_prob and kl, "ValuesSay" what "qvalue" says by values
// and q. "WeighsActor" learns from a draw of the network "actor" and from the likelihood of the column "action".
//
// "Scales" writes what scale.hpp makes of the column "raw".
Author head_author(const char* name);

}  // namespace tenon::test
