package isolate

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites/disk"
)

// stopped tells, in words, what a case tried that its sandbox kept from it, as
// far as the system lets us know. network is the content of /proc/net/snmp as
// the case sees it.
func (s *Sandbox) stopped(after Snapshot, network string, processes int) []string {
	out := s.masksRead(after)
	out = append(out, networkTried(network)...)
	if left, size, files := Free(s.path()); size > 0 && (left < size/100 || files == 0) {
		out = append(out, fmt.Sprintf("filled the disk: all of its %d MB are used (sandbox.size)", s.plan.o.Size/1_000_000))
	}
	if limit := s.plan.processes(); processes*2 >= limit {
		out = append(out, fmt.Sprintf("had %d processes and threads when it was ended (sandbox.processes: %d)", processes, limit))
	}
	return out
}

// masksRead lists the hidden files that were opened all the same, by their times
// of access.
func (s *Sandbox) masksRead(after Snapshot) []string {
	var out []string
	for i, m := range s.masks {
		top := maskDir + "/" + strconv.Itoa(i)
		if v, rel := s.layout.viewOf(m.Path); v >= 0 && s.layout.views[v].write {
			top = s.upper(v) + "/" + rel
		}
		for _, n := range append([]string{""}, m.Names...) {
			n = strings.TrimSuffix(n, "/")
			name := path.Join(top, n)
			a, still := after[name]
			if b, was := s.before[name]; still && was && a.atime != b.atime {
				out = append(out, "read "+s.plan.short(path.Join(m.Path, n))+", which is masked")
			}
		}
	}
	slices.Sort(out)
	return out
}

func (p *Plan) short(path string) string {
	if home := disk.Real(p.o.Home); p.o.Home != "" && disk.Within(home, path) {
		return "~" + strings.TrimPrefix(path, home)
	}
	return path
}

// networkTried reads the counters of a network that has nothing but loopback.
func networkTried(snmp string) []string {
	counters := parseCounters(snmp)
	var out []string
	if n := counters["Ip.OutNoRoutes"]; n > 0 {
		out = append(out, fmt.Sprintf("wanted the network: %d times no route (there is loopback only)", n))
	}
	if n := counters["Tcp.AttemptFails"]; n > 0 {
		out = append(out, fmt.Sprintf("connected to loopback, where nothing listens for it: %d times", n))
	}
	if n := counters["Udp.NoPorts"]; n > 0 {
		out = append(out, fmt.Sprintf("asked a name server or another service on loopback, which is not there: %d times", n))
	}
	return out
}

// parseCounters reads pairs of lines, names and values, as "Ip.OutNoRoutes".
func parseCounters(snmp string) map[string]int64 {
	counters := make(map[string]int64)
	lines := strings.Split(snmp, "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		keys, values := strings.Fields(lines[i]), strings.Fields(lines[i+1])
		if len(keys) != len(values) || len(keys) == 0 || keys[0] != values[0] {
			continue
		}
		for j := 1; j < len(keys); j++ {
			n, err := strconv.ParseInt(values[j], 10, 64)
			if err == nil {
				counters[strings.TrimSuffix(keys[0], ":")+"."+keys[j]] = n
			}
		}
	}
	return counters
}
