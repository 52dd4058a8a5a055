//go:build linux && !amd64 && !arm64

package supervisor

// The numbers of these calls are not known for this architecture. No kernel has this
// number.
const (
	sysSeccomp        = ^uintptr(0)
	sysNewfstatat     = ^uintptr(0)
	sysMemfdCreate    = ^uintptr(0)
	sysProcessVMReadv = ^uintptr(0)
	sysShmctl         = ^uintptr(0)
	sysMsgctl         = ^uintptr(0)
	sysSemctl         = ^uintptr(0)
)

// observedCalls returns none: see above.
func observedCalls() []observedCall { return nil }

const auditArch = 0
