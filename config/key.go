package config

import (
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites/client/clients"
	"hookwatch/suites/pattern"
	"hookwatch/suites/sandbox"
)

// Settings that describe the project are only in its file. Those that depend on the
// machine or the situation also have a variable and a flag. A new one also needs its field
// of Config, its default in example.yaml, and the code that uses it.
var keys = []key{
	{path: "project", about: "The directory that hooks see as CLAUDE_PROJECT_DIR, relative to the file's own.", def: ".", reader: text, consent: astray("project", "the directory of the file")},
	{path: "hooks", about: "Directories of hook scripts.", def: []string{".claude/hooks"}, reader: list(item), consent: astray("hooks", leftOut)},
	{path: "settings", about: "Settings files in which hooks are registered.", def: []string{".claude/settings.json", ".claude/settings.local.json"}, reader: list(item), consent: astray("settings", leftOut)},
	{path: "clients", about: "The clients whose hooks count. Without it: Claude Code, and every client whose own files in the project register hooks.", def: []string{}, reader: list(clientName),
		harmless: "chooses among hooks that are run anyway; check reports that it leaves Claude Code's out"},
	{path: "specs", about: "Documents with [verify:] markers.", def: []string{"docs/specs/*.md"}, reader: list(glob), consent: astray("specs", leftOut)},
	{path: "suites", about: "Suite files; builtin stands for the built-in suites dep, ml and pm, builtin:NAME for one or for a family, builtin:all for each.", def: []string{Builtin, ".claude/tests/hooks/suites/*.yaml"}, reader: list(suite), consent: astray("suites", leftOut)},
	{path: "verify", about: "What a marker that does not resolve does.", def: string(VerifyWarn), reader: choice("strict", "warn", "off"), env: "VERIFY", flag: "verify",
		usage: "what an unresolved marker does: `strict`, warn or off", harmless: "is about the project's own documents"},
	{path: "preflight.required", about: "Tools that must be there before a full run.", def: []string{Builtin}, reader: list(item),
		harmless: "names tools that are looked up; only those on a list of hookwatch's own are started, for their version"},
	{path: "preflight.policy", about: "What happens when one is not there.", def: string(PreflightAbort), reader: choice("abort", "report"), env: "PREFLIGHT", flag: "preflight",
		usage: "what an absent required tool does: `abort` or report", harmless: "at worst starts a run whose cases lack a tool, with a warning"},
	{path: "gates", about: "What the absence of a tool means for the cases gated by it.", def: nil, reader: policies,
		harmless: "at worst turns a failure into a skip that names the tool"},
	{path: "denies", about: "Inputs that hooks must stop; check sends them.", def: nil, reader: denies,
		harmless: "adds inputs that hooks must stop"},
	{path: "allows", about: "Kinds of ways around guards that pass on purpose, as AIM/KIND; prove does not count them.", def: []string{}, reader: list(item),
		harmless: "names ways that prove still prints, and does not count"},
	{path: "stand_ins", about: "Names under which the embedded jq is offered where the tool is absent.", def: []string{}, reader: list(choice("jaq", "jq")), env: "STAND_INS", flag: "stand-ins",
		usage: "offer the embedded jq under these `NAMES` where the tool is absent: jaq, jq", harmless: "offers hookwatch's own jq, in the sandbox"},
	{path: "run.jobs", about: "Cases at a time; 0 is one a processor.", def: 0, reader: whole, env: "JOBS", flag: "jobs",
		usage: "`N` cases at a time (0: one a processor)", consent: manyJobs},
	{path: "run.timeout", about: "The longest that a step of a case may take.", def: 30 * time.Second, reader: positive(duration), env: "TIMEOUT", flag: "timeout",
		usage: "the longest a step may take, such as `30s`", consent: limit(30*time.Second, "a step could run longer than by default", least)},
	{path: "run.budget", about: "The longest that a hook may take for a step, in cases without a budget of their own: a case whose hook takes longer fails. 0 is any time.", def: time.Duration(0), reader: duration, env: "BUDGET",
		harmless: "can only make a slow hook fail"},
	{path: "run.backstop", about: "The longest that a whole run may take, and any step of it, whatever its suite or settings say. Watching goes on without a limit.", def: 15 * time.Minute, reader: positive(duration), env: "BACKSTOP", flag: "backstop",
		usage:   "the longest a run may take, such as `15m`; while watching, the longest a step may take",
		consent: limit(15*time.Minute, "a run, and each step of it, could take longer than by default", least)},
	{path: "run.isolation", about: "What keeps a case from the person's files.", def: sandbox.Auto, reader: choice(isolations...), env: "ISOLATION", flag: "isolation",
		usage: "keep cases from your files: " + listValues(isolations), consent: among(weakIsolations, sandbox.Auto)},
	{path: "run.trace", about: "When cases are run once more, unjudged, to see what they execute.", def: string(TraceWatch), reader: choice("watch", "always", "never"), env: "TRACE", flag: "trace",
		usage: "when to run cases once more to see what they execute: `watch`, always or never", harmless: "runs each case at most twice, within the same bounds"},
	{path: "run.pass_env", about: "Variables that hooks get from the caller's environment.", def: []string{}, reader: list(variable), env: "PASS_ENV", flag: "pass-env",
		usage: "`VARIABLES` that hooks get from your environment", consent: outright("hooks would get this variable of yours", "it is not passed on")},
	{path: "budget.call", about: "The longest that all hooks of a call may take together, before check and fire say so. 0 is any time.", def: time.Second, reader: duration, env: "CALL_BUDGET", flag: "call-budget",
		usage: "how long all hooks of a call may take before check and fire say so, such as `1s`", harmless: "can only turn a remark off or on"},
	{path: "sandbox.home", about: "The HOME that hooks get: the person's own, or an empty one.", def: string(HomeReal), reader: choice("real", "empty"), env: "SANDBOX_HOME",
		harmless: "can only show less of HOME"},
	{path: "sandbox.mask", about: "Files and directories in HOME whose content is hidden, in addition to the usual places of credentials.", def: []string{}, reader: list(item),
		harmless: "can only hide more of HOME"},
	{path: "sandbox.unmask", about: "Those that are not hidden.", def: []string{}, reader: list(item), consent: outright("hooks could read this in your HOME", "it stays hidden")},
	{path: "sandbox.size", about: "What a case may write.", def: 256 * MB, reader: size, env: "SANDBOX_SIZE", consent: limit(256*MB, "a case could write more than by default", least)},
	{path: "sandbox.processes", about: "Processes that a case may have at a time.", def: 1000, reader: whole, env: "SANDBOX_PROCESSES", consent: limit(1000, "a case could start more processes than by default", least)},
	{path: "sandbox.memory", about: "Memory that the processes of a case may use together.", def: 2 * GiB, reader: size, env: "SANDBOX_MEMORY", consent: limit(2*GiB, "a case could use more of your memory than by default", least)},
	{path: "sandbox.keep", about: "Sandboxes of failing cases that are kept; 0 keeps none.", def: 20, reader: whole, env: "SANDBOX_KEEP", consent: limit(20, "more sandboxes of failing cases could stay on your disk than by default", least)},
	{path: "sandbox.keep_size", about: "What all kept sandboxes may take; the oldest go first.", def: 500 * MB, reader: size, env: "SANDBOX_KEEP_SIZE", consent: limit(500*MB, "failing cases could leave more on your disk than by default", least)},
	{path: "live.client", about: "The client to drive; empty is the one on PATH.", def: "", reader: anyText, env: "CLIENT", consent: outright("names a program that would be started", "the client on PATH")},
	{path: "live.timeout", about: "The longest that a live case may take.", def: 2 * time.Minute, reader: positive(duration), env: "LIVE_TIMEOUT",
		consent: limit(2*time.Minute, "the client could run longer for a case than by default", least)},
	{path: "results.dir", about: "Directory, relative to the project's root.", def: ".claude/tests/hooks/results", reader: text, env: "RESULTS_DIR", flag: "results-dir",
		usage: "keep records in `DIR`", consent: astray("results.dir", "the default, or your state folder")},
	{path: "results.keep_runs", about: "Full runs kept in the archive; 0 keeps all.", def: 50, reader: whole, env: "KEEP_RUNS", consent: limit(50, "more runs could stay on your disk than by default", unbounded)},
	{path: "results.keep_days", about: "Days for which they are kept; 0 is for good.", def: 90, reader: whole, env: "KEEP_DAYS", consent: limit(90, "runs could stay on your disk longer than by default", unbounded)},
	{path: "results.rolling_size", about: "Size at which a rolling log is rotated.", def: 10 * MB, reader: size, env: "ROLLING_SIZE", consent: limit(10*MB, "records could take more of your disk than by default", least)},
	{path: "notify.desktop", about: "Desktop notifications on transitions.", def: true, reader: truth, env: "DESKTOP", flag: "desktop",
		usage: "`true` or false: notify on the desktop", harmless: "turns notices off; the terminal shows the same"},
	{path: "notify.settle", about: "How long the content must have been stable before one.", def: 500 * time.Millisecond, reader: duration, env: "SETTLE", flag: "settle",
		usage: "how long content must be stable before a notice, such as `500ms`", harmless: "delays notices; the terminal shows verdicts at once"},
	{path: "watch.ignore", about: "Patterns of files.", def: []string{}, reader: list(glob),
		harmless: "leaves the project's own files out"},
	{path: "watch.audit", about: "Cases that a save does not affect and that are run all the same.", def: 0, reader: whole, env: "AUDIT",
		harmless: "runs at most all cases of the project, which each save of a shared file does too"},
}

