package supervisor

import (
	"syscall"
	"unsafe"
)

// memory is a bound on what the commands use together. It holds where the kernel
// does not count for us: their memory is measured every few milliseconds.
type memory struct {
	most     int   // bytes; 0: no bound
	used     int   // when it was last measured
	free     int   // memory of the machine that was free then
	top      int   // the most that was free since the firing began
	next     int64 // when to measure again, in microseconds
	sure     int64 // when to do so whatever the machine has
	pids     []int
	reader   procReader
	unmapped unmapped
}

// The time between two measurements, in microseconds. One may take a tenth of it:
// with many processes it is longer. A measurement costs the kernel more than us,
// when the processes end: as long as the machine has lost too little for the bound
// to be reached, only that is looked at.
const (
	lookEvery   = 15_000
	surelyEvery = 250_000
)

func microseconds() int64 {
	var t syscall.Timeval
	_ = syscall.Gettimeofday(&t)
	return t.Nano() / 1000
}

// freeMemory returns the unused memory of the machine.
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
		m.top = freeMemory()
		m.looked(0, microseconds(), 0)
	}
}

// looked notes what was measured, and when to do so again.
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
	m.top = max(m.top, free)
	return now >= m.sure || m.used+max(0, m.free-free) > m.most/2 || free < m.most/2
}

// measure returns how much memory the commands use together. Processes with few
// pages, those of files included, are not looked at more closely.
func (m *memory) measure(first bool) int {
	m.list(first)
	var objects, estimate int
	if first {
		objects, estimate = m.unmapped.measure(&m.reader, m.pids)
		estimate = m.confirmed(estimate)
	}
	all := m.sum((*procReader).resident).plus(objects)
	if all+estimate <= m.most {
		return all + estimate
	}
	return m.sum((*procReader).own).plus(objects) + estimate
}

// confirmed lowers an estimate, which is of the most that the kernel may hold for
// the commands, to what the machine has lost. That says nothing where little is
// free: there the machine gives up caches first.
func (m *memory) confirmed(estimate int) int {
	if m.free < m.most/2 {
		return estimate
	}
	return min(estimate, max(0, m.top-freeMemory()))
}

// A use is the memory of processes, in bytes.
type use struct {
	private int
	shared  int // with other processes and with files in memory
}

// plus returns the use together with objects in memory, which processes may map
// or not: then they are counted in both.
func (u use) plus(objects int) int { return u.private + max(u.shared, objects) }

// sum adds up what the processes use. It stops when a request waits: among many
// processes that want to run, a measurement takes long.
func (m *memory) sum(of func(*procReader, int) use) use {
	var sum use
	for _, pid := range m.pids {
		if requested() {
			return use{}
		}
		u := of(&m.reader, pid)
		sum.private += u.private
		sum.shared += u.shared
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

// resident returns what a process has in memory, that of files too.
func (r *procReader) resident(pid int) use {
	r.open("/proc/", pid, "/status", 0, "")
	b := r.content()
	shared := kilobytes(b, "RssShmem:")
	return use{kilobytes(b, "VmRSS:") - shared + kilobytes(b, "VmPTE:"), shared}
}

// own returns a process's part of the memory that is no file's on a disk: what
// several share since they forked counts once in all. Tables of pages count, since
// a process can have them without pages.
func (r *procReader) own(pid int) use {
	r.open("/proc/", pid, "/status", 0, "")
	b := r.content()
	tables := kilobytes(b, "VmPTE:")
	all := use{kilobytes(b, "RssAnon:") + tables, kilobytes(b, "RssShmem:")}
	r.open("/proc/", pid, "/smaps_rollup", 0, "")
	if b = r.content(); len(b) > 0 { // it may keep its maps from us
		return use{kilobytes(b, "Pss_Anon:") + tables, kilobytes(b, "Pss_Shmem:")}
	}
	return all
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

// openDescriptors returns how many descriptors a process has. Kernels before 6.2
// do not tell.
func (r *procReader) openDescriptors(pid int) int {
	r.name("/proc/", pid, "/fd", 0, "")
	var st syscall.Stat_t
	_, _, errno := syscall.RawSyscall6(sysNewfstatat, uintptr(at), uintptr(unsafe.Pointer(&r.path[0])), uintptr(unsafe.Pointer(&st)), 0, 0, 0)
	if errno != 0 {
		return 0
	}
	return int(st.Size)
}
