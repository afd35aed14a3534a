/* SPDX-License-Identifier: Apache-2.0 */
/* MountainCar-v0 in plain C with only the ABI headers: the same steps and the same random initial states as the C++
 * version. It contains by hand everything that the SDK does for an env: the note, options, columns, episodes, parked
 * lanes, saved state. */
#include <math.h>
#include <string.h>

#include "tenon/abi/env.h"
#include "tenon/abi/plugin.h"
#include "tenon/abi/state.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define NAME "classic_c"
#define VERSION "0.1.0"
#define ID "MountainCar-v0"

#define NOTE                                                                                                    \
    "{\"abi\":[" TEXT(TN_ABI_MAJOR) "," TEXT(                                                                   \
        TN_ABI_MINOR) "],\"name\":\"" NAME "\",\"version\":\"" VERSION                                          \
                      "\",\"sdk\":\"none\",\"components\":[{\"id\":\"" ID                                       \
                      "\",\"kind\":\"env\",\"example\":true,"                                                   \
                      "\"help\":\"get a weak car up a hill by swinging, in plain C\",\"options\":["             \
                      "{\"name\":\"goal_velocity\",\"type\":\"float\",\"default\":0,\"range\":\"[-1,1]\","      \
                      "\"help\":\"minimum velocity at the goal\"},"                                             \
                      "{\"name\":\"reset_low\",\"type\":\"float\",\"default\":-0.6,\"range\":\"[-1.2,0.6]\","   \
                      "\"help\":\"the leftmost start\"},"                                                       \
                      "{\"name\":\"reset_high\",\"type\":\"float\",\"default\":-0.4,\"range\":\"[-1.2,0.6]\","  \
                      "\"help\":\"the rightmost start\"},"                                                      \
                      "{\"name\":\"max_episode_steps\",\"type\":\"int\",\"default\":200,\"range\":\"[0,inf)\"," \
                      "\"help\":\"time limit; 0: none\"}]}]}"

/* The sizes are those of the arrays, which pad name and text with zeros to a multiple of four bytes. */
#define PADDED(size) (((size) + 3) / 4 * 4)
static const struct {
    uint32_t name_size, text_size, type;
    char name[PADDED(sizeof TN_NOTE_NAME)];
    char text[PADDED(sizeof(NOTE))];
} kNote __attribute__((used, aligned(4), section(".note.tenon"))) = {sizeof TN_NOTE_NAME, sizeof(NOTE) - 1,
                                                                     TN_NOTE_TYPE, TN_NOTE_NAME, NOTE};

#define STR(text) {text, sizeof(text) - 1}

static const double kForce = 0.001, kGravity = 0.0025, kGoal = 0.5;
static const double kLow[2] = {-1.2, -0.07}, kHigh[2] = {0.6, 0.07}; /* place and speed */

static double clamp(double value, double low, double high) {
    return value < low ? low : value > high ? high : value;
}

/* Returns whether the goal is reached. */
static int move(double state[2], int64_t action, double goal_velocity) {
    double v = state[1] + ((double)(action - 1) * kForce + cos(3 * state[0]) * -kGravity);
    v = clamp(v, kLow[1], kHigh[1]);
    state[0] = clamp(state[0] + v, kLow[0], kHigh[0]);
    state[1] = state[0] == kLow[0] && v < 0 ? 0 : v;
    return state[0] >= kGoal && state[1] >= goal_velocity;
}

static const int64_t kTwo[1] = {2}, kThree[1] = {3};
static const tn_spec kObservation = {.struct_size = sizeof(tn_spec),
                                     .kind = TN_SPEC_BOUNDED,
                                     .role = TN_ROLE_OBSERVATION,
                                     .dtype = TN_F32,
                                     .key = STR("observation"),
                                     .shape = kTwo,
                                     .rank = 1,
                                     .bound_count = 2,
                                     .low = kLow,
                                     .high = kHigh};
