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
// machine or the situation also have a variable and a flag.
var keys = []key{
	{path: "project", def: ".", read: text, consent: astray("project", "the directory of the file")},
	{path: "hooks", def: []string{".claude/hooks"}, read: list(item), consent: astray("hooks", leftOut)},
	{path: "settings", def: []string{".claude/settings.json", ".claude/settings.local.json"}, read: list(item), consent: astray("settings", leftOut)},
	{path: "clients", def: []string{}, read: list(clientName)},
	{path: "specs", def: []string{"docs/specs/*.md"}, read: list(glob), consent: astray("specs", leftOut)},
	{path: "suites", def: []string{Builtin, ".claude/tests/hooks/suites/*.yaml"}, read: list(suite), consent: astray("suites", leftOut)},
	{path: "verify", def: string(VerifyWarn), read: choice("strict", "warn", "off"), env: "VERIFY", flag: "verify",
		usage: "what an unresolved marker does: `strict`, warn or off"},
	{path: "preflight.required", def: []string{Builtin}, read: list(item)},
	{path: "preflight.policy", def: string(PreflightAbort), read: choice("abort", "report"), env: "PREFLIGHT", flag: "preflight",
		usage: "what an absent required tool does: `abort` or report"},
	{path: "gates", def: nil, read: policies},
	{path: "denies", def: nil, read: denies},
	{path: "stand_ins", def: []string{}, read: list(choice("jaq", "jq")), env: "STAND_INS", flag: "stand-ins",
		usage: "offer the embedded jq under these `NAMES` where the tool is absent: jaq, jq"},
	{path: "run.jobs", def: 0, read: whole, env: "JOBS", flag: "jobs",
		usage: "`N` cases at a time (0: one a processor)", consent: manyJobs},
	{path: "run.timeout", def: 30 * time.Second, read: positive(duration), env: "TIMEOUT", flag: "timeout",
		usage: "the longest a step may take, such as `30s`", consent: above(30*time.Second, "a step could run longer than by default", least)},
	{path: "run.budget", def: time.Duration(0), read: duration, env: "BUDGET"},
	{path: "run.backstop", def: 15 * time.Minute, read: positive(duration), env: "BACKSTOP", flag: "backstop",
		usage:   "the longest a run may take, such as `15m`; while watching, the longest a step may take",
		consent: above(15*time.Minute, "a run, and each step of it, could take longer than by default", least)},
	{path: "run.isolation", def: sandbox.Auto, read: choice(isolations...), env: "ISOLATION", flag: "isolation",
		usage: "keep cases from your files: " + listed(isolations), consent: among(weakIsolations, sandbox.Auto)},
	{path: "run.trace", def: string(TraceWatch), read: choice("watch", "always", "never"), env: "TRACE", flag: "trace",
		usage: "when to run cases once more to see what they execute: `watch`, always or never"},
	{path: "run.pass_env", def: []string{}, read: list(variable), env: "PASS_ENV", flag: "pass-env",
		usage: "`VARIABLES` that hooks get from your environment", consent: outright("hooks would get this variable of yours", "it is not passed on")},
	{path: "sandbox.home", def: string(HomeReal), read: choice("real", "empty"), env: "SANDBOX_HOME"},
	{path: "sandbox.mask", def: []string{}, read: list(item)},
	{path: "sandbox.unmask", def: []string{}, read: list(item), consent: outright("hooks could read this in your HOME", "it stays hidden")},
	{path: "sandbox.size", def: 256 * MB, read: size, env: "SANDBOX_SIZE", consent: above(256*MB, "a case could write more than by default", least)},
	{path: "sandbox.processes", def: 1000, read: whole, env: "SANDBOX_PROCESSES", consent: above(1000, "a case could start more processes than by default", least)},
	{path: "sandbox.memory", def: 2 * GiB, read: size, env: "SANDBOX_MEMORY", consent: above(2*GiB, "a case could use more of your memory than by default", least)},
	{path: "sandbox.keep", def: 20, read: whole, env: "SANDBOX_KEEP", consent: above(20, "more sandboxes of failing cases could stay on your disk than by default", least)},
	{path: "sandbox.keep_size", def: 500 * MB, read: size, env: "SANDBOX_KEEP_SIZE", consent: above(500*MB, "failing cases could leave more on your disk than by default", least)},
	{path: "live.client", def: "", read: anyText, env: "CLIENT", consent: outright("names a program that would be started", "the client on PATH")},
	{path: "live.timeout", def: 2 * time.Minute, read: positive(duration), env: "LIVE_TIMEOUT",
		consent: above(2*time.Minute, "the client could run longer for a case than by default", least)},
	{path: "results.dir", def: ".claude/tests/hooks/results", read: text, env: "RESULTS_DIR", flag: "results-dir",
		usage: "keep records in `DIR`", consent: astray("results.dir", "the default, or your state folder")},
	{path: "results.keep_runs", def: 50, read: whole, env: "KEEP_RUNS", consent: above(50, "more runs could stay on your disk than by default", unbounded)},
	{path: "results.keep_days", def: 90, read: whole, env: "KEEP_DAYS", consent: above(90, "runs could stay on your disk longer than by default", unbounded)},
	{path: "results.rolling_size", def: 10 * MB, read: size, env: "ROLLING_SIZE", consent: above(10*MB, "records could take more of your disk than by default", least)},
	{path: "notify.desktop", def: true, read: truth, env: "DESKTOP", flag: "desktop",
		usage: "`true` or false: notify on the desktop"},
	{path: "notify.settle", def: 500 * time.Millisecond, read: duration, env: "SETTLE", flag: "settle",
		usage: "how long content must be stable before a notice, such as `500ms`"},
	{path: "watch.ignore", def: []string{}, read: list(glob)},
	{path: "watch.audit", def: 0, read: whole, env: "AUDIT"},
}

const leftOut = "it is left out"

// clientName reads the name of a client. The names are only read from their data if it is used.
func clientName(s *source, name string, n *yaml.Node) any { return s.Choice(name, n, clients.Names()) }

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

// listed returns values for a usage text, the default first.
func listed(values []string) string {
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

// within returns the names in a group, or at the top level for "".
func within(group string) []string {
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
	if hint := pattern.NearestHint(name, within(group)); hint != "" {
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
	return "known here: " + strings.Join(within(group), ", ")
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
	def   any
	read  reader
	env   string // variable, without the HOOKWATCH_ prefix
	flag  string
	usage string // of the flag; a back-quoted word is the name of its value

	consent rule // returns which values of a file need consent; nil: none
}

// A reader converts a value as written to the setting's type. If that fails, it reports a
// problem to the source and returns nil.
type reader func(s *source, name string, n *yaml.Node) any

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

// above is for limits that a project may lower without consent. A 0 that means no limit
// counts as above every limit.
func above[T int | ByteSize | time.Duration](most T, why string, zero zeroMeaning) rule {
	return func(value any, _ facts) (string, string) {
		if n, ok := value.(T); ok && (n > most || n == 0 && zero == unbounded) {
			return why, written(most)
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

// written formats a value for display and for digests.
func written(value any) string {
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
