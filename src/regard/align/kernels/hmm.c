/* Posteriors and expected counts of IBM Model 1 and of the HMM, in both directions at once.

   hmm.py defines what is computed. Sums over states are written as `x[b] += v * row[b]`, which a
   compiler vectorizes without changing the order of additions, and the file is compiled without
   contraction: the results are the same bytes on every machine and with every vector length.

   A pair has I source words and J target words. Matrices of a pair are I x J, row by row. The
   forward direction generates target words from source words, the backward direction the reverse.
   A word that the lexicon does not know is -1. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define REACH 64               /* longer jumps count as jumps of this length */
#define JUMPS (2 * REACH + 1)
#define TINY 1e-35f            /* a sum below it has underflowed */

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__)
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLONES
#endif

struct lexicon {
    const int64_t *rows;    /* the first entry of each source word, and the end of the last */
    const int32_t *targets; /* the target word of each entry, ascending within a row */
    const float *forward, *backward;          /* t(target | source), t(source | target) */
    const float *null_targets, *null_sources; /* t(word | NULL) */
    const float *jumps;     /* 2 x JUMPS: of the forward and of the backward direction */
    float floor;            /* of t where there is no entry */
    float null;             /* probability of NULL */
};

struct counts {
    float *forward, *backward;          /* of each entry */
    float *null_targets, *null_sources; /* of each word */
    double *jumps;                      /* 2 x JUMPS */
    float cut;                          /* smaller posteriors are not counted */
};

/* One pair and its posteriors. */
struct pair {
    int I, J;
    const int32_t *source, *target;
    int64_t *entries;                 /* I x J; -1: none */
    float *forward, *backward;        /* I x J posteriors */
    float *null_target, *null_source; /* posteriors of NULL: J, I */
    float *memory;                    /* for `hmm` */
};

static int64_t find(const struct lexicon *lexicon, int32_t source, int32_t target)
{
    if (source < 0 || target < 0)
        return -1;
    int64_t low = lexicon->rows[source], high = lexicon->rows[source + 1];
    const int64_t end = high;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (lexicon->targets[middle] < target)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && lexicon->targets[low] == target ? low : -1;
}

static inline float at(const float *table, int64_t entry, float floor)
{
    return entry < 0 ? floor : table[entry];
}

static void model1(const struct lexicon *x, const struct pair *pair)
{
    const int I = pair->I, J = pair->J;
    const float floor = x->floor, null = x->null;
    float *sum = pair->memory;
    for (int j = 0; j < J; j++)
        sum[j] = pair->null_target[j] = null * at(x->null_targets, pair->target[j], floor);
    for (int i = 0; i < I; i++) {
        const int64_t *entry = pair->entries + (int64_t)i * J;
        float *p = pair->forward + (int64_t)i * J, *q = pair->backward + (int64_t)i * J;
        float total = pair->null_source[i] = null * at(x->null_sources, pair->source[i], floor);
        for (int j = 0; j < J; j++) {
            p[j] = (1 - null) / I * at(x->forward, entry[j], floor);
            q[j] = (1 - null) / J * at(x->backward, entry[j], floor);
            sum[j] += p[j];
            total += q[j];
        }
        pair->null_source[i] /= total;
        for (int j = 0; j < J; j++)
            q[j] /= total;
    }
    for (int j = 0; j < J; j++)
        pair->null_target[j] /= sum[j];
    for (int i = 0; i < I; i++)
        for (int j = 0; j < J; j++)
            pair->forward[(int64_t)i * J + j] /= sum[j];
}

static inline int bin(int jump)
{
    return jump < -REACH ? 0 : jump > REACH ? JUMPS - 1 : jump + REACH;
}

/* Forward-backward over S states and T outputs. `emission` is T x S, `null_emission` has T.
   Every state s has a twin that emits from NULL and remembers s. Posteriors go to `posterior`
   (T x S) and `null_posterior`; expected jumps are added to `counts` unless it is NULL. */
