//go:build amd64 || arm64

package supervisor

import "syscall"

const (
	sysIOUringSetup  = 425
	sysOpenat2       = 437
	sysFaccessat2    = 439
	sysFchmodat2     = 452
	sysSetxattrat    = 463
	sysGetxattrat    = 464
	sysListxattrat   = 465
	sysRemovexattrat = 466
	sysFileGetattr   = 468
	sysFileSetattr   = 469
)

// observedEverywhere lists the calls that exist on every architecture.
var observedEverywhere = []observedCall{
	{syscall.SYS_OPENAT, []operand{{0, 1, opened, 2}}},
	{sysOpenat2, []operand{{0, 1, openedAs, 2}}},
	{sysNewfstatat, []operand{{0, 1, asked, 0}}},
	{sysStatx, []operand{{0, 1, asked, 0}}},
	{syscall.SYS_STATFS, []operand{{noDir, 0, asked, 0}}},
	{syscall.SYS_FACCESSAT, []operand{{0, 1, asked, 0}}},
	{sysFaccessat2, []operand{{0, 1, asked, 0}}},
	{syscall.SYS_READLINKAT, []operand{{0, 1, asked, 0}}},
	{syscall.SYS_CHDIR, []operand{{noDir, 0, asked, 0}}},
	{syscall.SYS_GETXATTR, []operand{{noDir, 0, asked, 0}}},
	{syscall.SYS_LGETXATTR, []operand{{noDir, 0, asked, 0}}},
	{syscall.SYS_LISTXATTR, []operand{{noDir, 0, asked, 0}}},
	{syscall.SYS_LLISTXATTR, []operand{{noDir, 0, asked, 0}}},
	{sysGetxattrat, []operand{{0, 1, asked, 0}}},
	{sysListxattrat, []operand{{0, 1, asked, 0}}},
	{sysFileGetattr, []operand{{0, 1, asked, 0}}},
	{syscall.SYS_INOTIFY_ADD_WATCH, []operand{{noDir, 1, asked, 0}}},
	{sysNameToHandleAt, []operand{{0, 1, asked, 0}}},
	{sysIOUringSetup, []operand{{noDir, noPath, unnamed, noFlags}}},
	{sysOpenByHandleAt, []operand{{noDir, noPath, unnamed, noFlags}}},
	{syscall.SYS_GETDENTS64, []operand{{0, noPath, listed, 0}}},
	{syscall.SYS_EXECVE, []operand{{noDir, 0, executed, 0}}},
	{sysExecveat, []operand{{0, 1, executed, 0}}},
	{syscall.SYS_RENAMEAT, []operand{{0, 1, movedAway, 0}, {2, 3, movedTo, noFlags}}},
	{sysRenameat2, []operand{{0, 1, movedAway, 0}, {2, 3, movedTo, 4}}},
	{syscall.SYS_MKDIRAT, []operand{{0, 1, made, 0}}},
	{syscall.SYS_MKNODAT, []operand{{0, 1, made, 0}}},
	{syscall.SYS_LINKAT, []operand{{0, 1, shared, 0}, {2, 3, made, 0}}},
	{syscall.SYS_SYMLINKAT, []operand{{1, 2, made, 0}}},
	{syscall.SYS_UNLINKAT, []operand{{0, 1, altered, 0}}},
	{syscall.SYS_FCHMODAT, []operand{{0, 1, changed, 0}}},
	{sysFchmodat2, []operand{{0, 1, altered, 0}, {0, 1, changed, 0}}},
	{syscall.SYS_FCHOWNAT, []operand{{0, 1, altered, 0}, {0, 1, changed, 0}}},
	{syscall.SYS_UTIMENSAT, []operand{{0, 1, altered, 0}, {0, 1, changed, 0}}},
	{syscall.SYS_TRUNCATE, []operand{{noDir, 0, changed, 0}}},
	{syscall.SYS_SETXATTR, []operand{{noDir, 0, changed, 0}}},
	{syscall.SYS_LSETXATTR, []operand{{noDir, 0, altered, 0}}},
	{syscall.SYS_REMOVEXATTR, []operand{{noDir, 0, changed, 0}}},
	{syscall.SYS_LREMOVEXATTR, []operand{{noDir, 0, altered, 0}}},
	{sysSetxattrat, []operand{{0, 1, altered, 0}, {0, 1, changed, 0}}},
	{sysRemovexattrat, []operand{{0, 1, altered, 0}, {0, 1, changed, 0}}},
	{sysFileSetattr, []operand{{0, 1, altered, 0}, {0, 1, changed, 0}}},
	{syscall.SYS_FLOCK, []operand{{0, noPath, locked, 1}}},
	{syscall.SYS_FCNTL, []operand{{0, noPath, lockedRange, 1}}},
}
