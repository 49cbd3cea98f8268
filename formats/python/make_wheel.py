#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""make_wheel.py VERSION LICENSE DIRECTORY: makes tracer_openmp-VERSION-py3-none-any.whl of the package beside this file. The same
sources make the same bytes."""
import base64
import hashlib
import pathlib
import sys
import zipfile

METADATA = """Metadata-Version: 2.1
Name: tracer-openmp
Version: {version}
Summary: Reads traces of Tracer: tables as data frames, and the report
License: BSD-3-Clause
Requires-Python: >=3.8
Provides-Extra: pandas
Requires-Dist: pandas; extra == "pandas"
Provides-Extra: arrow
Requires-Dist: pyarrow; extra == "arrow"
Provides-Extra: polars
Requires-Dist: polars; extra == "polars"

`import tracer; trace = tracer.open("run1")`: docs/python.md describes the package.
"""
WHEEL = """Wheel-Version: 1.0
Generator: make_wheel.py
Root-Is-Purelib: true
Tag: py3-none-any
"""


def main():
    version, license_file, directory = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    package = pathlib.Path(__file__).resolve().parent / "tracer"
    information = f"tracer_openmp-{version}.dist-info"
    files = {f"tracer/{file.name}": file.read_bytes() for file in sorted(package.glob("*.py"))}
    files["tracer/version.py"] = files["tracer/version.py"].replace(b"@PROJECT_VERSION@", version.encode())
    files[f"{information}/LICENSE"] = license_file.read_bytes()
    files[f"{information}/METADATA"] = METADATA.format(version=version).encode()
    files[f"{information}/WHEEL"] = WHEEL.encode()
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{information}/RECORD"] = (record + f"{information}/RECORD,,\n").encode()
    wheel = directory / f"tracer_openmp-{version}-py3-none-any.whl"
    part = wheel.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, content)
    part.replace(wheel)


if __name__ == "__main__":
    main()