CLONES static void hmm(int S, int T, const float *restrict emission,
                       const float *restrict null_emission, const float *restrict jumps, float null,
                       float *restrict posterior, float *restrict null_posterior, double *counts,
                       float *restrict memory)
{
    const int64_t square = (int64_t)S * S, whole = (int64_t)T * S;
    float *restrict A = memory, *restrict transposed = A + square, *restrict M = transposed + square;
    float *restrict word = M + square, *restrict none = word + whole; /* forward, T x S each */
    float *restrict first = none + whole, *restrict last = first + S;
    float *beta = last + S, *before = beta + S, *weighted = before + S;

    float z = 0;
    for (int s = 0; s < S; s++)
        z += first[s] = jumps[bin(s + 1)];
    for (int s = 0; s < S; s++)
        first[s] /= z;
    for (int a = 0; a < S; a++) {
        z = jumps[bin(S - a)];
        for (int b = 0; b < S; b++)
            z += jumps[bin(b - a)];
        for (int b = 0; b < S; b++)
            transposed[(int64_t)b * S + a] = A[(int64_t)a * S + b] =
                (1 - null) * jumps[bin(b - a)] / z;
        last[a] = jumps[bin(S - a)] / z;
    }

    for (int t = 0; t < T; t++) {
        float *restrict x = word + (int64_t)t * S, *restrict y = none + (int64_t)t * S;
        const float *restrict e = emission + (int64_t)t * S;
        const float n = null * null_emission[t];
        if (t == 0) {
            for (int s = 0; s < S; s++) {
                x[s] = (1 - null) * first[s];
                y[s] = n * first[s];
            }
        } else {
            const float *restrict px = x - S, *restrict py = y - S;
            memset(x, 0, (size_t)S * sizeof *x);
            for (int a = 0; a < S; a++) {
                const float v = px[a] + py[a];
                y[a] = n * v;
                const float *restrict row = A + (int64_t)a * S;
                for (int b = 0; b < S; b++)
                    x[b] += v * row[b];
            }
        }
        z = 0;
        for (int s = 0; s < S; s++) {
            x[s] *= e[s];
            z += x[s] + y[s];
        }
        for (int s = 0; s < S; s++) {
            x[s] = z > TINY ? x[s] / z : 0.5f / S;
            y[s] = z > TINY ? y[s] / z : 0.5f / S;
        }
    }

    memcpy(beta, last, (size_t)S * sizeof *beta);
    memset(M, 0, (size_t)square * sizeof *M);
    for (int t = T - 1; t >= 0; t--) {
        const float *restrict x = word + (int64_t)t * S, *restrict y = none + (int64_t)t * S;
        float *restrict p = posterior + (int64_t)t * S;
        float n = 0;
        z = 0;
        for (int s = 0; s < S; s++) {
            p[s] = x[s] * beta[s];
            z += p[s];
            n += y[s] * beta[s];
        }
        z = z + n > TINY ? z + n : TINY;
        for (int s = 0; s < S; s++)
            p[s] /= z;
        null_posterior[t] = n / z;
        if (counts && t == T - 1)
            for (int s = 0; s < S; s++)
                counts[bin(S - s)] += (x[s] + y[s]) * beta[s] / z;
        if (t == 0) {
            if (counts)
                for (int s = 0; s < S; s++)
                    counts[bin(s + 1)] += (x[s] + y[s]) * beta[s] / z;
            break;
        }
        const float *restrict e = emission + (int64_t)t * S;
        const float *restrict px = x - S, *restrict py = y - S;
        const float k = null * null_emission[t];
        for (int s = 0; s < S; s++) {
            weighted[s] = e[s] * beta[s];
            before[s] = k * beta[s];
        }
        for (int b = 0; b < S; b++) {
            const float v = weighted[b];
            const float *restrict row = transposed + (int64_t)b * S;
            for (int a = 0; a < S; a++)
                before[a] += v * row[a];
        }
        if (counts) {
            z = 0;
            for (int a = 0; a < S; a++)
                z += (px[a] + py[a]) * before[a];
            for (int a = 0; a < S && z > TINY; a++) {
                const float v = (px[a] + py[a]) / z;
                float *restrict row = M + (int64_t)a * S;
                for (int b = 0; b < S; b++)
                    row[b] += v * weighted[b];
            }
        }
        float largest = 0;
        for (int s = 0; s < S; s++)
            largest = before[s] > largest ? before[s] : largest;
        for (int s = 0; s < S; s++)
            beta[s] = largest > 0 ? before[s] / largest : 1;
    }
    if (counts)
        for (int a = 0; a < S; a++)
            for (int b = 0; b < S; b++)
                counts[bin(b - a)] += A[(int64_t)a * S + b] * M[(int64_t)a * S + b];
}

