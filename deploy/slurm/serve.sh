#!/usr/bin/env bash
#SBATCH --job-name=regard-serve
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=8
# A replica of the server on each node, and HAProxy on the first.
#
#   sbatch deploy/slurm/serve.sh keys.json en-de=models/en-de en-fr=models/en-fr
set -euo pipefail
keys=$1
shift
folder=$(dirname "$(scontrol show job "$SLURM_JOB_ID" | sed -n 's/^ *Command=//p' | cut -d ' ' -f 1)")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
srun --overlap regard serve "$@" --host 0.0.0.0 --port 8000 --keys "$keys" &
{
    echo "backend replicas"
    for node in $(scontrol show hostnames "$SLURM_JOB_NODELIST"); do
        echo "    server $node $node:8000"
    done
} > "$work/replicas.cfg"
: > "$work/models.map"
export REGARD_BIND=:8080 REGARD_MAP="$work/models.map" REGARD_SOCKET="$work/socket"
haproxy -db -f "$folder/../haproxy/haproxy.cfg" -f "$work/replicas.cfg"
