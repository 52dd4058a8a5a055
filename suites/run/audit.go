package run

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// Look performs a check. It returns an error if hookwatch itself fails.
func (m *auditedMachine) Look(ctx context.Context, c *suites.Check) (suites.Finding, error) {
	switch {
	case c.Tool != "":
		return m.tool(ctx, c)
	case c.File != "":
		return m.file(c), nil
	default:
		return m.checkRegistration(c.Registered), nil
	}
}

// file checks a file, and a key of the JSON in it.
func (m *auditedMachine) file(c *suites.Check) suites.Finding {
	name, by := c.File, ""
	if c.NamedBy != nil {
		if own, ok := m.fileOfKey(c.NamedBy); ok {
			name, by = own, fmt.Sprintf(" (%s names it as %s)", c.NamedBy.File, c.NamedBy.Key)
		}
	}
	path := m.abs(name)
	if !isFile(path) {
		return suites.Finding{Detail: name + " does not exist" + by}
	}
	if c.Key == "" {
		return suites.Finding{Holds: true, Detail: name + by}
	}
	value, why := m.keyOf(path, c.Key)
	switch {
	case why != "":
		return suites.Finding{Detail: name + ": " + why + by}
	case len(c.Equals) > 0 && !equalJSON(value, c.Equals):
		return suites.Finding{Detail: fmt.Sprintf("%s: %s is %s, want %s%s", name, c.Key, briefJSON(value), c.Equals, by)}
	}
	return suites.Finding{Holds: true, Detail: fmt.Sprintf("%s: %s is %s%s", name, c.Key, briefJSON(value), by)}
}

// fileOfKey returns the file that a key names, if the key is set.
func (m *auditedMachine) fileOfKey(by *suites.KeyPath) (string, bool) {
	value, why := m.keyOf(m.abs(by.File), by.Key)
	var name string
	if why != "" || json.Unmarshal(value, &name) != nil || name == "" {
		return "", false
	}
	return name, true
}

// auditedFileSize bounds the size in bytes of a file in which a key is looked up.
const auditedFileSize = 8 << 20

// read reads a file that a check names. It refuses a file that is masked from hooks, because the
// finding is printed in reports, and a file outside the project that a link leads to, because the
// link may have come with the project.
func (m *auditedMachine) read(path string) (data []byte, why string) {
	r := m.Reader.Anywhere()
	if rel, err := filepath.Rel(m.Root, path); err == nil && filepath.IsLocal(rel) {
		r.Root = m.Root
	}
	data, err := r.ReadFile(path, auditedFileSize)
	var refused *disk.Error
	var pe *fs.PathError
	switch {
	case errors.As(err, &refused):
		return nil, unreadReasons[refused.Reason]
	case errors.As(err, &pe):
		return nil, "cannot be read: " + pe.Err.Error()
	case err != nil:
		return nil, "cannot be read: " + err.Error()
	}
	return data, ""
}

var unreadReasons = map[disk.Reason]string{
	disk.Hidden:  "is masked: it is not read",
	disk.Outside: "leads out of the project: it is not read",
	disk.Kind:    "is no regular file: it is not read",
	disk.Size:    "is too large to be read",
	disk.Moved:   "was exchanged while it was read",
}

// keyOf returns the value of a dotted key, or why there is none.
func (m *auditedMachine) keyOf(path, key string) (value json.RawMessage, why string) {
	data, why := m.read(path)
	if why != "" {
		return nil, why
	}
	if err := json.Unmarshal(data, &value); err != nil {
		return nil, "not valid JSON: " + err.Error() + atLine(data, err)
	}
	way := ""
	for _, name := range strings.Split(key, ".") {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(value, &object); err != nil || object == nil {
			return nil, cmp.Or(strings.TrimPrefix(way, "."), "it") + " is no object, so it has no " + name
		}
		inner, ok := object[name]
		if !ok {
			return nil, "no key " + strings.TrimPrefix(way+"."+name, ".")
		}
		value, way = inner, way+"."+name
	}
	return value, ""
}

// atLine describes the line of a syntax error.
func atLine(data []byte, err error) string {
	var se *json.SyntaxError
	if !errors.As(err, &se) {
		return ""
	}
	return fmt.Sprintf(", line %d", 1+bytes.Count(data[:min(int(se.Offset), len(data))], []byte("\n")))
}

func equalJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

