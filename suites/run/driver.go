package run

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookwatch/suites/client"
	"hookwatch/suites/live"
	"hookwatch/suites/process"
)

// A Place runs programs and gives access to files where the client runs.
type Place struct {
	Run    func(context.Context, ...process.Command) ([]process.Result, error)
	Listen func() (net.Listener, error)
	Read   func(path string) ([]byte, error)
	Write  func(path, content string) error
}

// A Driver makes an installed client fire the hooks of turns.
type Driver interface {
	Program() string // by which it is found in PATH
	Install() string // how the user gets it
	Turn(live.Step) (live.Turn, error)
	Play(context.Context, Client, Place, []Part) (Session, error)
}

// Driver returns the driver of the client.
func (l Live) Driver() Driver {
	if l.Of.Live.Program != "" {
		return oneTurn{l.Of}
	}
	return talking{}
}

// talking drives Claude Code, which is talked to while it runs.
type talking struct{}

func (talking) Program() string                     { return live.Program }
func (talking) Install() string                     { return live.Install }
func (talking) Turn(s live.Step) (live.Turn, error) { return live.NewTurn(s) }

// A Client describes the client program and how to start it.
type Client struct {
	Program string
	Env     []string // of the case; variables of an account are removed
	Dir     string
	Home    string         // an empty directory of the case
	Hooks   []client.Entry // registered in addition to the project's settings
	Alone   bool           // Hooks replace those of the project's settings
	Plugins []string       // directories
	Timeout time.Duration
	// The fields below are of clients other than Claude Code.
	Witnesses []live.Witness // around the commands in their hook files
	UserHome  string         // the user's own HOME, where programs are unpacked
}

// A Session is the result of all parts.
type Session struct {
	Version  string
	Seen     []live.Seen // of the parts that were reached
	Fault    *Fault      // nil if it ended normally
	Requests int
	Bodies   []string // of the last requests, unchanged
	Duration time.Duration
	// Elsewhere are the requests to anything but the model, by the client or a hook. All are refused.
	Elsewhere []string
}

// A Fault describes a failure of the client.
type Fault struct {
	Kind FaultKind
	Why  string
}

// A FaultKind is a kind of failure of the client.
type FaultKind string

// The kinds of faults.
const (
	NotStarted FaultKind = "not started"
	TooOld     FaultKind = "too old"
	TimedOut   FaultKind = "timed out"
	Crashed    FaultKind = "crashed"
	Garbage    FaultKind = "garbage"
	Looping    FaultKind = "looping"
	Cancelled  FaultKind = "cancelled"
)

func (f *Fault) Error() string { return "the client " + f.Why }

// Play starts the client, plays all parts and ends the client. It returns an error if hookwatch
// itself fails, or a *live.NotLiveError.
func (talking) Play(ctx context.Context, c Client, at Place, parts []Part) (Session, error) {
	id := sessionID()
	s, err := serve(at.Listen, id)
	if err != nil {
		return Session{}, fmt.Errorf("listen for the client: %w", err)
	}
	defer s.close()
	first, err := parts[0].Make()
	if err != nil {
		return Session{}, err
	}
	own := c.variables(s.address())
	settings, debug := filepath.Join(c.Home, "hookwatch-settings.json"), filepath.Join(c.Home, "debug.log")
	if err := at.Write(settings, string(live.Settings(c.Hooks, c.overriding(own, at.Read)))); err != nil {
		return Session{}, fmt.Errorf("write the client's settings: %w", err)
	}
	t := &talk{parts: parts, server: s, next: first}
	running, cancel := s.limit(ctx)
	defer cancel()
	results, err := at.Run(running, process.Command{
		Argv: c.arguments(id, settings, debug, first.Flags), Dir: c.Dir, Env: c.environment(own),
		Timeout: c.Timeout, Converse: t.hold,
	})
	if err != nil {
		return Session{}, err
	}
	log, err := at.Read(debug)
	if err != nil {
		log = nil // the client did not get far enough to write one
	}
	t.readLog(live.ReadDebugLog(log))
	r := results[0]
	out := Session{Version: t.version, Seen: t.seen, Requests: s.requestCount(), Bodies: s.bodies(), Duration: r.Duration}
	if t.err != nil {
		return out, t.err
	}
	if out.Fault = c.fault(ctx, r, s.isExceeded(), t.complete()); t.garbage != "" && ctx.Err() == nil {
		out.Fault = &Fault{Garbage, "printed what is no line of its stream: " + t.garbage}
	}
	return out, nil
}

