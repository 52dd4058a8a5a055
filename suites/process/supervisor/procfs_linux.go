package supervisor

import (
	"strconv"
	"syscall"
)

// arguments is the hook's argument vector: all of ours but the first.
func arguments() ([]string, error) {
	b, err := readFile("/proc/self/cmdline")
	if err != nil {
		return nil, err
	}
	all := split(b, 0)
	if len(all) == 0 {
		return nil, syscall.EINVAL
	}
	return all[1:], nil
}

// environment is our own without the mark.
func environment() []string {
	var env []string
	for _, kv := range syscall.Environ() {
		if len(kv) > len(Env) && kv[:len(Env)+1] == Env+"=" {
			continue
		}
		env = append(env, kv)
	}
	return env
}

// children lists the PIDs of our children, whichever of our threads they hang on.
func children() []int {
	var pids []int
	for _, tid := range threads() {
		b, err := readFile("/proc/self/task/" + tid + "/children")
		if err != nil {
			continue
		}
		for _, f := range split(b, ' ') {
			if pid, err := strconv.Atoi(f); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

func threads() []string {
	fd, err := syscall.Open("/proc/self/task", syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	var names []string
	buf := make([]byte, 4096)
	for {
		n, err := syscall.ReadDirent(fd, buf)
		if err != nil || n <= 0 {
			return names
		}
		_, _, names = syscall.ParseDirent(buf[:n], -1, names)
	}
}

// name is what the kernel calls the process, such as "sleep".
func name(pid int) string {
	b, err := readFile("/proc/" + strconv.Itoa(pid) + "/comm")
	if err != nil || len(b) == 0 {
		return "pid " + strconv.Itoa(pid)
	}
	return string(b[:len(b)-1])
}

func readFile(path string) ([]byte, error) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	var all []byte
	buf := make([]byte, 4096)
	for {
		n, err := syscall.Read(fd, buf)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return all, nil
		}
		all = append(all, buf[:n]...)
	}
}

// split cuts b at every sep; a last field that is empty is none.
func split(b []byte, sep byte) []string {
	var fields []string
	start := 0
	for i, c := range b {
		if c == sep {
			fields = append(fields, string(b[start:i]))
			start = i + 1
		}
	}
	if start < len(b) {
		fields = append(fields, string(b[start:]))
	}
	return fields
}
