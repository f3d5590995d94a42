"""A receipt's row digest, from the rows alone, with DuckDB's own functions.

Written from the definition, not from Strandline's code: the sum modulo 2^128
of the first 16 bytes of each row's SHA-256, where a row's text is, column by
column, "-" for NULL and else the length of the value's text in bytes, ":" and
that text.
"""


def value_text(name, kind):
    column = '"' + name.replace('"', '""') + '"'
    if kind == "DATE":
        return f"CAST(date_diff('day', DATE '1970-01-01', {column}) AS VARCHAR)"
    if kind.startswith("TIMESTAMP"):
        return f"CAST(epoch_us({column}) AS VARCHAR)"
    if kind in ("FLOAT", "DOUBLE"):
        wide = f"CAST({column} AS DOUBLE)"
        zero = "0.0000000000000000e+00"  # of either sign
        return f"CASE WHEN isnan({wide}) THEN 'nan' WHEN {wide} = 0 THEN '{zero}' ELSE format('{{:.16e}}', {wide}) END"
    if kind == "BLOB":
        return f"lower(hex({column}))"
    return f"CAST({column} AS VARCHAR)"


def row_digest(sql, columns, relation):
    """Digest relation, which may stand after FROM, over a receipt's columns."""
    parts = []
    for c in columns:
        text = value_text(c["name"], c["type"])
        parts.append(f"coalesce(strlen({text}) || ':' || {text}, '-')")
    rows = sql.execute(f"SELECT sha256({' || '.join(parts)}) FROM {relation}").fetchall()
    total = sum(int(h[:32], 16) for (h,) in rows) % (1 << 128)
    return f"{total:032x}"
