package javascript

import (
	"path"
	"slices"
	"strings"

	"hookwatch/suites/depend/script"
)

var (
	starting = script.Words("spawn spawnSync exec execSync execFile execFileSync fork execa execaSync execaCommand $ Worker")
	running  = script.Words("runInThisContext runInNewContext runInContext compileFunction SourceTextModule Script _load _compile")
	placing  = script.Words("stack captureStackTrace prepareStackTrace getCallSite getCallSites trace callsites")
	ending   = script.Words("NODE_V8_COVERAGE NODE_OPTIONS stopCoverage stopPreciseCoverage")
	harmless = script.Words("dirname basename createRequire relative") // use a path only
	clearing = script.Words("env sudo su doas docker podman ssh nsenter unshare systemd-run at batch crontab deno bun bunx")
)

// facts derives what a statement may do from the names in it.
func (r *reader) facts(s *Statement, m *meaning) {
	t := s.Tokens
	for i := range t {
		switch t[i].Kind {
		case Name:
			r.name(t, i, m)
		case String:
			if ending[literal(t, i)] {
				m.Ends = "it may turn tracing off"
			}
		}
		if t[i].Kind == String || t[i].Kind == Template { // a template may end with the name
			if content := strings.Trim(t[i].Text, "\"'`}"); source(content) {
				m.Names = append(m.Names, content[strings.LastIndexByte(content, '/')+1:])
			}
		}
	}
	if m.Starts {
		r.clears(t, m)
	}
	if m.Starts || loads(t) {
		m.Names = nil // executed, and not read
	}
}

var extensions = script.Words(".js .cjs .mjs .ts .cts .mts .sh .bash .py")

// source reports whether a string may name a script.
func source(s string) bool { return extensions[path.Ext(s)] && !strings.ContainsAny(s, " \\\n*?[") }

func loads(t []Token) bool {
	return slices.ContainsFunc(t, func(t Token) bool {
		return t.Kind == Name && t.among("require", "import", "from")
	})
}

func (r *reader) name(t []Token, i int, m *meaning) {
	name, before, after := t[i].Text, text(t, i-1), text(t, i+1)
	member := isMember(t, i)
	unknown := after == "(" && specifier(t, i) == "" // a module
	switch {
	case name == "eval" && !member,
		name == "Function" && !member && (before == "new" || after == "("),
		(name == "globalThis" || name == "global") && !member && after != ".",
		name == "require" && !member && (unknown || after != "(" && match(t, i, "require . main") == 0 && match(t, i, "require . resolve") == 0 && match(t, i, "require = createRequire") == 0),
		name == "import" && unknown,
		name == "createRequire" && after == "(" && text(t, i-2) != "require",
		running[name]:
		m.Dynamic = true
	}
	switch {
	case ending[name], match(t, i-2, "process . env =") > 0:
		m.Ends = "it may turn tracing off"
	case placing[name]:
		m.Lines = true
	case r.children && starting[name]:
		m.Starts, m.Interprets, m.Environment = true, true, true
	}
	r.self(t, i, m)
}

// self checks whether the path of the file is used for more than its directory or a comparison.
func (r *reader) self(t []Token, i int, m *meaning) {
	from, to := i, i
	switch {
	case text(t, i) == "__filename" && text(t, i-1) != ".":
	case match(t, i, "import . meta . url") > 0, match(t, i, "import . meta . filename") > 0:
		to = i + 4
		if match(t, i-2, "fileURLToPath (") > 0 && text(t, to+1) == ")" {
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
	case match(t, from-2, "__filename =") > 0, before == "(" && harmless[text(t, from-2)]:
	case before == "," && after == ")" && match(t, from-4, "URL (") > 0:
	case comparisons[before] || comparisons[after]:
	default:
		m.self = "it may read its own text"
	}
}

var comparisons = script.Words("=== !== == !=")

// clears checks whether a program is started with another environment or by one that clears it.
func (r *reader) clears(t []Token, m *meaning) {
	for i := range t {
		if text(t, i) == "env" && text(t, i-1) != "." {
			if (match(t, i+1, ": process . env") == 0 || text(t, i+5) == ".") && match(t, i+1, ": { ... process . env") == 0 {
				m.Opaque = "it starts a program with another environment"
			}
		}
		if t[i].Kind != String && t[i].Kind != Template {
			continue
		}
		for _, word := range strings.FieldsFunc(t[i].Text, func(c rune) bool { return strings.ContainsRune(" \t\n'\"`;|&()$/", c) }) {
			if clearing[word] {
				m.Opaque = "it starts " + word
			}
		}
	}
}
