// Package client models the behavior of the client around hooks: its events and tools, the outputs
// that it accepts, the hooks that its settings and matchers select, their payloads on stdin, and
// the effects of exit code, stdout and stderr. The facts are tables; Interpret evaluates them for a
// hook's output. Other functions read in that output why a hook failed by itself.
//
// Facts carry their source: "observed on client 2.1.197" means seen in runs of the real client,
// "documented" means that only its reference states it, and "schema of 2.1.197" means that it was
// read from that version's validation rules. A fact without a source was observed on all versions
// of Versions.
package client

import (
	"strconv"
	"strings"
)

// A Version is a version of the client, such as "2.1.329".
type Version string

// The observed versions. Default is used if no client is named.
const (
	V197    Version = "2.1.197"
	V329    Version = "2.1.329"
	V330    Version = "2.1.330"
	V332    Version = "2.1.332"
	Default         = V332
)

// Versions returns the observed versions, oldest first.
func Versions() []Version { return []Version{V197, V329, V330, V332} }

// Profile returns the observed version that represents v: the newest that is not newer than v, or
// the oldest if all are newer. An empty or unreadable version gives Default.
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

// Valid reports whether v can be parsed as a version.
func (v Version) Valid() bool {
	_, ok := v.numbers()
	return ok
}

func (v Version) isOld() bool { return v.Profile() == V197 }

// Since reports whether v is at least the observed version first; "" is the oldest. Facts observed
// only on 2.1.330 are assumed to be true of 2.1.329 because runs on both differed only in wording.
func (v Version) Since(first Version) bool {
	have, _ := v.Profile().numbers()
	want, given := first.numbers()
	return !given || !less(have, want)
}

// The versions on which rows of the tables were observed. nil means documented only.
var (
	onAll   = Versions()
	onOld   = []Version{V197}
	onNewer = []Version{V329, V330, V332}
	onFirst = []Version{V197, V329}
	on330   = []Version{V330, V332}
	on332   = []Version{V332}
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
