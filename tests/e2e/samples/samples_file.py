# SPDX-License-Identifier: BSD-3-Clause
"""Reads samples.bin as docs/formats/samples.md has it."""
import collections
import struct

Sample = collections.namedtuple("Sample", "time wait_id thread stack processor state source reserved")
Pause = collections.namedtuple("Pause", "begin end thread preempted")
Frame = collections.namedtuple("Frame", "function file module line origin")


class SamplesFile:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data, self.at = file.read(), 0
        assert self.take("8s")[0] == b"TRCRSTK3"
        self.period, self.lost, count = self.take("<QQQ")
        self.strings = [self.take(f"{self.take('<Q')[0]}s")[0].decode() for _ in range(count)]
        self.frames = [Frame(self.strings[f[0]], self.strings[f[1]], self.strings[f[2]], *f[3:]) for f in self.array("<5I")]
        self.stacks = [[frame for frame, in self.array("<I")] for _ in range(self.take("<Q")[0])]
        self.samples = [Sample(*row) for row in self.array("<QQIIIHBB")]
        self.pauses = [Pause(*row) for row in self.array("<QQII")]
        self.counters = [self.strings[name] for name, _ in self.array("<II")]
        values, each = [value for value, in self.array("<Q")], len(self.counters)
        self.values = [values[i * each:(i + 1) * each] for i in range(len(self.samples))]  # of each sample

    def take(self, form):
        values = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return values

    def array(self, form):
        count = self.take("<Q")[0]
        size = struct.calcsize(form)
        rows = list(struct.iter_unpack(form, self.data[self.at:self.at + count * size]))
        self.at += count * size
        return rows

    def functions(self, sample):
        """Of a sample's stack, outermost first."""
        return [self.frames[frame].function for frame in self.stacks[sample.stack]]
