# SPDX-License-Identifier: BSD-3-Clause
"""What an archive has of the program's own words, and whether that is what the program says that it said."""
import collections
import pathlib
import sys

import otf2
from otf2.events import Enter, Leave, Metric

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))


class Words:
    """Regions of the paradigm USER: how often entered, where, how long, with what attributes; metrics by name."""

    def __init__(self, anchor):
        self.enters, self.locations = collections.Counter(), collections.defaultdict(set)
        self.longest, self.attributes = {}, collections.defaultdict(dict)
        self.counters, self.last, self.units, self.threads = collections.Counter(), {}, {}, set()
        opened = collections.defaultdict(list)
        with otf2.reader.open(str(anchor)) as trace:
            resolution = trace.timer_resolution
            self.threads = {location.name for location in trace.definitions.locations}
            for location, event in trace.events:
                if isinstance(event, Metric):
                    self.metric(event)
                if not isinstance(event, (Enter, Leave)) or event.region.paradigm != otf2.Paradigm.USER:
                    continue
                key = (location.name, event.region.name)
                if isinstance(event, Enter):
                    self.enters[event.region.name] += 1
                    self.locations[event.region.name].add(location.name)
                    opened[key].append(event.time)
                    for attribute, value in (event.attributes or {}).items():
                        self.attributes[event.region.name][attribute.name] = value
                else:
                    seconds = (event.time - opened[key].pop()) / resolution
                    self.longest[event.region.name] = max(seconds, self.longest.get(event.region.name, 0))

    def metric(self, event):
        member = event.member if hasattr(event, "member") else event.metric.members[0]
        self.counters[member.name] += 1
        self.last[member.name] = event.value if hasattr(event, "value") else event.values[0]
        self.units[member.name] = member.unit

    def of(self, what, name):
        """What the archive has instead of a line's last word."""
        if what == "attribute":
            region, _, attribute = name.rpartition("|")
            return self.attributes[region].get(attribute)
        return {"range": self.enters, "counter": self.counters, "last": self.last, "unit": self.units}[what].get(name, 0)

    def faults(self, printed):
        """`printed`: lines "range NAME COUNT", "counter NAME COUNT", "last NAME VALUE", "unit NAME UNIT",
        "attribute REGION|ATTRIBUTE VALUE", "thread NAME 1"."""
        for line in printed.splitlines():
            what, _, rest = line.partition(" ")
            name, _, wanted = rest.rpartition(" ")
            if what == "thread":
                if name not in self.threads:
                    yield f"no thread is called {name}: {sorted(self.threads)}"
                continue
            found = self.of(what, name)
            if str(found) != wanted and not (isinstance(found, float) and found == float(wanted)):
                yield f"{what} {name}: {found} instead of {wanted}"