// groups describe the groups of keys in the schema.
var groups = map[string]string{
	"preflight": "What a full run needs before it starts.",
	"run":       "How cases run.",
	"budget":    "How long hooks may take before there is a warning.",
	"sandbox":   "What a case may see and use, and what is kept of those that fail.",
	"live":      "The real client, which fires the hooks of cases of layer 2 and of --live.",
	"results":   "Where records are kept and for how long.",
	"notify":    "When a person is notified beyond the terminal.",
	"watch":     "What the watcher leaves out.",
}

const leftOut = "it is left out"

// clientName reads the name of a client. The names are only read from their data if it is used.
var clientName = reader{`"enum": {clients}`, func(s *source, name string, n *yaml.Node) any { return s.Choice(name, n, clients.Names()) }}

// isolations are the values of run.isolation, and weakIsolations the text for the user's
// consent to those that protect less.
var isolations, weakIsolations = func() (names []string, weak map[string]string) {
	names, weak = []string{sandbox.Auto}, make(map[string]string)
	for _, d := range sandbox.Descriptions() {
		names = append(names, d.Name)
		if d.Consent != "" {
			weak[d.Name] = d.Consent
		}
	}
	return names, weak
}()

// listValues returns values for a usage text, the default first.
func listValues(values []string) string {
	last := len(values) - 1
	return "`" + values[0] + "`, " + strings.Join(values[1:last], ", ") + " or " + values[last]
}

