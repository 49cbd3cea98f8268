# SPDX-License-Identifier: BSD-3-Clause
"""Which header declares a name: by header, the names of the standard library in namespace std, and those of C and POSIX."""

# std::NAME. A name in several rows may come from any of their headers.
STANDARD = {
    "algorithm": """adjacent_find all_of any_of binary_search clamp copy_backward copy_if copy_n count_if equal_range
        fill_n find_first_of find_if find_if_not for_each generate includes inplace_merge is_heap is_sorted
        lexicographical_compare lower_bound make_heap max_element merge min_element minmax minmax_element mismatch
        next_permutation none_of nth_element partial_sort partition partition_point pop_heap push_heap
        ranges::all_of ranges::any_of ranges::binary_search ranges::copy ranges::count ranges::count_if
        ranges::equal ranges::fill ranges::find ranges::find_if ranges::for_each ranges::is_sorted ranges::lower_bound
        ranges::max ranges::max_element ranges::min ranges::min_element ranges::none_of ranges::partition
        ranges::replace ranges::reverse ranges::sort ranges::stable_sort ranges::transform ranges::unique
        ranges::upper_bound remove_if replace replace_if reverse rotate search set_difference set_intersection set_union shuffle
        sort sort_heap stable_partition stable_sort transform unique upper_bound min max fill equal""",
    "any": "any any_cast make_any",
    "array": "array to_array",
    "atomic": """atomic atomic_bool atomic_flag atomic_int atomic_ref atomic_signal_fence atomic_thread_fence atomic_uint64_t
        memory_order memory_order_acq_rel memory_order_acquire memory_order_relaxed memory_order_release memory_order_seq_cst""",
    "bit": "bit_cast bit_ceil bit_floor bit_width countl_one countl_zero countr_one countr_zero endian has_single_bit popcount rotl rotr",
    "bitset": "bitset",
    "cctype": """isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit
        tolower toupper""",
    "cfenv": "feclearexcept fegetenv fesetround",
    "charconv": "chars_format from_chars from_chars_result to_chars to_chars_result",
    "chrono": "chrono::",
    "climits": "",
    "cmath": """abs ceil cos cbrt erf erfc exp exp2 fabs floor fmod hypot isfinite isinf isnan lgamma llround log log10 log1p log2 lround nan
        nextafter pow round sin sqrt tan tanh trunc""",
    "compare": "partial_ordering strong_ordering weak_ordering",
    "complex": "complex",
    "concepts": """assignable_from constructible_from convertible_to copyable default_initializable derived_from equality_comparable
        floating_point integral invocable movable predicate regular same_as signed_integral totally_ordered unsigned_integral""",
    "condition_variable": "condition_variable condition_variable_any cv_status",
    "coroutine": "coroutine_handle suspend_always suspend_never",
    "csetjmp": "jmp_buf longjmp",
    "csignal": "raise sig_atomic_t signal",
    "cstdarg": "va_list",
    "cstddef": "byte max_align_t nullptr_t ptrdiff_t size_t to_integer",
    "cstdint": """int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t intmax_t uintmax_t
        int_fast32_t uint_fast32_t uint_fast64_t uint_least32_t""",
    "cstdio": """FILE clearerr fclose feof ferror fflush fgetc fgets fopen fprintf fputc fputs fread freopen fscanf fseek ftell fwrite getc
        perror printf putc putchar puts rewind setbuf setvbuf snprintf sscanf tmpfile ungetc vfprintf vprintf vsnprintf vsprintf rename""",
    "cstdlib": """_Exit abort aligned_alloc atexit atof atoi atol bsearch calloc div exit free getenv labs llabs malloc mblen quick_exit
        qsort rand realloc srand strtod strtof strtol strtold strtoll strtoul strtoull system at_quick_exit""",
    "cstring": """memchr memcmp memcpy memmove memset strcat strchr strcmp strcpy strcspn strerror strlen strncat strncmp strncpy
        strpbrk strrchr strspn strstr strtok""",
    "ctime": "asctime clock ctime difftime gmtime localtime mktime strftime time time_t timespec timespec_get tm",
    "cwchar": "mbrtowc mbstate_t wcslen wcrtomb",
    "deque": "deque",
    "exception": """current_exception exception exception_ptr get_terminate make_exception_ptr rethrow_exception set_terminate terminate
        uncaught_exceptions""",
    "execution": "execution::",
    "filesystem": "filesystem::",
    "format": "format format_to vformat",
    "forward_list": "forward_list",
    "fstream": "basic_filebuf filebuf fstream ifstream ofstream",
    "functional": """bind bit_and bit_or divides equal_to function greater greater_equal hash identity invoke less less_equal logical_and
        logical_not mem_fn minus modulus multiplies negate not_equal_to not_fn plus reference_wrapper cref ref boyer_moore_searcher
        ranges::less ranges::greater""",
    "future": "async future launch packaged_task promise shared_future",
    "initializer_list": "initializer_list",
    "iomanip": "get_time put_time quoted setfill setprecision setw",
    "iostream": "cerr cin clog cout wcout",
    "ios": "dec hex ios ios_base oct streamoff streampos streamsize",
    "istream": "getline istream iostream ws",
    "iterator": """advance back_insert_iterator back_inserter bidirectional_iterator_tag contiguous_iterator_tag distance
        forward_iterator_tag front_inserter input_iterator_tag insert_iterator inserter istream_iterator istreambuf_iterator
        iterator_traits make_move_iterator make_reverse_iterator move_iterator next ostream_iterator ostreambuf_iterator prev
        random_access_iterator_tag reverse_iterator""",
    "latch": "latch",
    "limits": "numeric_limits",
    "list": "list",
    "locale": "locale",
    "map": "map multimap",
    "memory": """addressof align allocator allocator_traits assume_aligned const_pointer_cast construct_at default_delete destroy
        destroy_at dynamic_pointer_cast enable_shared_from_this make_shared make_unique owner_less pointer_traits shared_ptr
        static_pointer_cast to_address uninitialized_copy uninitialized_fill unique_ptr weak_ptr""",
    "memory_resource": "pmr::",
    "mutex": """adopt_lock call_once defer_lock lock_guard mutex once_flag recursive_mutex scoped_lock timed_mutex try_to_lock
        unique_lock""",
    "new": "align_val_t bad_alloc get_new_handler launder nothrow nothrow_t set_new_handler hardware_destructive_interference_size",
    "numbers": "numbers::",
    "numeric": "accumulate adjacent_difference exclusive_scan gcd inclusive_scan inner_product iota lcm midpoint partial_sum reduce",
    "optional": "bad_optional_access make_optional nullopt nullopt_t optional",
    "ostream": "endl ends flush ostream",
    "queue": "priority_queue queue",
    "random": """bernoulli_distribution default_random_engine discrete_distribution exponential_distribution minstd_rand mt19937
        mt19937_64 normal_distribution random_device uniform_int_distribution uniform_real_distribution""",
    "ranges": "ranges::subrange views::",
    "ratio": "milli micro nano ratio",
    "regex": "cmatch regex regex_match regex_replace regex_search smatch sregex_iterator",
    "semaphore": "binary_semaphore counting_semaphore",
    "set": "multiset set",
    "shared_mutex": "shared_lock shared_mutex shared_timed_mutex",
    "source_location": "source_location",
    "span": "as_bytes as_writable_bytes dynamic_extent span",
    "sstream": "basic_stringbuf istringstream ostringstream stringbuf stringstream",
    "stack": "stack",
    "stdexcept": """domain_error invalid_argument length_error logic_error out_of_range overflow_error range_error runtime_error
        underflow_error""",
    "stop_token": "stop_source stop_token",
    "streambuf": "streambuf",
    "string": "basic_string char_traits stod stof stoi stol stoll stoul stoull string to_string u8string wstring",
    "string_view": "basic_string_view string_view u8string_view",
    "system_error": "errc error_category error_code error_condition generic_category make_error_code system_category system_error",
    "thread": "jthread this_thread:: thread",
    "tuple": "apply forward_as_tuple make_tuple tie tuple tuple_cat",
    "type_traits": """add_const_t add_pointer_t aligned_storage_t bool_constant common_type_t conditional conditional_t decay_t
        enable_if_t false_type integral_constant invoke_result_t is_arithmetic_v is_base_of_v is_const_v is_constant_evaluated is_convertible_v
        is_copy_constructible_v is_default_constructible_v is_empty_v is_enum_v is_floating_point_v is_function_v is_integral_v
        is_invocable_r_v is_invocable_v is_move_constructible_v is_nothrow_move_constructible_v is_pointer_v is_same is_same_v is_signed_v
        is_standard_layout_v is_trivially_copyable is_trivially_copyable_v is_trivially_destructible_v is_trivial_v is_unsigned_v is_void_v
        has_unique_object_representations_v make_signed_t make_unsigned_t remove_const_t remove_cv_t remove_cvref_t remove_pointer_t
        remove_reference_t true_type type_identity_t underlying_type_t void_t""",
    "typeindex": "type_index",
    "typeinfo": "bad_cast type_info",
    "unordered_map": "unordered_map unordered_multimap",
    "unordered_set": "unordered_multiset unordered_set",
    "utility": """as_const cmp_equal cmp_greater cmp_less declval exchange forward in_place in_place_type index_sequence
        index_sequence_for integer_sequence make_index_sequence make_pair move pair piecewise_construct swap""",
    "variant": "get_if holds_alternative monostate variant variant_alternative_t variant_size_v visit",
    "vector": "vector",
    "version": "",
}

