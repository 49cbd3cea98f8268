// SPDX-License-Identifier: BSD-3-Clause
// See state.hpp.
#include "tracer/mpi/state.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tracer/base/spinning.hpp"
#include "tracer/connect.h"
#include "tracer/hash.hpp"
#include "tracer/mpi/completion.hpp"
#include "tracer/mpi/handle_table.hpp"
#include "tracer/mpi/text.hpp"
#include "tracer/mpi/unseen.hpp"
#include "tracer/mpi/world.hpp"
#include "tracer/mpi_unrecorded.hpp"
#include "tracer/program_names.hpp"
#include "tracer/property_names.hpp"

namespace tracer::mpi {

constinit thread_local Thread this_thread __attribute__((tls_model("initial-exec")));
constinit std::atomic<const tracer_front_end*> front{nullptr};
constinit std::atomic<bool> is_live{false}, has_threads{true};
constinit std::atomic<const Thread*> initial_thread{nullptr};
constinit std::atomic<std::uint32_t> type_generation{1}, comm_generation{1}, window_generation{1};
constinit std::atomic<std::uint64_t> unrecorded[static_cast<std::size_t>(Unrecorded::count_)]{};
constinit std::atomic<std::uint64_t> never_completed{0};
constinit bool records_polls = true;

void SpinLock::wait() noexcept {
  for (unsigned turn = 0; taken_.load(std::memory_order_relaxed); ++turn) take_turn(turn);
}

namespace {

constexpr int max_members_recorded = 256;
constexpr std::size_t longest_stem = 100;

// By handle; guarded by comms_lock. Communicators are made seldom, and threads remember those that they use.
constinit SpinLock comms_lock;
constinit HandleTable<Comm> comms;
constinit HandleTable<Comm> makings;  ///< the last one made of the same, by the hash of that
constinit std::atomic<std::uint32_t> next_comm{2};
constinit Comm nobody;

Comm* look_up(Word handle) noexcept {
  const Locked lock(comms_lock);
  return comms.find(handle);
}

std::uint64_t hash_of(std::uint64_t hash, const int* ranks, int size) noexcept {
  for (int i = 0; i < size; ++i) hash = fnv1a(hash, static_cast<std::uint32_t>(ranks[i]));
  return fnv1a(hash, 0xffffffffu);
}

struct Members {
  int* ranks = nullptr;
  int size = 0;
  ~Members() { std::free(ranks); }
  bool all_in_world() const noexcept {
    for (int i = 0; i < size; ++i)
      if (ranks[i] < 0 || ranks[i] >= world_comm().size) return false;
    return true;
  }
};

/// The first `size` of the group. All of them cost some versions of Open MPI time with the square of their number.
void load_members(Members& members, Word comm, MpiFunction which, int size) noexcept {
  Word group = 0;
  if (ask(which, comm, &group) != 0) return;
  members.ranks = world_ranks_of(group, size);
  members.size = members.ranks != nullptr ? size : 0;
  ask(MpiFunction::Group_free, &group);
}

void record_comm(const Comm& comm, const char* name) noexcept {
  Text value;
  value.add("%s", comm.fact);
  if (name != nullptr && *name != '\0') value.add(";name=%s", name);
  record_fact(properties::fact(properties::mpi_comm), comm.id, value.get());
}

/// Whether its fact lists its members here.
bool lists_members(const Comm& comm) noexcept {
  return comm.rank == 0 || comm.size <= max_members_recorded;
}

/// Text within a fact.
struct List {
  const char* text = "";
  int length = 0;  ///< 0: none
};

List members_in(const char* fact) noexcept {
  static constexpr char key[] = ";members=";
  const char* const found = std::strstr(fact, key);
  if (found == nullptr) return {};
  const char* const list = found + sizeof key - 1;
  return {list, static_cast<int>(std::strcspn(list, ";"))};
}

/// `same`: the list of members, if another communicator has it.
void describe(Comm& comm, const Comm* parent, const Members& members, const Members& remote,
              const List& same) noexcept {
  Text text;
  text.add("identity=%s", comm.identity);
  if (parent != nullptr) text.add(";parent=%u", parent->id);
  text.add(";size=%d;rank=%d", comm.size, comm.rank);
  if (same.length > 0) {
    text.add(";members=%.*s", same.length, same.text);
  } else if (members.size > 0 && lists_members(comm)) {
    text.add(";members=");
    text.add_ranges(members.ranks, members.size);
  }
  if (comm.remote != 0) text.add(";remote_size=%d", comm.remote);
  if (remote.size > 0 && lists_members(comm)) {
    text.add(";remote=");
    text.add_ranges(remote.ranks, remote.size);
  }
  comm.fact = text.keep();
}

/// How often this process has made a communicator of the parent by this.
std::uint32_t count_making(Comm& comm, std::uint64_t making) noexcept {
  const Word hash = making != 0 ? making : 1;
  const Locked lock(comms_lock);
  const Comm* const last = makings.find(hash);
  comm.made = last != nullptr ? last->made + 1 : 1;
  makings.set(hash, &comm);
  return comm.made;
}

/// What the identities of those made of it begin with: in a chain of them it does not grow.
void add_stem(Text& text, const Comm& parent) noexcept {
  if (std::strlen(parent.identity) > longest_stem)
    text.add("#%016llx", static_cast<unsigned long long>(fnv1a(parent.identity)));
  else
    text.add("%s", parent.identity);
}

/// What the archive has as its parent: of an intercommunicator, what both of its groups were in.
const Comm* parent_of(const Comm& comm, const Comm* parent, Making making, const Comm* peer) noexcept {
  if (making == Making::by_leaders) return peer;
  const bool is_inter = comm.remote != 0;
  if (making == Making::by_session ? !is_inter : making == Making::foreign && is_inter) return nullptr;
  return parent;
}

Comm* make_comm(Word handle, Comm* parent, Making making, std::uint32_t ordinal, const Comm* peer) noexcept {
  void* const memory = std::malloc(sizeof(Comm));
  if (memory == nullptr) return nullptr;
  Comm& comm = *::new (memory) Comm;
  comm.id = next_comm.fetch_add(1, std::memory_order_relaxed);
  int is_inter = 0;
  ask(MpiFunction::Comm_size, handle, &comm.size);
  ask(MpiFunction::Comm_rank, handle, &comm.rank);
  ask(MpiFunction::Comm_test_inter, handle, &is_inter);
  // Of a communicator within one of this world the first member, who names it, is enough where no list is made of them.
  const bool is_within = is_by_all(making) && is_inter == 0 && !parent->is_foreign, lists = lists_members(comm);
  List same;
  if (is_within && making == Making::by_dup && lists && comm.size > 1) same = members_in(parent->fact);
  Members members, remote;
  load_members(members, handle, MpiFunction::Comm_group, is_within && (!lists || same.length > 0) ? 1 : comm.size);
  if (is_inter != 0) {
    ask(MpiFunction::Comm_remote_size, handle, &comm.remote);
    load_members(remote, handle, MpiFunction::Comm_remote_group, comm.remote);
  }
  comm.is_foreign = making == Making::foreign || !members.all_in_world() || !remote.all_in_world();
  Text identity;
  if (comm.is_foreign || parent == nullptr || members.size == 0) {
    identity.add("?%d.%u", world_comm().rank, comm.id);
  } else if (is_by_all(making)) {
    // Of an intercommunicator the side with the lower first rank gives its name.
    int leader = members.ranks[0];
    if (remote.size > 0 && remote.ranks[0] < leader) leader = remote.ranks[0];
    add_stem(identity, *parent);
    identity.add("/%u@%d", ordinal, leader);
  } else {
    std::uint64_t hash = fnv1a_basis;
    const bool swap = remote.size > 0 && remote.ranks[0] < members.ranks[0];
    hash = hash_of(hash, swap ? remote.ranks : members.ranks, swap ? remote.size : members.size);
    if (remote.size > 0) hash = hash_of(hash, swap ? members.ranks : remote.ranks, swap ? members.size : remote.size);
    const auto kind = static_cast<char>(making);
    // The two sides of an intercommunicator have it from different parents.
    const Comm& from = making == Making::by_leaders ? world_comm() : *parent;
    hash = fnv1a(from.identity, hash);
    const std::uint32_t count = count_making(comm, hash ^ static_cast<unsigned char>(kind));
    add_stem(identity, from);
    identity.add("/%c%016llx.%u", kind, static_cast<unsigned long long>(hash), count);
  }
  comm.identity = identity.keep();
  describe(comm, parent_of(comm, parent, making, peer), members, remote, same);
  record_comm(comm, nullptr);
  return &comm;
}

void record_unrecorded() noexcept {
  static constexpr const char* names[] = {"messages with another world",
                                          "receives whose request was freed",
                                          "receives that were never completed",
                                          "receives that failed",
                                          "sends that failed",
                                          "sends that may have been cancelled",
                                          "locks that failed",
                                          "collective operations that failed",
                                          "one-sided operations",
                                          "completions of one-sided operations",
                                          "file operations",
                                          unrecorded_polls};
  static_assert(sizeof names / sizeof *names == static_cast<std::size_t>(Unrecorded::count_));
  const auto* const table = front.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < static_cast<std::size_t>(Unrecorded::count_); ++i) {
    char name[96];
    std::snprintf(name, sizeof name, "%s%s", unrecorded_counter, names[i]);
    const std::uint64_t count = unrecorded[i].load(std::memory_order_relaxed);
    if (count != 0) table->count(name, count);
  }
  if (const std::uint64_t count = never_completed.load(std::memory_order_relaxed); count != 0)
    table->count("mpi.requests_never_completed", count);
}

void warn_of_other_mpi(const tracer_front_end& table, const Description& description) noexcept {
  char line[384];
  std::snprintf(
      line, sizeof line,
      "its MPI (%.200s) is none that Tracer knows (Open MPI, MPICH and its descendants, the ABI of MPI 5): the "
      "program's MPI calls are not recorded",
      description.line[0] != '\0' ? description.line : "without a name");
  table.message(line);
}

void at_the_end(void*) noexcept {
  abandon_at_end();
  record_unrecorded();
  name_libraries_that_bypass(*front.load(std::memory_order_relaxed));
}

}  // namespace

