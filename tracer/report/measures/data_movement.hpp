// SPDX-License-Identifier: BSD-3-Clause
// Data movement that a program could do without: memory allocated again and again, copies that nothing used, copies of
// what is there already. From the host's data operations (OpenMP 5.2, 19.5.2.25), on any device.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "tracer/own_number.hpp"
#include "tracer/replay/replay.hpp"
#include "tracer/report/report.hpp"

namespace tracer::report {

/// The patterns are those of OMPDataPerf. What was copied is compared by a hash of its content, where one was recorded
/// (TRACER_TRANSFER_CONTENT); without it duplicate transfers and round trips are not looked for.
class DataMovement final : public Observer {
 public:
  DataMovement(const Definitions& definitions, const Replay& replay);
  bool is_concerned() const override { return host_op_id_ != none; }
  void event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) override;
  void finished(std::uint64_t last) override;
  /// By the time that they took.
  std::vector<DataMovementRow> rows() const;
  bool has_content() const { return has_content_; }
  /// All operations on data, whether needed or not.
  const TransferTotals& all() const { return all_; }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  enum class Kind : std::uint8_t { other, alloc, remove, to_device, from_device, submit };

  /// What an operation cost, and where it was requested.
  struct Cost {
    RegionRef region = undefined_ref;
    RegionRef construct = undefined_ref;  ///< that does nothing else: a part of its time is in `ns`
    std::uint64_t bytes = 0, ns = 0, at = 0;
  };
  /// An operation that the host has begun and not ended.
  struct Open {
    Kind kind = Kind::other;
    std::uint64_t id = 0, begin = 0, source = 0, destination = 0, content = 0;
    std::int64_t source_device = -1, destination_device = -1;
    Cost cost;
    bool has_content = false;
    std::uint64_t ns = 0;             ///< when it has ended: its own
    std::uint64_t kernels_begun = 0;  ///< of the process, when it began
    bool beside_kernel = false;       ///< one ran then
  };
  /// A construct that moves data and does nothing else (enter data, exit data, update): where its operations are not
  /// needed it is not needed either. The time beside its operations is of the one that follows, at the end of the last.
  struct Construct {
    RegionRef region = undefined_ref;
    std::uint64_t since = 0;         ///< what passed from then on is of no operation yet; 0: is not known
    Open last;                       ///< operation that ended
    DataMovementRow* row = nullptr;  ///< that it was added to
  };
  /// Of a process: what the records of its devices show.
  struct Kernels {
    std::int64_t running = 0;
    std::uint64_t begun = 0;
    std::uint64_t budget = 0;  ///< ns of the last one behind which no copy was put yet
    RegionRef region = undefined_ref;
  };
  /// The host's address and the size: what a program calls a variable. Of omp_target_alloc the place of the call.
  struct Variable {
    std::uint64_t address = 0, bytes = 0;
    auto operator<=>(const Variable&) const = default;
  };
  struct History {
    std::uint64_t freed = 0;  ///< times, and not allocated again
    bool is_known = false;    ///< `device_content` is what was sent or fetched last
    bool on_host = false;     ///< the device had changed it, and the host has it since
    bool on_device = false;   ///< it was sent, and its memory there was not freed since
    std::uint64_t host_content = 0, device_content = 0;
    std::uint64_t device_address = 0;  ///< where it was sent to, or fetched from, last
    std::uint64_t sends = 0;
    bool is_fetched = false;  ///< the host has had something of it since it was sent
    RegionRef sent_at = undefined_ref, fetched_at = undefined_ref;
  };
  /// Memory of a device, by its address there.
  struct Memory {
    Variable variable;
    Cost allocated;
    bool again = false;                ///< the variable had memory before, which was freed
    std::uint64_t kernels_before = 0;  ///< on the device, when it was allocated
  };
  struct Sent {  ///< a copy to the device that no kernel could have used yet
    Cost cost;
    std::uint64_t kernels_before = 0;
    std::uint64_t behind_ns = 0;       ///< of it: could have gone on behind the kernel before
    RegionRef behind = undefined_ref;  ///< that kernel
    std::uint64_t source = 0;          ///< of the host
    bool is_fetched = false;           ///< to another place of the host: it was of use
  };
  struct Device {
    std::uint64_t kernels = 0;
    std::map<std::uint64_t, Memory> memory;
    std::map<std::uint64_t, Sent> sent;  ///< by the address on the device
    std::map<Variable, History> variables;
  };
  using Key = std::pair<std::uint32_t, std::int64_t>;  ///< process, device number

  Kind kind_of(RegionRef region) const;
  void begin(LocationRef location, Kind kind, const Event& event, std::span<const EventAttribute> attributes);
  void on_stream(LocationRef location, const Event& event, std::span<const EventAttribute> attributes);
  std::uint64_t fetch_began(LocationRef location, const Open& open);
  void kernel_of(std::uint32_t process);
  void paused(std::uint32_t process);
  void end(LocationRef location, const Open& open);
  void hashed(LocationRef location, const Event& event);
  void construct(LocationRef location, const Event& event);
  void construct_ended(LocationRef location, const Construct& construct, std::uint64_t ns);
  void allocated(Device& device, const Open& open);
  void removed(Device& device, const Open& open);
  void sent(Device& device, Kernels& kernels, const Open& open);
  void fetched(Device& device, const Open& open);
  void drop_sent(Device& device, std::uint64_t from, std::uint64_t to, std::uint64_t keep_bytes = 0);
  static bool is_elsewhere(const Device& device, const History& history, std::uint64_t address);
  bool repeats(const Device& device, History& history, const Open& open);
  std::uint64_t behind_kernel(Kernels& kernels, const Open& open) const;
  static void mark_fetched(Device& device, const Open& open);
  Variable variable_of(const Open& open) const;
  void add(DataPattern pattern, const Cost& cost, RegionRef other = undefined_ref);

  const Definitions& definitions_;
  const Replay& replay_;
  const KernelRegions is_kernel_;
  std::vector<Kind> kinds_;         ///< of each region
  std::vector<bool> moves_only_;    ///< each region is a construct that does nothing else
  DataMovementRow* row_ = nullptr;  ///< that an operation was added to last
  std::uint32_t host_op_id_ = none, bytes_ = none, source_ = none, destination_ = none, source_device_ = none,
                destination_device_ = none, content_ = none;
  bool has_content_ = false;
  std::unordered_map<LocationRef, std::vector<Open>> open_;
  std::unordered_map<LocationRef, Construct> constructs_;  ///< that each thread is in
  /// Copies from devices that the host is in, by process and number: when the device began them, 0 not yet.
  std::unordered_map<OwnNumber, std::uint64_t, OwnNumber::Hash> fetches_;
  std::map<Key, Device> devices_;
  std::map<std::uint32_t, Kernels> kernels_;                     ///< by process
  std::unordered_map<LocationRef, std::uint64_t> kernel_began_;  ///< by stream
  std::map<std::pair<DataPattern, RegionRef>, DataMovementRow> rows_;
  TransferTotals all_;
};

}  // namespace tracer::report
