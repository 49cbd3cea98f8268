# SPDX-License-Identifier: BSD-3-Clause
"""Reads the Parquet files that Tracer writes, for a Python without pyarrow: required columns of numbers and texts, data
pages of version 1. With numpy the columns are arrays, else lists. Encodings and fields as in the format's specification."""
import ctypes
import ctypes.util
import os
import stat
import struct

from tracer.errors import TracerError

try:
    import numpy
except ImportError:
    numpy = None

INT32, INT64, DOUBLE, TEXT = 1, 2, 5, 6
PLAIN, DELTA_BINARY_PACKED, RLE_DICTIONARY = 0, 5, 8
UNCOMPRESSED, ZSTD = 0, 6
DICTIONARY_PAGE = 2
MOST_ROWS, MOST_BYTES = 1 << 28, 1 << 30  # of a file, and of a page: more is damage
PLAIN_FORMATS = {INT32: ("i", 4), INT64: ("q", 8), DOUBLE: ("d", 8)}


class Compact:
    """Thrift's compact protocol: structures become {field: value}."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def number(self):
        value = 0
        for shift in range(0, 64, 7):
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise IndexError

    def signed(self):
        value = self.number()
        return value >> 1 ^ -(value & 1)

    def take(self, size):
        if not 0 <= size <= len(self.data) - self.at:
            raise IndexError
        self.at += size
        return self.data[self.at - size:self.at]

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self.take(1)[0]
        if kind in (4, 5, 6):
            return self.signed()
        if kind == 7:
            return struct.unpack("<d", self.take(8))[0]
        if kind == 8:
            return bytes(self.take(self.number()))
        if kind in (9, 10):
            head = self.take(1)[0]
            size = head >> 4 if head >> 4 != 15 else self.number()
            if size > len(self.data) - self.at:
                raise IndexError
            if head & 15 in (1, 2):  # of a field the kind is the value; here each has a byte
                return [byte == 1 for byte in self.take(size)]
            return [self.value(head & 15) for _ in range(size)]
        if kind == 12:
            return self.structure()
        raise IndexError

    def structure(self):
        fields, last = {}, 0
        while True:
            head = self.take(1)[0]
            if head == 0:
                return fields
            last = last + (head >> 4) if head >> 4 else self.signed()
            fields[last] = self.value(head & 15)


class Zstd:
    """Of Python 3.14's own module, or the system's libzstd."""

    def __init__(self):
        self.module = self.library = None
        try:
            from compression import zstd
            self.module = zstd
            return
        except ImportError:
            pass
        for name in ("libzstd.so.1", ctypes.util.find_library("zstd")):
            try:
                self.library = ctypes.CDLL(name) if name else None
            except OSError:
                continue
            if self.library:
                break
        if not self.library:
            raise TracerError("the tables are compressed by zstd, and neither pyarrow nor libzstd.so.1 is installed")
        self.library.ZSTD_decompress.restype = ctypes.c_size_t
        self.library.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]

    def __call__(self, packed, size):
        if not 0 <= size <= MOST_BYTES:
            raise IndexError
        if self.module:
            try:
                body = self.module.decompress(bytes(packed))
            except self.module.ZstdError as error:
                raise ValueError(error) from error
        else:
            buffer = ctypes.create_string_buffer(max(size, 1))
            got = self.library.ZSTD_decompress(buffer, size, bytes(packed), len(packed))
            body = buffer.raw[:size] if got == size else b""
        if len(body) != size:
            raise IndexError
        return body


_zstd = None


def decompressed(packed, size):
    global _zstd
    _zstd = _zstd or Zstd()
    return _zstd(packed, size)


def unpacked(data, width, count):
    """`count` unsigned numbers of `width` bits each, the first in the lowest bits."""
    if width == 0:
        return numpy.zeros(count, numpy.uint64) if numpy else [0] * count
    if numpy is None:
        whole, mask = int.from_bytes(data, "little"), (1 << width) - 1
        return [whole >> (i * width) & mask for i in range(count)]
    if width in (8, 16, 32, 64):
        return numpy.frombuffer(data, f"<u{width // 8}", count).astype(numpy.uint64)
    bits = numpy.unpackbits(numpy.frombuffer(data, numpy.uint8), count=count * width, bitorder="little")
    padded = numpy.zeros((count, 64), numpy.uint8)
    padded[:, :width] = bits.reshape(count, width)
    return numpy.packbits(padded, axis=1, bitorder="little").view("<u8").reshape(count)


def delta_values(data, wanted, narrow):
    """Of a page in DELTA_BINARY_PACKED. All pieces of one width are unpacked at once."""
    reader = Compact(data)
    block, pieces, count, first = reader.number(), reader.number(), reader.number(), reader.signed()
    if count != wanted or block == 0 or pieces == 0 or block % pieces or block // pieces % 32:
        raise IndexError
    size, least, by_width, at = block // pieces, [], {}, 1
    if size > 1024:
        raise IndexError
    while at < count:
        minimum, widths = reader.signed(), reader.take(pieces)
        for width in widths:
            if at >= count:
                break
            if width > 64:
                raise IndexError
            by_width.setdefault(width, []).append((len(least), reader.take(size * width // 8)))
            least.append(minimum)
            at += size
    if numpy is None:
        return delta_list(by_width, least, size, count, first, 32 if narrow else 64)
    differences = numpy.zeros((len(least), size), numpy.uint64)
    for width, found in by_width.items():
        values = unpacked(b"".join(bytes(piece) for _, piece in found), width, size * len(found))
        differences[[row for row, _ in found]] = values.reshape(len(found), size)
    differences += numpy.array(least, numpy.int64).astype(numpy.uint64)[:, None]
    values = numpy.empty(count, numpy.uint64)
    if count:
        values[0] = numpy.array(first, numpy.int64).astype(numpy.uint64)
        values[1:] = differences.reshape(-1)[:count - 1]
        numpy.cumsum(values, out=values)
    return values.astype(numpy.uint32).view(numpy.int32) if narrow else values.view(numpy.int64)


def delta_list(by_width, least, size, count, first, bits):
    rows = [None] * len(least)
    for width, found in by_width.items():
        for row, piece in found:
            rows[row] = unpacked(piece, width, size)
    half, whole, value, values = 1 << (bits - 1), 1 << bits, first, [first]
    for minimum, row in zip(least, rows):
        for difference in row:
            value = (value + minimum + difference + half) % whole - half
            values.append(value)
    return values[:count]


def dictionary_numbers(data, count):
    """Of a page in RLE_DICTIONARY: runs of one number, and packed numbers in groups of eight."""
    reader, found, have = Compact(data), [], 0
    width = reader.take(1)[0]
    if width > 32:
        raise IndexError
    while have < count:
        head = reader.number()
        size = (head >> 1) * 8 if head & 1 else head >> 1
        if size == 0:
            raise IndexError
        used = min(size, count - have)
        if head & 1:
            found.append(unpacked(reader.take(size // 8 * width), width, size if width else used)[:used])
        else:
            value = int.from_bytes(reader.take((width + 7) // 8), "little")
            found.append(numpy.full(used, value, numpy.uint64) if numpy else [value] * used)
        have += used
    if numpy:
        return numpy.concatenate(found).astype(numpy.int64) if found else numpy.zeros(0, numpy.int64)
    return [value for part in found for value in part]


def plain_values(data, kind, count):
    if not 0 <= count <= len(data):
        raise IndexError
    if kind == TEXT:
        reader = Compact(data)
        texts = [bytes(reader.take(int.from_bytes(reader.take(4), "little"))).decode("utf-8", "replace") for _ in range(count)]
        return object_array(texts)
    form, size = PLAIN_FORMATS[kind]
    if numpy:
        return numpy.frombuffer(data, "<f8" if kind == DOUBLE else f"<i{size}", count)
    return list(struct.unpack_from(f"<{count}{form}", data))


def object_array(texts):
    if numpy is None:
        return texts
    array = numpy.empty(len(texts), object)
    array[:] = texts
    return array


def open_regular(path, flags):
    """Waits for no FIFO."""
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise TracerError(f"{path} is no regular file")


class ParquetFile:
    """One file; columns() reads columns of it."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb", opener=open_regular) as file:
            self.data = memoryview(file.read())
        data = self.data
        size = int.from_bytes(data[-8:-4], "little") if len(data) > 12 else 0
        if bytes(data[:4]) != b"PAR1" or bytes(data[-4:]) != b"PAR1" or size > len(data) - 12:
            raise TracerError(f"{path} is no Parquet file")
        with self.checked():
            footer = Compact(data[len(data) - 8 - size:len(data) - 8]).structure()
            self.names = [column[4].decode() for column in footer[2][1:]]
            self.kinds = {name: column[1] for name, column in zip(self.names, footer[2][1:])}
            self.groups, self.rows = footer[4], footer[3]
            if sum(group[3] for group in self.groups) != self.rows or not 0 <= self.rows <= MOST_ROWS:
                raise IndexError
            self.metadata = {pair[1].decode(): pair[2].decode("utf-8", "replace") for pair in footer.get(5, [])}

    def checked(self):
        return _Damage(self.path)

    def column(self, name):
        with self.checked():
            number = self.names.index(name)
            parts = [self.chunk(group[1][number][3], self.kinds[name], group[3]) for group in self.groups]
            if numpy:
                return numpy.concatenate(parts) if parts else numpy.zeros(0, object if self.kinds[name] == TEXT else numpy.int64)
            return [value for part in parts for value in part]

    def chunk(self, chunk, kind, rows):
        data, codec, left, words, parts = self.data, chunk[4], rows, None, []
        at = chunk.get(11) or chunk[9]
        while left > 0:
            reader = Compact(data, at)
            header = reader.structure()
            body = reader.take(header[3])
            at = reader.at
            if codec == ZSTD:
                body = decompressed(body, header[2])
            elif codec != UNCOMPRESSED:
                raise TracerError(f"{self.path} is compressed in a way that Tracer does not use: install pyarrow to read it")
            if header[1] == DICTIONARY_PAGE:
                words = plain_values(body, kind, header[7][1])
                continue
            count, encoding = header[5][1], header[5][2]
            if not 0 < count <= left:
                raise IndexError
            if encoding == RLE_DICTIONARY:
                numbers = dictionary_numbers(body, count)
                parts.append(words[numbers] if numpy else [words[number] for number in numbers])
            elif encoding == DELTA_BINARY_PACKED:
                parts.append(delta_values(body, count, kind == INT32))
            elif encoding == PLAIN:
                parts.append(plain_values(body, kind, count))
            else:
                raise TracerError(f"{self.path} has an encoding that Tracer does not use: install pyarrow to read it")
            left -= count
        if numpy:
            return numpy.concatenate(parts) if parts else numpy.zeros(0, object)
        return [value for part in parts for value in part]


class _Damage:
    """What a damaged file makes of reading it becomes one message."""

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        if kind is not None and issubclass(kind, (IndexError, KeyError, ValueError, TypeError, AttributeError, struct.error, MemoryError, OverflowError, RecursionError)):
            raise TracerError(f"{self.path} is damaged") from error


def read_columns(files, columns=None):
    """{column: values} of all files together."""
    opened = [ParquetFile(file) for file in files]
    names = columns or opened[0].names
    result = {}
    for name in names:
        if name not in opened[0].names:
            raise TracerError(f"{opened[0].path} has no column '{name}'; it has {', '.join(opened[0].names)}")
        parts = [file.column(name) for file in opened if file.rows or len(opened) == 1]
        if numpy:
            result[name] = numpy.concatenate(parts) if len(parts) > 1 else parts[0] if parts else opened[0].column(name)
        else:
            result[name] = [value for part in parts for value in part]
    return result
