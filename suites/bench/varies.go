package bench

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

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

// What reads the clock, draws random numbers or uses the number of its process gives the same in no two firings.
// The lists may name more, because a firing that is made once too often costs only time. They are no single
// expression, because that takes longer for an input than the firing itself.
var (
	// differingWords are of bash, Python, Node, awk and jq.
	differingWords = wordSet(`
		BASHPID PPID RANDOM SRANDOM SECONDS EPOCHSECONDS EPOCHREALTIME
		importlib getpid getppid urandom
		Date performance uptime loadavg freemem randomUUID randomBytes crypto
		systime srand rand now localtime gmtime strftime mktime`)
	// differingTexts are also of fixtures, and ages of files and commits.
	differingTexts = strings.Fields(`
		$$ /proc/ /dev/random /dev/urandom mtime -newer -anewer -cnewer -mnewer -amin -cmin -mmin -atime -ctime
		%ar %cr --since --until --before --after --relative-date __import__ os.times os.stat .st_atime .st_ctime .stat()
		Math.random hrtime process.pid process.ppid process.memoryUsage {now`)
	// differingCode is looked for where its text is.
	differingCode = []struct {
		text string
		code func() *regexp.Regexp
	}{
		{"-nt", pattern.Lazy(`[\s\[]-nt\s`)},
		{"-ot", pattern.Lazy(`[\s\[]-ot\s`)},
		{")T", pattern.Lazy(`%\([^)]*\)T`)},
		{"import", pattern.Lazy(`\b(?:import|from)\b[^\n;]*\b(?:time|datetime|random|uuid|secrets|tempfile|logging|calendar|threading|asyncio|multiprocessing)\b`)},
		{`"Age":`, pattern.Lazy(`"Age":[1-9]`)}, // of a fixture
	}
)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// namesDiffering reports whether a text names something of these lists.
func namesDiffering(content []byte) bool {
	for _, t := range differingTexts {
		if bytes.Contains(content, []byte(t)) {
			return true
		}
	}
	for _, c := range differingCode {
		if bytes.Contains(content, []byte(c.text)) && c.code().Match(content) {
			return true
		}
	}
	ends := func(r rune) bool {
		return r != '_' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	}
	for word := range bytes.FieldsFuncSeq(content, ends) {
		if differingWords[string(word)] {
			return true
		}
	}
	return false
}

// varies returns why another firing may do something else although everything that this one was seen to
// use is the same, "" if nothing is known.
func (k *Known) varies(about *suites.Firing, o *suites.Outcome, seen *trace.Observed) string {
	if namesDiffering(about.Input) {
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
		switch why, err := k.examine(p, about); {
		case err != nil && i < len(read):
			return p + " cannot be examined"
		case why != "": // without content there is nothing that a case can read
			return p + why
		}
	}
	return ""
}

// examine returns why the code in a file, a path of trace.Observed, may do something else in another firing; "" if
// nothing is known. Most firings of a run use the same files, and examining one takes longer than many firings.
func (k *Known) examine(p string, in *suites.Firing) (why string, err error) {
	at := k.at(p)
	if content, own := k.ownContent(at, in); own {
		return differs(content), nil
	}
	info, err := os.Stat(at)
	if err != nil {
		return "", err
	}
	signature := disk.SignatureOf(info)
	k.mu.Lock()
	known, ok := k.examined[at]
	k.mu.Unlock()
	if ok && known.signature == signature {
		return known.state, nil
	}
	content, err := k.Reader.Anywhere().ReadFile(at, stateFile)
	if err != nil {
		return "", err
	}
	if why = differs(content); !signature.Racy(k.now()) {
		k.mu.Lock()
		k.examined[at] = observed{signature, why}
		k.mu.Unlock()
	}
	return why, nil
}

// differs returns why a program with this content may do something else each time, "" if nothing is known.
func differs(content []byte) string {
	switch {
	case bytes.IndexByte(content, 0) >= 0:
		return " is no text, so it may be a program"
	case namesDiffering(content):
		return " names what differs each time"
	}
	return ""
}

// packaged matches files in packages of Python and Node, but not those that Python reads at every start.
var packaged = pattern.Lazy(`/(?:site-packages|dist-packages)/.*\.(?:py|so)$|/node_modules/.*\.(?:[cm]?js|node)$`)

// data are the extensions of files that contain no code.
var data = []string{".json", ".jsonl", ".yaml", ".yml", ".toml", ".md", ".txt", ".lock", ".csv", ".xml", ".ini", ".cfg"}