void record_fact(const char* name, const char* value) noexcept {
  if (const auto* table = front.load(std::memory_order_relaxed)) table->fact(name, value);
}

void record_fact(const char* name, int value) noexcept {
  char number[16];
  std::snprintf(number, sizeof number, "%d", value);
  record_fact(name, number);
}

void record_fact(const char* prefix, std::uint32_t number, const char* value) noexcept {
  char name[48];
  std::snprintf(name, sizeof name, "%s%u", prefix, number);
  record_fact(name, value);
}

constinit std::atomic<bool> has_connected{false};

void connect() noexcept {
  static SpinLock lock;
  const Locked once(lock);
  if (has_connected.load(std::memory_order_relaxed)) return;
  has_connected.store(true, std::memory_order_relaxed);
  find_family();
  const auto* const table = tracer_find_and_connect(reinterpret_cast<const void*>(&connect));
  if (table != nullptr && family.kind == FamilyKind::mpich) {  // or an MPI of which nothing is known
    const Description description;
    if (!is_mpich(description)) return warn_of_other_mpi(*table, description);
  }
  if (table != nullptr && table->size >= offsetof(tracer_front_end, records_polls) + sizeof table->records_polls)
    records_polls = table->records_polls() != 0;
  front.store(table, std::memory_order_release);
  if (table != nullptr) table->at_end(&at_the_end, nullptr);
}

