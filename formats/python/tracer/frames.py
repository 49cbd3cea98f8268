# SPDX-License-Identifier: BSD-3-Clause
"""Tables in the form that the user wants: pandas, polars, Arrow, or plain rows."""
import importlib

from tracer import parquet
from tracer.errors import TracerError

FORMS = ("pandas", "polars", "arrow", "rows")
MODULES = {"pandas": "pandas", "polars": "polars", "arrow": "pyarrow.parquet"}


def module_of(form):
    """The form's module, or None if it is not installed."""
    try:
        return importlib.import_module(MODULES[form])
    except ImportError:
        return None


def default_form():
    return "pandas" if module_of("pandas") else "rows"


def read_table(files, columns, form):
    """The rows of all files, in the files' order; `columns`: None for all."""
    if form not in FORMS:
        raise TracerError(f"there is no form '{form}' of tables: there are {', '.join(FORMS)}")
    if form != "rows" and module_of(form) is None:
        raise TracerError(f"tables as {form} need the Python module {MODULES[form].partition('.')[0]}, which is not installed")
    if form == "polars":
        return module_of("polars").read_parquet([str(file) for file in files], columns=columns)
    arrow = module_of("arrow")
    if form == "arrow" or (form == "pandas" and arrow):
        return of_arrow(arrow, files, columns, form)
    found = parquet.read_columns(files, columns)
    if form == "pandas":
        return module_of("pandas").DataFrame(found)
    lists = [values if isinstance(values, list) else values.tolist() for values in found.values()]
    return [dict(zip(found, row)) for row in zip(*lists)]


def of_arrow(arrow, files, columns, form):
    import pyarrow
    try:
        parts = [arrow.ParquetFile(str(file)).read(columns=columns) for file in files]
    except (OSError, pyarrow.ArrowException) as error:
        raise TracerError(f"cannot read the tables in {files[0].parent}: {error}") from error
    whole = pyarrow.concat_tables([part.replace_schema_metadata(None) for part in parts])
    missing = [name for name in columns or [] if name not in whole.column_names]
    if missing:
        raise TracerError(f"{files[0]} has no column '{missing[0]}'")
    return whole.to_pandas() if form == "pandas" else whole
