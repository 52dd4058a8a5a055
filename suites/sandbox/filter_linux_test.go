//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"runtime"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"hookwatch/suites/process/supervisor"
)

// TestObservingFilter checks that the filter of a traced run asks about the calls that name paths,
// except the supervisor's own, and is the same for all others.
func TestObservingFilter(t *testing.T) {
	t.Parallel()
	arch := architectures[runtime.GOARCH]
	vm, err := bpf.NewVM(instructions(arch, refusals(1<<33), supervisor.ObservedCalls(true)))
	if err != nil {
		t.Fatal(err)
	}
	const allow, ask = unix.SECCOMP_RET_ALLOW, unix.SECCOMP_RET_USER_NOTIF
	key := servingKey()
	for name, tt := range map[string]struct {
		call      uint32
		arguments [6]uint64
		want      uint32
	}{
		"read":             {unix.SYS_READ, [6]uint64{}, allow},
		"openat":           {unix.SYS_OPENAT, [6]uint64{}, ask},
		"execve":           {unix.SYS_EXECVE, [6]uint64{}, ask},
		"faccessat2":       {unix.SYS_FACCESSAT2, [6]uint64{}, ask},
		"with half a key":  {unix.SYS_OPENAT, [6]uint64{4: key[0]}, ask},
		"with the key":     {unix.SYS_OPENAT, [6]uint64{4: key[0], 5: key[1]}, allow},
		"another's key":    {unix.SYS_OPENAT, [6]uint64{2: key[0], 3: key[1]}, ask},
		"memfd_create":     {unix.SYS_MEMFD_CREATE, [6]uint64{}, ask},
		"mount":            {unix.SYS_MOUNT, [6]uint64{}, ask},
		"io_uring":         {unix.SYS_IO_URING_SETUP, [6]uint64{}, unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		"AF_UNIX":          {unix.SYS_SOCKET, [6]uint64{unix.AF_UNIX}, allow},
		"truncate a bit":   {unix.SYS_TRUNCATE, [6]uint64{0, 1}, ask},
		"ftruncate a bit":  {unix.SYS_FTRUNCATE, [6]uint64{0, 1}, allow},
		"truncate a lot":   {unix.SYS_TRUNCATE, [6]uint64{0, 1 << 40}, ask},
		"the last of them": {supervisor.ObservedCalls(true)[len(supervisor.ObservedCalls(true))-1], [6]uint64{}, ask},
	} {
		if got, err := vm.Run(filterInput(arch, tt.call, tt.arguments)); err != nil || uint32(got) != tt.want {
			t.Errorf("%s: %x, want %x, %v", name, got, tt.want, err)
		}
	}
}

// filterInput returns the input of a filter. The machine of x/net/bpf reads network byte order,
// which is big-endian.
func filterInput(arch, call uint32, arguments [6]uint64) []byte {
	data := binary.BigEndian.AppendUint32(nil, call)
	data = append(binary.BigEndian.AppendUint32(data, arch), make([]byte, 8)...)
	for _, a := range arguments {
		data = binary.BigEndian.AppendUint32(data, uint32(a))
		data = binary.BigEndian.AppendUint32(data, uint32(a>>32))
	}
	return data
}

// TestFilter runs the program as the kernel would, call by call.
func TestFilter(t *testing.T) {
	t.Parallel()
	arch := architectures[runtime.GOARCH]
	vm, err := bpf.NewVM(instructions(arch, refusals(1<<33), nil))
	if err != nil {
		t.Fatal(err)
	}
	const allow, ask = unix.SECCOMP_RET_ALLOW, unix.SECCOMP_RET_USER_NOTIF
	key := servingKey()
	unknown, refused := unix.SECCOMP_RET_ERRNO|uint32(unix.ENOSYS), unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM)
	for name, tt := range map[string]struct {
		arch, call uint32
		arguments  [6]uint64
		want       uint32
	}{
		"read":                    {arch, unix.SYS_READ, [6]uint64{}, allow},
		"another architecture":    {unix.AUDIT_ARCH_I386, unix.SYS_READ, [6]uint64{}, unknown},
		"io_uring":                {arch, unix.SYS_IO_URING_SETUP, [6]uint64{}, unknown},
		"clone3":                  {arch, unix.SYS_CLONE3, [6]uint64{}, unknown},
		"vmsplice":                {arch, unix.SYS_VMSPLICE, [6]uint64{}, unknown},
		"memfd_secret":            {arch, unix.SYS_MEMFD_SECRET, [6]uint64{}, unknown},
		"its own limits":          {arch, unix.SYS_PRLIMIT64, [6]uint64{0, unix.RLIMIT_NOFILE}, allow},
		"limits of process 1":     {arch, unix.SYS_PRLIMIT64, [6]uint64{1, unix.RLIMIT_NOFILE}, ask},
		"limits, garbage above":   {arch, unix.SYS_PRLIMIT64, [6]uint64{1<<32 | 1}, ask},
		"its own, garbage above":  {arch, unix.SYS_PRLIMIT64, [6]uint64{1 << 32}, allow},
		"its own priority":        {arch, unix.SYS_SETPRIORITY, [6]uint64{unix.PRIO_PROCESS, 0, 5}, allow},
		"another's priority":      {arch, unix.SYS_SETPRIORITY, [6]uint64{unix.PRIO_PROCESS, 7, 5}, ask},
		"its group's priority":    {arch, unix.SYS_SETPRIORITY, [6]uint64{unix.PRIO_PGRP, 0, 5}, refused},
		"its user's priority":     {arch, unix.SYS_SETPRIORITY, [6]uint64{unix.PRIO_USER, 0, 5}, refused},
		"its own ioprio":          {arch, unix.SYS_IOPRIO_SET, [6]uint64{1, 0}, allow},
		"another's ioprio":        {arch, unix.SYS_IOPRIO_SET, [6]uint64{1, 7}, ask},
		"its user's ioprio":       {arch, unix.SYS_IOPRIO_SET, [6]uint64{3, 0}, refused},
		"another's affinity":      {arch, unix.SYS_SCHED_SETAFFINITY, [6]uint64{7}, ask},
		"memfd_create":            {arch, unix.SYS_MEMFD_CREATE, [6]uint64{}, ask},
		"with half of the key":    {arch, unix.SYS_MEMFD_CREATE, [6]uint64{2: key[0]}, ask},
		"with the key":            {arch, unix.SYS_MEMFD_CREATE, [6]uint64{2: key[0], 3: key[1]}, allow},
		"keyctl":                  {arch, unix.SYS_KEYCTL, [6]uint64{}, ask},
		"mount":                   {arch, unix.SYS_MOUNT, [6]uint64{}, ask},
		"a thread":                {arch, unix.SYS_CLONE, [6]uint64{unix.CLONE_VM | unix.CLONE_THREAD}, allow},
		"a fork":                  {arch, unix.SYS_CLONE, [6]uint64{uint64(unix.SIGCHLD)}, allow},
		"a signal above 127":      {arch, unix.SYS_CLONE, [6]uint64{unix.CLONE_NEWTIME}, allow},
		"a user namespace":        {arch, unix.SYS_CLONE, [6]uint64{unix.CLONE_NEWUSER | uint64(unix.SIGCHLD)}, ask},
		"with garbage above":      {arch, unix.SYS_CLONE, [6]uint64{1<<32 | unix.CLONE_NEWNS}, ask},
		"unshare of files":        {arch, unix.SYS_UNSHARE, [6]uint64{unix.CLONE_FILES}, allow},
		"unshare of time":         {arch, unix.SYS_UNSHARE, [6]uint64{unix.CLONE_NEWTIME}, ask},
		"AF_UNIX":                 {arch, unix.SYS_SOCKET, [6]uint64{unix.AF_UNIX}, allow},
		"AF_INET6":                {arch, unix.SYS_SOCKET, [6]uint64{unix.AF_INET6, unix.SOCK_RAW}, allow},
		"AF_VSOCK":                {arch, unix.SYS_SOCKET, [6]uint64{unix.AF_VSOCK}, ask},
		"no family":               {arch, unix.SYS_SOCKET, [6]uint64{0}, ask},
		"interfaces":              {arch, unix.SYS_SOCKET, [6]uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE}, allow},
		"another netlink":         {arch, unix.SYS_SOCKET, [6]uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT}, ask},
		"a pair":                  {arch, unix.SYS_SOCKETPAIR, [6]uint64{unix.AF_UNIX}, allow},
		"a pair of TIPC":          {arch, unix.SYS_SOCKETPAIR, [6]uint64{unix.AF_TIPC}, ask},
		"truncate to the bound":   {arch, unix.SYS_FTRUNCATE, [6]uint64{3, 1 << 33}, allow},
		"truncate below it":       {arch, unix.SYS_FTRUNCATE, [6]uint64{3, 1<<33 - 1}, allow},
		"truncate above it":       {arch, unix.SYS_FTRUNCATE, [6]uint64{3, 1<<33 + 1}, ask},
		"truncate far above it":   {arch, unix.SYS_TRUNCATE, [6]uint64{3, 1 << 40}, ask},
		"allocate at some offset": {arch, unix.SYS_FALLOCATE, [6]uint64{3, 0, 1 << 40, 100}, allow},
	} {
		if got, err := vm.Run(filterInput(tt.arch, tt.call, tt.arguments)); err != nil || uint32(got) != tt.want {
			t.Errorf("%s: %x, want %x, %v", name, got, tt.want, err)
		}
	}
	if arch == unix.AUDIT_ARCH_X86_64 {
		if got, err := vm.Run(filterInput(arch, x32|unix.SYS_READ, [6]uint64{})); err != nil || uint32(got) != unknown {
			t.Errorf("x32: %x, %v", got, err)
		}
	}
}
