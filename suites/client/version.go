// Package client says what the client does around a hook: which events and tools
// there are, what it accepts as a hook's output, and what it makes of exit code,
// stdout and stderr. The facts are tables; Interpret reads them. Its leaves say
// the rest: matcher which hooks run, settings which are registered, payload what
// they get on stdin.
//
// Facts carry their source: "observed on client 2.1.197" means seen in runs of the
// real client, "documented" that only its reference says so, and "schema of
// 2.1.197" that it was read from that version's validation rules. Where nothing
// else is said, a fact was observed on all versions of Versions.
package client

import (
	"strconv"
	"strings"
)

// A Version is a version of the client, such as "2.1.329".
type Version string

// The observed versions. Default stands in where no client is named.
const (
	V197    Version = "2.1.197"
	V329    Version = "2.1.329"
	V330    Version = "2.1.330"
	Default         = V330
)

// Versions lists the observed versions, oldest first.
func Versions() []Version { return []Version{V197, V329, V330} }

// Profile is the observed version that stands for v: the newest that is not
// newer than it, or the oldest. An empty or unreadable version gives Default.
func (v Version) Profile() Version {
	have, ok := v.numbers()
	if !ok {
		return Default
	}
	profile := V197
	for _, seen := range Versions() {
		if want, _ := seen.numbers(); !less(have, want) {
			profile = seen
		}
	}
	return profile
}

// Valid reports whether v reads as a version.
func (v Version) Valid() bool {
	_, ok := v.numbers()
	return ok
}

func (v Version) old() bool { return v.Profile() == V197 }

// Since reports whether v is at least the observed version first; "" is the first
// of all. What was observed on 2.1.330 alone is taken to hold on 2.1.329: of what
// was run on both, only words differ.
func (v Version) Since(first Version) bool { return first == "" || !v.old() }

// What rows of the tables were observed on. nil is documented only.
var (
	onAll   = Versions()
	onOld   = []Version{V197}
	onNewer = []Version{V329, V330}
	onFirst = []Version{V197, V329}
	on330   = []Version{V330}
)

func (v Version) numbers() (n [3]int, ok bool) {
	parts := strings.SplitN(string(v), ".", 3)
	if len(parts) != 3 {
		return n, false
	}
	for i, part := range parts {
		number, err := strconv.Atoi(part)
		if err != nil {
			return n, false
		}
		n[i] = number
	}
	return n, true
}

func less(a, b [3]int) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}
