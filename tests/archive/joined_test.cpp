// SPDX-License-Identifier: BSD-3-Clause
// Files, I/O handles and communicators of several parts as those of one archive.
#include "formats/otf2/join/joined_definitions.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "catch.hpp"
#include "formats/otf2/common/mpi_communicators.hpp"
#include "formats/otf2/join/local_definition_writer.hpp"
#include "formats/otf2/write/definition_writer.hpp"
#include "tracer/definitions.hpp"
#include "tracer/error.hpp"
#include "tracer/property_names.hpp"

using namespace tracer;
using namespace tracer::otf2;

namespace {

/// A process on one host with a handle of one file; texts: 1 "host", 2 the paradigm, 3 the path, 4 "class".
TraceDefinitions part_with(const std::string& host, const std::string& paradigm, const std::string& path) {
  TraceDefinitions part;
  std::uint64_t ref = 0;
  for (const std::string& text : {std::string{}, host, paradigm, path, std::string{"node"}})
    part.strings.add({ref++, text});
  part.nodes.add({5, 1, 4, undefined_ref, {}, {}});
  part.location_groups.add({0, 1, 0, 5, undefined_ref, {}});
  part.io_paradigms.add({0, 2, 2, 0, 0});
  part.io_files.add({7, 3, 5, false});
  part.io_handles.add({9, 3, 7, 0, 0, undefined_ref, undefined_ref});
  part.io_handles.add({4, 1, 7, 0, 0, undefined_ref, 9});
  return part;
}

PartIdentity number(std::uint32_t process) {
  PartIdentity identity;
  identity.first_process = process;
  return identity;
}

}  // namespace

TEST_CASE("files of one path on one host are one, and so are equal handles of them") {
  const MpiWorlds worlds;
  JoinedDefinitions joined(3, worlds);
  const PartMaps first = joined.add(part_with("a", "MPI", "/x"), number(0)),
                 second = joined.add(part_with("a", "MPI", "/x"), number(1)),
                 elsewhere = joined.add(part_with("b", "MPI", "/x"), number(2));
  CHECK(joined.io_files.size() == 2);
  CHECK(first.at(ReferenceKind::io_file, 7) == second.at(ReferenceKind::io_file, 7));
  CHECK(first.at(ReferenceKind::io_file, 7) != elsewhere.at(ReferenceKind::io_file, 7));
  CHECK(first.at(ReferenceKind::io_handle, 9) == second.at(ReferenceKind::io_handle, 9));
  CHECK(first.at(ReferenceKind::io_handle, 9) != elsewhere.at(ReferenceKind::io_handle, 9));
  REQUIRE(joined.io_paradigms.size() == 1);
  CHECK(joined.strings[joined.io_paradigms[0].identification] == "MPI");
  CHECK(joined.not_joined == 0);
}

TEST_CASE("a handle's file and its parent are those of the whole") {
  const MpiWorlds worlds;
  JoinedDefinitions joined(2, worlds);
  joined.add(part_with("b", "MPI", "/other"), number(0));
  const PartMaps maps = joined.add(part_with("a", "MPI", "/x"), number(1));
  const IoHandleDef& child = joined.io_handles.at(maps.at(ReferenceKind::io_handle, 4));
  CHECK(joined.strings[child.name] == "a");
  CHECK(child.parent == maps.at(ReferenceKind::io_handle, 9));
  CHECK(child.file == maps.at(ReferenceKind::io_file, 7));
  CHECK(joined.strings[joined.io_files.at(child.file).name] == "/x");
}

TEST_CASE("an I/O paradigm whose number has another name is counted, and not kept") {
  const MpiWorlds worlds;
  JoinedDefinitions joined(2, worlds);
  joined.add(part_with("a", "MPI", "/x"), number(0));
  joined.add(part_with("a", "POSIX", "/x"), number(1));
  REQUIRE(joined.io_paradigms.size() == 1);
  CHECK(joined.strings[joined.io_paradigms[0].identification] == "MPI");
  CHECK(joined.not_joined == 1);
}

