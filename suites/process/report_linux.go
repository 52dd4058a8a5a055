package process

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"syscall"
)

// report is the supervisor's, read back. It is whole when its last line came.
type report struct {
	errno            syscall.Errno
	status           uint32
	userUS, systemUS int64
	maxRSSKB         int64
	left             []string
	whole            bool
}

func readReport(r io.Reader) report {
	var rep report
	lines := bufio.NewReader(r)
	for {
		text, err := lines.ReadString('\n')
		if err != nil {
			return rep
		}
		key, value, _ := strings.Cut(strings.TrimSuffix(text, "\n"), " ")
		n, _ := strconv.ParseInt(value, 10, 64)
		switch key {
		case "errno":
			rep.errno = syscall.Errno(n)
		case "status":
			rep.status = uint32(n)
		case "user_us":
			rep.userUS = n
		case "system_us":
			rep.systemUS = n
		case "max_rss_kb":
			rep.maxRSSKB = n
		case "left":
			if name, err := strconv.Unquote(value); err == nil {
				rep.left = append(rep.left, name)
			}
		case "end":
			rep.whole = true
			return rep
		}
	}
}