static const tn_spec kAction = {.struct_size = sizeof(tn_spec),
                                .kind = TN_SPEC_CATEGORICAL,
                                .role = TN_ROLE_ACTION,
                                .dtype = TN_I64,
                                .key = STR("action"),
                                .categories = kThree,
                                .category_count = 1};
static const tn_spec kReward = {.struct_size = sizeof(tn_spec),
                                .kind = TN_SPEC_UNBOUNDED,
                                .role = TN_ROLE_REWARD,
                                .dtype = TN_F32,
                                .key = STR("reward")};
static const tn_spec* const kSpecs[3] = {&kObservation, &kAction, &kReward};

enum { kObservationColumn, kNextObservation, kActionColumn, kRewardColumn, kTerminated, kTruncated, kColumnCount };
static const struct {
    tn_str key;
    int32_t dtype;
    int64_t elements; /* 0: a row is a single number */
} kColumns[kColumnCount] = {{STR("observation"), TN_F32, 2}, {STR("next.observation"), TN_F32, 2},
                            {STR("action"), TN_I64, 0},      {STR("reward"), TN_F32, 0},
                            {STR("terminated"), TN_BOOL, 0}, {STR("truncated"), TN_BOOL, 0}};

enum { kFresh, kRunning, kParked };

typedef struct Lane {
    double state[2];
    int64_t steps;
    tn_key key;
    uint64_t counter;
    uint64_t phase;
} Lane;

typedef struct Env {
    const tn_host* host;
    double goal_velocity, reset_low, reset_high;
    int64_t limit;
    const tn_tensor* columns[kColumnCount]; /* the host's, until the next bind */
    uint8_t* lane_status;
    uint32_t slots, lanes;
    Lane lane[]; /* [lanes] */
} Env;

static tn_status fail(const Env* self, tn_status status, const char* sentence) {
    self->host->set_error(self->host->ctx, status, (tn_str){sentence, strlen(sentence)});
    return status;
}

