package supervisor

import "syscall"

const (
	sysSeccomp        = 317
	sysNewfstatat     = 262
	sysMemfdCreate    = 319
	sysProcessVMReadv = 310
	sysShmctl         = 31
	sysMsgctl         = 71
	sysSemctl         = 66
)

const (
	sysRenameat2      = 316
	sysExecveat       = 322
	sysStatx          = 332
	sysNameToHandleAt = 303
	sysOpenByHandleAt = 304
)

// observedCalls lists the calls that name paths.
func observedCalls() []observedCall {
	return append([]observedCall{
		{syscall.SYS_OPEN, []operand{{noDir, 0, opened, 1}}},
		{syscall.SYS_CREAT, []operand{{noDir, 0, replaced, 0}}},
		{syscall.SYS_STAT, []operand{{noDir, 0, asked, 0}}},
		{syscall.SYS_LSTAT, []operand{{noDir, 0, asked, 0}}},
		{syscall.SYS_ACCESS, []operand{{noDir, 0, asked, 0}}},
		{syscall.SYS_READLINK, []operand{{noDir, 0, asked, 0}}},
		{syscall.SYS_RENAME, []operand{{noDir, 0, movedAway, 0}, {noDir, 1, movedTo, noFlags}}},
		{syscall.SYS_MKDIR, []operand{{noDir, 0, made, 0}}},
		{syscall.SYS_MKNOD, []operand{{noDir, 0, made, 0}}},
		{syscall.SYS_RMDIR, []operand{{noDir, 0, altered, 0}}},
		{syscall.SYS_LINK, []operand{{noDir, 0, shared, 0}, {noDir, 1, made, 0}}},
		{syscall.SYS_UNLINK, []operand{{noDir, 0, altered, 0}}},
		{syscall.SYS_SYMLINK, []operand{{noDir, 1, made, 0}}},
		{syscall.SYS_CHMOD, []operand{{noDir, 0, changed, 0}}},
		{syscall.SYS_CHOWN, []operand{{noDir, 0, changed, 0}}},
		{syscall.SYS_LCHOWN, []operand{{noDir, 0, altered, 0}}},
		{syscall.SYS_UTIME, []operand{{noDir, 0, changed, 0}}},
		{syscall.SYS_UTIMES, []operand{{noDir, 0, changed, 0}}},
		{syscall.SYS_FUTIMESAT, []operand{{0, 1, changed, 0}}},
		{syscall.SYS_GETDENTS, []operand{{0, noPath, listed, 0}}},
	}, observedEverywhere...)
}

// auditArch is the kernel's number of the architecture.
const auditArch = 0xc000003e
