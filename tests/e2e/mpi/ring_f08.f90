! SPDX-License-Identifier: BSD-3-Clause
program ring
  use mpi_f08
  implicit none
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: statuses(2), one
  type(MPI_Comm) :: part
  include 'ring.inc'
end program
