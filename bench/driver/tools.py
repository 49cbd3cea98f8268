# SPDX-License-Identifier: BSD-3-Clause
"""The tools that are compared: a library and environment variables each."""
import os
from dataclasses import dataclass, field


@dataclass
class Tool:
    name: str
    library: str = ""  # "": no tool
    environment: dict = field(default_factory=dict)
    record_only: dict = field(default_factory=dict)  # more environment where only the recording counts

    def variables(self, output, record_only=False):
        """The environment of a run whose trace, if any, goes below the directory `output`."""
        result = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "KMP_", "TRACER_", "LIBOMP_"))}
        result.update(self.environment)
        if record_only:
            result.update(self.record_only)
        if self.library:
            result["OMP_TOOL_LIBRARIES"] = self.library
        else:
            result["OMP_TOOL"] = "disabled"
        return {k: v.replace("%OUTPUT%", output) for k, v in result.items()}


def parse(text):
    """NAME=LIBRARY[,VARIABLE=VALUE...]; %OUTPUT% in a value is replaced by the run's directory."""
    name, _, rest = text.partition("=")
    library, *settings = rest.split(",")
    if not name or not library:
        raise ValueError(f"--tool {text}: expected NAME=LIBRARY[,VARIABLE=VALUE...]")
    if not os.path.exists(library):
        raise ValueError(f"--tool {text}: no file {library}")
    return Tool(name, os.path.abspath(library), dict(s.partition("=")[::2] for s in settings))


def standard(build):
    """None, null, floor, the tracer and the parked tracer, as far as they are built."""
    tools = [Tool("none")]
    for name in ("null", "floor"):
        library = os.path.join(build, "bench", "tools", name + ".so")
        if os.path.exists(library):
            tools.append(Tool(name, library))
    library = os.path.join(build, "lib", "libtracer.so")
    if os.path.exists(library):
        tools.append(Tool("tracer", library, {"TRACER_OUTPUT": "%OUTPUT%/trace"}, {"TRACER_CONVERT": "later"}))
        tools.append(parked(library))
    return tools


def parked(library):
    """The tracer as a flight recorder: the same handlers, but nobody empties the rings while the program runs. What it
    takes less than the tracer is the drainer's doing."""
    settings = {"TRACER_OUTPUT": "%OUTPUT%/trace", "TRACER_ON_FULL": "newest", "TRACER_MEMORY": "16M", "TRACER_CONVERT": "later"}
    return Tool("parked", library, settings)


def counting(build):
    library = os.path.join(build, "bench", "tools", "counting.so")
    return Tool("counting", library, {"BENCH_COUNT_FILE": "%OUTPUT%/counts"}) if os.path.exists(library) else None