// fault returns the fault with which the client ended, nil if it ended normally: all turns are
// complete.
func (c Client) fault(ctx context.Context, r process.Result, exceeded, complete bool) *Fault {
	last := lastLine(string(r.Stderr.Bytes))
	because := ""
	if last != "" {
		because = ": " + last
	}
	install := " (install a newer one: " + live.Install + ")"
	switch {
	case r.StartError != nil:
		return &Fault{NotStarted, "could not be started: " + r.StartError.Error()}
	case ctx.Err() != nil:
		return &Fault{Cancelled, "was ended before its time"}
	case exceeded:
		return &Fault{Looping, fmt.Sprintf("asked the model more than %d times", live.MostRequests)}
	case r.TimedOut:
		return &Fault{TimedOut, "did not end in " + c.Timeout.String()}
	case r.Memory > 0:
		return &Fault{Crashed, fmt.Sprintf("used more than %d MiB", r.Memory>>20)}
	case strings.Contains(string(r.Stderr.Bytes), "unknown option"):
		return &Fault{TooOld, "is too old to tell of hooks" + because + install}
	case complete:
		return nil
	case r.Signal != "":
		return &Fault{Crashed, "was ended by " + r.Signal + because}
	default:
		return &Fault{Crashed, fmt.Sprintf("ended with exit code %d before its last turn was over%s", r.Exit, because)}
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	const most = 200
	last := strings.TrimSpace(lines[len(lines)-1])
	return last[:min(len(last), most)]
}

func (c Client) arguments(id, settings, debug string, more []string) []string {
	args := []string{
		c.Program, "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
		"--include-hook-events", "--permission-prompt-tool", "stdio", "--session-id", id, "--debug-file", debug, "--settings", settings,
	}
	if c.Alone {
		args = append(args, "--setting-sources", "user", "--add-dir", c.Dir) // for its CLAUDE.md
	}
	for _, dir := range c.Plugins {
		args = append(args, "--plugin-dir", dir)
	}
	return append(args, more...)
}

// environment returns the case's environment without the variables that lead to an account or off
// this machine, and with hookwatch's own variables.
func (c Client) environment(own map[string]string) []string {
	env := make([]string, 0, len(c.Env))
	for _, kv := range c.Env {
		name, _, _ := strings.Cut(kv, "=")
		upper := strings.ToUpper(name)
		if !leadsAway(name) && !strings.HasPrefix(upper, "CLAUDE") && !strings.HasPrefix(upper, "AWS_") {
			env = append(env, kv)
		}
	}
	return process.With(process.With(env, own), map[string]string{"HOME": c.Home})
}

// away and awayFrom are the names and prefixes of variables that decide which model the client
// asks, how it connects, with which account, and how long it waits.
var (
	away     = []string{"API_TIMEOUT_MS", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_SIMPLE"}
	awayFrom = []string{
		"ANTHROPIC_", "CLAUDE_CODE_USE_", "CLAUDE_CODE_SKIP_", "CLAUDE_CODE_API_", "CLAUDE_CODE_OAUTH_", "CLAUDE_CODE_HOST_",
		"CLAUDE_CODE_CLIENT_", "CLAUDE_CODE_PROVIDER_", "CLAUDE_CODE_REMOTE", "CLAUDE_CODE_SUBAGENT_MODEL",
	}
)

// leadsAway reports whether a variable can divert the client from the scripted model.
func leadsAway(name string) bool {
	name = strings.ToUpper(name)
	return slices.Contains(away, name) || strings.HasSuffix(name, "_PROXY") ||
		slices.ContainsFunc(awayFrom, func(beginning string) bool { return strings.HasPrefix(name, beginning) })
}

// settingsAtMost bounds the bytes read of a settings file. Real settings are always smaller.
const settingsAtMost = 1 << 20

// overriding returns the variables for the settings with which the client is started. In the client,
// variables of settings override its environment, those of the project's files override the user's,
// and those of --settings override all others (measured with 2.1.330). So --settings must contain
// hookwatch's own variables again, and must empty those of the project's settings that lead away. All
// others of the project keep their values.
func (c Client) overriding(own map[string]string, read func(path string) ([]byte, error)) map[string]string {
	env := maps.Clone(own)
	for _, name := range []string{"settings.json", "settings.local.json"} {
		text, err := read(filepath.Join(c.Dir, ".claude", name))
		var settings struct {
			Env map[string]json.RawMessage `json:"env"`
		}
		if err != nil || len(text) > settingsAtMost || json.Unmarshal(text, &settings) != nil {
			continue // the client does not read it either, or takes no variables from it
		}
		for name := range settings.Env {
			if _, ours := own[name]; !ours && leadsAway(name) {
				env[name] = ""
			}
		}
	}
	return env
}

// variables returns hookwatch's own variables for a model at an address.
func (c Client) variables(address string) map[string]string {
	return map[string]string{
		"ANTHROPIC_API_KEY":                            "dummy",
		"ANTHROPIC_BASE_URL":                           address,
		"CLAUDE_CODE_MAX_RETRIES":                      "0",
		"DISABLE_AUTOUPDATER":                          "1",
		"DISABLE_TELEMETRY":                            "1",
		"DISABLE_ERROR_REPORTING":                      "1",
		"DISABLE_BUG_COMMAND":                          "1",
		"BASH_DEFAULT_TIMEOUT_MS":                      "5000", // calls that hooks allow really run
		"BASH_MAX_TIMEOUT_MS":                          "5000",
		"CLAUDE_CODE_ENABLE_TODO_TOOLS":                "1", // enable tasks for every model
		"IS_SANDBOX":                                   "1", // lets a hook's own client skip permissions as root
		"NO_PROXY":                                     "127.0.0.1",
		"CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD": "1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC":     "1",
	}
}

// sessionID returns a random UUID.
func sessionID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