TEST_CASE("a part keeps its communicators' members as recorded, and the worlds have each of them once") {
  const auto of_rank = [](int rank) {
    const std::string comm = properties::mpi_comm;
    return read_part_of_mpi(
        {{properties::mpi_world_size, "10000"},
         {properties::mpi_world_rank, std::to_string(rank)},
         {comm + "0", "identity=WORLD;size=10000;rank=" + std::to_string(rank) + ";members=0-9999;name=MPI_COMM_WORLD"},
         {comm + "2", "identity=WORLD/1@0;parent=0;size=3;rank=0;members=9999,3-4;name="},
         {comm + "3", "identity=WORLD/2@0;parent=0;size=2;rank=0;members=9999-10000;name="},
         {comm + "4", "identity=WORLD/3@0;parent=0;size=10000;rank=0;members=0-9999;name="}},
        "launch");
  };
  MpiWorlds worlds;
  for (int rank = 0; rank < 3; ++rank) {
    const PartOfMpi part = of_rank(rank);
    CHECK(part.comms.at(0).members == "0-9999");
    worlds.add(part);
  }
  const PartOfMpi part = of_rank(0);
  const auto members = [&](const std::string& identity) {
    return *worlds.comms().at(worlds.identity(part, identity)).members;
  };
  REQUIRE(members("WORLD").size() == 10000);
  CHECK(members("WORLD").back() == 9999);
  CHECK(members("WORLD/1@0") == std::vector<std::uint64_t>{9999, 3, 4});
  CHECK(members("WORLD/2@0").empty());  // no such rank
  const auto list = [&](const std::string& identity) {
    return worlds.comms().at(worlds.identity(part, identity)).members.get();
  };
  CHECK(list("WORLD/3@0") == list("WORLD"));  // one for all of the same members
}

TEST_CASE("a share has its communicators' members as ranges, of which the anchor has room for many") {
  PartIdentity identity;
  PartOfMpi mpi;
  mpi.world = "launch";
  mpi.size = 20000;
  for (std::uint32_t i = 0; i < 6; ++i) {
    mpi.comms[i].identity = i == 0 ? "WORLD" : "WORLD/" + std::to_string(i) + "@0";
    mpi.comms[i].size = mpi.size;
    mpi.comms[i].members = "0-19999";
  }
  mpi.comms[5].members = "19999,0-9,20-21";
  identity.mpi = std::make_shared<const PartOfMpi>(mpi);
  MpiWorlds worlds;
  worlds.add(mpi);
  JoinedDefinitions joined(1, worlds);
  TraceDefinitions part = part_with("a", "MPI", "/x");
  part.groups.add({0, 1, values::group_comm_locations, 4, 0, {}});  // OTF2_PARADIGM_MPI
  joined.add(part, identity);
  const DividedProperties parted = divided(joined.mpi_properties());
  CHECK(parted.of_group.empty());
  const PartOfMpi again = read_part_of_mpi(parted.of_archive, "launch");
  REQUIRE(again.comms.size() == 6);
  for (const auto& one : again.comms)
    CHECK(one.second.members == (one.second.identity == "WORLD/5@0" ? "19999,0-9,20-21" : "0-19999"));
}