std::uint64_t query_type_size(Thread& thread, Word handle) noexcept {
  const std::uint32_t generation = type_generation.load(std::memory_order_relaxed);
  std::int64_t size = 0;
  // The program gets this error; requesting it here would be one of MPI_COMM_WORLD's, and end it.
  if (handle == family.type_null || ask(MpiFunction::Type_size_x, handle, &size) != 0 || size < 0) size = 0;
  thread.types[slot_of(handle, 16)] = {handle, generation, static_cast<std::uint64_t>(size)};
  return static_cast<std::uint64_t>(size);
}

Comm* find_comm(Thread& thread, Word handle) noexcept {
  const std::uint32_t generation = comm_generation.load(std::memory_order_relaxed);
  Comm* comm = look_up(handle);
  if (comm == nullptr && is_live.load(std::memory_order_relaxed) && handle != family.comm_null) {
    comm = make_comm(handle, nullptr, Making::foreign, 0, nullptr);
    if (comm != nullptr) remember_comm(handle, *comm);
  }
  if (comm == nullptr) {
    nobody.is_foreign = true;
    return &nobody;
  }
  thread.comms[slot_of(handle, 4)] = {handle, generation, comm};
  return comm;
}

Comm* add_comm(Word handle, Comm& parent, Making making, std::uint32_t ordinal, const Comm* peer) noexcept {
  if (handle == family.comm_null || !is_live.load(std::memory_order_relaxed)) return nullptr;
  Comm* const comm = make_comm(handle, &parent, making, ordinal, peer);
  if (comm != nullptr) remember_comm(handle, *comm);
  return comm;
}

