package sandbox

import "golang.org/x/sys/unix"

const machine = unix.AUDIT_ARCH_X86_64

var oldAttributes = []uint32{unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT}
