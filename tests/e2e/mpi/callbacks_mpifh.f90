! SPDX-License-Identifier: BSD-3-Clause
! As callbacks.c, in Fortran: an attribute of MPI_COMM_SELF has a barrier done in MPI_Finalize, a reduction asks for a size. Two ranks.
subroutine clean_up(comm, key, val, extra, ierror)
  include 'mpif.h'
  integer comm, key, ierror
  integer(kind=MPI_ADDRESS_KIND) val, extra
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
end subroutine

subroutine reduce(in, both, length, type)
  include 'mpif.h'
  integer length, type, size, ierror, i
  integer in(length), both(length)
  do i = 1, length
    both(i) = both(i) + in(i)
  end do
  call MPI_Type_size(type, size, ierror)
end subroutine

program callbacks
  include 'mpif.h'
  external clean_up, reduce
  integer key, op, ierror, rank, sum
  integer(kind=MPI_ADDRESS_KIND) extra
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  extra = 0
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, clean_up, key, extra, ierror)
  call MPI_Comm_set_attr(MPI_COMM_SELF, key, extra, ierror)
  call MPI_Op_create(reduce, .true., op, ierror)
  call MPI_Allreduce(1, sum, 1, MPI_INTEGER, op, MPI_COMM_WORLD, ierror)
  if (sum /= 2) print *, 'WRONG: sum', sum
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call MPI_Finalize(ierror)
  print '(a,i1,a)', 'rank ', rank, ' called MPI_Barrier 2'
end program
