package supervisor

const (
	sysSeccomp        = 277
	sysNewfstatat     = 79
	sysMemfdCreate    = 279
	sysProcessVMReadv = 270
	sysShmctl         = 195
	sysMsgctl         = 187
	sysSemctl         = 191
)

const (
	sysRenameat2      = 276
	sysExecveat       = 281
	sysStatx          = 291
	sysNameToHandleAt = 264
	sysOpenByHandleAt = 265
)

// observedCalls lists the calls that name paths.
func observedCalls() []observedCall { return observedEverywhere }

// auditArch is the kernel's number of the architecture.
const auditArch = 0xc00000b7
