# SPDX-License-Identifier: BSD-3-Clause
"""A trace: an archive, or the directory of its Parquet tables."""
import collections
import json
import pathlib
import re
import tempfile
import weakref
import zlib

from tracer import frames
from tracer.command import run_command
from tracer.errors import TracerError

DEFINITIONS = ("locations", "processes", "region_names", "metric_names", "properties")
EVENTS = ("regions", "events", "tasks", "dependences", "locks", "teams", "messages", "device_operations", "metrics",
          "samples", "pauses", "sampled_values", "not_recorded", "phases")
SCHEMA = 2  # tracer-parquet/2


def open_trace(path, tables=None, form=None):
    """Opens the trace at `path`: its directory, its traces.otf2, or a directory that `tracer export --format parquet` made.

    `tables`: a directory to keep the exported tables in; it is used again if it has them. Tables there that are older
    than the archive are replaced; those of another trace or of a part of one raise TracerError. By default they are in
    a temporary directory until the trace is closed. `form`: the form of tables ("pandas", "polars", "arrow", "rows";
    default: pandas if installed, otherwise rows: lists of dictionaries)."""
    return Trace(path, tables, form)


class Trace:
    """Each table is an attribute, read at its first use: trace.regions, trace.tasks, trace.locations..."""

    def __init__(self, path, tables=None, form=None):
        given = pathlib.Path(path)
        if form is not None and form not in frames.FORMS:
            raise TracerError(f"there is no form '{form}' of tables: there are {', '.join(frames.FORMS)}")
        self.form = form or frames.default_form()
        self._temporary, self._known, self._report = None, {}, None
        self.archive, self.directory = None, None
        if given.name == "traces.otf2":
            given = given.parent
        if (given / "locations.parquet").is_file():
            self.directory = given
        elif (given / "traces.otf2").is_file():
            self.archive = given
            self.directory = self._existing_tables(given, tables)
        elif given.exists():
            raise TracerError(f"{path} contains neither a trace (traces.otf2) nor tables (locations.parquet)")
        else:
            raise TracerError(f"{path} does not exist")
        self._wanted = pathlib.Path(tables) if tables else None
        if self.directory is not None:
            self._check_schema()

    @classmethod
    def _existing_tables(cls, archive, tables):
        """Of `tracer run --format parquet`, or of an export before: all of this archive, which is not newer."""
        anchor = archive / "traces.otf2"
        for place in ([pathlib.Path(tables)] if tables else []) + [archive / "tables"]:
            if ((place / "locations.parquet").is_file() and not cls._are_older(place, archive)
                    and cls._metadata_of(place).get("tracer.anchor") == str(zlib.crc32(anchor.read_bytes()))):
                return place
        return None

    @staticmethod
    def _are_older(place, archive):
        return (place / "locations.parquet").stat().st_mtime < (archive / "traces.otf2").stat().st_mtime

    def _need_tables(self):
        if self.directory is None:
            if self._wanted is None:
                self._temporary = tempfile.TemporaryDirectory(prefix="tracer-tables-")
                self._finalizer = weakref.finalize(self, self._temporary.cleanup)
            place = self._wanted or pathlib.Path(self._temporary.name) / "tables"
            self._export(place)
            self.directory = place
            self._check_schema()
        return self.directory

    def _export(self, place):
        """New tables replace those of Tracer that are older than the archive, when the new ones are whole."""
        def write(to):
            run_command("export", "--format", "parquet", "-o", to, self.archive)

        if not self._has_only_tables(place):
            write(place)
            return
        if not self._are_older(place, self.archive):
            raise TracerError(f"{place} has tables of another trace or of a part of one: open {place} itself, or name another directory")
        place = place.resolve()
        with tempfile.TemporaryDirectory(prefix=f"{place.name}.", dir=place.parent) as beside:
            new, old = pathlib.Path(beside) / "new", pathlib.Path(beside) / "old"
            write(new)
            place.rename(old)
            new.rename(place)

    @classmethod
    def _has_only_tables(cls, place):
        try:
            return (cls._schema_of(place).startswith("tracer-parquet/")
                    and all(file.is_dir() or file.suffix == ".parquet" for file in place.rglob("*")))
        except (OSError, TracerError):
            return False

    @staticmethod
    def _metadata_of(directory):
        from tracer.parquet import ParquetFile
        return ParquetFile(directory / "locations.parquet").metadata

    @classmethod
    def _schema_of(cls, directory):
        return cls._metadata_of(directory).get("tracer.schema", "")

    def _check_schema(self):
        schema = self._schema_of(self.directory)
        match = re.fullmatch(r"tracer-parquet/(\d+)", schema)
        if match is None:
            raise TracerError(f"{self.directory} has no tables of Tracer")
        if int(match.group(1)) != SCHEMA:
            raise TracerError(f"{self.directory} has tables of schema {schema}; this package reads tracer-parquet/{SCHEMA}")

    def _files(self, name):
        directory = self._need_tables()
        if not re.fullmatch(r"\w+", name):
            raise TracerError(f"there is no table '{name}'")

        def place(file):  # process-10 comes after process-2
            return [int(number) for number in re.findall(r"\d+", f"{file.parent.name}/{file.name}")]
        beside = directory / f"{name}.parquet"  # of the whole trace
        files = [beside] if beside.is_file() else sorted(directory.glob(f"*/{name}-*.parquet"), key=place)
        if not files:
            raise TracerError(f"{directory} has no table '{name}'; it has {', '.join(self.names())}")
        return files

    def names(self):
        """The names of the tables."""
        directory = self._need_tables()
        found = {file.stem for file in directory.glob("*.parquet")}
        found |= {file.stem.rpartition("-")[0] for file in directory.glob("*/*.parquet")}
        return sorted(found)

    def table(self, name, columns=None, form=None):
        """The table `name`, with all or some of its columns. Not cached: attributes are."""
        return frames.read_table(self._files(name), list(columns) if columns else None, form or self.form)

    def named(self, name, columns=None):
        """The table `name` as a pandas data frame, with the names of regions (`region_name`) and threads (`thread`)
        beside their numbers. Threads of several processes of one name have the process before theirs."""
        table = self.table(name, columns, "pandas")
        if "region" in table:
            regions = self.table("region_names", ["region", "name"], "pandas").set_index("region").name
            table["region_name"] = table.region.map(regions)
        if "location" in table:
            table["thread"] = table.location.map(self.threads())
        return table

    def threads(self):
        """The name of each location, by its number; each has a name of its own."""
        places = self.table("locations", ["location", "name", "group"], "rows")
        names = collections.Counter(place["name"] for place in places)
        longer = {place["location"]: f"{place['group']}: {place['name']}" if names[place["name"]] > 1 else place["name"]
                  for place in places}
        several = collections.Counter(longer.values())
        return {number: f"{name} ({number})" if several[name] > 1 else name for number, name in longer.items()}

    def __getattr__(self, name):
        if name.startswith("_") or name not in DEFINITIONS + EVENTS:
            raise AttributeError(f"a trace has no '{name}': tables are {', '.join(DEFINITIONS + EVENTS)}")
        if name not in self._known:
            self._known[name] = self.table(name)
        return self._known[name]

    def __dir__(self):
        return sorted({*super().__dir__(), *DEFINITIONS, *EVENTS})

    @property
    def report(self):
        """The report of `tracer report --json` as a dictionary (docs/formats/report-json.md)."""
        if self._report is None:
            if self.archive is None:
                raise TracerError(f"{self.directory} has tables only: open the trace itself for its report")
            try:
                self._report = json.loads(run_command("report", "--json", self.archive))
            except ValueError as error:
                raise TracerError(f"the report of {self.archive} is no JSON: {error}") from error
        return self._report

    def close(self):
        """Removes the temporary tables; afterwards only tables that were read are available."""
        if self._temporary is not None:
            self._finalizer()
            self._temporary, self.directory = None, None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f"<trace {self.archive or self.directory}>"
