package javascript

import (
	"path"
	"slices"
	"strings"

	"hookwatch/suites/depend/script"
)

var (
	starters      = script.Words("spawn spawnSync exec execSync execFile execFileSync fork execa execaSync execaCommand $ Worker")
	evaluators    = script.Words("runInThisContext runInNewContext runInContext compileFunction SourceTextModule Script _load _compile")
	stackReaders  = script.Words("stack captureStackTrace prepareStackTrace getCallSite getCallSites trace callsites")
	traceSwitches = script.Words("NODE_V8_COVERAGE NODE_OPTIONS stopCoverage stopPreciseCoverage")
	pathUsers     = script.Words("dirname basename createRequire relative") // use a path only
	isolators     = script.Words("env sudo su doas docker podman ssh nsenter unshare systemd-run at batch crontab deno bun bunx")
)

// facts derives what a statement may do from the names in it.
func (r *reader) facts(s *Statement, m *meaning) {
	t := s.Tokens
	for i := range t {
		switch t[i].Kind {
		case Name:
			r.name(t, i, m)
		case String:
			if traceSwitches[literal(t, i)] {
				m.Ends = "it may turn tracing off"
			}
		}
		content := strings.Trim(t[i].Text, "\"'`}") // a template may end with the name
		if t[i].isText() && isSource(content) {
			m.Names = append(m.Names, content[strings.LastIndexByte(content, '/')+1:])
		}
	}
	if m.Starts {
		r.checkEnvironment(t, m)
	}
	if m.Starts || loads(t) {
		m.Names = nil // executed, and not read
	}
}

var extensions = script.Words(".js .cjs .mjs .ts .cts .mts .sh .bash .py")

// isSource reports whether a string may name a script.
func isSource(s string) bool { return extensions[path.Ext(s)] && !strings.ContainsAny(s, " \\\n*?[") }

func loads(t []Token) bool {
	return slices.ContainsFunc(t, func(t Token) bool { return t.among("require", "import", "from") })
}

// runsText reports whether the name at i may run code that is not in the file.
func runsText(t []Token, i int) bool {
	before, after := text(t, i-1), text(t, i+1)
	unknown := after == "(" && specifier(t, i) == "" // a module
	member := isMember(t, i)
	switch t[i].Text {
	case "eval":
		return !member
	case "Function":
		return !member && (before == "new" || after == "(")
	case "globalThis", "global":
		return !member && after != "."
	case "require":
		elsewhere := after != "(" && !matches(t, i, "require . main", "require . resolve", "require = createRequire")
		return !member && (unknown || elsewhere)
	case "import":
		return unknown
	case "createRequire":
		return after == "(" && text(t, i-2) != "require"
	}
	return evaluators[t[i].Text]
}

func (r *reader) name(t []Token, i int, m *meaning) {
	name := t[i].Text
	m.Dynamic = m.Dynamic || runsText(t, i)
	switch {
	case traceSwitches[name], matches(t, i-2, "process . env ="):
		m.Ends = "it may turn tracing off"
	case stackReaders[name]:
		m.Lines = true
	case r.children && starters[name]:
		m.Starts, m.Interprets, m.Environment = true, true, true
	}
	r.self(t, i, m)
}

// self checks whether the path of the file is used for more than its directory or a comparison.
func (r *reader) self(t []Token, i int, m *meaning) {
	from, to := i, i
	switch {
	case text(t, i) == "__filename" && text(t, i-1) != ".":
	case matches(t, i, "import . meta . url", "import . meta . filename"):
		to = i + 4
		if matches(t, i-2, "fileURLToPath (") && text(t, to+1) == ")" {
			from, to = i-2, to+1
			if text(t, from-1) == "." {
				from -= 2
			}
		}
	default:
		return
	}
	before, after := text(t, from-1), text(t, to+1)
	switch {
	case declarators[before]: // its declaration
	case matches(t, from-2, "__filename ="), before == "(" && pathUsers[text(t, from-2)]:
	case before == "," && after == ")" && matches(t, from-4, "URL ("):
	case comparisons[before], comparisons[after]:
	default:
		m.self = "it may read its own text"
	}
}

var comparisons = script.Words("=== !== == !=")

// checkEnvironment checks whether a program is started with another environment or by one that clears it.
func (r *reader) checkEnvironment(t []Token, m *meaning) {
	for i := range t {
		whole := matches(t, i+1, ": process . env") && text(t, i+5) != "." || matches(t, i+1, ": { ... process . env")
		if text(t, i) == "env" && text(t, i-1) != "." && !whole {
			m.Opaque = "it starts a program with another environment"
		}
		if !t[i].isText() {
			continue
		}
		for _, word := range strings.FieldsFunc(t[i].Text, func(c rune) bool { return strings.ContainsRune(" \t\n'\"`;|&()$/", c) }) {
			if isolators[word] {
				m.Opaque = "it starts " + word
			}
		}
	}
}
