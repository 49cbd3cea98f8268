// SPDX-License-Identifier: BSD-3-Clause
// What the parts of an MPI program record of its communicators (docs/formats/job-parts.md), and what all of them
// together make of it: each communicator once, with all its members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/definitions.hpp"

namespace tracer::otf2 {

struct MpiCommunicator {
  std::optional<std::uint32_t> ref;  ///< of the part's definition
  std::string identity, name;
  std::optional<std::uint32_t> parent;  ///< index in PartOfMpi::comms
  std::uint32_t size = 0;
  std::string members, remote;  ///< world ranks as recorded, "0-3,8"; empty: not recorded
};

struct MpiWindow {
  std::optional<std::uint32_t> ref;
  std::string identity, name;
  std::uint32_t comm = 0;
};

struct PartOfMpi {
  std::string world;  ///< the same for all parts of one MPI_COMM_WORLD
  std::uint32_t size = 0, rank = 0;
  std::map<std::uint32_t, MpiCommunicator> comms;
  std::map<std::uint32_t, MpiWindow> windows;
  bool empty() const { return size == 0; }
};
/// One for all who ask; never nullptr.
using SharedPartOfMpi = std::shared_ptr<const PartOfMpi>;

/// Whether a property describes one communicator or window: there are as many as the process has made.
bool is_of_mpi_object(std::string_view property) noexcept;

/// `properties`: of the part's anchor; `world`: of its launch. What makes no sense is left out.
PartOfMpi read_part_of_mpi(const std::vector<Property>& properties, std::string world);

/// "0-3,8-20:4": the last are 8, 12, 16 and 20.
std::vector<std::uint64_t> parse_ranks(const std::string& text, std::uint64_t below);
std::string format_ranks(const std::vector<std::uint64_t>& ranks);

/// A communicator's property without the lists of its members, which are then as if not recorded.
std::string without_members(std::string property);

/// All worlds of a job, one behind the other.
class MpiWorlds {
 public:
  void add(const PartOfMpi& part);
  /// The rank in all worlds of a part's rank 0.
  std::uint64_t base(const PartOfMpi& part) const;
  std::uint64_t size() const noexcept { return size_; }
  /// How many there are.
  std::size_t count() const noexcept { return worlds_.size(); }
  struct Place {
    std::uint64_t world = 0;  ///< from 1, as they were added
    std::uint64_t rank = 0;   ///< in it
  };
  /// `rank`: in all worlds, below size().
  Place place_of(std::uint64_t rank) const;
  /// An identity that is the world's own.
  std::string identity(const PartOfMpi& part, const std::string& of) const;

  /// Ranks in all worlds; never nullptr. Communicators of the same members share them: all ranks of a program may be in
  /// thousands.
  using Ranks = std::shared_ptr<const std::vector<std::uint64_t>>;
  struct Comm {
    std::string name, parent;  ///< of the identity
    Ranks members, remote;
    std::uint64_t size = 0;
  };
  const std::map<std::string, Comm>& comms() const noexcept { return comms_; }

 private:
  struct World {
    std::uint64_t base = 0;
    std::uint32_t size = 0;
    std::map<std::string, Ranks> lists{};  ///< by the text in which they are recorded
  };
  std::map<std::string, World> worlds_;
  std::vector<std::uint64_t> bases_;  ///< of the worlds, as they were added
  std::uint64_t size_ = 0;
  std::map<std::string, Comm> comms_;
};

}  // namespace tracer::otf2
