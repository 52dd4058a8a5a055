package scripts

import (
	"path"
	"slices"

	"hookwatch/suites/pattern"
)

// starting matches, in Python and Node, what a call that starts programs or looks for one
// is given first: subprocess.run(["git", ...]), execSync("git status"), shutil.which("jq").
var starting = pattern.Lazy(`(?:\bsubprocess\.\w+|\bos\.(?:system|popen)|\bshutil\.which|\b(?:Popen|check_output|check_call|getoutput)|` +
	`\b(?:execSync|execFile|execFileSync|spawn|spawnSync)|\bchild_process\.exec|\bwhich(?:\.sync)?)` +
	`\s*\(\s*\[?\s*[bfr]?["'\x60]([A-Za-z0-9_./][A-Za-z0-9_.+/-]*)`)

// listing matches the first of a list of words, which is how programs are started later.
var listing = pattern.Lazy(`\[\s*["']([a-z][A-Za-z0-9_.+-]*)["']\s*,`)

// Called lists the programs that a script starts or looks for, sorted, as far as its text
// says: what it only mentions is not among them.
func (s *Script) Called() []string {
	called := slices.Clone(s.Tools)
	if s.Language == "python" || s.Language == "node" {
		for _, m := range starting().FindAllStringSubmatch(s.Text, -1) {
			called = append(called, path.Base(m[1]))
		}
		for _, m := range listing().FindAllStringSubmatch(s.Text, -1) {
			if KnownTools[m[1]] {
				called = append(called, m[1])
			}
		}
	}
	slices.Sort(called)
	return slices.Compact(called)
}
