package check

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"hookwatch/suites"
	"hookwatch/suites/explore"
	"hookwatch/suites/pattern"
)

// alternatives returns inputs that may explain why the hook does nothing: fields that it reads under other names
// than the client's, and variables that its scripts name and the client does not set.
func (x *exploration) alternatives() (all []alternative) {
	const most = 4
	for _, m := range x.misreadings() {
		if !m.sure {
			all = append(all, alternative{name: m.Field, meant: m.meant})
		}
	}
	for _, v := range neverSet {
		read, set := false, slices.Contains(x.assigned, v)
		for _, src := range x.sources {
			reads := func(o variable) bool { return o.Name == v }
			read, set = read || slices.ContainsFunc(variables(string(src)), reads), set || assigns(string(src), v)
		}
		if read && !set {
			all = append(all, alternative{variable: v})
		}
	}
	return all[:min(len(all), most)]
}

// payload returns the fields of the payloads of firings.
func (x *exploration) payload(of ...firing) map[explore.Field]bool {
	all := map[explore.Field]bool{}
	var add func(value any, at string)
	add = func(value any, at string) {
		inner, _ := value.(map[string]any)
		for name, v := range inner {
			all[explore.Field(at+name)] = true
			add(v, at+name+".")
		}
	}
	for _, f := range of {
		var sent map[string]any
		if json.Unmarshal(f.payload(x.hook), &sent) == nil {
			add(sent, "")
		}
	}
	return all
}

// misreadings returns the fields that the hook reads under wrong names, of all tools and of each: what one tool sends may
// be wrong for another one.
func (x *exploration) misreadings() []misreading {
	sent := x.payload(x.sent...)
	for field := range x.absent {
		delete(sent, field)
	}
	all := misreadings(x.reads, sent)
	reads := map[string][]explore.FieldRead{} // by tool
	for _, t := range x.taken {
		if t.tool != "" && !ofServer(t.firing) && t.stdin == nil && t.without == nil {
			reads[t.tool] = append(reads[t.tool], t.Reads...)
		}
	}
	for _, tool := range slices.Sorted(maps.Keys(reads)) {
		i := slices.IndexFunc(x.taken, func(t taken) bool { return t.tool == tool })
		for _, m := range misreadings(reads[tool], x.payload(x.taken[i].firing)) {
			known := func(o misreading) bool { return o.Field == m.Field && o.meant == m.meant }
			if !slices.ContainsFunc(all, known) {
				all = append(all, m)
			}
		}
	}
	return all
}

// ofServer reports whether a firing is for a tool of an MCP server.
func ofServer(f firing) bool { return strings.HasPrefix(f.tool, "mcp__") }

// findMisreadFields returns the findings about fields that are read under other names than the client's: those that need
// no proof, and the one that an exploration with that field went beyond this one, if more is not "".
func (x *exploration) findMisreadFields(proved *alternative, more string) (all []Finding) {
	sent := x.payload(x.sent...)
	for _, m := range x.misreadings() {
		script := x.scriptOf(m.File)
		switch {
		case script == "":
		case proved != nil && proved.name == m.Field:
			all = append(all, m.finding(x.hook, script, "; if the field is sent, it "+more, sent))
		case m.sure && proved == nil:
			all = append(all, m.finding(x.hook, script, "", sent))
		}
	}
	return all
}

// hidesTrace matches what ends the log of bash, or writes into it.
var hidesTrace = pattern.Lazy(`\bPS4=|BASH_XTRACEFD|\bset \+(?:x|o xtrace)|>&?97\b|\b97>`)

// findMisreadPatterns returns the findings about comparisons whose pattern is written in another syntax. A comparison
// of the tool's name keeps a guard that does nothing from its work.
func (x *exploration) findMisreadPatterns(stopped bool) (all []Finding) {
	told := map[string]bool{}
	for _, c := range x.foreign {
		at := suites.Position{File: x.scriptOf(c.File), Line: c.Line}
		alike := func(o explore.Comparison) bool {
			return o.File == c.File && o.Line == c.Line && strings.EqualFold(o.Pattern, c.Pattern)
		}
		ofSame := func(o explore.Comparison) bool { return alike(o) || sameFile(o, c.Comparison) }
		if c.varies && slices.ContainsFunc(x.passed, ofSame) {
			continue // some other value passes, the next element of a list, or the same with a slash before it
		}
		if key := fmt.Sprint(at, c.why); told[key] {
			continue
		} else {
			told[key] = true // one element stands for its list
		}
		if dead := !stopped && x.idle(); dead && c.of == "tool_name" && c.Op != explore.Regexp {
			all = append(all, FindingOf("misnamed-tool", x.hook.ID, at, fmt.Sprintf("it looks for the tool %s; %s", quote(c.Written()), c.why)))
			continue
		}
		all = append(all, FindingOf("misread-pattern", x.hook.ID, at, fmt.Sprintf("it looks for %s: %s", quote(Short(c.Written())), c.why)))
	}
	return all
}

