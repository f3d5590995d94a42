#!/bin/sh
# sbatch slurm.sh, in the folder of strandline.yaml. Each task of the array does the
# partitions of its number; %2 is how many run at a time. The lake is a bucket, or a folder that all nodes mount: README.md
# in the folder above says of which file systems, and what a node needs. The 4 below is how many there are from 0 to 3: change both together.
#
# Slurm tries no task again that ended with an error. By hand, which does what is left of these alone:
#
#   sbatch --array=2 slurm.sh        or --array=1,3
#SBATCH --job-name=backfill-march
#SBATCH --array=0-3%2
#SBATCH --output=backfill-march-%A_%a.log
#SBATCH --time=08:00:00
#SBATCH --cpus-per-task=2
#SBATCH --mem=4G
exec strandline backfill events_hourly --from 2026-03-01 --to 2026-04-01 --shard "$SLURM_ARRAY_TASK_ID/4" --parallel 2
