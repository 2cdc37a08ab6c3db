/* The additive score and its gradient, in plain C.

   With a = e^2q and b = e^2k, tanh(q + k) = 1 - 2r where r = 1 / (1 + ab), so

       score[t, s]  =  sum_d v[d] (1 - 2 r[t, s, d])
       da[t, d]     =  2 v[d] sum_s g[t, s] r^2 b[s, d]        and the same for b, with t and s exchanged
       dv[d]        =  sum_ts g[t, s] (1 - 2 r[t, s, d])

   r lives in a register and nowhere else. ab must be finite: kernels.py clamps the exponents.

   No header of Python or torch is needed. The file reads itself once for each instruction set:
   the second half is the kernel, written in vectors of LANES floats; the first half chooses. */

#ifndef LANES

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

typedef float lanes_plain __attribute__((vector_size(16)));

#define BLOCK 32  /* rows of a task in `scores`: 64 KiB of keys of width 512, which stay in cache */
#define STRIP 64  /* width of a task in `gradient`: 256 bytes of each row */
#define ABREAST 4 /* keys scored at once, so that the sums need not wait for each other */
#define BLOCKS(n, size) (((n) + (size) - 1) / (size))

#define INLINE static inline __attribute__((always_inline))

/* One call. `near` are the rows that an output row belongs to, `far` those that are summed over. */
struct call {
    const float *near, *far, *energy, *grad;
    const int64_t *near_strides, *far_strides; /* over batch, head, position; a row is contiguous */
    float *out, *energy_out;
    int64_t batch, heads, nears, fars, dim;
    int64_t tasks, next;
    void (*task)(const struct call *, int64_t);
};

/* The OpenMP runtime that torch has loaded, if it has: we bring none, for two would fight for the
   cores. GNU's and LLVM's both answer to this name. Without one, a single thread does all. */
extern void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned) __attribute__((weak));

static void work(void *data)
{
    struct call *call = data;
    int64_t i;
    while ((i = __atomic_fetch_add(&call->next, 1, __ATOMIC_RELAXED)) < call->tasks)
        call->task(call, i);
}

static void share(struct call *call, int64_t threads)
{
    if (threads > call->tasks)
        threads = call->tasks;
    if (threads > 1 && GOMP_parallel)
        GOMP_parallel(work, call, (unsigned)threads, 0);
    else
        work(call);
}

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME(function) JOIN(function, SET)

#if defined(__x86_64__)

/* A hardware estimate and one step of Newton: 28 bits with AVX-512, 22 without. */
typedef float lanes_avx512 __attribute__((vector_size(64)));
#define LANES 16
#define SET avx512
#define TARGET __attribute__((target("avx512f")))
#define ESTIMATE(x) _mm512_rcp14_ps(x)
#include "additive.c"
#undef LANES
#undef SET
#undef TARGET
#undef ESTIMATE

typedef float lanes_avx2 __attribute__((vector_size(32)));
#define LANES 8
#define SET avx2
#define TARGET __attribute__((target("avx2,fma")))
#define ESTIMATE(x) _mm256_rcp_ps(x)
#include "additive.c"
#undef LANES
#undef SET
#undef TARGET
#undef ESTIMATE

#define LANES 4
#define SET plain
#define TARGET
#define ESTIMATE(x) _mm_rcp_ps(x)
#include "additive.c"

