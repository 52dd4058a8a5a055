package supervisor

import (
	"strconv"
	"syscall"
)

// A report says how the hook ended. On the wire it is one "key value" line a
// fact, and ends with the line "end": a report without it is not whole.
type report struct {
	errno    syscall.Errno // why the hook could not be started
	status   uint32        // as wait4 gives it
	userUS   int64         // microseconds of processor time
	systemUS int64
	maxRSSKB int64
	left     []string // names of processes that outlived the hook
}

func (r *report) send() {
	b := make([]byte, 0, 256)
	b = line(b, "errno", int64(r.errno))
	b = line(b, "status", int64(r.status))
	b = line(b, "user_us", r.userUS)
	b = line(b, "system_us", r.systemUS)
	b = line(b, "max_rss_kb", r.maxRSSKB)
	for _, n := range r.left {
		b = append(b, "left "+strconv.Quote(n)+"\n"...)
	}
	b = append(b, "end\n"...)
	for len(b) > 0 {
		n, err := syscall.Write(ReportFD, b)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return
		}
		b = b[n:]
	}
}

func line(b []byte, key string, v int64) []byte {
	b = append(b, key...)
	b = append(b, ' ')
	b = strconv.AppendInt(b, v, 10)
	return append(b, '\n')
}
