# SPDX-License-Identifier: BSD-3-Clause
"""Files in an archive that python3-otf2 reads, as the keys that the counter (counter_files.c) has for them."""
import pathlib

MODES = ("read", "write", "flush")


def number(value):
    """Of an enumerator, which python3-otf2 gives as a byte, a number or an object of its own."""
    return value[0] if isinstance(value, bytes) else int(getattr(value, "value", value))


class Files:
    """Handles and operations of one process."""

    def __init__(self):
        self.opened, self.operations = set(), {}

    def event(self, kind, event, add):
        if kind == "IoDeleteFile":
            add(f"deleted {pathlib.Path(event.file.name).name}")
            return
        name = pathlib.Path(event.handle.file.name).name
        if kind == "IoCreateHandle":
            if event.handle in self.opened:
                yield f"{event.handle} is made again"
            self.opened.add(event.handle)
            add(f"opened {name} {number(event.mode)}")
            return
        if event.handle not in self.opened:
            yield f"{event.handle} is not open"
        if kind == "IoDestroyHandle":
            self.opened.discard(event.handle)
            add(f"closed {name}")
        elif kind == "IoSeek":
            add(f"seeks {name} {number(event.whence)}", event.offset_request)
            if number(event.whence) == 0 and event.offset_result != event.offset_request:
                yield f"{event.handle} is sought to {event.offset_request} and is at {event.offset_result}"
        else:
            yield from self.operation(kind, event, name, add)

    def operation(self, kind, event, name, add):
        key = (event.handle, event.matching_id)
        if kind == "IoOperationBegin":
            if key in self.operations:
                yield f"operation {key} begins twice"
            mode = MODES[number(event.mode)]
            self.operations[key] = [mode, event.bytes_request, False]
            if mode == "flush":
                add(f"flush {name}")
            else:
                add(f"{mode} {name} {number(event.operation_flags)}", event.bytes_request)
            return
        if key not in self.operations:
            yield f"operation {key} goes on and did not begin"
            return
        mode, requested, _ = self.operations[key]
        if kind == "IoOperationIssued":
            self.operations[key][2] = True
        elif kind == "IoOperationComplete":
            del self.operations[key]
            if mode != "flush":
                add(f"{mode}s {name}", event.bytes_result)
            if event.bytes_result > requested:
                yield f"operation {key} of {requested} bytes moves {event.bytes_result}"
        elif kind == "IoOperationCancelled":
            del self.operations[key]

    def left(self):
        if self.operations or self.opened:
            yield f"operations {self.operations} and handles {self.opened} are left"
