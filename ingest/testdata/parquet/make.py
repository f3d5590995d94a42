# Makes the Parquet files of this folder with pyarrow, which writes encodings that the
# engine does not: every encoding of every physical type, of values that are all the
# same, take turns, come in runs, ascend, and are random; and row groups without rows.
import random
import struct

import pyarrow as pa
import pyarrow.parquet as pq

R, ROWS = random.Random(1), 203


def several(make):
    return [make() for _ in range(40)]


def float32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


NUMBERS = ["PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT", "RLE_DICTIONARY"]
FLOATS = ["PLAIN", "BYTE_STREAM_SPLIT", "RLE_DICTIONARY"]
TYPES = {
    "bool": (pa.bool_(), [True, False], ["PLAIN", "RLE"]),
    "i32": (pa.int32(), [5, -7, 2**31 - 1, -(2**31)] + several(lambda: R.randint(-(2**31), 2**31 - 1)), NUMBERS),
    "small": (pa.int32(), list(range(99)), NUMBERS),
    "u32": (pa.uint32(), [5, 0, 2**32 - 1] + several(lambda: R.randint(0, 2**32 - 1)), NUMBERS),
    "i64": (pa.int64(), [5, -7, 2**53, -(2**53)] + several(lambda: R.randint(-(2**53), 2**53)), NUMBERS),
    "f32": (pa.float32(), [1.5, -0.0] + several(lambda: float32(R.gauss(0, 1))), FLOATS),
    "f64": (pa.float64(), [1.5, -0.0] + several(lambda: R.gauss(0, 1)), FLOATS),
    "text": (pa.string(), ["x", ""] + several(lambda: "same" + "%d" % R.randint(0, 10**6) * R.randint(0, 3)),
             ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY"]),
    "fixed": (pa.binary(6), [b"abcdef", b"abcdeg"] + several(lambda: R.randbytes(6)),
              ["PLAIN", "DELTA_BYTE_ARRAY", "BYTE_STREAM_SPLIT", "RLE_DICTIONARY"]),
}


def runs(of):
    values = []
    while len(values) < ROWS:
        values += [R.choice(of)] * R.randint(1, 40)
    return values[:ROWS]


PATTERNS = {
    "same": lambda of: [of[0]] * ROWS,
    "turns": lambda of: [of[i % 2] for i in range(ROWS)],
    "runs": runs,
    "ascending": lambda of: sorted(R.choice(of) for _ in range(ROWS)),
    "random": lambda of: [R.choice(of) for _ in range(ROWS)],
}


def nulls(values):
    return [None if R.random() < 0.2 else v for v in values]


def lists(values):
    left = iter(values)
    made = [[next(left) for _ in range(R.randint(0, 3))] for _ in range(ROWS // 4)]
    return nulls(made + [[None]] * (ROWS - len(made)))


def columns():
    for name, (typ, of, encodings) in TYPES.items():
        for pattern, make in PATTERNS.items():
            values = make(of)
            with_nulls, in_lists = nulls(values), lists(values)
            for encoding in encodings:
                column = "_".join([name, pattern, encoding.lower()])
                yield column, column, encoding, typ, values, False
                yield column + "_null", column + "_null", encoding, typ, with_nulls, True
                if name in ("bool", "u32"):
                    yield (column + "_list", column + "_list.list.element", encoding, pa.list_(typ), in_lists, True)


def write(version, codec):
    made = list(columns()) + [("at", "at", "PLAIN", pa.int64(), list(range(ROWS)), False)]
    schema = pa.schema([pa.field(c, typ, nullable=null) for c, _, _, typ, _, null in made])
    table = pa.table([pa.array(v, typ) for _, _, _, typ, v, _ in made], schema=schema)
    by_dictionary = [leaf for _, leaf, e, _, _, _ in made if e == "RLE_DICTIONARY"]
    pq.write_table(table, f"encodings-{version}.parquet", compression=codec, data_page_version=version,
                   use_dictionary=by_dictionary, write_statistics=False, store_schema=False,
                   column_encoding={leaf: e for _, leaf, e, _, _, _ in made if e != "RLE_DICTIONARY"},
                   data_page_size=256, row_group_size=150)


def write_empty(codec):
    schema = pa.schema([("at", pa.int64()), ("n", pa.int32()), ("b", pa.bool_())])
    with pq.ParquetWriter(f"empty-{codec}.parquet", schema, compression=codec) as w:
        for rows in [0, 2, 0, 3, 0]:
            w.write_table(pa.table([range(rows), range(rows), [i == 1 for i in range(rows)]], schema=schema))


write("1.0", "zstd")
write("2.0", "lz4")
write_empty("none")
write_empty("lz4")
