"""Which system calls a sandbox refuses: a table, and the filter that the kernel runs.

The filter is the kernel's classic BPF. Most calls are allowed or refused by their number; of a few
the arguments say which. What is newer than this table does not exist for the sandbox.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from errno import ENOSYS, ENOTTY, EPERM

MACHINE = "x86_64"
_ARCHITECTURE, _X32, _NEWEST = 0xC000003E, 0x40000000, 462


def _table(text: str) -> dict[str, int]:
    """By name, from words like "fork=57"."""
    return {name: int(number) for name, _, number in (w.partition("=") for w in text.split())}


REFUSED = {
    "connections": _table("""
        socket=41 connect=42 accept=43 bind=49 listen=50 socketpair=53 accept4=288
    """),
    "processes": _table("""
        fork=57 vfork=58 execve=59 execveat=322
    """),
    "memory and queues of others": _table("""
        shmget=29 shmat=30 shmctl=31 semget=64 semop=65 semctl=66 msgget=68 msgsnd=69 msgrcv=70
        msgctl=71 semtimedop=220 mq_open=240 mq_unlink=241 ptrace=101 process_vm_readv=310
        process_vm_writev=311 kcmp=312 migrate_pages=256 move_pages=279 process_madvise=440
        process_mrelease=448 get_robust_list=274 pidfd_open=434 pidfd_send_signal=424
        pidfd_getfd=438 tkill=200 setpriority=141 ioprio_set=251 perf_event_open=298
        userfaultfd=323 add_key=248 request_key=249 keyctl=250
    """),
    "files, past their contents": _table("""
        chmod=90 fchmod=91 chown=92 fchown=93 lchown=94 fchownat=260 fchmodat=268 fchmodat2=452
        utime=132 utimes=235 futimesat=261 utimensat=280 setxattr=188 lsetxattr=189
        fsetxattr=190 removexattr=197 lremovexattr=198 fremovexattr=199 inotify_init=253
        inotify_add_watch=254 inotify_init1=294 fanotify_init=300 fanotify_mark=301
        name_to_handle_at=303 open_by_handle_at=304
    """),
    "the machine": _table("""
        unshare=272 setns=308 mount=165 umount2=166 pivot_root=155 chroot=161 open_tree=428
        move_mount=429 fsopen=430 fsconfig=431 fsmount=432 fspick=433 mount_setattr=442
        init_module=175 finit_module=313 delete_module=176 kexec_load=246 kexec_file_load=320
        reboot=169 swapon=167 swapoff=168 sethostname=170 setdomainname=171 iopl=172 ioperm=173
        quotactl=179 acct=163 quotactl_fd=443 settimeofday=164 clock_settime=227 adjtimex=159
        clock_adjtime=305 uselib=134 syslog=103 bpf=321
    """),
}
_ABSENT = _table("clone3=435 openat2=437 io_uring_setup=425 io_uring_enter=426")
_ABSENT |= _table("io_uring_register=427")
_TRUNCATE = 76  # as a right of its own only in newer kernels
_TO_OTHERS = _table("kill=62 tgkill=234 rt_sigqueueinfo=129 rt_tgsigqueueinfo=297")
_OF_OTHERS = _table("prlimit64=302 sched_setaffinity=203 sched_setscheduler=144")
_OF_OTHERS |= _table("sched_setparam=142 sched_setattr=314")
_CLONE, _OPEN, _OPENAT, _FCNTL, _IOCTL, _PRCTL = 56, 2, 257, 72, 16, 157
_THREAD, _NEW_SPACES = 0x10000, 0x7E020080
_TRUNCATES, _ACCESS = 0o1000, 0o3
_FCNTLS = (*range(8), 9, 36, 37, 38, 1025, 1030, 1031, 1032, 1033, 1034)  # none that signals
_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # those that ask
_PRCTLS = (1, 35)  # to outlive the master, and to change what its memory is

KILL, FAIL, ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
LOAD, AND, EQUAL, ABOVE, ANY, GIVE = 0x20, 0x54, 0x15, 0x25, 0x45, 0x06

Instruction = tuple[int, int, int, int]


def program(pid: int, *, truncation_is_a_right: bool) -> list[Instruction]:
    """The filter of a process, as (code, jump if true, jump if false, value)."""
    found: list[Instruction] = [
        *((LOAD, 0, 0, 4), (EQUAL, 1, 0, _ARCHITECTURE), _give(KILL)),
        *((LOAD, 0, 0, 0), (ABOVE, 0, 1, _X32 - 1), _give(KILL)),
        *((ABOVE, 0, 1, _NEWEST), _fail(ENOSYS)),
    ]
    plain = [number for calls in REFUSED.values() for number in calls.values()]
    plain += [] if truncation_is_a_right else [_TRUNCATE]
    for number in plain:
        found += [(EQUAL, 0, 1, number), _fail(EPERM)]
    for number in _ABSENT.values():
        found += [(EQUAL, 0, 1, number), _fail(ENOSYS)]
    for number in _TO_OTHERS.values():
        own = (0, pid) if number == _TO_OTHERS["kill"] else (pid,)
        found += _only(number, 0, own, EPERM)
    for number in _OF_OTHERS.values():
        found += _only(number, 0, (0, pid), EPERM)
    found += _only(_FCNTL, 1, _FCNTLS, EPERM) + _only(_IOCTL, 1, _IOCTLS, ENOTTY)
    found += _but(_PRCTL, 0, _PRCTLS, EPERM)
    thread = [(ANY, 1, 0, _THREAD), _fail(EPERM), (ANY, 0, 1, _NEW_SPACES), _fail(EPERM)]
    found += _rule(_CLONE, [_argument(0), *thread, _give(ALLOW)])
    for number, place in ((_OPEN, 1), (_OPENAT, 2)):  # to read, and to empty: a hole of old ones
        empties = [(AND, 0, 0, _TRUNCATES | _ACCESS), (EQUAL, 0, 1, _TRUNCATES), _fail(EPERM)]
        found += _rule(number, [_argument(place), *empties, _give(ALLOW)])
    return [*found, _give(ALLOW)]


def packed(made: Sequence[Instruction]) -> bytes:
    """The same, as the kernel takes it."""
    return b"".join(struct.pack("=HBBI", *one) for one in made)


def _give(value: int) -> Instruction:
    return GIVE, 0, 0, value


def _fail(number: int) -> Instruction:
    return _give(FAIL | number)


def _argument(place: int) -> Instruction:
    """The lower half: what is asked for here has no more."""
    return LOAD, 0, 0, 16 + 8 * place


def _rule(number: int, does: Sequence[Instruction]) -> list[Instruction]:
    return [(EQUAL, 0, len(does), number), *does]


def _only(number: int, place: int, values: Sequence[int], fails: int) -> list[Instruction]:
    """Allowed with these values of an argument."""
    tests = [(EQUAL, len(values) - k, 0, value) for k, value in enumerate(values)]
    return _rule(number, [_argument(place), *tests, _fail(fails), _give(ALLOW)])


def _but(number: int, place: int, values: Sequence[int], fails: int) -> list[Instruction]:
    """Allowed with all but these."""
    tests = [(EQUAL, len(values) - k, 0, value) for k, value in enumerate(values)]
    return _rule(number, [_argument(place), *tests, _give(ALLOW), _fail(fails)])
