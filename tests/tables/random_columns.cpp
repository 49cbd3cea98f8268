// SPDX-License-Identifier: BSD-3-Clause
// random_columns DIRECTORY SEEDS: for each seed from 1 a Parquet file <seed>.parquet of a random number of rows, with
// columns of every type whose values come in every manner and change it, and a line of JSON with what a reader must
// find: of each column the sum, the sum of values times row modulo 9973, the least and the most. Reals are whole, texts
// w<number>.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

#include "formats/parquet/file.hpp"

namespace {

using namespace tracer::parquet;
using Random = std::mt19937_64;

/// A column's values; the manner may change to another and back.
class Values {
 public:
  explicit Values(Random& random)
      : manners_{random() % 9, random() % 9},
        each_{random() % 2 == 0 ? 0 : 1000 + random() % 100'000},
        random_{random()} {}
  std::int64_t next(std::uint64_t row) {
    switch (manners_[each_ == 0 ? 0 : row / each_ % 2]) {
      case 0:
        return 7;
      case 1:
        return last_ += below(1000);
      case 2:
        return below(std::int64_t{1} << 40) - (std::int64_t{1} << 39);
      case 3:
        return below(17);
      case 4:
        return below(20'000) * 10;
      case 5:
        return row % 2 == 0 ? last_ : last_ += below(100'000);
      case 6:
        return -below(300);
      case 7:
        return below(100) == 0 ? below(std::int64_t{1} << 30) : 5;
      default:
        return static_cast<std::int64_t>(row / 7 * 13);
    }
  }

 private:
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(limit));
  }
  std::array<std::uint64_t, 2> manners_;
  std::uint64_t each_;
  Random random_;
  std::int64_t last_ = 0;
};

struct Found {
  std::int64_t sum = 0, by_row = 0, least = INT64_MAX, most = INT64_MIN;
  void add(std::int64_t value, std::uint64_t row) {
    sum += value;
    by_row += value % 1009 * static_cast<std::int64_t>(row % 9973);
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

void write(const std::string& directory, std::uint64_t seed) {
  constexpr std::uint64_t counts[] = {1,    2,    128,   129,   130,   257,   8191,    8192,    8193,
                                      8194, 8321, 65408, 65535, 65536, 65537, 131'072, 200'001, 1'100'000};
  Random random{seed};
  const std::uint64_t rows = counts[random() % std::size(counts)];
  std::vector<Column> columns;
  std::vector<Values> values;
  for (const Type type : {Type::int64, Type::int64, Type::int64, Type::int32, Type::int32, Type::real, Type::text}) {
    columns.push_back(
        {"c" + std::to_string(columns.size()), type, random() % 2 == 0 ? Packing::any : Packing::differences});
    values.emplace_back(random);
  }
  File file{directory + "/" + std::to_string(seed) + ".parquet", {columns, -1, {}, std::size_t{8192} << random() % 4}};
  std::array<Found, 7> found;
  for (std::uint64_t row = 0; row < rows; ++row) {
    std::array<std::int64_t, 7> one;
    for (std::size_t c = 0; c < one.size(); ++c) one[c] = values[c].next(row);
    for (const std::size_t narrow : {3, 4}) one[narrow] = static_cast<std::int32_t>(one[narrow]);
    one[6] = static_cast<std::int64_t>(static_cast<std::uint64_t>(one[6]) % 500);
    for (std::size_t c = 0; c < one.size(); ++c) found[c].add(one[c], row);
    file.row(one[0], one[1], one[2], one[3], one[4], static_cast<double>(one[5]),
             file.word(6, "w" + std::to_string(one[6])));
    if (random() % 300'000 == 0) file.end_group();
  }
  file.close();
  std::printf("{\"seed\": %d, \"rows\": %d, \"found\": [", static_cast<int>(seed), static_cast<int>(rows));
  for (std::size_t c = 0; c < found.size(); ++c)
    std::printf("%s[%lld, %lld, %lld, %lld]", c == 0 ? "" : ", ", static_cast<long long>(found[c].sum),
                static_cast<long long>(found[c].by_row), static_cast<long long>(found[c].least),
                static_cast<long long>(found[c].most));
  std::puts("]}");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::filesystem::create_directories(argv[1]);
  for (std::uint64_t seed = 1, seeds = std::strtoull(argv[2], nullptr, 10); seed <= seeds; ++seed) write(argv[1], seed);
}
