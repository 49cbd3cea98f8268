// SPDX-License-Identifier: BSD-3-Clause
// What a region is by role and paradigm. Which regions of device streams are kernels, in archives with the role and in
// those of OTF2 3.0, which has none.
#include "catch.hpp"

#include "tracer/definitions.hpp"
#include "tracer/replay/regions.hpp"

using namespace tracer;

namespace {

constexpr Paradigm shmem{13}, no_paradigm{22}, kokkos{24};

Region region(const char* name, RegionRole role, Paradigm paradigm = Paradigm::openmp) {
  Region made;
  made.paradigm = paradigm;
  made.name = name;
  made.role = role;
  return made;
}

}  // namespace

TEST_CASE("waiting, overhead, copies and memory of a device are no kernels, whether or not kernels have a role") {
  for (const RegionRole role : {RegionRole::kernel, RegionRole::function}) {
    Definitions definitions;
    definitions.regions = {region("saxpy(float)", role),
                           region("stream synchronize", RegionRole::function),
                           region("context synchronize", RegionRole::function),
                           region("stream wait event", RegionRole::function),
                           region("CUPTI overhead", RegionRole::artificial),
                           region("copy to device", RegionRole::data_transfer),
                           region("allocate", RegionRole::allocate),
                           region("free", RegionRole::deallocate)};
    const report::KernelRegions is_kernel{definitions};
    CHECK(is_kernel(0));
    for (RegionRef other = 1; other < definitions.regions.size(); ++other) CHECK_FALSE(is_kernel(other));
  }
}

TEST_CASE("a role stands for a construct of OpenMP in regions of OpenMP only") {
  using report::Activity;
  using report::Directive;
  const auto is = [](const Region& known, Directive construct, Activity activity) {
    const report::RegionClass found = report::classify(known);
    INFO(known.name);
    CHECK(found.construct == construct);
    CHECK(found.activity == activity);
  };
  for (const Paradigm paradigm : {Paradigm::openmp, Paradigm::unknown, Paradigm::openmp_target}) {
    is(region("p", RegionRole::parallel, paradigm), Directive::parallel, Activity::work);
    is(region("b", RegionRole::barrier, paradigm), Directive::barrier, Activity::barrier);
    is(region("a", RegionRole::allocate, paradigm), Directive::target_data, Activity::device);
    is(region("r", RegionRole::coll_all2one, paradigm), Directive::other, Activity::runtime);
  }
  is(region("malloc", RegionRole::allocate, no_paradigm), Directive::other, Activity::work);
  is(region("free", RegionRole::deallocate, no_paradigm), Directive::other, Activity::work);
  is(region("time step", RegionRole::loop, Paradigm::user), Directive::other, Activity::work);
  is(region("solve", RegionRole::function, Paradigm::user), Directive::function, Activity::work);
  is(region("range", RegionRole::code, Paradigm::user), Directive::other, Activity::work);
  is(region("parallel_for", RegionRole::parallel, kokkos), Directive::other, Activity::work);
  is(region("shmem_barrier", RegionRole::barrier, shmem), Directive::other, Activity::work);
  is(region("shmem_sum", RegionRole::coll_all2one, shmem), Directive::other, Activity::work);
  is(region("MPI_Barrier", RegionRole::barrier, Paradigm::mpi), Directive::mpi, Activity::mpi);
  is(region("DEVICE SYNCHRONIZE", RegionRole::implicit_barrier, Paradigm::cuda), Directive::target, Activity::device);
  is(region("cuLaunchKernel", RegionRole::wrapper, Paradigm::cuda), Directive::target, Activity::device);
  is(region("hipMemcpy", RegionRole::rma, Paradigm::hip), Directive::target, Activity::device);
  is(region("clFinish", RegionRole::wrapper, Paradigm::opencl), Directive::target, Activity::device);
  is(region("hipMalloc", RegionRole::allocate, Paradigm::hip), Directive::target_data, Activity::device);
  is(region("!$omp target kernel @a.c:7", RegionRole::kernel, Paradigm::cuda), Directive::target, Activity::device);
  is(region("saxpy", RegionRole::kernel, Paradigm::hip), Directive::kernel, Activity::work);
}
