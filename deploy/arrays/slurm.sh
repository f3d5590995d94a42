#!/bin/sh
# sbatch slurm.sh, in the folder of strandline.yaml. Each task of the array does the
# partitions of its number; %2 is how many run at a time. The lake is a bucket, or a folder that all nodes mount: README.md
# in the folder above says of which file systems.
#SBATCH --job-name=backfill-march
#SBATCH --array=0-3%2
#SBATCH --cpus-per-task=2
#SBATCH --mem=4G
exec strandline backfill events_hourly --from 2026-03-01 --to 2026-04-01 --shard auto --parallel 2
