#!/usr/bin/env bash
#SBATCH --job-name=regard-parts
#SBATCH --array=1-64
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8
#SBATCH --requeue
# A corpus job as an array: each element computes a share of the parts on any node, with no head node
# and no ports between nodes. The corpus, the model and the output are on a disk that all nodes see,
# or in an object store. A requeued element continues where it was.
#
#   parts=$(sbatch --parsable deploy/slurm/translate-array.sh \
#       translate model/ --source corpus.en --out corpus.de)
#   sbatch --dependency=afterany:"$parts" --wrap "regard join corpus.de"
#
# If shares are missing, the join names them. Run these alone, then join again:
#
#   sbatch --array=3,17-20 --export=ALL,SHARES=64 deploy/slurm/translate-array.sh \
#       translate model/ --source corpus.en --out corpus.de
set -euo pipefail
shares=${SHARES:-$SLURM_ARRAY_TASK_COUNT}
exec regard "$@" --part "$SLURM_ARRAY_TASK_ID/$shares" --workers "${SLURM_CPUS_PER_TASK:-1}"
