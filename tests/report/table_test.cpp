// SPDX-License-Identifier: BSD-3-Clause
// Tables that are wider than the terminal.
#include "catch.hpp"

#include <string>

#include "tracer/report/forms/table.hpp"

using namespace tracer::report;

namespace {

/// What a cell becomes in a table that is `width` wide.
std::string cell_in(const std::string& text, std::size_t width) {
  Table table{"", {{"place"}}};
  table.add({text});
  TextOptions options;
  options.width = width + 2;  // two blanks before it
  const std::string all = table.text(options);
  const std::size_t at = all.find('\n') + 3;
  return all.substr(at, all.find_last_not_of(" \n") + 1 - at);
}

}  // namespace

TEST_CASE("places without lines are shortened so that they stay apart") {
  const std::string whole = "MPI_Send @0x2b0cab in liblammps (LAMMPS_NS::CommBrick::reverse_comm)";
  CHECK(cell_in(whole, 80) == whole);
  CHECK(cell_in(whole, 60) == "MPI_Send @0x2b0cab (LAMMPS_NS::CommBrick::reverse_comm)");
  CHECK(cell_in(whole, 40) == "MPI_Send @0x2b0cab (reverse_comm)");
  CHECK(cell_in(whole, 26) == "MPI_Send @0x2b0cab");
  CHECK(cell_in("MPI_Allreduce @0x359bb6 in liblammps", 26) == "MPI_Allreduce @0x359bb6");
  CHECK(cell_in("!$omp implementation barrier wait @0x17f90 in _k_means", 30) == "!$omp implemen...wait @0x17f90");
}

TEST_CASE("a table counts the rows that nobody made for it, as it does those that it does not show") {
  TextOptions options;
  options.rows = 2;
  Table whole{"", {{"number"}}}, short_of_rows{"", {{"number"}}};
  for (const char* number : {"1", "2", "3", "4", "5"}) {
    whole.add({number});
    if (short_of_rows.has_room(options))
      short_of_rows.add({number});
    else
      short_of_rows.count_hidden();
  }
  CHECK(short_of_rows.text(options) == whole.text(options));
  CHECK(whole.text(options).find("... and 3 more") != std::string::npos);
}

TEST_CASE("of other texts the middle gives way") {
  CHECK(cell_in("!$omp parallel @a_file_with_a_long_name.c:48", 30) == "!$omp parallel...ong_name.c:48");
  CHECK(cell_in("a name without a place that is rather long (f)", 26) == "a name witho...er long (f)");
  CHECK(cell_in("short", 30) == "short");
}

TEST_CASE("tables that go into files are not cut") {
  Table table{"", {{"place"}, {"text"}}};
  const std::string name = "!$omp parallel @a_file_with_a_very_long_name_indeed_that_fills_the_line.c:48";
  table.add({name, name});
  TextOptions options;
  options.width = 80;
  CHECK(table.text(options).find(name) == std::string::npos);
  options.is_cut = false;
  CHECK(table.text(options).find(name + "  " + name) != std::string::npos);
}

TEST_CASE("letters of any width are cut as a whole, and columns stay in line behind them") {
  CHECK(cell_in("!$omp parallel @größe_lösen_und_mehr_davon.c:48", 30) == "!$omp parallel...hr_davon.c:48");
  CHECK(cell_in("größe_lösen_größe_lösen_größe_lösen", 26) == "größe_lösen_...größe_lösen");
  CHECK(cell_in("数数数数数数数数数数数数数数数", 26) == "数数数数数数...数数数数数");
  // The mark of the letter before the cut is left out with it.
  CHECK(cell_in("abcdefghijklmnopqrstuvwxyze\xcc\x81"
                "0123456789X",
                26) == "abcdefghijkl...0123456789X");
  Table table{"", {{"place"}, {">ms"}}};
  for (const char* name : {"solve", "größe", "数", "e\xcc\x81"}) table.add({name, "1"});
  CHECK(table.text({}) == "  place  ms\n  solve   1\n  größe   1\n  数      1\n  e\xcc\x81       1\n");
}
