#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The layering check itself: what it must refuse and what it must allow, on small trees."""
import pathlib
import tempfile
import unittest

from check_includes import faults

SPDX = "// SPDX-License-Identifier: BSD-3-Clause\n"


class Layers(unittest.TestCase):
    def tree(self, files):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        for name, text in files.items():
            path = pathlib.Path(directory.name, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(SPDX + text, encoding="utf-8")
        return list(faults(directory.name))

    def test_downward_and_own_includes_are_allowed(self):
        self.assertEqual([], self.tree({
            "include/tracer/ids.hpp": "",
            "tracer/base/clock.hpp": '#include "tracer/ids.hpp"\n',
            "tracer/ring/ring.hpp": '#include "tracer/base/clock.hpp"\n#include "slot.hpp"\n#include <vector>\n',
            "tracer/ring/slot.hpp": "",
        }))

    def test_upward_include_is_refused(self):
        found = self.tree({"tracer/ring/ring.hpp": "", "tracer/base/clock.hpp": '#include "tracer/ring/ring.hpp"\n'})
        self.assertEqual(1, len(found))
        self.assertIn("tracer/base/clock.hpp:2", found[0])

    def test_formats_do_not_know_each_other(self):
        self.assertEqual(1, len(self.tree({"formats/raw/a.hpp": "", "formats/otf2/b.cpp": '#include "formats/raw/a.hpp"\n'})))

    def test_a_neighbour_in_the_same_layer_is_refused(self):
        self.assertEqual(1, len(self.tree({"tracer/ring/a.hpp": "", "tracer/translate/b.cpp": '#include "tracer/ring/a.hpp"\n'})))

    def test_rows_within_a_part_hold_there_and_are_one_row_outside(self):
        self.assertEqual(1, len(self.tree({
            "formats/otf2/common/a.hpp": "", "formats/otf2/join/c.hpp": "",
            "formats/otf2/read/b.hpp": '#include "formats/otf2/common/a.hpp"\n',
            "formats/otf2/write/d.hpp": '#include "formats/otf2/join/c.hpp"\n',
        })))
        self.assertEqual(1, len(self.tree({"tracer/translate/scan/a.hpp": "", "formats/otf2/join/c.cpp": '#include "tracer/translate/scan/a.hpp"\n'})))

    def test_a_file_may_have_a_row_of_its_own(self):
        rows = '#include "tracer/report/measures/account.hpp"\n'
        self.assertEqual([], self.tree({"tracer/report/measures/account.hpp": "", "tracer/report/analyze.cpp": rows}))
        self.assertEqual(1, len(self.tree({"tracer/report/measures/account.hpp": "", "tracer/report/report.hpp": rows})))

    def test_names_of_properties_have_one_home(self):
        self.assertEqual(1, len(self.tree({"tracer/ring/a.cpp": '// "TRACER::HOST"\nauto x = "TRACER::HOST";\n', "include/tracer/property_names.hpp": '"TRACER::HOST"\n'})))
        self.assertEqual(1, len(self.tree({"tracer/python/a.cpp": 'fact("PYTHON::VERSION", version);\n// "RUN::NOT_SAMPLED"\n', "include/tracer/property_names.hpp": ""})))

    def test_foreign_headers_stay_at_home(self):
        self.assertEqual([], self.tree({"formats/otf2/write/sink.cpp": "#include <otf2/otf2.h>\n", "tracer/entry.cpp": "#include <omp-tools.h>\n"}))
        self.assertEqual(2, len(self.tree({"tracer/base/x.cpp": "#include <otf2/otf2.h>\n#include <omp.h>\n"})))


if __name__ == "__main__":
    unittest.main()
