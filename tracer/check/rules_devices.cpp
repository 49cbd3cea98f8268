// SPDX-License-Identifier: BSD-3-Clause
// E12-E14, E19, E20: RMA operations, streams, kernels and their submits, transfers, device memory.
#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>

#include "tracer/check/rule.hpp"
#include "tracer/property_names.hpp"

namespace tracer::check {
namespace {

bool is_rma_begin(EventKind k) {
  return k == EventKind::rma_put || k == EventKind::rma_get || k == EventKind::rma_atomic;
}
bool is_rma_end(EventKind k) {
  return k == EventKind::rma_op_complete_blocking || k == EventKind::rma_op_complete_non_blocking ||
         k == EventKind::rma_op_complete_remote;
}

/// The attribute called `name`; undefined_ref: the archive has none.
std::uint32_t attribute_called(const otf2::TraceDefinitions& d, std::string_view name) {
  for (const auto& a : d.attributes) {
    if (d.text(a.name) == name) return static_cast<std::uint32_t>(a.ref);
  }
  return undefined_ref;
}

/// Of windows of devices. Operations of one matching id end together.
class RmaPairs final : public Rule {
 public:
  using Rule::Rule;
  bool wants(EventKind k) const override { return is_rma_begin(k) || is_rma_end(k); }
  void event(const EventView& e) override {
    if (!c_.is_window_of_accelerator(e.field[0])) return;
    applies();
    const auto id = is_rma_begin(e.kind) ? e.field[e.kind == EventKind::rma_atomic ? 5 : 3] : e.field[1];
    auto& open = open_[{e.location, e.field[0]}];
    if (is_rma_begin(e.kind)) {
      open.try_emplace(id, Operation{e.time, e.position}).first->second.locally_complete = false;
      remote(e);
    } else if (e.kind == EventKind::rma_op_complete_blocking || e.kind == EventKind::rma_op_complete_remote) {
      const bool was_open = open.erase(id) != 0;
      // One that was complete here before the part is open no more.
      if (!was_open && !(c_.is_opened() && e.kind == EventKind::rma_op_complete_remote))
        add_violation(e, "there is no operation " + std::to_string(id) + " to complete");
    } else if (const auto found = open.find(id); found != open.end()) {
      found->second.locally_complete = true;
    } else {
      add_violation(e, "there is no operation " + std::to_string(id) + " to complete");
    }
  }
  void finish() override {
    for (const auto& [key, open] : open_) {
      for (const auto& [id, operation] : open) {
        if (!operation.locally_complete)
          add_violation(key.first, operation.time, "the RMA operation " + std::to_string(id) + " is never complete",
                        operation.position);
      }
    }
  }

 private:
  struct Operation {
    std::uint64_t time, position;
    bool locally_complete = false;
  };
  void remote(const EventView& e) {
    const auto* window = d().windows.find(e.field[0]);
    if (window == nullptr) return;
    const auto& members = c_.members(window->comm);
    const auto rank = e.field[1];
    if (rank >= members.size())
      return add_violation(e, "the remote rank " + std::to_string(rank) + " is not in the window's communicator");
    // A stream's copy within its device has the stream for both sides (Score-P).
    if (members[rank] == e.location && !c_.is_stream(e.location))
      add_violation(e, "the remote side is the location itself");
  }
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::map<std::uint64_t, Operation>> open_;
};

/// Artificial regions are no operations: Score-P's "COMPUTE IDLE" goes on while the stream copies.
class StreamOverlap final : public Rule {
 public:
  explicit StreamOverlap(const CheckContext& c) : Rule(c), open_(c.states().size()) {}
  void begin() override {
    for (const auto& location : d().locations) {
      if (c_.is_stream(location.ref)) applies();
    }
  }
  bool wants(EventKind k) const override {
    return k == EventKind::enter || k == EventKind::leave || is_rma_begin(k) || is_rma_end(k);
  }
  void event(const EventView& e) override {
    if (!c_.is_stream(e.location)) return;
    const bool is_region = e.kind == EventKind::enter || e.kind == EventKind::leave;
    if (is_region && c_.has_role(e.field[0], RegionRole::artificial)) return;
    auto& open = open_[c_.index_of(e.location)];
    if (e.kind == EventKind::enter || is_rma_begin(e.kind)) {
      if (open++ > 0) add_violation(e, "begins while another operation of the stream runs");
    } else if (open > 0) {
      --open;
    }
  }

