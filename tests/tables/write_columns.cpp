// SPDX-License-Identifier: BSD-3-Clause
// write_columns FILE ROWS: a Parquet file of columns whose values, by the row's number, anybody can compute
// (check_parquet.py): what comes again, what does so for a while, what never does, in groups that begin as differently.
#include <cstdint>
#include <cstdlib>

#include "formats/parquet/file.hpp"

int main(int argc, char** argv) {
  using namespace tracer::parquet;
  if (argc != 3) return 2;
  File file{argv[1],
            {{{"few"},
              {"many"},
              {"later_many"},
              {"later_few"},
              {"alike"},
              {"narrow", Type::int32},
              {"few_of_any", Type::int64, Packing::any},
              {"as_is", Type::int64, Packing::any}},
             -1,
             {},
             File::rows_of_page}};
  for (std::int64_t i = 0, rows = std::atoll(argv[2]); i < rows; ++i) {
    const std::int64_t mixed = i * 2654435761 % 1000003;
    const bool is_later = i % 1'048'576 >= 200'000;
    const std::int64_t square = mixed * mixed, again = square % 211;
    file.row(square % 101 - 50, square, is_later ? mixed : again, is_later ? again : mixed, 7,
             static_cast<std::int32_t>(square % 1009 - 500), square % 5 * 1'000'000'000'000,
             i % 2 == 0 ? i / 64 * 1'000'000'007 : square);
  }
  file.close();
}