var defaultGates = map[string]GatePolicy{"biome": GateFail}

// find returns the key with a path.
func find(path string) (key, bool) {
	for _, k := range keys {
		if k.path == path {
			return k, true
		}
	}
	return key{}, false
}

// namesIn returns the names in a group, or at the top level for "".
func namesIn(group string) []string {
	var names []string
	for _, k := range keys {
		head, tail, nested := strings.Cut(k.path, ".")
		switch {
		case group == "" && (len(names) == 0 || names[len(names)-1] != head):
			names = append(names, head)
		case nested && head == group:
			names = append(names, tail)
		}
	}
	return names
}

// suggest returns a hint for a key that does not exist in a group.
func suggest(group, name string) string {
	if hint := pattern.NearestHint(name, namesIn(group)); hint != "" {
		return hint
	}
	for _, k := range keys {
		if head, tail, ok := strings.Cut(k.path, "."); ok && tail == name {
			return "it belongs under " + head
		}
		if group != "" && k.path == name {
			return "it belongs at the top level"
		}
	}
	return "known here: " + strings.Join(namesIn(group), ", ")
}

func (s *source) value(path string) any {
	if v, ok := s.values[path]; ok {
		return v
	}
	k, _ := find(path)
	return k.def
}

// list and text return a key's value from the file, or the default.
func (s *source) list(path string) []string {
	v, _ := s.value(path).([]string)
	return v
}