 private:
  std::vector<unsigned> open_;
};

/// Joined by the attribute HOST_OP_ID on both sides, else by the parameter "callsite id". Only OpenMP's kernels need a
/// submit: streams also hold waiting, overhead, memsets and what libraries launch.
class KernelSubmits final : public Rule {
 public:
  explicit KernelSubmits(const CheckContext& c)
      : Rule(c), waiting_(c.states().size()), attribute_(attribute_called(c.definitions(), "HOST_OP_ID")) {
    for (const auto& p : d().parameters) {
      if (d().text(p.name) == "callsite id") callsite_ = p.ref;
    }
  }
  bool wants(EventKind k) const override {
    return k == EventKind::enter || k == EventKind::leave || k == EventKind::parameter_unsigned_int;
  }
  void event(const EventView& e) override {
    auto& waiting = waiting_[c_.index_of(e.location)];
    if (e.kind == EventKind::enter) {
      const bool stream = c_.is_stream(e.location);
      if (!stream && c_.construct(e.field[0]) != "target submit") return;
      if (stream && c_.has_role(e.field[0], RegionRole::data_transfer)) return;
      waiting.yes = false;
      if (const auto* id = e.attribute(attribute_)) return found(e.location, e.time, e.position, id->value, stream);
      if (!stream || is_openmp_kernel(e.field[0])) waiting = {true, e.time, e.position, e.field[0]};
    } else if (waiting.yes && e.kind == EventKind::parameter_unsigned_int && e.field[0] == callsite_) {
      waiting.yes = false;
      found(e.location, waiting.time, waiting.position, e.field[1], c_.is_stream(e.location));
    } else if (waiting.yes && e.kind == EventKind::leave) {
      waiting.yes = false;
      if (c_.is_stream(e.location)) nameless(e.location, waiting);
    }
  }
  void finish() override {
    if (c_.may_lack_counterparts()) return;  // the submit
    if (!any_id_)
      return does_not_apply(nameless_ > 0 ? "the kernels bear no HOST_OP_ID and no callsite id"
                                          : "there are no kernels");
    applies();
    // Where operations of the host have no record of the device, the one that had the id may have been lost.
    if (nameless_ > 0 && c_.loss(std::string{properties::counter} + "DEVICE_OPERATIONS_WITHOUT_RECORD") == nullptr)
      add_violation(first_nameless_.first, first_nameless_.second.time, "a kernel bears no id of its submit",
                    first_nameless_.second.position);
    for (const auto& [id, k] : early_)
      add_violation(k.location, k.time, "the kernel of operation " + std::to_string(id.number) + " has no submit",
                    k.position);
  }

 private:
  bool is_openmp_kernel(std::uint64_t ref) const {
    const auto* region = d().regions.find(ref);
    return c_.construct(ref) == "target kernel" ||
           (region && d().text(region->name).substr(0, 16) == "__omp_offloading");
  }
  struct Waiting {
    bool yes;
    std::uint64_t time, position, region;
  };
  struct Seen {
    std::uint64_t location, time, position;
  };
  void nameless(std::uint64_t location, const Waiting& kernel) {
    if (nameless_++ == 0) first_nameless_ = {location, kernel};
  }
  void found(std::uint64_t location, std::uint64_t time, std::uint64_t position, std::uint64_t number, bool kernel) {
    const OwnNumber id = c_.in_process(location, number);
    if (kernel) {
      any_id_ = true;
      if (c_.part() != nullptr) applies();
      if (const auto submit = submits_.find(id); submit != submits_.end())
        forget_later(*submit);
      else
        early_.try_emplace(id, Seen{location, time, position});
      return;
    }
    const auto [submit, is_new] = submits_.try_emplace(id, false);
    if (!is_new)
      return add_violation(location, time, "a second submit of operation " + std::to_string(number), position);
    if (const auto early = early_.find(id); early != early_.end()) {
      if (early->second.time < time) {
        add_violation(early->second.location, early->second.time,
                      "the kernel of operation " + std::to_string(number) + " starts before its submit",
                      early->second.position);
      }
      early_.erase(early);
      forget_later(*submit);
    }
  }
  /// A submit whose kernel has come. Another kernel or submit of the same number would come soon.
  void forget_later(std::pair<const OwnNumber, bool>& submit) {
    if (std::exchange(submit.second, true)) return;
    with_kernel_.push_back(submit.first);
    if (with_kernel_.size() <= most_with_kernel) return;
    submits_.erase(with_kernel_.front());
    with_kernel_.pop_front();
  }
  static constexpr std::size_t most_with_kernel = std::size_t{1} << 16;

