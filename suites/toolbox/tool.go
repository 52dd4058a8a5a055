package toolbox

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
	"hookwatch/suites/process"
	"hookwatch/suites/shell"
)

// Offline are variables that keep runners off the network.
var Offline = map[string]string{"npm_config_offline": "true", "npm_config_yes": "false", "UV_OFFLINE": "1", "UV_NO_SYNC": "1"}

// tool checks the places in order; the first that has the tool counts.
func (m *AuditedMachine) tool(ctx context.Context, c *suites.Check) (suites.Finding, error) {
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
		f := suites.Finding{Holds: true, Told: at.told, StandIn: at.standIn}
		if c.Minimum != "" {
			return m.recent(ctx, c, at)
		}
		return f, nil
	}
	return suites.Finding{Absent: c.Tool, Told: strings.Join(not, ", ")}, nil
}

// A found is a place that has the tool: the command that prints its version, and its description.
type found struct {
	argv    []string
	told    string
	said    string // its version, if it was already asked
	standIn string // the replacement of the tool
}

// place checks one place. why is set if the tool is not there.
func (m *AuditedMachine) place(ctx context.Context, p suites.Place, tool string) (at found, why string, err error) {
	if len(p.Runner()) > 0 {
		return m.runner(ctx, p)
	}
	name := string(p)
	if standIn, ok := m.StandIns[name]; ok {
		return found{told: "stand-in " + standIn, said: standIn, standIn: standIn}, "", nil
	}
	if p.IsFile() {
		name = m.abs(name)
	}
	path, err := process.LookPath(name, m.Root, m.Env)
	switch {
	case err == nil:
		return found{argv: []string{path, "--version"}, told: path}, "", nil
	case p.IsFile() && errors.Is(err, os.ErrPermission):
		return found{}, string(p) + " is not executable", nil
	case p.IsFile():
		return found{}, "no " + string(p), nil
	default:
		return found{}, cmp.Or(name, tool) + " is not in PATH", nil
	}
}

// runner asks a runner for the tool, if the runner exists.
func (m *AuditedMachine) runner(ctx context.Context, p suites.Place) (at found, why string, err error) {
	words := p.Runner()
	if _, err := process.LookPath(words[0], m.Root, m.Env); err != nil {
		return found{}, words[0] + " is not in PATH", nil
	}
	name := strings.TrimPrefix(string(p), strings.Join(words, " ")+" ")
	argv := slices.Concat(words, shell.ProgramOf(words[0]).Offline, []string{name, "--version"}) // or it could install the tool
	said, why, err := m.ask(ctx, argv)
	if err != nil || why != "" {
		return found{}, string(p) + ": " + why, err
	}
	return found{argv: argv, told: string(p) + ": " + said, said: said}, "", nil
}

// recent compares the version of a tool with the required minimum.
func (m *AuditedMachine) recent(ctx context.Context, c *suites.Check, at found) (suites.Finding, error) {
	said := at.said
	if said == "" {
		var why string
		var err error
		if said, why, err = m.ask(ctx, at.argv); err != nil {
			return suites.Finding{}, err
		}
		if why != "" {
			return suites.Finding{Told: c.Tool + " --version: " + why}, nil
		}
	}
	is := Version(said)
	switch {
	case is == "":
		return suites.Finding{Told: fmt.Sprintf("version cannot be read: %s says %q", c.Tool, said)}, nil
	case Older(is, c.Minimum):
		return suites.Finding{Told: fmt.Sprintf("%s %s < %s", c.Tool, is, c.Minimum)}, nil
	}
	return suites.Finding{Holds: true, Told: is}, nil
}

var version = pattern.Lazy(`[0-9]+(\.[0-9]+)+`)

// Version returns the first version number in a line, "" if there is none.
func Version(line string) string { return version().FindString(line) }

// Older compares versions number by number; a missing number is 0.
func Older(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		x, y := part(as, i), part(bs, i)
		if x != y {
			return x < y
		}
	}
	return false
}

func part(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	n, _ := strconv.Atoi(parts[i]) // the pattern matches only digits
	return n
}

// ask returns the line with its version that a program prints, or why it prints none.
func (m *AuditedMachine) ask(ctx context.Context, argv []string) (said, why string, err error) {
	res, err := m.Ask(ctx, argv)
	if err != nil {
		return "", "", err
	}
	line := cmp.Or(VersionLine(res.Stdout.Bytes), VersionLine(res.Stderr.Bytes))
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
		return "", "says nothing", nil
	}
	return line, "", nil
}

const saidLength = 100

// VersionLine returns the first line with a version number, else the first line, because some
// programs print their names first.
func VersionLine(output []byte) string {
	first := ""
	for line := range bytes.Lines(output) {
		line = bytes.TrimSpace(line)
		if first == "" {
			first = string(line)
		}
		if version().Match(line) {
			first = string(line)
			break
		}
	}
	return strings.ToValidUTF8(first[:min(len(first), saidLength)], "?")
}