void remember_comm(Word handle, Comm& comm) noexcept {
  const Locked lock(comms_lock);
  if (comms.set(handle, &comm)) comm_generation.fetch_add(1, std::memory_order_relaxed);
}

void forget_comm(Word handle, const Comm& comm) noexcept {
  const Locked lock(comms_lock);
  comms.forget(handle, &comm);
  comm_generation.fetch_add(1, std::memory_order_relaxed);
}

void name_comm(const Comm& comm, const char* name) noexcept {
  char copy[256] = "";
  if (name != nullptr) std::strncpy(copy, name, sizeof copy - 1);
  if (&comm != &nobody) record_comm(comm, copy);
}

std::uint32_t control_name(int level) noexcept {
  static constinit std::atomic<std::uint64_t> last{0};  // level and name: programs use one or two in turn
  static constinit ProgramNames names;                  // others count in it
  const auto wanted = static_cast<std::uint32_t>(level);
  const std::uint64_t known = last.load(std::memory_order_relaxed);
  if (known >> 32 == wanted && known != 0) return static_cast<std::uint32_t>(known);
  const tracer_front_end* const table = front.load(std::memory_order_acquire);
  if (table == nullptr) return 0;
  char text[40];
  const int length = std::snprintf(text, sizeof text, "MPI_Pcontrol %d", level);
  const std::uint32_t name = names.id_of(*table, text, static_cast<std::size_t>(length));
  last.store(std::uint64_t{wanted} << 32 | name, std::memory_order_relaxed);
  return name;
}

namespace {

void query_neighbours(Comm& comm, Word handle) noexcept {
  int kind = 0, sources = 0, destinations = 0, weighted = 0;
  if (ask(MpiFunction::Topo_test, handle, &kind) == 0) {
    if (kind == family.dist_graph) {
      ask(MpiFunction::Dist_graph_neighbors_count, handle, &sources, &destinations, &weighted);
    } else if (kind == family.cart) {
      ask(MpiFunction::Cartdim_get, handle, &sources);
      sources = destinations = 2 * sources;
    } else if (kind == family.graph) {
      ask(MpiFunction::Graph_neighbors_count, handle, comm.rank, &sources);
      destinations = sources;
    }
  }
  comm.destinations.store(destinations, std::memory_order_relaxed);
  comm.sources.store(sources, std::memory_order_relaxed);
}

}  // namespace

std::uint64_t sources_of(Comm& comm, Word handle) noexcept {
  if (comm.sources.load(std::memory_order_relaxed) < 0) query_neighbours(comm, family.handle(handle));
  return static_cast<std::uint64_t>(comm.sources.load(std::memory_order_relaxed));
}
std::uint64_t destinations_of(Comm& comm, Word handle) noexcept {
  if (comm.sources.load(std::memory_order_relaxed) < 0) query_neighbours(comm, family.handle(handle));
  return static_cast<std::uint64_t>(comm.destinations.load(std::memory_order_relaxed));
}

}  // namespace tracer::mpi