# Where a header of the standard promises that it includes another, or declares the name as well.
ALSO = {
    "initializer_list": ["algorithm", "array", "deque", "functional", "list", "map", "memory", "queue", "random", "regex", "set", "span",
                         "string", "unordered_map", "unordered_set", "utility", "valarray", "variant", "vector", "string_view"],
    "compare": ["array", "map", "string", "utility", "vector"],
    "ios": ["fstream", "iomanip", "iostream", "istream", "ostream", "sstream"],
    "istream": ["fstream", "iostream", "sstream", "string"],
    "ostream": ["fstream", "iostream", "sstream"],
    "utility": ["map", "unordered_map"],
    "exception": ["stdexcept"],
    "elf.h": ["gelf.h", "libelf.h", "link.h"],
}

# NAME( of POSIX, Linux and C, as a call or as its address (::NAME, &NAME).
FUNCTIONS = {
    "arpa/inet.h": "htonl htons ntohl ntohs inet_ntop inet_pton",
    "dirent.h": "closedir dirfd fdopendir opendir readdir rewinddir scandir",
    "dlfcn.h": "dladdr dladdr1 dlclose dlerror dlinfo dlmopen dlopen dlsym dlvsym",
    "execinfo.h": "backtrace backtrace_symbols",
    "fcntl.h": "creat fallocate fcntl open openat posix_fadvise posix_fallocate splice sync_file_range",
    "fnmatch.h": "fnmatch",
    "grp.h": "getgrgid getgrnam",
    "link.h": "dl_iterate_phdr",
    "malloc.h": "mallinfo2 malloc_usable_size mallopt malloc_trim",
    "netdb.h": "freeaddrinfo getaddrinfo",
    "poll.h": "poll ppoll",
    "pthread.h": """pthread_atfork pthread_attr_destroy pthread_attr_getstack pthread_attr_init pthread_attr_setdetachstate
        pthread_attr_setstacksize pthread_cancel pthread_cond_broadcast pthread_cond_init pthread_cond_signal pthread_cond_wait pthread_create
        pthread_detach pthread_exit pthread_getaffinity_np pthread_getattr_np pthread_getname_np pthread_getspecific pthread_join
        pthread_key_create pthread_key_delete pthread_mutex_init pthread_mutex_lock pthread_mutex_unlock pthread_once pthread_self
        pthread_setaffinity_np pthread_setcancelstate pthread_setname_np pthread_setspecific""",
    "pwd.h": "getpwnam getpwuid getpwuid_r",
    "sched.h": "sched_getaffinity sched_getcpu sched_setaffinity sched_yield setns unshare",
    "signal.h": """kill pthread_kill pthread_sigmask sigaction sigaddset sigaltstack sigdelset sigemptyset sigfillset sigismember
        sigpending sigprocmask sigqueue sigsuspend sigtimedwait sigwait sigwaitinfo tgkill""",
    "spawn.h": "posix_spawn posix_spawnp",
    "stdlib.h": "mkdtemp mkostemp mkstemp posix_memalign putenv realpath secure_getenv setenv unsetenv clearenv",
    "string.h": "basename memmem memrchr strcasestr strchrnul strdup strndup strnlen strsignal strtok_r",
    "strings.h": "strcasecmp strncasecmp",
    "stdio.h": "asprintf dprintf fdopen fileno fmemopen getdelim getline open_memstream pclose popen vdprintf",
    "sys/auxv.h": "getauxval",
    "sys/epoll.h": "epoll_create1 epoll_ctl epoll_wait",
    "sys/eventfd.h": "eventfd",
    "sys/file.h": "flock",
    "sys/ioctl.h": "ioctl",
    "sys/mman.h": "madvise memfd_create mlock mmap mprotect mremap msync munlock munmap shm_open shm_unlink",
    "sys/prctl.h": "prctl",
    "sys/ptrace.h": "ptrace",
    "sys/random.h": "getrandom",
    "sys/resource.h": "getpriority getrlimit getrusage prlimit setpriority setrlimit",
    "sys/select.h": "pselect select",
    "sys/sendfile.h": "sendfile",
    "sys/signalfd.h": "signalfd",
    "sys/socket.h": "accept accept4 bind connect getsockopt listen recv recvmsg send sendmsg setsockopt shutdown socket socketpair",
    "sys/stat.h": "chmod fchmod fchmodat fstat fstatat lstat mkdir mkdirat mkfifo mknod stat statx umask utimensat futimens",
    "sys/statvfs.h": "fstatvfs statvfs",
    "sys/time.h": "gettimeofday setitimer utimes",
    "sys/times.h": "times",
    "sys/uio.h": "preadv process_vm_readv process_vm_writev pwritev readv writev",
    "sys/utsname.h": "uname",
    "sys/wait.h": "wait wait3 wait4 waitid waitpid",
    "sys/xattr.h": "getxattr setxattr",
    "termios.h": "tcgetattr tcsetattr",
    "time.h": """clock_getcpuclockid clock_getres clock_gettime clock_nanosleep gmtime_r localtime_r nanosleep timer_create
        timer_delete timer_settime""",
    "ucontext.h": "getcontext makecontext setcontext swapcontext",
    "unistd.h": """_exit access alarm chdir chown close confstr copy_file_range daemon dup dup2 dup3 execl execle execlp execv execve execvp
        execvpe fchdir fchown fdatasync fexecve fork fsync ftruncate getcwd getegid geteuid getgid gethostname getlogin getopt
        getpagesize getpgid getpgrp getpid getppid getsid gettid getuid isatty lchown link linkat lseek nice pathconf pause pipe
        pipe2 pread pwrite read readlink readlinkat rmdir sbrk setegid seteuid setgid setpgid setresuid setsid setuid sleep symlink
        symlinkat sync sysconf syscall tcgetpgrp truncate ttyname_r unlink unlinkat usleep vfork write""",
}

