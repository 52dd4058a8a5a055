package supervisor

import "syscall"

// memory is a bound on what the commands use together. It holds where the kernel
// does not count for us: what they use is looked at every few milliseconds.
type memory struct {
	most   int   // bytes; 0: no bound
	next   int64 // when to look again, in microseconds
	pids   []int
	reader procReader
}

// lookEvery is the time between two looks, in microseconds. A look may take a
// tenth of it: where there are many processes, it is longer, up to ten times.
const lookEvery = 15_000

func microseconds() int64 {
	var t syscall.Timeval
	_ = syscall.Gettimeofday(&t)
	return t.Nano() / 1000
}

func (m *memory) due() bool {
	if m.most == 0 {
		return false
	}
	now := microseconds()
	// A clock that was set back must not keep us from looking.
	return now >= m.next || m.next-now > 10*lookEvery
}

// exceeded looks at how much memory all of them use together. Those whose pages
// are few, files and all, are not looked at more closely.
func (s *supervising) exceeded() bool {
	m := &s.memory
	begin := microseconds()
	m.list(s.first)
	pages := 0
	for _, pid := range m.pids {
		pages += m.reader.residentPages(pid)
	}
	used := pages * syscall.Getpagesize()
	if used > m.most {
		used = 0
		for _, pid := range m.pids {
			used += m.reader.ownMemory(pid)
		}
	}
	end := microseconds()
	m.next = end + min(max(lookEvery, 10*(end-begin)), 10*lookEvery)
	return used > m.most
}

// list finds the processes of the commands: all others of the namespace, or what
// descends from us.
func (m *memory) list(first bool) {
	r := &m.reader
	if first {
		r.open("/proc", 0, "", 0, "")
		m.pids = r.numbers(m.pids[:0])
		for i, pid := range m.pids {
			if pid == 1 {
				m.pids[i] = m.pids[len(m.pids)-1]
				m.pids = m.pids[:len(m.pids)-1]
				break
			}
		}
		return
	}
	m.pids = r.children(syscall.Getpid(), m.pids[:0])
	for i := 0; i < len(m.pids); i++ {
		m.pids = r.children(m.pids[i], m.pids)
	}
}

// residentPages counts a process's pages in memory, those of files too.
func (r *procReader) residentPages(pid int) int {
	r.open("/proc/", pid, "/statm", 0, "")
	rest := r.content()
	for i, c := range rest {
		if c == ' ' {
			return leadingNumber(rest[i+1:])
		}
	}
	return 0
}

// ownMemory is a process's part of the memory that is no file's, in bytes: what
// several share since they forked counts once in all.
func (r *procReader) ownMemory(pid int) int {
	r.open("/proc/", pid, "/smaps_rollup", 0, "")
	if b := r.content(); len(b) > 0 {
		return kilobytes(b, "Pss_Anon:") + kilobytes(b, "Pss_Shmem:")
	}
	r.open("/proc/", pid, "/status", 0, "") // it may keep its maps from us
	b := r.content()
	return kilobytes(b, "RssAnon:") + kilobytes(b, "RssShmem:")
}

// kilobytes finds a line such as "RssAnon:   123 kB", in bytes.
func kilobytes(b []byte, name string) int {
	for i := 0; i+len(name) < len(b); i++ {
		if (i == 0 || b[i-1] == '\n') && string(b[i:i+len(name)]) == name {
			return leadingNumber(b[i+len(name):]) << 10
		}
	}
	return 0
}

// leadingNumber reads the number that b begins with, after blanks.
func leadingNumber(b []byte) int {
	n := 0
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			break
		}
		n = 10*n + int(c-'0')
	}
	return n
}
