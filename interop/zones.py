"""Python's zoneinfo and Strandline agree on what local times mean.

Python reads the same release of the IANA database from its own package, with its own
code. Local times around changes of the clocks from 1965 to 2044, and at random, land as
texts without an offset; they must get the instants that zoneinfo gives them, the
earlier and the later ones. Partitions by local days must begin where zoneinfo
says that midnight is.
"""

import datetime
import json
import os
import random
import subprocess
import zoneinfo

import tzdata

ZONES = (
    "Europe/Berlin", "Europe/Dublin", "America/New_York", "America/St_Johns", "America/Sao_Paulo", "America/Havana",
    "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Monrovia", "Africa/Casablanca",
)
HOUR = datetime.timedelta(hours=1)
FIRST, LAST = datetime.datetime(1965, 1, 1), datetime.datetime(2045, 1, 1)


def stream(number, twice):
    return f"  z{number}_{twice}: {{format: ndjson, event_time: {{column: at, unit: iso, zone: {ZONES[number]}, twice: {twice}}}, columns: {{shown: VARCHAR}}}}\n"


def job(number, twice):
    return f"""  j{number}_{twice}:
    from: z{number}_{twice}
    window: {{tumbling: 1d}}
    partition: year
    timezone: {ZONES[number]}
    key: [window_start, shown, position]
    sql: SELECT window_start, shown, position, epoch_us(event_time) AS instant FROM z{number}_{twice}
"""


def changes(zone):
    """The local times around changes of the offset of some decades."""
    utc = datetime.timezone.utc
    at, end = FIRST.replace(tzinfo=utc), LAST.replace(tzinfo=utc)
    while at < end:
        before, after = (at + n * 24 * HOUR for n in (0, 1))
        if before.astimezone(zone).utcoffset() != after.astimezone(zone).utcoffset():
            yield from (before.astimezone(zone).replace(tzinfo=None) + n * HOUR / 4 for n in range(24 * 4 + 8))
        at += 24 * HOUR


def local_times(zone, seed):
    times = list(changes(zone))
    draw = random.Random(seed)
    times = draw.sample(times, min(len(times), 1500))
    seconds = (LAST - FIRST) // datetime.timedelta(seconds=1)
    return times + [FIRST + datetime.timedelta(seconds=draw.randrange(seconds)) for _ in range(500)]


def instant(local, zone, fold):
    """What zoneinfo makes of a local time. One that is missing has fold 0."""
    aware = local.replace(tzinfo=zone, fold=fold)
    utc = aware.astimezone(datetime.timezone.utc)
    if utc.astimezone(zone).replace(tzinfo=None) != local:
        utc = local.replace(tzinfo=zone, fold=0).astimezone(datetime.timezone.utc)
    return (utc - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // datetime.timedelta(microseconds=1)


def check_zone(strandline, folder, number, twice):
    name = ZONES[number]
    with open(os.path.join(os.path.dirname(tzdata.__file__), "zoneinfo", name), "rb") as file:
        zone = zoneinfo.ZoneInfo.from_file(file, name)
    times = local_times(zone, number)
    land = "".join(json.dumps({"at": t.isoformat(), "shown": t.isoformat()}) + "\n" for t in times)
    (folder / "times.ndjson").write_text(land, encoding="utf-8")
    strandline("land", f"z{number}_{twice}", "times.ndjson")
    strandline("backfill", f"j{number}_{twice}", "--missing")
    rows = strandline("query", "--format", "json", f"SELECT shown, instant, epoch_us(window_start) AS day FROM j{number}_{twice}")
    rows = [json.loads(line) for line in rows.splitlines()]
    assert len(rows) == len(times), f"{name}: {len(rows)} of {len(times)} local times landed"
    for row in rows:
        local = datetime.datetime.fromisoformat(row["shown"])
        want = instant(local, zone, 1 if twice == "later" else 0)
        assert int(row["instant"]) == want, f"{name}, twice {twice}: {row['shown']} is {row['instant']}, zoneinfo says {want}"
        check_day(row, zone)
    return len(rows)


def check_day(row, zone):
    """The day of the row begins at the first instant that shows its midnight or later."""
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    shows = lambda micros: (epoch + datetime.timedelta(microseconds=micros)).astimezone(zone).replace(tzinfo=None)
    start, last = shows(int(row["day"])), shows(int(row["day"]) - 1)
    midnight = start.replace(hour=0, minute=0, second=0)
    assert last < midnight, f"{zone}: {row} begins its day after {last}"
    assert int(row["day"]) <= int(row["instant"]) and shows(int(row["instant"])) < midnight + 25 * HOUR, f"{zone}: {row}"


def check(binary, folder):
    folder.mkdir()
    pairs = [(number, twice) for number in range(len(ZONES)) for twice in ("earlier", "later")]
    config = "lake: ./lake\nstreams:\n" + "".join(stream(*p) for p in pairs) + "jobs:\n" + "".join(job(*p) for p in pairs)
    (folder / "strandline.yaml").write_text(config, encoding="utf-8")

    def strandline(*args):
        done = subprocess.run([binary, *args], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, f"strandline {' '.join(args)}: {done.stderr}"
        return done.stdout

    rows = sum(check_zone(strandline, folder, *pair) for pair in pairs)
    print(f"interop: {rows} local times of {len(ZONES)} zones are what zoneinfo says, by tzdata {tzdata.IANA_VERSION}", flush=True)