# Types, objects and macros of POSIX, Linux and C: regular expressions of whole words.
WORDS = {
    "cassert": "assert",
    "cerrno": "errno E2BIG EACCES EAGAIN EBADF EBUSY ECHILD EEXIST EFAULT EFBIG EINTR EINVAL EIO EISDIR ELOOP EMFILE ENAMETOOLONG "
              "ENFILE ENODEV ENOENT ENOEXEC ENOMEM ENOSPC ENOSYS ENOTDIR ENOTEMPTY ENOTSUP EOPNOTSUPP EOVERFLOW EPERM EPIPE ERANGE EROFS "
              "ESRCH ETIMEDOUT ETXTBSY EWOULDBLOCK EXDEV EDQUOT",
    "cinttypes": "PRI[diouxX](?:8|16|32|64|MAX|PTR) SCN[dioux](?:8|16|32|64|MAX|PTR)",
    "climits": "CHAR_BIT INT_MAX INT_MIN IOV_MAX LONG_MAX LONG_MIN PATH_MAX NAME_MAX SSIZE_MAX UINT_MAX ULONG_MAX LLONG_MAX ULLONG_MAX "
               "SHRT_MAX USHRT_MAX UCHAR_MAX",
    "cmath": "HUGE_VAL INFINITY M_PI NAN",
    "csetjmp": "setjmp sigsetjmp siglongjmp sigjmp_buf",
    "signal.h": "SA_NODEFER SA_ONSTACK SA_RESETHAND SA_RESTART SA_SIGINFO SIGABRT SIGALRM SIGBUS SIGCHLD SIGCONT SIGFPE SIGHUP SIGILL "
                "SIGINT SIGIO SIGKILL SIGPIPE SIGPROF SIGQUIT SIGRTMAX SIGRTMIN SIGSEGV SIGSTKSZ SIGSTOP SIGSYS SIGTERM SIGTRAP SIGTSTP "
                "SIGTTIN SIGTTOU SIGURG SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ SIG_BLOCK SIG_DFL SIG_ERR SIG_IGN SIG_SETMASK "
                "SIG_UNBLOCK sigevent siginfo_t sigset_t sigval stack_t",
    "cstdarg": "va_arg va_copy va_end va_start",
    "cstddef": "offsetof max_align_t",
    "cstdint": "INT32_MAX INT64_C INT64_MAX INT64_MIN INT8_MAX SIZE_MAX UINT16_MAX UINT32_MAX UINT64_C UINT64_MAX UINT8_MAX UINTPTR_MAX",
    "cstdio": "BUFSIZ EOF SEEK_CUR SEEK_END SEEK_SET stderr stdin stdout _IOFBF _IOLBF _IONBF",
    "cstdlib": "EXIT_FAILURE EXIT_SUCCESS RAND_MAX",
    "dirent.h": "DIR dirent DT_DIR DT_LNK DT_REG DT_UNKNOWN",
    "dlfcn.h": "Dl_info RTLD_DEEPBIND RTLD_DEFAULT RTLD_DI_LINKMAP RTLD_DI_TLS_MODID RTLD_GLOBAL RTLD_LAZY RTLD_LOCAL RTLD_NEXT RTLD_NODELETE "
               "RTLD_NOLOAD RTLD_NOW",
    "elf.h": "AT_EXECFN AT_PHDR AT_PHNUM AT_SECURE AT_SYSINFO_EHDR AT_ENTRY AT_NULL AT_RANDOM EI_CLASS ELFMAG ELFCLASS64 Elf64_Dyn Elf64_Ehdr "
             "Elf64_Nhdr Elf64_Phdr Elf64_Rela "
             "Elf64_Shdr Elf64_Sym Elf64_Verdef Elf64_Verneed Elf64_auxv_t ET_CORE ET_DYN ET_EXEC NT_GNU_BUILD_ID NT_PRSTATUS PT_DYNAMIC PT_GNU_RELRO "
             "PT_GNU_STACK PT_INTERP PT_LOAD PT_NOTE PT_PHDR PT_TLS SHF_ALLOC SHN_UNDEF SHT_DYNAMIC SHT_DYNSYM SHT_NOBITS SHT_NOTE SHT_PROGBITS "
             "SHT_STRTAB SHT_SYMTAB STB_GLOBAL STB_WEAK STT_FUNC STT_GNU_IFUNC STT_OBJECT",
    "fcntl.h": "AT_EMPTY_PATH AT_FDCWD AT_REMOVEDIR AT_SYMLINK_FOLLOW AT_SYMLINK_NOFOLLOW FALLOC_FL_KEEP_SIZE FALLOC_FL_PUNCH_HOLE FD_CLOEXEC "
               "F_ADD_SEALS F_DUPFD F_DUPFD_CLOEXEC F_GETFD F_GETFL F_GETLK F_OFD_SETLK F_RDLCK F_SETFD F_SETFL F_SETLK F_SETLKW F_SETOWN F_SETOWN_EX "
               "F_SETSIG F_UNLCK F_WRLCK O_ACCMODE O_APPEND O_CLOEXEC O_CREAT O_DIRECTORY O_EXCL O_NOCTTY O_NOFOLLOW O_NONBLOCK O_PATH O_RDONLY "
               "O_RDWR O_TMPFILE O_TRUNC O_WRONLY POSIX_FADV_DONTNEED POSIX_FADV_SEQUENTIAL POSIX_FADV_WILLNEED",
    "fnmatch.h": "FNM_NOMATCH FNM_PATHNAME",
    "link.h": "ElfW dl_phdr_info link_map r_debug",
    "linux/futex.h": "FUTEX_WAIT FUTEX_WAIT_PRIVATE FUTEX_WAKE FUTEX_WAKE_PRIVATE FUTEX_PRIVATE_FLAG",
    "linux/perf_event.h": r"perf_event_attr perf_event_header perf_event_mmap_page PERF_\w+",
    "poll.h": "POLLERR POLLHUP POLLIN POLLOUT pollfd nfds_t",
    "pthread.h": r"PTHREAD_\w+ pthread_(?:attr|cond|key|mutex|once|rwlock)_t",
    "sched.h": "CPU_COUNT CPU_ISSET CPU_SET CPU_SETSIZE CPU_ZERO SCHED_BATCH SCHED_IDLE SCHED_OTHER cpu_set_t CLONE_NEWNS CLONE_NEWUSER",
    "sys/auxv.h": "",
    "sys/file.h": "LOCK_EX LOCK_NB LOCK_SH LOCK_UN",
    "sys/ioctl.h": "TIOCGWINSZ winsize FIONREAD",
    "sys/mman.h": "MADV_DONTDUMP MADV_DONTFORK MADV_DONTNEED MADV_HUGEPAGE MADV_POPULATE_WRITE MADV_REMOVE MADV_SEQUENTIAL MADV_WILLNEED "
                  "MADV_COLD MADV_WIPEONFORK MAP_ANONYMOUS MAP_FAILED MAP_FIXED MAP_FIXED_NOREPLACE MAP_NORESERVE MAP_POPULATE MAP_PRIVATE "
                  "MAP_SHARED MFD_CLOEXEC MREMAP_MAYMOVE MS_ASYNC MS_SYNC PROT_EXEC PROT_NONE PROT_READ PROT_WRITE",
    "sys/prctl.h": r"PR_(?:GET|SET)_\w+",
    "sys/procfs.h": "elf_prstatus prstatus_t prpsinfo_t elf_prpsinfo elf_gregset_t",
    "sys/ptrace.h": r"PTRACE_\w+",
    "sys/resource.h": r"RLIMIT_\w+ RLIM_INFINITY RUSAGE_CHILDREN RUSAGE_SELF RUSAGE_THREAD rlim_t PRIO_PROCESS",
    "sys/socket.h": "AF_INET AF_INET6 AF_UNIX MSG_NOSIGNAL SOCK_CLOEXEC SOCK_DGRAM SOCK_STREAM sockaddr socklen_t",
    "sys/stat.h": "S_IFDIR S_IFMT S_IFREG S_IRUSR S_IRWXU S_ISBLK S_ISCHR S_ISDIR S_ISFIFO S_ISLNK S_ISREG S_ISSOCK S_IWGRP S_IWOTH S_IWUSR "
                  "S_ISUID S_ISVTX",
    "sys/syscall.h": r"SYS_\w+ __NR_\w+",
    "sys/time.h": "ITIMER_PROF ITIMER_REAL itimerval timeval",
    "sys/uio.h": "iovec",
    "sys/un.h": "sockaddr_un",
    "sys/user.h": "user_regs_struct user_fpregs_struct",
    "sys/utsname.h": "utsname",
    "sys/wait.h": "P_PID WCONTINUED WCOREDUMP WEXITED WEXITSTATUS WIFEXITED WIFSIGNALED WIFSTOPPED WNOHANG WNOWAIT WSTOPSIG WTERMSIG WUNTRACED",
    "termios.h": "TCSANOW termios",
    "time.h": r"CLOCK_(?:BOOTTIME|MONOTONIC|MONOTONIC_RAW|PROCESS_CPUTIME_ID|REALTIME|THREAD_CPUTIME_ID) TIMER_ABSTIME clockid_t itimerspec timer_t",
    "ucontext.h": r"mcontext_t ucontext_t REG_R(?:AX|BP|BX|CX|DI|DX|IP|SI|SP)",
    "unistd.h": r"F_OK R_OK STDERR_FILENO STDIN_FILENO STDOUT_FILENO W_OK X_OK _SC_\w+ environ",
    "sys/types.h": "clock_t dev_t gid_t id_t ino_t mode_t nlink_t off_t pid_t ssize_t uid_t",
    "byteswap.h": "bswap_16 bswap_32 bswap_64",
    "version": r"__cpp_lib_\w+",
}