func briefJSON(value json.RawMessage) string {
	const most = 60
	var b bytes.Buffer
	if json.Compact(&b, value) != nil || b.Len() > most {
		return strings.ToValidUTF8(string(value[:min(len(value), most)]), "?") + "..."
	}
	return b.String()
}

// checkRegistration checks which hooks fire, not how the settings are written: a matcher may list its
// names in any order, be split over several entries, or match more.
func (m *auditedMachine) checkRegistration(want *suites.Registration) suites.Finding {
	names := client.MatcherNames(want.Matcher)
	if len(names) == 0 {
		names = []string{""}
	}
	var lacking, matchers []string
	for _, name := range names {
		entry := m.entry(want, name)
		if entry == nil {
			lacking = append(lacking, name)
		} else if !slices.Contains(matchers, entry.Matcher) {
			matchers = append(matchers, entry.Matcher)
		}
	}
	if len(lacking) == 0 {
		return suites.Finding{Holds: true, Detail: notRegistered(want, matchers), Remark: widerMatcher(names, matchers)}
	}
	for _, h := range m.Hooks(want.Event, lacking[0]) {
		if err := h.MatcherError(); err != nil && slices.Contains(h.Scripts, want.Hook) {
			return suites.Finding{Detail: "whether " + want.Event + " runs " + want.Hook + " is not known: its matcher could not be evaluated: " + err.Error()}
		}
	}
	why := want.Event + " does not run " + want.Hook
	if lacking[0] != "" {
		why += " on " + strings.Join(lacking, ", ")
	}
	return suites.Finding{Detail: why + "; " + m.instead(want.Event, lacking[0])}
}

func (m *auditedMachine) entry(want *suites.Registration, name string) *discover.Hook {
	for _, h := range m.Hooks(want.Event, name) {
		if slices.Contains(h.Scripts, want.Hook) && h.MatcherError() == nil {
			return &h
		}
	}
	return nil
}

func notRegistered(want *suites.Registration, matchers []string) string {
	matchers = slices.DeleteFunc(slices.Clone(matchers), func(m string) bool { return m == "" })
	if len(matchers) == 0 {
		return want.Event + " runs " + want.Hook
	}
	return fmt.Sprintf("%s runs %s on %s", want.Event, want.Hook, strings.Join(matchers, " and "))
}

// widerMatcher describes the names that the entries match in addition to those required.
func widerMatcher(names, matchers []string) string {
	var more []string
	for _, m := range matchers {
		for _, name := range client.MatcherNames(m) {
			if !slices.Contains(names, name) && !slices.Contains(more, name) {
				more = append(more, name)
			}
		}
	}
	if len(more) == 0 {
		return ""
	}
	return "it runs on " + strings.Join(more, ", ") + " as well"
}

// instead describes the hooks that the settings do run.
func (m *auditedMachine) instead(event, name string) string {
	var scripts []string
	for _, h := range m.Hooks(event, name) {
		scripts = append(scripts, h.ID)
	}
	if len(scripts) == 0 {
		return "no hook is in force there"
	}
	return "in force there: " + strings.Join(scripts, ", ")
}

// offlineEnv are variables that keep runners off the network.
var offlineEnv = map[string]string{"npm_config_offline": "true", "npm_config_yes": "false", "UV_OFFLINE": "1", "UV_NO_SYNC": "1"}

// tool checks the places in order; the first that has the tool counts.
func (m *auditedMachine) tool(ctx context.Context, c *suites.Check) (suites.Finding, error) {
	var not []string
	for _, p := range c.Places {
		at, why, err := m.place(ctx, suites.Place(p), c.Tool)
		if err != nil {
			return suites.Finding{}, err
		}
		if why != "" {
			not = append(not, why)
			continue
		}
		f := suites.Finding{Holds: true, Detail: at.detail, StandIn: at.standIn}
		if c.Minimum != "" {
			return m.recent(ctx, c, at)
		}
		return f, nil
	}
	return suites.Finding{Absent: c.Tool, Detail: strings.Join(not, ", ")}, nil
}

// A foundTool is a place that has the tool: the command that prints its version, and its description.
type foundTool struct {
	argv    []string
	detail  string
	version string // its version, if it was already asked
	standIn string // the replacement of the tool
}