TEST_CASE("a list of ranks is ranges, also of ranks that are apart, and what makes no sense is no list") {
  using Ranks = std::vector<std::uint64_t>;
  for (const Ranks& ranks : {Ranks{}, Ranks{5}, Ranks{0, 1, 2, 3, 8, 12, 16, 20}, Ranks{9, 7, 5}, Ranks{0, 4, 1, 2, 9}})
    CHECK(parse_ranks(format_ranks(ranks), 30) == ranks);
  CHECK(format_ranks({0, 1, 2, 3, 8, 12, 16, 20}) == "0-3,8-20:4");
  CHECK(format_ranks({0, 4, 1, 2, 9}) == "0,4,1-2,9");
  for (const char* wrong : {"0-8:0", "0-8:31", "0-8:18446744073709551615", "5:3", "0:2-8", "0-8:", "0-30:2", "8-0:2"})
    CHECK(parse_ranks(wrong, 30).empty());
  Ranks many;
  for (std::uint64_t rank = 3; rank < 10'000; rank += 4) many.push_back(rank);
  CHECK(format_ranks(many) == "3-9999:4");
}

TEST_CASE("a list of members that no string has room for is left out, not cut") {
  std::string list = "0";
  for (int rank = 2; list.size() < 100'000; rank += 2) list += "," + std::to_string(rank);
  std::vector<Property> all;
  for (int i = 0; i < 4; ++i)
    all.push_back({properties::mpi_comm + std::to_string(i),
                   "identity=x;size=9;members=" + list + ";remote_size=9;remote=" + list + ";name=a;members=1"});
  const DividedProperties parted = divided(all);
  REQUIRE(parted.of_archive.size() == 1);
  CHECK(parted.of_archive[0].value == all[0].value);
  for (const Property& p : parted.of_group) CHECK(p.value == "identity=x;size=9;remote_size=9;name=a;members=1");
}

TEST_CASE("a world whose members no part records has all of its ranks, behind those of the worlds before it") {
  MpiWorlds worlds;
  for (const char* launch : {"one", "two"}) {
    PartOfMpi part;
    part.world = launch;
    part.size = 2;
    part.comms[0].identity = "WORLD";
    worlds.add(part);
    CHECK(*worlds.comms().at(worlds.identity(part, "WORLD")).members ==
          std::vector<std::uint64_t>{worlds.base(part), worlds.base(part) + 1});
  }
  CHECK(worlds.size() == 4);
}

TEST_CASE("events refer to attributes and regions, to locations only where an attribute does") {
  const auto of = [](const Kinds& kinds, ReferenceKind kind) { return kinds[static_cast<std::size_t>(kind) - 1]; };
  TraceDefinitions part;
  const Kinds plain = kinds_in_events(part);
  for (const ReferenceKind kind :
       {ReferenceKind::string, ReferenceKind::attribute, ReferenceKind::region, ReferenceKind::group,
        ReferenceKind::metric, ReferenceKind::comm, ReferenceKind::parameter, ReferenceKind::rma_window,
        ReferenceKind::calling_context, ReferenceKind::interrupt_generator, ReferenceKind::io_handle})
    CHECK(of(plain, kind));
  CHECK_FALSE(of(plain, ReferenceKind::location));
  CHECK_FALSE(of(plain, ReferenceKind::location_group));
  constexpr std::uint8_t type_location = values::type_string + 2;  // OTF2_TYPE_LOCATION
  part.attributes.add({0, 0, 0, type_location});
  CHECK(of(kinds_in_events(part), ReferenceKind::location));
}

TEST_CASE("what is joined again maps the references of each location, not all of its part's") {
  constexpr std::size_t kind = static_cast<std::size_t>(ReferenceKind::location) - 1;
  PartMaps maps;
  for (std::uint64_t i = 0; i < 1000; ++i) maps.maps[kind].push_back(i + 5);
  LocalDefinitions inner;
  inner.has_maps = true;
  Kinds kinds{};
  kinds[kind] = true;
  inner.sparse[kind] = {{0, 700}};
  // Of a table that has what differs only, the others are what they were.
  CHECK(mapping_tables(maps, inner, kinds).size() > 1000);
  inner.sparse[kind].clear();
  inner.dense[kind] = {700};
  CHECK(mapping_tables(maps, inner, Kinds{}).empty());
  CHECK(mapping_tables(maps, inner, kinds) == std::vector<std::uint8_t>{5, 7, kind, 1, 1, 0, 2, 0xc1, 0x02});
}

TEST_CASE("a location's own reference that is large among few is refused, and no table is made up to it") {
  constexpr std::size_t kind = static_cast<std::size_t>(ReferenceKind::region) - 1;
  PartMaps maps;
  for (std::uint64_t i = 0; i < 3; ++i) maps.set(ReferenceKind::region, i, i + 5);
  Kinds kinds{};
  kinds[kind] = true;
  for (const std::uint64_t local : {~std::uint64_t{0}, std::uint64_t{1} << 40, std::uint64_t{1} << 20}) {
    LocalDefinitions inner;
    inner.has_maps = true;
    inner.sparse[kind] = {{local, 0}};
    CHECK_THROWS_WITH(mapping_tables(maps, inner, kinds), ContainsSubstring("makes no sense"));
    inner.dense[kind] = {0, 1};
    CHECK_THROWS_WITH(mapping_tables(maps, inner, kinds), ContainsSubstring("makes no sense"));
  }
  LocalDefinitions inner;
  inner.has_maps = true;
  inner.sparse[kind] = {{1000, 2}};  // a gap, as sound archives have it
  CHECK(mapping_tables(maps, inner, kinds).size() > 1000);
}
