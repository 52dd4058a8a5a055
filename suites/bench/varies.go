package bench

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/disk"
	"hookwatch/suites/pattern"
)

// steady are the programs whose output depends on nothing but their arguments, input and files. A firing
// that ran any other program of the system is not kept: date, mktemp, ps and curl are examples of why.
var steady = strings.Fields(`
	bash sh dash python node nodejs env command
	[ awk gawk mawk nawk base64 basename cat chmod cmp column comm cp cut diff dirname echo egrep expand expr false fgrep find
	flock fmt fold git gojq grep head iconv id install jaq join jq ln ls md5sum mkdir mv nice nl nohup od paste patch pr
	printf pwd readlink realpath rev rg rm rmdir ruff sed seq sha1sum sha256sum sha512sum shasum shellcheck shfmt sleep sort
	split stdbuf tac tail tee test timeout touch tr true tsort uname unlink uniq wc which whoami xargs xxd yq`)

// differing matches code that reads the clock, draws random numbers or uses the number of its process: what
// those give is the same in no two firings. It may match more, because a firing that is made once too often
// costs only time.
var differing = pattern.Lazy(strings.Join([]string{
	// bash, with its own tests of ages
	`\$\$`, `\b(?:BASHPID|PPID|S?RANDOM|SECONDS|EPOCH\w+)\b`, `%\([^)]*\)T`, `[\s\[]-(?:nt|ot)\s`,
	// ages of files and commits, and devices
	`-(?:[acm]?newer|[acm]min|[acm]time)\b`, `%[ac]r\b`, `--(?:since|until|before|after|relative-date)\b`, `/dev/u?random`, `/proc/`,
	// Python
	`\b(?:import|from)\b[^\n;]*\b(?:time|datetime|random|uuid|secrets|tempfile|logging|calendar|threading|asyncio|multiprocessing)\b`,
	`__import__|importlib`, `\bos\.(?:getpid|getppid|times|urandom|stat)\b`, `\.st_[acm]time|\bgetmtime\b|\.stat\(\)`,
	// Node
	`\bDate\b|Math\.random|hrtime|\bperformance\b|\bprocess\.(?:pid|ppid|memoryUsage)\b|\b(?:uptime|loadavg|freemem)\b`,
	`\brandomUUID\b|\brandomBytes\b|\bcrypto\b|mtime(?:Ms)?\b`,
	// awk and jq
	`\bsystime\s*\(|\bsrand\b|\brand\s*\(|\bnow\b|\blocaltime\b|\bgmtime\b|\bstrftime\b|\bmktime\b`,
	// fixtures of cases
	`\{now`, `"Age":[1-9]`,
}, "|"))

// varies returns why another firing may do something else although everything that this one was seen to
// use is the same, "" if nothing is known.
func (k *Known) varies(about *suites.Firing, o *suites.Outcome, seen *trace.Observed) string {
	if differing().Match(about.Input) {
		return "its input names what differs each time"
	}
	var read []string
	own, _ := os.Executable() // which stands in for absent programs; it is part of Setup
	for _, a := range o.Accesses {
		name := filepath.ToSlash(a.Path)
		switch {
		case disk.Within(o.Sandbox, a.Path), a.Path == own:
		case packaged().MatchString(name):
			return name + " is code of a package, which is not examined"
		case a.Kind&suites.Ran != 0 && !slices.Contains(steady, strings.TrimRight(path.Base(name), ".0123456789")):
			read = append(read, name) // it may be a script
		}
	}
	for i, p := range append(read, seen.Paths...) {
		if slices.Contains(data, path.Ext(p)) || strings.HasSuffix(p, "/") {
			continue
		}
		content, err := k.read(k.at(p), about)
		switch {
		case err != nil && i < len(read):
			return p + " cannot be examined"
		case err != nil: // there is nothing that a case can read
		case bytes.IndexByte(content, 0) >= 0:
			return p + " is no text, so it may be a program"
		case differing().Match(content):
			return p + " names what differs each time"
		}
	}
	return ""
}

// packaged matches files in packages of Python and Node, but not those that Python reads at every start.
var packaged = pattern.Lazy(`/(?:site-packages|dist-packages)/.*\.(?:py|so)$|/node_modules/.*\.(?:[cm]?js|node)$`)

// data are the extensions of files that contain no code.
var data = []string{".json", ".jsonl", ".yaml", ".yml", ".toml", ".md", ".txt", ".lock", ".csv", ".xml", ".ini", ".cfg"}
