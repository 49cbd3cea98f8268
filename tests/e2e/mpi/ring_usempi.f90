! SPDX-License-Identifier: BSD-3-Clause
program ring
  use mpi
  implicit none
  integer :: requests(2), statuses(MPI_STATUS_SIZE, 2), one(MPI_STATUS_SIZE), part
  include 'ring.inc'
end program
