"""Plain DuckDB sees in a lake just what `strandline query` sees.

Lands the earthquakes of testdata in arrivals, publishes two tables, and then,
for a lake in a folder and one in MinIO, at the newest and at an older version:

  - the SQL of `strandline query --print-views` runs as it was printed, in
    DuckDB's Python module and in its shell;
  - `strandline query` in every format has the same rows and types;
  - each receipt's row digest follows from the published rows (digest.py).
"""

import contextlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import duckdb
import duckdb_extension_httpfs
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

import zones
from digest import row_digest
from minio import BUCKET, minio

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHELL = pathlib.Path(sys.executable).parent / "duckdb"

CONFIG = """
lake: {lake}
{s3}
streams:
  quakes:
    format: ndjson
    event_time: {{column: time, unit: ms}}
    columns: {{id: VARCHAR, mag: "DECIMAL(6,3)", net: VARCHAR, place: VARCHAR, felt: INTEGER, gap: DOUBLE}}
jobs:
  quakes_hourly:
    from: quakes
    window: {{tumbling: 1h}}
    partition: day
    dedup: {{key: [id], keep: last}}
    key: [window_start, net]
    sql: |
      SELECT window_start, net, count(*) AS quakes, max(mag) AS strongest{more}
      FROM quakes GROUP BY window_start, net
  quakes_all:  # a column of every kind
    from: quakes
    window: {{tumbling: 1h}}
    partition: day
    dedup: {{key: [id], keep: last}}
    key: [window_start, id]
    sql: |
      SELECT window_start, id, place, '地震 · ' || place AS title, extra, extra::JSON AS detail, gap > 90 AS wide,
        felt, (felt % 100)::TINYINT AS tiny, felt::UBIGINT AS unsigned, epoch_us(event_time) AS big,
        mag, mag::DECIMAL(38,20) AS wide_mag, mag::FLOAT AS real_mag, gap,
        event_time, event_time AT TIME ZONE 'UTC' AS naive, CAST(event_time AT TIME ZONE 'UTC' AS DATE) AS day,
        md5(id)::UUID AS uuid, encode(place) AS bytes, nullif(net, 'ak') AS net
      FROM quakes
"""


class Lake:
    """A configured lake and the program that works on it."""

    def __init__(self, binary, folder, lake, s3=""):
        self.binary, self.folder, self.lake, self.s3 = binary, folder, lake, s3
        self.configure()

    def configure(self, more=""):
        (self.folder / "strandline.yaml").write_text(CONFIG.format(lake=self.lake, s3=self.s3, more=more), encoding="utf-8")

    def run(self, *args):
        done = subprocess.run([self.binary, *args], cwd=self.folder, stdout=subprocess.PIPE)
        if done.returncode != 0:
            sys.exit(f"interop: strandline {' '.join(args)}: exit {done.returncode}\n{done.stdout.decode()}")
        return done.stdout

    def facts(self, *args):
        return [json.loads(line) for line in self.run(*args, "--json").splitlines()]

    def land(self, name, lines):
        path = self.folder / name
        path.write_bytes(b"".join(lines))
        self.run("land", "quakes", str(path))


def fill(lake):
    """Publish several versions, the last with a column that only some files have."""
    lines = (ROOT / "testdata/quakes.ndjson").read_bytes().splitlines(keepends=True)
    for n in range(3):
        lake.land(f"arrival-{n}.ndjson", lines[n * 400:(n + 1) * 400])
    lake.run("run", "--once")
    lake.land("late.ndjson", lines[1200:])
    lake.run("run", "--once")
    lake.configure(more=", count(felt) AS felt")
    lake.run("backfill", "quakes_hourly", "--from", "2018-02-01", "--to", "2018-02-03")


def versions(lake, table):
    """The newest version, and the oldest one that has rows."""
    published = [edit["version"] for edit in lake.facts("history", table) if edit.get("receipts")]
    if len(published) < 2:
        sys.exit(f"interop: table {table} has {len(published)} versions, want several")
    return [None, min(published)]


class Number(float):
    """A JSON number that remembers its digits."""

    def __new__(cls, text):
        self = super().__new__(cls, text)
        self.text = text
        return self


def json_text(value):
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Number):
        return value.text
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Plain:
    """Plain DuckDB, looking at the lake through printed views alone."""

    def __init__(self, views):
        self.views = views
        self.sql = duckdb.connect()
        self.sql.execute("SET TimeZone = 'UTC'")
        self.sql.execute(views.read_text(encoding="utf-8"))

    def types(self, relation):
        return [row[:2] for row in self.sql.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()]

    def same(self, table, other, what):
        """Compare rows, each as often; there must be some."""
        for a, b in ((table, other), (other, table)):
            extra = self.sql.execute(f"SELECT * FROM {a} EXCEPT ALL SELECT * FROM {b} LIMIT 3").to_arrow_table().to_pylist()
            if extra:
                sys.exit(f"interop: {what}: in {a} and not in {b}: {extra}")
        (rows,) = self.sql.execute(f"SELECT count(*) FROM {table}").fetchone()
        if rows == 0:
            sys.exit(f"interop: {what}: no rows")
        return rows

    def same_types(self, table, other, what, as_text=()):
        want = [(name, "VARCHAR" if kind in as_text else kind) for name, kind in self.types(table)]
        if self.types(other) != want:
            sys.exit(f"interop: {what}: {self.types(other)}, want {want}")

    def cast(self, table, texts):
        """A view of all-text rows with the types of table."""
        columns = ", ".join(f'CAST("{name}" AS {kind}) AS "{name}"' for name, kind in self.types(table))
        self.sql.execute(f"CREATE OR REPLACE TEMP VIEW typed AS SELECT {columns} FROM {texts}")
        return "typed"


