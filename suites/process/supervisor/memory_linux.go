package supervisor

import "syscall"

// memory is a bound on what the commands use together. It holds where the kernel
// does not count for us: what they use is looked at every few milliseconds.
type memory struct {
	most   int   // bytes; 0: no bound
	used   int   // when it was last looked at
	free   int   // of the machine's, then
	next   int64 // when to look again, in microseconds
	sure   int64 // when to do so whatever the machine has
	pids   []int
	reader procReader
}

// The time between two looks, in microseconds. A look may take a tenth of it:
// where there are many processes, it is longer. It costs the kernel more than us,
// when the processes end: as long as the machine has lost too little for the bound
// to be reached, nothing is looked at but that.
const (
	lookEvery   = 15_000
	surelyEvery = 250_000
)

func microseconds() int64 {
	var t syscall.Timeval
	_ = syscall.Gettimeofday(&t)
	return t.Nano() / 1000
}

// freeMemory is what nobody uses of the machine's.
func freeMemory() int {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return 0
	}
	return int(info.Freeram) * int(info.Unit)
}

// begin starts a firing.
func (m *memory) begin() {
	if m.most > 0 {
		m.looked(0, microseconds(), 0)
	}
}

// looked notes what was seen, and when to look again.
func (m *memory) looked(used int, now, took int64) {
	m.used, m.free = used, freeMemory()
	m.next, m.sure = now+min(max(lookEvery, 10*took), surelyEvery), now+surelyEvery
}

func (m *memory) due() bool {
	if m.most == 0 {
		return false
	}
	now := microseconds()
	if now < m.next && m.next-now <= surelyEvery { // not before a clock that was set back
		return false
	}
	m.next = now + lookEvery
	free := freeMemory()
	return now >= m.sure || m.used+max(0, m.free-free) > m.most/2 || free < m.most/2
}

// sum adds up what the processes use. It stops when a request waits: among many
// processes that want to run, a look takes long.
func (m *memory) sum(of func(*procReader, int) int) int {
	sum := 0
	for _, pid := range m.pids {
		if requested() {
			return 0
		}
		sum += of(&m.reader, pid)
	}
	return sum
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

// resident is what a process has in memory, in bytes, that of files too.
func (r *procReader) resident(pid int) int {
	r.open("/proc/", pid, "/statm", 0, "")
	rest := r.content()
	for i, c := range rest {
		if c == ' ' {
			return leadingNumber(rest[i+1:]) * syscall.Getpagesize()
		}
	}
	return 0
}

// own is a process's part of the memory that is no file's, in bytes: what
// several share since they forked counts once in all.
func (r *procReader) own(pid int) int {
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
