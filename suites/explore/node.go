package explore

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/depend/trace"
)

//go:embed node_start.cjs
var nodeStart string

const coverageName = "coverage/"

// startNode observes Node: a file that is loaded first logs what the methods of strings, patterns, lists
// and sets compare, and V8 counts which code runs.
func startNode(dir string, env []string) suites.Tracing {
	log, err := json.Marshal(filepath.Join(dir, logName))
	if err != nil {
		return suites.Tracing{} // a string
	}
	const start = "start.cjs"
	options := trace.Preload(dir, start, env)["NODE_OPTIONS"]
	return suites.Tracing{
		Files: map[string]string{start: strings.Replace(nodeStart, "LOG", string(log), 1), logName: ""},
		Logs:  []string{logName, coverageName},
		Set:   map[string]string{"NODE_OPTIONS": options, "NODE_V8_COVERAGE": filepath.Join(dir, coverageName)},
	}
}

// A span is code from a place to another, in UTF-16 units, with how often it ran.
type span struct {
	From  int `json:"startOffset"`
	To    int `json:"endOffset"`
	Count int `json:"count"`
}

// covered is the code of a file that one process ran.
type covered struct {
	file  string
	spans []span
}

func (r *Record) node(logs map[string][]byte) {
	for line := range bytes.SplitSeq(logs[logName], []byte("\n")) {
		var c Comparison
		if json.Unmarshal(line, &c) == nil {
			r.add(c)
		}
	}
	for name, content := range logs {
		var coverage struct {
			Result []struct {
				URL       string `json:"url"`
				Functions []struct {
					Ranges []span `json:"ranges"`
				} `json:"functions"`
			} `json:"result"`
		}
		if !strings.HasPrefix(name, coverageName) || json.Unmarshal(content, &coverage) != nil {
			continue
		}
		for _, script := range coverage.Result {
			file, ok := strings.CutPrefix(script.URL, "file://")
			if unescaped, err := url.PathUnescape(file); ok && err == nil {
				c := covered{file: unescaped}
				for _, f := range script.Functions {
					c.spans = append(c.spans, f.Ranges...)
				}
				r.covered = append(r.covered, c)
			}
		}
	}
}

// ran reports whether the code at a place ran: the smallest span around it was counted.
func ran(spans []span, at int) bool {
	var least *span
	for i, s := range spans {
		if s.From <= at && at < s.To && (least == nil || s.To-s.From <= least.To-least.From) {
			least = &spans[i]
		}
	}
	return least != nil && least.Count > 0
}
