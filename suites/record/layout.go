package record

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// Names in a results directory.
const (
	ignoreName      = ".gitignore"
	lockName        = ".lock"
	rollingName     = "rolling"
	archiveName     = "archive"
	resultsName     = "RESULTS.md"
	comparisonName  = "COMPARISON.md"
	markerName      = "running.json"
	inputsName      = "inputs.json"
	environmentName = "environment.json"
	pendingPrefix   = ".pending-" // an archive directory that is not whole yet
)

// ownDocuments tell, beside the records, what was last run.
var ownDocuments = []string{environmentName, inputsName, markerName}

// A stamp is the time in a file or directory name, with a number that tells
// apart those of one second. The first of a second has number 1, unwritten.
type stamp struct {
	at time.Time
	n  int
}

func parseStamp(text string) (stamp, bool) {
	head, tail, numbered := strings.Cut(text, "-")
	at, err := time.Parse(suites.StampLayout, head)
	if err != nil || len(head) != len(suites.StampLayout) {
		return stamp{}, false
	}
	if !numbered {
		return stamp{at, 1}, true
	}
	n, err := strconv.Atoi(tail)
	return stamp{at, n}, err == nil && n > 1 && tail == strconv.Itoa(n)
}

func (s stamp) String() string {
	text := s.at.UTC().Format(suites.StampLayout)
	if s.n > 1 {
		text += "-" + strconv.Itoa(s.n)
	}
	return text
}

func (s stamp) compare(o stamp) int {
	return cmp.Or(s.at.Compare(o.at), cmp.Compare(s.n, o.n))
}

// splitName splits "pm-agent-20260220T154932Z.jsonl" into its agent and stamp.
func splitName(name string) (agent string, st stamp, ok bool) {
	base, ok := strings.CutSuffix(name, Suffix)
	if !ok {
		return "", stamp{}, false
	}
	for i := range base {
		if base[i] != '-' || i == 0 {
			continue
		}
		if st, ok := parseStamp(base[i+1:]); ok {
			return base[:i], st, true
		}
	}
	return "", stamp{}, false
}

func fileName(agent string, st stamp) string {
	return agent + "-" + st.String() + Suffix
}

// A stateFile is one *.jsonl of a results or archive directory.
type stateFile struct {
	agent string
	name  string
	st    stamp // zero when the name holds none
}

// stateFiles lists the *.jsonl files of a directory by agent, the newest of each
// agent first. One that does not exist has none.
func stateFiles(d *disk.Dir) ([]stateFile, error) {
	all, err := entries(d)
	if err != nil {
		return nil, err
	}
	var files []stateFile
	for _, e := range all {
		name := e.Name()
		if e.IsDir() || strings.HasPrefix(name, ".") || filepath.Ext(name) != Suffix {
			continue
		}
		agent, st, ok := splitName(name)
		if !ok {
			agent, st = strings.TrimSuffix(name, Suffix), stamp{}
		}
		files = append(files, stateFile{agent, name, st})
	}
	slices.SortFunc(files, func(a, b stateFile) int {
		return cmp.Or(cmp.Compare(a.agent, b.agent), b.st.compare(a.st))
	})
	return files, nil
}

func isStateFile(name string) bool {
	_, _, ok := splitName(name)
	return ok
}

// entries lists a directory, which need not be there.
func entries(d *disk.Dir) ([]os.DirEntry, error) {
	if d == nil {
		return nil, nil
	}
	return d.ReadDir()
}
