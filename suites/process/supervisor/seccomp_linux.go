//go:build linux && !amd64 && !arm64

package supervisor

// sysSeccomp is not known here: no kernel has this number.
const sysSeccomp = ^uintptr(0)