// findMisnamedFiles returns findings about texts with which the hook compares paths, that name no file of the project,
// and nearly one that is next to it.
func (x *exploration) findMisnamedFiles() (all []Finding) {
	for _, c := range x.seen {
		text := cmp.Or(append(c.Texts(1), "")...)
		name := strings.Trim(text, "/")
		if len(path.Ext(name)) < 3 || len(path.Base(name)) < 8 || !filepath.IsLocal(name) || exists(x.tree.path(name)) {
			continue
		}
		beside, _ := os.ReadDir(filepath.Dir(x.tree.path(name))) // none if there is no such directory
		var names []string
		for _, e := range beside {
			if n := len(e.Name()) - len(path.Base(name)); -1 <= n && n <= 1 && path.Ext(e.Name()) == path.Ext(name) && !e.IsDir() {
				names = append(names, e.Name())
			}
		}
		near := path.Join(path.Dir(name), pattern.Nearest(path.Base(name), names))
		if near != path.Dir(name) && !x.names(near) {
			at := suites.Position{File: x.scriptOf(c.File), Line: c.Line}
			all = append(all, FindingOf("misnamed-file", x.hook.ID, at, fmt.Sprintf("it looks for %q, which does not exist; there is %s", text, near)))
		}
	}
	return all
}

// findMisspelt returns findings about patterns with a word that is a usual one but for a slip of the hand.
func (x *exploration) findMisspelt() (all []Finding) {
	for _, c := range x.seen {
		for _, word := range letters().FindAllString(strings.Join(c.Texts(2), " "), -1) {
			i := slices.IndexFunc(usualWords(), func(usual string) bool { return misspells(word, usual) })
			if i >= 0 && strings.Contains(c.Pattern, word) && !slices.Contains(usualWords(), word) && x.tree.lacks(word) {
				at := suites.Position{File: x.scriptOf(c.File), Line: c.Line}
				all = append(all, FindingOf("misspelt-word", x.hook.ID, at, fmt.Sprintf("it looks for %s; is %q meant?", quote(Short(c.Written())), usualWords()[i])))
				break
			}
		}
	}
	return all
}

// usualWords are those of the inputs that guards usually stop: of three letters only what ends the name of a file. A
// crate is one of its own, and no "create".
var usualWords = sync.OnceValue(func() []string {
	words := strings.Fields("env key pem shutdown reboot truncate production master docker kubernetes password token secret credential crate")
	for _, word := range letters().FindAllString(strings.Join(slices.Concat(badCommands, badFiles), " "), -1) {
		if len(word) > 3 {
			words = append(words, strings.ToLower(word))
		}
	}
	return words
})

// misspells reports whether a word is another one with two neighboring letters swapped, or a long one with a letter left
// out in its middle.
func misspells(word, other string) bool {
	const long = 6
	i := 0
	for i < min(len(word), len(other)) && word[i] == other[i] {
		i++
	}
	switch len(other) - len(word) {
	case 0:
		return i+1 < len(word) && word[i] == other[i+1] && word[i+1] == other[i] && word[i+2:] == other[i+2:]
	case 1:
		return len(other) >= long && 0 < i && i < len(word) && word[i:] == other[i+1:]
	}
	return false
}

// sameFile reports whether two comparisons in one script look for the same part of a path, in either form.
func sameFile(a, b explore.Comparison) bool {
	plain := func(c explore.Comparison) string {
		return strings.Trim(strings.ReplaceAll(c.Pattern, `\`, "/"), "/^$.*")
	}
	return a.File == b.File && plain(a) != "" && plain(a) == plain(b)
}

// shellError matches an error that a shell itself reports about a script.
var shellError = pattern.Lazy(`(?m)^([^\s:]+): (?:line )?(\d+): (.+)$`)

// places matches the directory of a file, which has another name in every run.
var places = pattern.Lazy(`(?:/[^\s/'":()]+)+/`)

// findHiddenError returns the finding about a guard that does nothing and hides an error of its own.
func (x *exploration) findHiddenError() []Finding {
	what, at, severity := "", x.hook.Source, suites.Warning
	for _, e := range x.errors {
		if script := x.scriptOf(e.File); script != "" {
			what, at = e.What, suites.Position{File: script, Line: e.Line}
			break
		}
	}
	if m := x.message; what == "" && m != nil {
		what = fmt.Sprintf("%s (%s:%s)", m[3], m[1], m[2])
		if strings.HasSuffix(m[3], "not found") { // which is no matter of the input
			severity = suites.Error
		}
	}
	if what == "" {
		return nil
	}
	return []Finding{FindingOf("swallowed-error", x.hook.ID, at, "it stops nothing, and hides an error of its own: "+Short(places().ReplaceAllString(what, "")), severity)}
}
