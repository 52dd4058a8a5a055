package session

import (
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/disk"
)

// A Tracker reports whether the files of a case are still the versions that the graph has read. It
// compares signatures of files, retracts verdicts of cases that may have missed a file for a
// moment, and recognizes files that the hooks write themselves. It reads no clock: callers pass the
// time.
type Tracker struct {
	versions
	written
	finishedCases
}

// See returns the current inputs of a case, without files that hooks write.
func (t *Tracker) See(c *suites.Case) CaseInputs { return t.see(c, t.Exclude) }

// HasNoticed reports whether a change was found since the latest selection that no batch has reported.
func (t *Tracker) HasNoticed() bool { return t.noticed }

// Recheck takes back files that may have been classified too early as written by hooks, and
// reports whether there were any.
func (t *Tracker) Recheck() bool {
	again := t.recheck()
	t.project.Graph.Refresh(again)
	return len(again) > 0
}

// Restore retracts the verdicts of cases that ran while one of these files, which are now
// unchanged again, may have been missing, or have existed if they are missing now. If the file itself
// was written, its signature differs. If a parent directory was renamed and renamed back, no signature
// shows it.
func (t *Tracker) Restore(paths []string, now time.Time) {
	if len(paths) > 0 {
		t.retract(now, func(seen CaseInputs) bool { return t.unseen(seen, paths) })
	}
}

// Suspect reports whether a running case must run again because one of the restored files may
// have been another one, or missing, or there, when it was read.
func (t *Tracker) Suspect(k suites.Key, seen CaseInputs, restored []string) bool {
	return t.unseen(seen, restored) && t.suspect(k)
}

// Doubt retracts the verdict of a case that was seen to use files which no analysis had found, if
// one of them changed after the case was started: the verdict may be about other content.
func (t *Tracker) Doubt(k suites.Key, seen CaseInputs, used []string, started time.Time) bool {
	hidden := slices.DeleteFunc(slices.Clone(used), func(p string) bool {
		return slices.Contains(seen.Files(), p) || !t.signature(strings.TrimSuffix(p, "/")).Mode.IsRegular()
	})
	if !t.ChangedSince(hidden, started) || !t.suspect(k) {
		return false
	}
	t.noticed = true
	return true
}

// InputsDigest returns the digest of a case's inputs, without files that hooks write.
func (t *Tracker) InputsDigest(c *suites.Case) string {
	if len(t.files) == 0 {
		return t.project.Graph.Digest(c)
	}
	return depend.InputsDigest(t.Exclude(t.project.Graph.Inputs(c)))
}

// Rest discards state that is no longer needed; followed are the files on which cases depend,
// sorted.
func (t *Tracker) Rest(now time.Time, followed []string) {
	t.rest(now)
	t.forget(followed)
}

// CaseInputs are the inputs of a case at one time, with the signature of each file.
type CaseInputs struct {
	Inputs     []suites.Input
	signatures []disk.Signature // of the files, in their order
	at         time.Time        // when they were determined
}

// Files returns the paths of the inputs without duplicates; inputs are sorted by path. It omits
// depend.Elsewhere, which represents all other files and has no signature: the graph receives
// each of their changes.
func (s CaseInputs) Files() (out []string) {
	for _, in := range s.Inputs {
		if in.Path == depend.Elsewhere {
			continue
		}
		if len(out) == 0 || out[len(out)-1] != in.Path {
			out = append(out, in.Path)
		}
	}
	return out
}

// versions compares the files of cases with the versions that the graph has read.
type versions struct {
	project *Project
	noticed bool // a change was found that no batch has reported
}

// see returns the inputs of a case, filtered by keep, with the signatures of the versions that the
// graph has read.
func (s *versions) see(c *suites.Case, keep func([]suites.Input) []suites.Input) CaseInputs {
	seen := CaseInputs{Inputs: keep(s.project.Graph.Inputs(c)), at: time.Now()}
	seen.signatures = s.project.Graph.Signatures(seen.Files())
	return seen
}

// ChangedFiles returns the files that are not the versions that were seen. The graph reads them again.
func (s *versions) ChangedFiles(seen CaseInputs) []string {
	var changed []string
	for i, path := range seen.Files() {
		if s.signature(path) != seen.signatures[i] {
			changed = append(changed, path)
		}
	}
	if len(changed) > 0 && s.project.Graph.Refresh(changed) {
		s.noticed = true
	}
	return changed
}

// ChangedSince reports whether one of the paths was changed, created or removed after a time.
func (s *versions) ChangedSince(paths []string, t time.Time) bool {
	after := t.Add(-disk.ClockStep)
	return slices.ContainsFunc(paths, func(p string) bool { return !disk.LastChange(s.project.Config.Abs(p)).Before(after) })
}

// unseen reports whether one of the restored files has the same signature as before, and may have had
// another one meanwhile: of a file that is missing only a change of its directory shows that.
func (s *versions) unseen(seen CaseInputs, restored []string) bool {
	for i, f := range seen.Files() {
		if !slices.Contains(restored, f) || s.signature(f) != seen.signatures[i] {
			continue
		}
		if seen.signatures[i] != (disk.Signature{}) || s.ChangedSince([]string{f}, seen.at) {
			return true
		}
	}
	return false
}

// signature returns the current signature of a file, which differs after every write, even if the
// content is the same again.
func (s *versions) signature(path string) disk.Signature {
	return depend.SignatureOf(path, s.project.Config.Abs(path))
}