# std::NAME that several headers declare.
SEVERAL = {
    "size_t": ["cstdio", "cstdlib", "cstring", "ctime", "cwchar"],
    "swap": ["algorithm", "array", "map", "memory", "optional", "set", "string", "string_view", "tuple", "vector"],
    "move": ["algorithm"],
    "time_t": ["chrono"],
    "begin": ["array", "deque", "iterator", "list", "map", "set", "span", "string", "string_view", "unordered_map", "unordered_set", "vector"],
    "end": ["array", "deque", "iterator", "list", "map", "set", "span", "string", "string_view", "unordered_map", "unordered_set", "vector"],
    "data": ["array", "iterator", "span", "string", "string_view", "vector"],
    "size": ["array", "iterator", "span", "string", "string_view", "vector"],
    "ssize": ["array", "iterator", "span", "string", "string_view", "vector"],
    "get": ["array", "memory", "tuple", "utility", "variant"],
    "tuple_size_v": ["array", "tuple", "utility"],
    "remove": ["algorithm", "cstdio"],
    "find": ["algorithm"],
    "count": ["algorithm"],
    "copy": ["algorithm"],
    "abs": ["cmath", "cstdlib"],
    "hash": ["functional", "memory", "optional", "string", "string_view", "variant", "system_error", "thread"],
    "less": ["map", "set"],
    "literals::": ["chrono", "complex", "string", "string_view"],
}

