#!/usr/bin/env bash
#SBATCH --job-name=regard-corpus
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=32
#SBATCH --exclusive
#SBATCH --requeue
# A corpus job on several nodes. The corpus, the model and the output are on a disk that all nodes
# see, or in an object store. After an interruption the job continues where it was.
#
#   sbatch deploy/slurm/ray.sh translate model/ --source corpus.en --out corpus.de
set -euo pipefail
export RAY_USAGE_STATS_ENABLED=0 RAY_worker_niceness=0
head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
address="$head:6379"
srun --overlap --nodes=1 --ntasks=1 --nodelist="$head" \
    ray start --head --port=6379 --num-cpus="$SLURM_CPUS_PER_TASK" --include-dashboard=false --block &
sleep 20
others=$((SLURM_JOB_NUM_NODES - 1))
if ((others > 0)); then
    srun --overlap --nodes="$others" --ntasks="$others" --exclude="$head" \
        ray start --address="$address" --num-cpus="$SLURM_CPUS_PER_TASK" --block &
    sleep 20
fi
srun --overlap --nodes=1 --ntasks=1 --nodelist="$head" \
    regard "$@" --runner ray --address "$address" \
    --workers "$((SLURM_JOB_NUM_NODES * SLURM_CPUS_PER_TASK))"