#define CHOOSE(function)                                                                           \
    (__builtin_cpu_supports("avx512f")                                 ? function##_avx512         \
     : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? function##_avx2           \
                                                                       : function##_plain)

#else

#define LANES 4
#define SET plain
#define TARGET
#include "additive.c"

#define CHOOSE(function) function##_plain

#endif

/* out[b, h, t, s]: contiguous. */
void regard_additive_scores(const float *query, const int64_t *query_strides, const float *keys,
                            const int64_t *key_strides, const float *energy, float *out,
                            const int64_t *shape, int64_t threads)
{
    struct call call = {query, keys, energy, NULL, query_strides, key_strides, out, NULL,
                        shape[0], shape[1], shape[2], shape[3], shape[4], 0, 0, CHOOSE(scores)};
    call.tasks = call.batch * call.heads * BLOCKS(call.nears, BLOCK) * BLOCKS(call.fars, BLOCK);
    share(&call, threads);
}

/* out[b, h, near, d] and energy_out[b, h, d], from grad[b, h, near, far]: all contiguous. */
void regard_additive_gradient(const float *near, const int64_t *near_strides, const float *far,
                              const int64_t *far_strides, const float *energy, const float *grad,
                              float *out, float *energy_out, const int64_t *shape, int64_t threads)
{
    struct call call = {near, far, energy, grad, near_strides, far_strides, out, energy_out,
                        shape[0], shape[1], shape[2], shape[3], shape[4], 0, 0, CHOOSE(gradient)};
    call.tasks = call.batch * call.heads * BLOCKS(call.dim, STRIP);
    share(&call, threads);
}

#else /* ------------------------------------------------- the kernel, once per instruction set */

#define lanes NAME(lanes)
#define WIDE (LANES / 4) /* vectors of a strip: with their sums they fill half the registers */

INLINE TARGET lanes NAME(load)(const float *row, int64_t count)
{
    lanes x = {0};
    memcpy(&x, row, (size_t)(count < LANES ? count : LANES) * sizeof(float));
    return x;
}

INLINE TARGET lanes NAME(full)(const float *row)
{
    lanes x;
    memcpy(&x, row, sizeof x);
    return x;
}

INLINE TARGET lanes NAME(inverse)(lanes x)
{
#ifdef ESTIMATE
    lanes r = ESTIMATE(x);
    return r * (2.0f - x * r);
#else
    return 1.0f / x;
#endif
}

INLINE TARGET float NAME(total)(lanes x)
{
    float part[LANES];
    memcpy(part, &x, sizeof x);
    for (int width = LANES / 2; width; width /= 2)
        for (int i = 0; i < width; i++)
            part[i] += part[i + width];
    return part[0];
}

/* sum_d v r for `count` keys beside each other (a constant, so that the loops unfold). */
INLINE TARGET void NAME(score)(const float *query, const float *keys, int64_t stride,
                               const float *energy, int64_t dim, float whole, float *out,
                               const int count)
{
    lanes sums[ABREAST] = {{0}};
    int64_t d = 0;
    for (; d + LANES <= dim; d += LANES) {
        const lanes q = NAME(full)(query + d), v = NAME(full)(energy + d);
        for (int i = 0; i < count; i++)
            sums[i] += v * NAME(inverse)(1.0f + q * NAME(full)(keys + i * stride + d));
    }
    if (d < dim) {
        const lanes q = NAME(load)(query + d, dim - d), v = NAME(load)(energy + d, dim - d);
        for (int i = 0; i < count; i++)
            sums[i] += v * NAME(inverse)(1.0f + q * NAME(load)(keys + i * stride + d, dim - d));
    }
    for (int i = 0; i < count; i++)
        out[i] = whole - 2.0f * NAME(total)(sums[i]);
}

/* One block of queries by one block of keys. */
static TARGET void NAME(scores)(const struct call *c, int64_t task)
{
    const int64_t across = BLOCKS(c->fars, BLOCK), down = BLOCKS(c->nears, BLOCK);
    const int64_t s0 = task % across * BLOCK, t0 = task / across % down * BLOCK;
    const int64_t pair = task / across / down, b = pair / c->heads, h = pair % c->heads;
    const int64_t s1 = s0 + BLOCK < c->fars ? s0 + BLOCK : c->fars;
    const int64_t t1 = t0 + BLOCK < c->nears ? t0 + BLOCK : c->nears;
    const int64_t stride = c->far_strides[2];
    const float *query = c->near + b * c->near_strides[0] + h * c->near_strides[1];
    const float *keys = c->far + b * c->far_strides[0] + h * c->far_strides[1];
    const float *energy = c->energy + h * c->dim;
    float whole = 0.0f;
    for (int64_t d = 0; d < c->dim; d++)
        whole += energy[d];
    for (int64_t t = t0; t < t1; t++) {
        const float *q = query + t * c->near_strides[2];
        float *out = c->out + (pair * c->nears + t) * c->fars;
        int64_t s = s0;
        for (; s + ABREAST <= s1; s += ABREAST)
            NAME(score)(q, keys + s * stride, stride, energy, c->dim, whole, out + s, ABREAST);
        for (; s < s1; s++)
            NAME(score)(q, keys + s * stride, stride, energy, c->dim, whole, out + s, 1);
    }
}

/* One strip of `wide` vectors of d: nothing is summed over d, so strips are independent, and the
   sums of a row stay in registers. */
INLINE TARGET void NAME(strip)(const struct call *c, const float *near, const float *far,
                               const float *energy, const float *grad, float whole, float *out,
                               float *energy_out, int64_t count, const int wide)
{
    lanes energy_sums[WIDE] = {{0}};
    for (int64_t n = 0; n < c->nears; n++) {
        const float *row = near + n * c->near_strides[2], *g = grad + n * c->fars;
        lanes a[WIDE], sums[WIDE] = {{0}}, reads[WIDE] = {{0}};
        for (int i = 0; i < wide; i++)
            a[i] = NAME(load)(row + i * LANES, count - i * LANES);
        for (int64_t f = 0; f < c->fars; f++) {
            const float *other = far + f * c->far_strides[2];
            for (int i = 0; i < wide; i++) {
                const lanes b = NAME(load)(other + i * LANES, count - i * LANES);
                const lanes r = NAME(inverse)(1.0f + a[i] * b), gr = g[f] * r;
                reads[i] += gr;
                sums[i] += gr * (r * b); /* r b = 1 / (a + 1/b): r r might fall below the range */
            }
        }
        for (int i = 0; i < wide; i++) {
            const lanes v = NAME(load)(energy + i * LANES, count - i * LANES);
            const lanes da = 2.0f * v * sums[i];
            const int64_t left = count - i * LANES;
            memcpy(out + n * c->dim + i * LANES, &da,
                   (size_t)(left < LANES ? left : LANES) * sizeof(float));
            energy_sums[i] += reads[i];
        }
    }
    for (int i = 0; i < wide; i++) {
        const lanes dv = whole - 2.0f * energy_sums[i];
        const int64_t left = count - i * LANES;
        memcpy(energy_out + i * LANES, &dv, (size_t)(left < LANES ? left : LANES) * sizeof(float));
    }
}

static TARGET void NAME(gradient)(const struct call *c, int64_t task)
{
    const int64_t strips = BLOCKS(c->dim, STRIP);
    const int64_t pair = task / strips, b = pair / c->heads, h = pair % c->heads;
    int64_t d = task % strips * STRIP;
    const int64_t end = d + STRIP < c->dim ? d + STRIP : c->dim, size = c->nears * c->fars;
    const float *near = c->near + b * c->near_strides[0] + h * c->near_strides[1];
    const float *far = c->far + b * c->far_strides[0] + h * c->far_strides[1];
    const float *energy = c->energy + h * c->dim, *grad = c->grad + pair * size;
    float *out = c->out + pair * c->nears * c->dim, *energy_out = c->energy_out + pair * c->dim;
    lanes sums = {0};
    for (int64_t i = 0; i < size; i += LANES)
        sums += NAME(load)(grad + i, size - i);
    const float whole = NAME(total)(sums);
    for (; d + WIDE * LANES <= end; d += WIDE * LANES)
        NAME(strip)(c, near + d, far + d, energy + d, grad, whole, out + d, energy_out + d,
                    WIDE * LANES, WIDE);
    for (; d < end; d += LANES)
        NAME(strip)(c, near + d, far + d, energy + d, grad, whole, out + d, energy_out + d,
                    end - d, 1);
}

#undef lanes
#undef WIDE

#endif