  std::vector<Waiting> waiting_;
  std::uint32_t attribute_;
  std::uint64_t callsite_ = undefined_ref;
  std::unordered_map<OwnNumber, bool, OwnNumber::Hash> submits_;  ///< whether their kernels have come
  std::deque<OwnNumber> with_kernel_;                             ///< the last of those
  std::unordered_map<OwnNumber, Seen, OwnNumber::Hash> early_;
  std::uint64_t nameless_ = 0;
  std::pair<std::uint64_t, Waiting> first_nameless_{};
  bool any_id_ = false;
};

/// A host's data operation ends when it is submitted, which can be long before the transfer does: so
/// the transfer may end later, but not begin before.
class Transfers final : public Rule {
 public:
  explicit Transfers(const CheckContext& c)
      : Rule(c),
        id_(attribute_called(c.definitions(), "HOST_OP_ID")),
        bytes_(attribute_called(c.definitions(), "ALLOCATION_SIZE")) {
    tolerance_ = d().clock.resolution / 10'000;  // 100 us
  }
  bool wants(EventKind k) const override {
    return k == EventKind::enter || k == EventKind::rma_get || k == EventKind::rma_put;
  }
  void event(const EventView& e) override {
    const auto* attribute = e.attribute(id_);
    if (attribute == nullptr) return;
    const OwnNumber id = c_.in_process(e.location, attribute->value);
    if (e.kind == EventKind::enter) {
      if (c_.is_stream(e.location) || !c_.has_role(e.field[0], RegionRole::data_transfer)) return;
      const auto* bytes = e.attribute(bytes_);
      const Side host{e.location, e.time, e.position, bytes == nullptr ? unknown : bytes->value};
      if (const auto early = early_.find(id); early != early_.end()) {
        compare(id, host, early->second);
        early_.erase(early);
      }
      hosts_.insert_or_assign(id, host);
    } else if (c_.is_stream(e.location)) {
      applies();
      const Side device{e.location, e.time, e.position, e.field[2]};
      if (const auto host = hosts_.find(id); host != hosts_.end()) {
        compare(id, host->second, device);
        hosts_.erase(host);
      } else {
        early_.emplace(id, device);
      }
    }
  }
  void finish() override {
    if (c_.may_lack_counterparts()) return;  // the host's part
    for (const auto& [id, device] : early_) {
      add_violation(device.location, device.time,
                    "the transfer of operation " + std::to_string(id.number) + " has no operation on the host",
                    device.position);
    }
  }

 private:
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};
  struct Side {
    std::uint64_t location, time, position, bytes;
  };
  void compare(const OwnNumber& id, const Side& host, const Side& device) {
    const auto label = "the transfer of operation " + std::to_string(id.number);
    if (device.time + tolerance_ < host.time)
      add_violation(device.location, device.time, label + " begins before the host's, at " + std::to_string(host.time),
                    device.position);
    if (host.bytes != unknown && host.bytes != device.bytes) {
      add_violation(
          device.location, device.time,
          label + " has " + std::to_string(device.bytes) + " bytes, the host's has " + std::to_string(host.bytes),
          device.position);
    }
  }
  std::uint32_t id_, bytes_;
  std::uint64_t tolerance_ = 0;
  std::unordered_map<OwnNumber, Side, OwnNumber::Hash> hosts_, early_;
};

class DeviceMemory final : public Rule {
 public:
  using Rule::Rule;
  bool wants(EventKind k) const override { return k == EventKind::metric; }
  void event(const EventView& e) override {
    const auto* metric = d().class_of(d().metrics.find(e.field[0]));
    if (metric == nullptr) return;
    for (std::size_t i = 0; i < e.values.size() && i < metric->members.size(); ++i) {
      if (!is_memory(metric->members[i]) || e.types[i] != unsigned_number) continue;  // others may be negative
      applies();
      if (static_cast<std::int64_t>(e.values[i]) < 0)
        add_violation(e, "the memory in use is " + std::to_string(static_cast<std::int64_t>(e.values[i])));
    }
  }

 private:
  static constexpr std::uint8_t unsigned_number = 4;  // OTF2_TYPE_UINT64
  bool is_memory(std::uint64_t ref) const {
    const auto* member = d().metric_members.find(ref);
    if (member == nullptr) return false;
    const auto name = d().text(member->name);
    return name.find("memory") != name.npos || name.find("Memory") != name.npos;
  }
};

}  // namespace

std::span<const RuleEntry> device_rules() {
  static constexpr std::array table{
      RuleEntry{{"E12", "each RMA operation of a device completes once"}, make_rule<RmaPairs>},
      RuleEntry{{"E13", "operations of one stream do not overlap"}, make_rule<StreamOverlap>},
      RuleEntry{{"E14", "each kernel has exactly one submit on the host, which starts first"},
                make_rule<KernelSubmits>},
  };
  return table;
}

std::span<const RuleEntry> memory_rules() {
  static constexpr std::array table{
      RuleEntry{{"E19", "a transfer does not begin before its operation on the host, and moves as many bytes"},
                make_rule<Transfers>},
      RuleEntry{{"E20", "the device memory in use is never negative"}, make_rule<DeviceMemory>},
  };
  return table;
}

}  // namespace tracer::check