# C and POSIX names that several headers declare, by the words of POSIX.
OFTEN = {
    "pid_t": "fcntl.h sched.h signal.h sys/msg.h sys/types.h sys/wait.h termios.h time.h unistd.h",
    "off_t": "fcntl.h stdio.h sys/mman.h sys/stat.h sys/types.h unistd.h",
    "ssize_t": "stdio.h sys/socket.h sys/types.h sys/uio.h unistd.h",
    "uid_t": "pwd.h signal.h sys/stat.h sys/types.h unistd.h",
    "gid_t": "grp.h pwd.h sys/stat.h sys/types.h unistd.h",
    "mode_t": "fcntl.h sys/mman.h sys/stat.h sys/types.h",
    "dev_t": "sys/stat.h sys/types.h",
    "ino_t": "dirent.h sys/stat.h sys/types.h",
    "nlink_t": "sys/stat.h sys/types.h",
    "id_t": "sys/resource.h sys/types.h sys/wait.h",
    "clock_t": "sys/times.h sys/types.h time.h",
    "timeval": "sys/resource.h sys/select.h sys/time.h",
    "iovec": "sys/socket.h sys/uio.h",
    "siginfo_t": "signal.h sys/wait.h",
    "SEEK_CUR": "fcntl.h stdio.h unistd.h",
    "SEEK_END": "fcntl.h stdio.h unistd.h",
    "SEEK_SET": "fcntl.h stdio.h unistd.h",
    "AT_SECURE": "elf.h sys/auxv.h",
    "sigset_t": "signal.h sys/select.h poll.h",
    "rename": "stdio.h",
}

# Functions whose names are English words: C++ sources have members and variables of these names.
ALSO_WORDS = """accept access alarm backtrace basename bind close connect daemon kill link listen nice open pause pipe poll raise read
    recv rename select send shutdown sleep splice stat symlink sync system times truncate wait write"""
