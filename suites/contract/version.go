// Package contract says what the client does around a hook: which events there
// are, what it sends on stdin, what it makes of exit code, stdout and stderr,
// which hooks a matcher lets through, and what it reads from a settings file.
//
// Facts carry their source: "observed on client 2.1.197 and 2.1.329" means seen
// in runs of the real client, "documented" that only its reference says so, and
// "schema of 2.1.197" that it was read from that version's validation rules.
// Where nothing else is said, a fact was observed on both versions.
package contract

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
	Default         = V329
)

// Versions lists the observed versions, oldest first.
func Versions() []Version { return []Version{V197, V329} }

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

func (v Version) old() bool { return v.Profile() == V197 }

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