def check_formats(lake, plain, table, at, scratch):
    def query(form):
        return lake.run("query", "--format", form, *at, f"SELECT * FROM {table}")

    plain.sql.register("arrow_rows", pa.ipc.open_stream(io.BytesIO(query("arrow"))).read_all())
    rows = plain.same(table, "arrow_rows", f"{table} as arrow")
    # Arrow's core has no type for these; DuckDB's own export makes them texts too.
    plain.same_types(table, "arrow_rows", f"{table} as arrow", as_text=("JSON", "UUID"))

    (scratch / "rows.parquet").write_bytes(query("parquet"))
    parquet = f"read_parquet('{scratch}/rows.parquet')"
    plain.same(table, parquet, f"{table} as parquet")
    plain.same_types(table, parquet, f"{table} as parquet")
    plain.sql.register("pyarrow_rows", pa.parquet.read_table(scratch / "rows.parquet"))
    plain.same(table, "pyarrow_rows", f"{table} as parquet, read by pyarrow")

    (scratch / "rows.csv").write_bytes(query("csv"))
    csv = f"read_csv('{scratch}/rows.csv', header = true, all_varchar = true, allow_quoted_nulls = false, delim = ',', quote = '\"', escape = '\"')"
    plain.same(table, plain.cast(table, csv), f"{table} as csv")

    records = [json.loads(line, parse_float=Number) for line in query("json").splitlines()]
    names = [name for name, _ in plain.types(table)]
    plain.sql.register("json_rows", pa.table({n: pa.array([json_text(r[n]) for r in records], pa.string()) for n in names}))
    plain.same(table, plain.cast(table, "json_rows"), f"{table} as json")
    return rows


def check_shell(plain, table, scratch):
    """The shell runs the printed file too, and reads the same rows."""
    out = scratch / "shell.parquet"
    subprocess.run([SHELL, "-init", plain.views, "-c", f"COPY (FROM {table}) TO '{out}' (FORMAT parquet)"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    plain.same(table, f"read_parquet('{out}')", f"{table} in the shell")


def check_receipts(lake, plain, table):
    """Each receipt's digest follows from the rows of its partition."""
    receipts = [f["receipt"] for f in lake.facts("status", table) if f.get("receipt")]
    for r in receipts:
        relation = f"(SELECT * FROM {table} WHERE window_start >= '{r['start']}' AND window_start < '{r['end']}')"
        digest = row_digest(plain.sql, r["columns"], relation)
        if digest != r["row_digest"]:
            sys.exit(f"interop: {table} {r['partition']}: the rows digest to {digest}, the receipt says {r['row_digest']}")
    return len(receipts)


def check(lake, scratch):
    for table in ("quakes_hourly", "quakes_all"):
        for version in versions(lake, table):
            at = [] if version is None else ["--at", f"{table}={version}"]
            views = scratch / "views.sql"
            views.write_bytes(lake.run("query", "--print-views", *at))
            plain = Plain(views)
            rows = check_formats(lake, plain, table, at, scratch)
            check_shell(plain, table, scratch)
            said = f"{table} at {'its newest version' if version is None else f'version {version}'}: {rows} rows, the same in all formats, module and shell"
            if version is None:
                said += f"; {check_receipts(lake, plain, table)} receipts derived again"
            print(f"interop: {lake.lake}: {said}", flush=True)


def install_httpfs():
    """Install the extension that pip brought, so that the printed INSTALL has
    nothing left to fetch and runs as it is."""
    package = pathlib.Path(duckdb_extension_httpfs.__file__).parent
    (extension,) = package.glob(f"extensions/*{duckdb.__version__}/httpfs.duckdb_extension")
    with contextlib.closing(duckdb.connect()) as sql:
        sql.execute(f"FORCE INSTALL '{extension}'")


def in_folder(binary, folder):
    folder.mkdir()
    lake = Lake(binary, folder, "./lake")
    fill(lake)
    check(lake, folder)


def in_minio(binary, server, folder):
    folder.mkdir()
    with minio(server, folder / "minio") as endpoint:
        s3 = f"s3: {{endpoint: {endpoint}, region: us-east-1, path_style: true}}"
        lake = Lake(binary, folder, f"s3://{BUCKET}/some/prefix", s3)
        fill(lake)
        check(lake, folder)


def main():
    binary = ROOT / "bin/strandline"
    server = os.environ.get("STRANDLINE_MINIO", ROOT / "bin/minio")
    install_httpfs()
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="strandline-interop-"))
    try:
        zones.check(binary, scratch / "zones")
        in_folder(binary, scratch / "folder")
        in_minio(binary, server, scratch / "s3")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print("interop: plain DuckDB", duckdb.__version__, "sees what strandline query sees")


if __name__ == "__main__":
    main()
