# SPDX-License-Identifier: BSD-3-Clause
"""Samples by benchmark and tool, their statistics and their JSON form."""
import json
import statistics

FORMAT = 1  # raise it when a reader of older files would misread


class Results:
    def __init__(self):
        self.machine, self.settings, self.noise = {}, {}, {}
        self.units = {}  # benchmark -> unit
        self.samples = {}  # benchmark -> tool -> [values]
        self.counts = {}  # benchmark -> callbacks per construct, or per run

    def add(self, benchmark, tool, value, unit):
        self.units[benchmark] = unit
        self.samples.setdefault(benchmark, {}).setdefault(tool, []).append(value)

    def median(self, benchmark, tool):
        values = self.samples.get(benchmark, {}).get(tool)
        return statistics.median(values) if values else None

    def spread(self, benchmark, tool):
        """Half the distance between the quartiles, in percent of the median."""
        values = self.samples.get(benchmark, {}).get(tool) or []
        middle = statistics.median(values) if values else 0
        if len(values) < 3 or middle == 0:
            return None
        low, _, high = statistics.quantiles(values, n=4)
        return 100 * (high - low) / 2 / abs(middle)

    def paired(self, benchmark, tool, base):
        """Median over the rounds of the difference between two tools: rounds that were slow for both cancel."""
        pairs = list(zip(self.samples.get(benchmark, {}).get(tool, []), self.samples.get(benchmark, {}).get(base, [])))
        return statistics.median(a - b for a, b in pairs) if pairs else None

    def tools(self):
        seen = {}
        for by_tool in self.samples.values():
            for tool in by_tool:
                seen[tool] = None
        return list(seen)

    def named(self, prefix):
        return [b for b in self.samples if b.startswith(prefix)]

    def save(self, path):
        with open(path, "w") as f:
            json.dump({"format": FORMAT, **self.__dict__}, f, indent=1)
            f.write("\n")

    @classmethod
    def load(cls, path):
        with open(path) as f:
            data = json.load(f)
        if data.pop("format", None) != FORMAT:
            raise ValueError(f"{path}: not a result of this version of bench/run")
        result = cls()
        result.__dict__.update(data)
        return result
