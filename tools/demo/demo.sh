#!/usr/bin/env bash
# The main job on real data: land, stream, query, backfill, replay, and the proof
# that all three drivers make the same receipts. Usage: demo.sh BINARY FOLDER
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
data=$here/../../testdata/quakes.ndjson
rm -rf "$2"
mkdir -p "$2/arrivals" "$2/other-order"
cd "$2"

if [ -t 1 ]; then bold=$(printf '\033[1m') plain=$(printf '\033[0m'); else bold= plain=; fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
strandline() { "$binary" "$@" 2>>notes.txt; }

# For every partition, what its receipt says of the rows.
receipts() {
  strandline status quakes_hourly --json |
    sed -n 's/.*"receipt":{"partition":"\([^"]*\)".*"row_digest":"\([0-9a-f]*\)".*/\1 \2/p'
}

stop() { if [ -n "${stream:-}" ]; then kill "$stream" 2>/dev/null || true; wait "$stream" || true; stream=; fi; }
trap stop EXIT

say "1. One week of earthquakes, in the order in which they really arrived: a file for each day of arrival"
cp "$here/strandline.yaml" .
# "updated" is when a quake arrived, "time" is when it happened, in ms since 1970.
awk '{ match($0, /"updated":[0-9]+/); day = int(substr($0, RSTART + 10, RLENGTH - 10) / 86400000)
       file = sprintf("arrivals/day-%d.ndjson", day - 17560); print > file }' "$data"
wc -l arrivals/* | sed 's/^/  /'

say "2. A stream follows the lake; each arrival lands at its positions and makes partitions stale, also old ones"
"$binary" run --poll 50ms > stream.txt 2>>notes.txt &
stream=$!
for file in arrivals/*; do
  strandline land quakes "$file"
  settled=
  for _ in $(seq 400); do # until the stream has published it
    case "$(strandline plan quakes_hourly --json)" in
      *'"partition":'*) sleep 0.05 ;; # is still to be computed
      *) settled=yes; break ;;
    esac
  done
  if [ -z "$settled" ]; then echo "the stream has not published $file" >&2; exit 1; fi
done
stop
sed 's/^/  /' stream.txt
say "   so it stands:"
strandline status
strandline history quakes_hourly

say "3. The table, queried with SQL"
strandline query "SELECT net, sum(quakes) AS quakes, max(strongest) AS strongest, min(window_start) AS first_hour
                  FROM quakes_hourly GROUP BY net ORDER BY quakes DESC LIMIT 5"

say "4. The proof: backfill a range, and replay every position. Both recompute; each receipt is found again"
receipts > stream-receipts.txt
strandline backfill quakes_hourly --from 2018-02-01 --to 2018-02-05 --recompute
strandline replay quakes_hourly --from-position 0
receipts > after-receipts.txt
cmp stream-receipts.txt after-receipts.txt
say "   stream = backfill = replay: $(wc -l < after-receipts.txt) receipts, all the same"

say "5. Once more in another lake: the same arrivals in another order, computed by a backfill alone"
(
  cd other-order
  cp ../strandline.yaml .
  strandline land quakes $(ls ../arrivals/* | sort -r) > landed.txt
  strandline backfill quakes_hourly --from 2018-01-31 --to 2018-02-08
  receipts > receipts.txt
  cmp ../stream-receipts.txt receipts.txt
)
say "   the same rows again: $(wc -l < other-order/receipts.txt) row digests, all the same"

say "The lake is in $(pwd)/lake. What to type next:"
cat <<NEXT
  cd $(pwd)
  $binary plan --all
  $binary query "SELECT * FROM quakes_hourly ORDER BY strongest DESC LIMIT 10"
  $binary query --at 3 "SELECT count(*) FROM quakes_hourly"   # the past
  $binary land quakes arrivals/*                              # again: nothing lands twice
  $binary --help
NEXT