static tn_status create(const tn_create_args* args, void** self) {
    const tn_host* host = args->host;
    Env* made = host->alloc(host->ctx, sizeof(Env) + args->lanes * sizeof(Lane), 64);
    if (made == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    memset(made, 0, sizeof(Env) + args->lanes * sizeof(Lane));
    made->host = host;
    made->lanes = args->lanes;
    if (args->lanes == 0 || args->option_count != 4 || args->options[1]->real > args->options[2]->real) {
        const tn_status status = fail(made, TN_INVALID_ARGUMENT,
                                      args->lanes == 0          ? "an env needs at least one lane"
                                      : args->option_count != 4 ? "the options differ from those of the note"
                                                                : "reset_low must not be above reset_high");
        host->free(host->ctx, made);
        return status;
    }
    made->goal_velocity = args->options[0]->real;
    made->reset_low = args->options[1]->real;
    made->reset_high = args->options[2]->real;
    made->limit = args->options[3]->integer;
    const tn_random_block block = tn_philox(args->key, 0); /* separate streams until reset provides seeds */
    for (uint32_t i = 0; i < args->lanes; ++i) {
        made->lane[i].key.seed = (uint64_t)block.word[0] << 32 | block.word[1];
        made->lane[i].key.stream = ((uint64_t)block.word[2] << 32 | block.word[3]) + i;
    }
    *self = made;
    return TN_OK;
}

static void destroy(void* instance) {
    Env* self = instance;
    self->host->free(self->host->ctx, self);
}

static tn_status describe(void* instance, tn_env_info* info) {
    const Env* self = instance;
    info->determinism = TN_DETERMINISM_BITS;
    info->specs = kSpecs;
    info->spec_count = 3;
    info->reserved = 0;
    info->episode_limit = self->limit;
    return TN_OK;
}

static const tn_tensor* find_column(const tn_env_buffers* buffers, int which) {
    for (uint64_t i = 0; i < buffers->column_count; ++i) {
        const tn_column* column = buffers->columns[i];
        const tn_str key = kColumns[which].key;
        const int64_t elements = kColumns[which].elements;
        if (column->key.size == key.size && memcmp(column->key.data, key.data, key.size) == 0) {
            const tn_tensor* tensor = &column->tensor;
            const int fits = tensor->dtype == kColumns[which].dtype && tensor->device_type == TN_DEVICE_CPU &&
                             tensor->rank == (elements == 0 ? 2u : 3u) && tensor->shape[0] >= buffers->slots &&
                             tensor->shape[1] >= buffers->lanes &&
                             (elements == 0 || (tensor->shape[2] == elements && tensor->strides[2] == 1));
            return fits ? tensor : NULL;
        }
    }
    return NULL;
}

static tn_status bind(void* instance, const tn_env_buffers* buffers) {
    Env* self = instance;
    if (buffers->lanes != self->lanes) {
        return fail(self, TN_INVALID_ARGUMENT, "bound with another number of lanes than created with");
    }
    for (int i = 0; i < kColumnCount; ++i) {
        self->columns[i] = find_column(buffers, i);
        if (self->columns[i] == NULL) {
            self->slots = 0;
            return fail(self, TN_INVALID_ARGUMENT, "a column is missing or differs from its description");
        }
    }
    self->slots = buffers->slots;
    self->lane_status = buffers->lane_status;
    return TN_OK;
}

/* The offset of an element of a column; strides count elements. */
static int64_t offset(const Env* self, int column, uint32_t slot, uint32_t i) {
    const int64_t* strides = self->columns[column]->strides;
    return slot * strides[0] + i * strides[1];
}
static float* floats(const Env* self, int column, uint32_t slot, uint32_t i) {
    return (float*)self->columns[column]->data + offset(self, column, slot, i);
}
static uint8_t* flag(const Env* self, int column, uint32_t slot, uint32_t i) {
    return (uint8_t*)self->columns[column]->data + offset(self, column, slot, i);
}

static void observe(const Lane* one, float* row) {
    row[0] = (float)one->state[0];
    row[1] = (float)one->state[1];
}

static void begin(const Env* self, Lane* one, float* row) {
    const tn_random_block block = tn_philox(one->key, one->counter++);
    one->state[0] = self->reset_low + (self->reset_high - self->reset_low) * tn_uniform(block.word[0], block.word[1]);
    one->state[1] = 0;
    one->steps = 0;
    one->phase = kRunning;
    observe(one, row);
}

static tn_status reset(void* instance, uint32_t slot, const uint8_t* mask, const uint64_t* seeds) {
    Env* self = instance;
    if (slot >= self->slots) {
        return fail(self, self->slots == 0 ? TN_FAILED_PRECONDITION : TN_INVALID_ARGUMENT, "there is no such slot");
    }
    for (uint32_t i = 0; i < self->lanes; ++i) {
        if (mask != NULL && mask[i] == 0) {
            continue;
        }
        if (seeds != NULL) {
            self->lane[i].key = (tn_key){seeds[i], 0};
            self->lane[i].counter = 0;
        }
        begin(self, &self->lane[i], floats(self, kObservationColumn, slot, i));
        self->lane_status[i] = TN_OK;
    }
    return TN_OK;
}

static void step_lane(Env* self, const tn_env_step* call, uint32_t i) {
    Lane* one = &self->lane[i];
    const int64_t action =
        ((const int64_t*)self->columns[kActionColumn]->data)[offset(self, kActionColumn, call->slot, i)];
    if (action < 0 || action > 2) {
        one->phase = kParked;
        self->lane_status[i] = (uint8_t)fail(self, TN_INVALID_ARGUMENT, "an action must be 0, 1 or 2");
        return;
    }
    const int terminated = move(one->state, action, self->goal_velocity);
    const int truncated = ++one->steps >= self->limit && self->limit > 0;
    *floats(self, kRewardColumn, call->slot, i) = -1;
    *flag(self, kTerminated, call->slot, i) = (uint8_t)terminated;
    *flag(self, kTruncated, call->slot, i) = (uint8_t)truncated;
    float* next = floats(self, kObservationColumn, call->next_slot, i);
    if (terminated || truncated) {
        observe(one, floats(self, kNextObservation, call->slot, i));
        begin(self, one, next);
    } else {
        observe(one, next);
    }
}

static tn_status step(void* instance, const tn_env_step* call) {
    Env* self = instance;
    if (call->slot >= self->slots || call->next_slot >= self->slots || call->first > self->lanes ||
        call->count > self->lanes - call->first) {
        return fail(self, TN_INVALID_ARGUMENT, "there are no such slots or lanes");
    }
    for (uint32_t i = call->first; i < call->first + call->count; ++i) {
        if (self->lane[i].phase == kFresh) {
            return fail(self, TN_FAILED_PRECONDITION, "a lane was stepped before it was reset");
        }
    }
    for (uint32_t i = call->first; i < call->first + call->count; ++i) {
        if (self->lane[i].phase == kRunning) {
            step_lane(self, call, i);
        }
    }
    return TN_OK;
}

static const tn_env_api kEnv = {
    .struct_size = sizeof(tn_env_api), .describe = describe, .bind = bind, .reset = reset, .step = step};

/* A lane consists of numbers without padding, so its bytes are its state. */
static tn_status save(void* instance, uint32_t first, uint32_t count, const tn_writer* writer) {
    const Env* self = instance;
    if (first > self->lanes || count > self->lanes - first) {
        return fail(self, TN_INVALID_ARGUMENT, "lanes to save do not exist");
    }
    return count == 0 ? TN_OK : writer->write(writer->ctx, &self->lane[first], count * sizeof(Lane));
}

static tn_status load(void* instance, uint32_t first, uint32_t count, const tn_reader* reader) {
    Env* self = instance;
    if (first > self->lanes || count > self->lanes - first) {
        return fail(self, TN_INVALID_ARGUMENT, "lanes to load do not exist");
    }
    for (uint32_t i = first; i < first + count; ++i) {
        Lane one;
        for (uint64_t at = 0, got = 0; at < sizeof one; at += got) {
            const tn_status status = reader->read(reader->ctx, (char*)&one + at, sizeof one - at, &got);
            if (status != TN_OK) {
                return status;
            }
            if (got == 0 || got > sizeof one - at) {
                return fail(self, TN_DATA_LOSS, "saved state ends too early");
            }
        }
        if (one.phase > kParked || one.steps < 0) {
            return fail(self, TN_DATA_LOSS, "saved state of the env is damaged");
        }
        self->lane[i] = one;
    }
    return TN_OK;
}

static const tn_state_api kState = {.struct_size = sizeof(tn_state_api), .save = save, .load = load};

static const void* get_interface(const char* id) {
    if (strcmp(id, "tenon.env/1") == 0) {
        return &kEnv;
    }
    return strcmp(id, "tenon.state/1") == 0 ? &kState : NULL;
}

static const tn_component kComponent = {.struct_size = sizeof(tn_component),
                                        .id = ID,
                                        .kind = "env",
                                        .create = create,
                                        .destroy = destroy,
                                        .get_interface = get_interface};

static tn_status init(const tn_host* host) {
    return host->struct_size < sizeof(tn_host) ? TN_FAILED_PRECONDITION : TN_OK;
}
static void deinit(void) {}
static const tn_component* get_component(const char* id) {
    return strcmp(id, ID) == 0 ? &kComponent : NULL;
}

const tn_plugin_entry tn_plugin_entry_v1 = {.magic = TN_ENTRY_MAGIC,
                                            .struct_size = sizeof(tn_plugin_entry),
                                            .abi_major = TN_ABI_MAJOR,
                                            .abi_minor_needed = TN_ABI_MINOR,
                                            .name = NAME,
                                            .version = VERSION,
                                            .component_count = 1,
                                            .init = init,
                                            .deinit = deinit,
                                            .get_component = get_component};
