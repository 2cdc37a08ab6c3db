#!/usr/bin/env bash
#SBATCH --job-name=regard-train
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
#SBATCH --cpus-per-task=64
#SBATCH --requeue
# Training on several nodes. A requeued job continues from its last checkpoint.
#
#   sbatch deploy/slurm/train.sh run.yaml
set -euo pipefail
export TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1  # otherwise torchrun cannot restart workers
head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
srun torchrun --nnodes="$SLURM_JOB_NUM_NODES" --nproc-per-node="${SLURM_GPUS_PER_NODE:-1}" \
    --rdzv-id="$SLURM_JOB_ID" --rdzv-backend=c10d --rdzv-endpoint="$head:29400" --max-restarts=3 \
    -m regard train "$@"