func (s *source) text(path string) string {
	v, _ := s.value(path).(string)
	return v
}

// A key is one setting.
type key struct {
	path  string // in the file; a dot separates group and name
	about string // in the schema
	def   any
	reader
	env   string // variable, without the HOOKWATCH_ prefix
	flag  string
	usage string // of the flag; a back-quoted word is the name of its value

	consent  rule   // returns which values of a file need consent; nil: none
	harmless string // if consent is nil: why a clone may set any value
}

// A reader has the keywords of a JSON Schema, and a function that converts a value as written to
// the setting's type. If that fails, it reports a problem to the source and returns nil.
type reader struct {
	schema string
	read   func(s *source, name string, n *yaml.Node) any
}

// A rule returns why a value needs consent, and the value until then. why is "" if it
// needs none.
type rule func(value any, f facts) (why, instead string)

// facts are the properties of the machine that decide about consent.
type facts struct {
	processors int
	leads      map[entry]lead
}

// An entry is one path of a key, as written.
type entry struct{ key, path string }

// A lead is the target of a path.
type lead struct {
	to  string // the real path, if it is outside of the project
	why string // if set, why records must not be in this place of the project
}

// outright is for keys whose every value needs consent, except for an empty text.
func outright(why, instead string) rule {
	return func(value any, _ facts) (string, string) {
		if value == "" {
			return "", ""
		}
		return why, instead
	}
}

// among is for keys with some values that need consent.
func among(whys map[string]string, instead string) rule {
	return func(value any, _ facts) (string, string) {
		word, _ := value.(string)
		return whys[word], instead
	}
}

// limit is for limits that a project may lower without consent. A 0 that means no limit
// counts as above every limit.
func limit[T int | ByteSize | time.Duration](most T, why string, zero zeroMeaning) rule {
	return func(value any, _ facts) (string, string) {
		if n, ok := value.(T); ok && (n > most || n == 0 && zero == unbounded) {
			return why, format(most)
		}
		return "", ""
	}
}

// zeroMeaning is the meaning of 0 for a limit.
type zeroMeaning int

const (
	least     zeroMeaning = iota // the lowest limit, or invalid
	unbounded                    // no limit
)

func manyJobs(value any, f facts) (why, instead string) {
	if n, _ := value.(int); n > f.processors {
		return fmt.Sprintf("more cases at a time than the %d processors of this machine", f.processors), "0, one for each processor"
	}
	return "", ""
}

// astray is for paths that lead out of the project.
func astray(key, instead string) rule {
	return func(value any, f facts) (string, string) {
		path, _ := value.(string)
		switch l := f.leads[entry{key, path}]; {
		case l.why != "":
			return l.why, instead
		case l.to != "":
			return "leads out of the project, to " + l.to, instead
		}
		return "", ""
	}
}

// format formats a value for display and for digests.
func format(value any) string {
	text := fmt.Sprint(value)
	if _, ok := value.(time.Duration); ok { // 15m0s is written 15m, and 1h0m0s 1h
		for _, none := range []string{"m0s", "h0m"} {
			if strings.HasSuffix(text, none) {
				text = strings.TrimSuffix(text, none[1:])
			}
		}
	}
	return text
}
