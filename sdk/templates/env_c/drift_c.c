/* SPDX-License-Identifier: Apache-2.0 */
/* The drifting point in plain C: many lanes per call, directly on the host's columns (tenon/abi/env.h). */
#include <math.h>
#include <stdlib.h>
#include <tenon/abi/env.h>
#include <tenon/abi/state.h>
#include <tenon/columns.h>
#include <tenon/plugin.h>

enum { LIMIT = 100 };

typedef struct lane {
    tn_key key; /* with the counter, the whole state of a generator */
    uint64_t counter;
    int64_t steps;
    double place;
} lane;

typedef struct world {
    const tn_host* host;
    double speed;
    const tn_tensor *observation, *final, *action, *reward, *terminated, *truncated;
    uint8_t* lane_status;
    uint32_t lane_count;
    lane lanes[];
} world;

static tn_status fail(const world* env, tn_status status, const char* text) {
    env->host->set_error(env->host->ctx, status, (tn_str){text, strlen(text)});
    return status;
}

static double uniform(lane* l, double low, double high) {
    const tn_random_block block = tn_philox(l->key, l->counter++);
    return low + (high - low) * tn_uniform(block.word[0], block.word[1]);
}

static tn_status create(const tn_create_args* args, void** self) {
    world* env = calloc(1, sizeof *env + args->lanes * sizeof(lane));
    if (env == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    env->host = args->host;
    env->speed = args->options[0]->real;
    env->lane_count = args->lanes;
    for (uint32_t i = 0; i < args->lanes; ++i) {
        env->lanes[i].key = (tn_key){args->key.seed, args->key.stream + i};
    }
    *self = env;
    return TN_OK;
}

static void destroy(void* self) {
    free(self);
}

static tn_status describe(void* self, tn_env_info* info) {
    static const int64_t one = 1, two = 2;
    static const double low = -4, high = 4;
    static const tn_spec observation = {.struct_size = sizeof(tn_spec),
                                        .kind = TN_SPEC_BOUNDED,
                                        .role = TN_ROLE_OBSERVATION,
                                        .dtype = TN_F32,
                                        .key = {"observation", 11},
                                        .shape = &one,
                                        .rank = 1,
                                        .bound_count = 1,
                                        .low = &low,
                                        .high = &high};
    static const tn_spec action = {.struct_size = sizeof(tn_spec),
                                   .kind = TN_SPEC_CATEGORICAL,
                                   .role = TN_ROLE_ACTION,
                                   .dtype = TN_I64,
                                   .key = {"action", 6},
                                   .categories = &two,
                                   .category_count = 1};
    static const tn_spec reward = {.struct_size = sizeof(tn_spec),
                                   .kind = TN_SPEC_UNBOUNDED,
                                   .role = TN_ROLE_REWARD,
                                   .dtype = TN_F32,
                                   .key = {"reward", 6}};
    static const tn_spec* const specs[] = {&observation, &action, &reward};
    (void)self;
    info->determinism = TN_DETERMINISM_BITS;
    info->specs = specs;
    info->spec_count = 3;
    info->episode_limit = LIMIT;
    return TN_OK;
}

static tn_status bind_columns(void* self, const tn_env_buffers* buffers) {
    world* env = self;
    const struct {
        const tn_tensor** to;
        const char* key;
        int32_t dtype;
    } wanted[] = {{&env->observation, "observation", TN_F32}, {&env->final, "next.observation", TN_F32},
                  {&env->action, "action", TN_I64},           {&env->reward, "reward", TN_F32},
                  {&env->terminated, "terminated", TN_BOOL},  {&env->truncated, "truncated", TN_BOOL}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i) {
        *wanted[i].to = tenon_find_column(buffers->columns, buffers->column_count, wanted[i].key, wanted[i].dtype);
        if (*wanted[i].to == NULL) {
            return fail(env, TN_INVALID_ARGUMENT, "a column is missing or of another type than described");
        }
    }
    env->lane_status = buffers->lane_status;
    return TN_OK;
}

static void begin(world* env, uint32_t slot, uint32_t i) {
    lane* l = &env->lanes[i];
    l->steps = 0;
    l->place = uniform(l, -0.5, 0.5);
    TENON_ROW(float, env->observation, slot, i)[0] = (float)l->place;
}

static tn_status reset(void* self, uint32_t slot, const uint8_t* mask, const uint64_t* seeds) {
    world* env = self;
    for (uint32_t i = 0; i < env->lane_count; ++i) {
        if (mask == NULL || mask[i] != 0) {
            if (seeds != NULL) {
                env->lanes[i].key = (tn_key){seeds[i], 0};
                env->lanes[i].counter = 0;
            }
            begin(env, slot, i);
        }
    }
    return TN_OK;
}

static tn_status step(void* self, const tn_env_step* call) {
    world* env = self;
    for (uint32_t i = call->first; i < call->first + call->count; ++i) {
        lane* l = &env->lanes[i];
        const int64_t action = TENON_ROW(int64_t, env->action, call->slot, i)[0];
        if (action < 0 || action > 1) {
            env->lane_status[i] = (uint8_t)fail(env, TN_INVALID_ARGUMENT, "an action must be 0 or 1");
            continue; /* the host parks this lane; the others continue */
        }
        l->place += (action == 1 ? env->speed : -env->speed) + uniform(l, -2 * env->speed, 2 * env->speed);
        const uint8_t terminated = fabs(l->place) > 1, truncated = ++l->steps >= LIMIT;
        TENON_ROW(float, env->reward, call->slot, i)[0] = (float)(1 - fabs(l->place));
        TENON_ROW(uint8_t, env->terminated, call->slot, i)[0] = terminated;
        TENON_ROW(uint8_t, env->truncated, call->slot, i)[0] = truncated;
        if (terminated || truncated) {
            TENON_ROW(float, env->final, call->slot, i)[0] = (float)l->place;
            begin(env, call->next_slot, i);
        } else {
            TENON_ROW(float, env->observation, call->next_slot, i)[0] = (float)l->place;
        }
    }
    return TN_OK;
}

static tn_status save(void* self, uint32_t first, uint32_t count, const tn_writer* writer) {
    world* env = self;
    return writer->write(writer->ctx, env->lanes + first, count * sizeof(lane));
}

static tn_status load(void* self, uint32_t first, uint32_t count, const tn_reader* reader) {
    world* env = self;
    char* to = (char*)(env->lanes + first);
    for (uint64_t left = count * sizeof(lane), got = 0; left > 0; left -= got, to += got) {
        const tn_status status = reader->read(reader->ctx, to, left, &got);
        if (status != TN_OK || got == 0) {
            return status != TN_OK ? status : fail(env, TN_DATA_LOSS, "saved state ends too early");
        }
    }
    return TN_OK;
}

static const void* get_interface(const char* id) {
    static const tn_env_api env = {
        .struct_size = sizeof env, .describe = describe, .bind = bind_columns, .reset = reset, .step = step};
    static const tn_state_api state = {.struct_size = sizeof state, .save = save, .load = load};
    return strcmp(id, "tenon.env/1") == 0 ? (const void*)&env : strcmp(id, "tenon.state/1") == 0 ? &state : NULL;
}

static const tn_component components[] = {{.struct_size = sizeof(tn_component),
                                           .id = "DriftC-v0",
                                           .kind = "env",
                                           .create = create,
                                           .destroy = destroy,
                                           .get_interface = get_interface}};

// clang-format off
TENON_PLUGIN("drift_c", "0.1.0", components,
             {"id": "DriftC-v0", "kind": "env", "help": "keep a drifting point near zero", "options": [
                 {"name": "speed", "type": "float", "default": 0.1, "range": "(0,1]", "help": "how far it drifts in a step"}]});
// clang-format on