// place checks one place. why is set if the tool is not there.
func (m *auditedMachine) place(ctx context.Context, p suites.Place, tool string) (at foundTool, why string, err error) {
	if len(p.Runner()) > 0 {
		return m.runner(ctx, p)
	}
	name := string(p)
	if standIn, ok := m.StandIns[name]; ok {
		return foundTool{detail: "stand-in " + standIn, version: standIn, standIn: standIn}, "", nil
	}
	if p.IsFile() {
		name = m.abs(name)
	}
	path, err := LookPath(m.Reader, name, m.Root, m.Env)
	switch {
	case err == nil:
		return foundTool{argv: []string{path, "--version"}, detail: path}, "", nil
	case p.IsFile() && errors.Is(err, os.ErrPermission):
		return foundTool{}, string(p) + " is not executable", nil
	case p.IsFile():
		return foundTool{}, "no " + string(p), nil
	default:
		return foundTool{}, cmp.Or(name, tool) + " is not in PATH", nil
	}
}

// runner asks a runner for the tool, if the runner exists.
func (m *auditedMachine) runner(ctx context.Context, p suites.Place) (at foundTool, why string, err error) {
	words := p.Runner()
	if _, err := LookPath(m.Reader, words[0], m.Root, m.Env); err != nil {
		return foundTool{}, words[0] + " is not in PATH", nil
	}
	name := strings.TrimPrefix(string(p), strings.Join(words, " ")+" ")
	argv := slices.Concat(words, shell.ProgramOf(words[0]).Offline, []string{name, "--version"}) // or it could install the tool
	version, why, err := m.ask(ctx, argv)
	if err != nil || why != "" {
		return foundTool{}, string(p) + ": " + why, err
	}
	return foundTool{argv: argv, detail: string(p) + ": " + version, version: version}, "", nil
}

// recent compares the version of a tool with the required minimum.
func (m *auditedMachine) recent(ctx context.Context, c *suites.Check, at foundTool) (suites.Finding, error) {
	version := at.version
	if version == "" {
		var why string
		var err error
		if version, why, err = m.ask(ctx, at.argv); err != nil {
			return suites.Finding{}, err
		}
		if why != "" {
			return suites.Finding{Detail: c.Tool + " --version: " + why}, nil
		}
	}
	is := firstVersion(version)
	switch {
	case is == "":
		return suites.Finding{Detail: fmt.Sprintf("version cannot be read: %s says %q", c.Tool, version)}, nil
	case olderVersion(is, c.Minimum):
		return suites.Finding{Detail: fmt.Sprintf("%s %s < %s", c.Tool, is, c.Minimum)}, nil
	}
	return suites.Finding{Holds: true, Detail: is}, nil
}

var versionPattern = pattern.Lazy(`[0-9]+(\.[0-9]+)+`)

// firstVersion returns the first version number in a line, "" if there is none.
func firstVersion(line string) string { return versionPattern().FindString(line) }

// olderVersion compares versions number by number; a missing number is 0.
func olderVersion(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		x, y := versionPart(as, i), versionPart(bs, i)
		if x != y {
			return x < y
		}
	}
	return false
}

func versionPart(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	n, _ := strconv.Atoi(parts[i]) // the pattern matches only digits
	return n
}

// ask returns the line with its version that a program prints, or why it prints none.
func (m *auditedMachine) ask(ctx context.Context, argv []string) (version, why string, err error) {
	res, err := m.Ask(ctx, argv)
	if err != nil {
		return "", "", err
	}
	line := cmp.Or(versionLine(res.Stdout.Bytes), versionLine(res.Stderr.Bytes))
	switch {
	case res.StartError != nil:
		return "", res.StartError.Error(), nil
	case res.TimedOut:
		return "", "no answer", nil
	case res.Signal != "":
		return "", "ended by " + res.Signal, nil
	case res.Exit != 0:
		return "", strings.TrimSuffix(fmt.Sprintf("exit %d: %s", res.Exit, line), ": "), nil
	case line == "":
		return "", "prints nothing", nil
	}
	return line, "", nil
}

const answerLength = 100

// versionLine returns the first line with a version number, else the first line, because some
// programs print their names first.
func versionLine(output []byte) string {
	first := ""
	for line := range bytes.Lines(output) {
		line = bytes.TrimSpace(line)
		if first == "" {
			first = string(line)
		}
		if versionPattern().Match(line) {
			first = string(line)
			break
		}
	}
	return strings.ToValidUTF8(first[:min(len(first), answerLength)], "?")
}
