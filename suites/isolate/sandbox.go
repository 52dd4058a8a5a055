package isolate

import (
	"strconv"

	"hookwatch/suites/process"
)

// A Sandbox is a box with views of its own, which can be looked at from outside.
type Sandbox struct {
	*process.Box
	plan   *Plan
	layout *layout
	masks  []Mask
	dir    string // the case's own directory
	before Snapshot
}

// Begin notes what is there before the case does anything.
func (s *Sandbox) Begin() { s.before = s.take() }

// Discard gives the storage back, with all that was written. The box is closed
// first.
func (s *Sandbox) Discard() {
	s.Close()
	if s.Storage != nil {
		_ = s.Storage.Close()
	}
}

// path is the storage, whatever became of the box.
func (s *Sandbox) path() string { return "/proc/self/fd/" + strconv.Itoa(int(s.Storage.Fd())) }

// Dir is the case's own directory, as it is seen from outside.
func (s *Sandbox) Dir() string { return s.path() + "/" + caseDir }

func (s *Sandbox) take() Snapshot {
	trees := []string{caseDir, deviceFS + "/shm", maskDir}
	for i := range s.layout.private {
		trees = append(trees, placeDir+strconv.Itoa(i))
	}
	for i, v := range s.layout.views {
		if v.write {
			trees = append(trees, s.upper(i))
		}
	}
	return Take(s.path(), trees...)
}

func (s *Sandbox) upper(view int) string { return viewDir + strconv.Itoa(view) + "/upper" }

// reservedPIDs are those that the kernel keeps for the start of a machine.
const reservedPIDs = 300

// processes is how many a case may have at a time, threads included.
func (p *Plan) processes() int { return max(p.o.Processes, 1) }