static void posteriors(const struct lexicon *x, int model, struct pair *pair, double *jump_counts)
{
    const int I = pair->I, J = pair->J;
    for (int i = 0; i < I; i++)
        for (int j = 0; j < J; j++)
            pair->entries[(int64_t)i * J + j] = find(x, pair->source[i], pair->target[j]);
    if (model == 1) {
        model1(x, pair);
        return;
    }
    const int longer = I > J ? I : J;
    const int64_t cells = (int64_t)I * J;
    float *emission = pair->memory, *turned = emission + cells, *null = turned + cells;
    float *rest = null + longer;
    for (int i = 0; i < I; i++)
        for (int j = 0; j < J; j++)
            emission[(int64_t)j * I + i] = at(x->forward, pair->entries[(int64_t)i * J + j], x->floor);
    for (int j = 0; j < J; j++)
        null[j] = at(x->null_targets, pair->target[j], x->floor);
    hmm(I, J, emission, null, x->jumps, x->null, turned, pair->null_target, jump_counts, rest);
    for (int i = 0; i < I; i++)
        for (int j = 0; j < J; j++)
            pair->forward[(int64_t)i * J + j] = turned[(int64_t)j * I + i];
    for (int64_t k = 0; k < cells; k++)
        emission[k] = at(x->backward, pair->entries[k], x->floor);
    for (int i = 0; i < I; i++)
        null[i] = at(x->null_sources, pair->source[i], x->floor);
    hmm(J, I, emission, null, x->jumps + JUMPS, x->null, pair->backward, pair->null_source,
        jump_counts ? jump_counts + JUMPS : NULL, rest);
}

static void count(const struct pair *pair, int agree, const struct counts *counts)
{
    const int64_t cells = (int64_t)pair->I * pair->J;
    for (int64_t k = 0; k < cells; k++) {
        const int64_t entry = pair->entries[k];
        float p = pair->forward[k], q = pair->backward[k];
        if (entry < 0)
            continue;
        if (agree)
            p = q = p * q;
        if (p > counts->cut)
            counts->forward[entry] += p;
        if (q > counts->cut)
            counts->backward[entry] += q;
    }
    for (int j = 0; j < pair->J; j++)
        if (pair->target[j] >= 0)
            counts->null_targets[pair->target[j]] += pair->null_target[j];
    for (int i = 0; i < pair->I; i++)
        if (pair->source[i] >= 0)
            counts->null_sources[pair->source[i]] += pair->null_source[i];
}

/* Compute `pairs` pairs. The words of pair n are source[source_ends[n - 1]] and on, from 0 for the
   first. Model 1 or 2, the HMM. With `counts`, add the expected counts of each pair to it; with
   `out_forward` and `out_backward`, write the posteriors of each pair one after another.
   Returns 0, or -1 if there is not enough memory. */
int regard_align(const struct lexicon *lexicon, int model, int64_t pairs, const int64_t *source_ends,
                 const int32_t *source, const int64_t *target_ends, const int32_t *target, int agree,
                 const struct counts *counts, float *out_forward, float *out_backward)
{
    int64_t longest = 1;
    for (int64_t n = 0; n < pairs; n++) {
        const int64_t I = source_ends[n] - (n ? source_ends[n - 1] : 0);
        const int64_t J = target_ends[n] - (n ? target_ends[n - 1] : 0);
        longest = I > longest ? I : longest;
        longest = J > longest ? J : longest;
    }
    const size_t square = (size_t)longest * (size_t)longest;
    float *memory = malloc((9 * square + 16 * (size_t)longest) * sizeof *memory);
    int64_t *entries = malloc(square * sizeof *entries);
    if (!memory || !entries) {
        free(memory);
        free(entries);
        return -1;
    }
    struct pair pair = {.entries = entries};
    float *own_forward = memory, *own_backward = own_forward + square;
    pair.null_target = own_backward + square;
    pair.null_source = pair.null_target + longest;
    pair.memory = pair.null_source + longest;
    for (int64_t n = 0; n < pairs; n++) {
        const int64_t s = n ? source_ends[n - 1] : 0, t = n ? target_ends[n - 1] : 0;
        pair.I = (int)(source_ends[n] - s);
        pair.J = (int)(target_ends[n] - t);
        pair.source = source + s;
        pair.target = target + t;
        if (!pair.I || !pair.J)
            continue;
        pair.forward = out_forward ? out_forward : own_forward;
        pair.backward = out_backward ? out_backward : own_backward;
        posteriors(lexicon, model, &pair, counts ? counts->jumps : NULL);
        if (counts)
            count(&pair, agree, counts);
        if (out_forward) {
            out_forward += (int64_t)pair.I * pair.J;
            out_backward += (int64_t)pair.I * pair.J;
        }
    }
    free(memory);
    free(entries);
    return 0;
}
