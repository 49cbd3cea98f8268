! SPDX-License-Identifier: BSD-3-Clause
program ring
  implicit none
  include 'mpif.h'
  integer :: requests(2), statuses(MPI_STATUS_SIZE, 2), one(MPI_STATUS_SIZE), part
  include 'ring.inc'
end program
