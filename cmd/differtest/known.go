package main

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client/clients"
)

// A keeping is a known difference that is kept, and why. Those of hookwatch's model are also in the
// topic limits.
type keeping struct {
	name   string
	client string // of which it is; "" for all
	is     func(p project, d difference) bool
}

// keepings are the known differences.
var keepings = []keeping{
	{"variables of the scripted session, which this program sets", "", func(_ project, d difference) bool {
		return oneOf(d.kind, "env: only the client sets ", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_MAX_RETRIES", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY",
			"DISABLE_ERROR_REPORTING", "DISABLE_BUG_COMMAND", "BASH_DEFAULT_TIMEOUT_MS", "BASH_MAX_TIMEOUT_MS", "CLAUDE_CODE_ENABLE_TODO_TOOLS", "IS_SANDBOX", "NO_PROXY",
			"CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
			"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
			"HOOKWATCH_KEY", "GEMINI_API_KEY", "GEMINI_CLI_NO_RELAUNCH", "GEMINI_CLI_TRUST_WORKSPACE", "GOOGLE_GEMINI_BASE_URL",
			"COPILOT_MODEL", "COPILOT_AUTO_UPDATE", "COPILOT_CACHE_HOME")
	}},
	{"variables of the program of npm that starts the client, and its directory in PATH", "", func(p project, d difference) bool {
		return p.Client == "codex" && (oneOf(d.kind, "env: only the client sets ", "CODEX_MANAGED_BY_NPM", "CODEX_MANAGED_PACKAGE_ROOT") || oneOf(d.kind, "env: value of ", "PATH")) ||
			p.Client == "copilot" && oneOf(d.kind, "env: only the client sets ", "COPILOT_CLI_RESOLVED_DIST_DIR")
	}},
	{"reasons of hooks that deny nothing, which Gemini CLI sends beside a denial", "gemini", func(p project, d difference) bool {
		event, rest, _ := strings.Cut(strings.TrimPrefix(d.kind, "texts: "), " ")
		return slices.Contains([]string{"PreToolUse", "PostToolUse", "Stop"}, event) && len(p.of(event)) > 1 &&
			strings.HasPrefix(rest, "[RSN] in the client, [] in hookwatch")
	}},
	{"a command in place of a file's fields, which Gemini CLI takes beside them, so that the call is as it was", "gemini", func(p project, d difference) bool {
		return d.kind == "effect: proceeds of PreToolUse in the client, rewritten in hookwatch" && !strings.HasPrefix(d.detail, "PreToolUse Bash")
	}},
	{"the name of the shell, which is the user's in other clients", "", func(p project, d difference) bool {
		return p.Client != clients.Claude && d.begins("argv: ") && strings.Contains(d.kind, `"$0"`)
	}},
	{"a changed input other than a command, which the scripted session does not show", "", func(p project, d difference) bool {
		return slices.Contains([]string{"codex", "copilot"}, p.Client) && d.kind == "effect: proceeds of PreToolUse in the client, rewritten in hookwatch" &&
			(p.Calls[d.turn].Tool != "Bash" || p.rewrites(`"updatedInput":{"description"`, `"updatedInput":{}`))
	}},
	{"the input that an earlier hook has changed, which later hooks of Copilot CLI get", "copilot", func(p project, d difference) bool {
		_, about, _ := strings.Cut(d.kind, "ToolUse.")
		return (about == "tool_input" || about == "toolArgs") && p.rewrites(`"updatedInput"`, `"modifiedArgs"`)
	}},
	{"the input that a hook has changed, which hooks after the call get in Gemini CLI", "gemini", func(p project, d difference) bool {
		return d.kind == "stdin: type of PostToolUse.tool_input" && p.rewrites(`"tool_input":{`)
	}},
	{"several hooks of Gemini CLI that stop or end something", "gemini", func(p project, d difference) bool {
		kinds := map[string]string{
			"PreToolUse": "effect: session_ends of PreToolUse in the client, denied in hookwatch", "PostToolUse": "texts: PostToolUse [] in the client, [CTX] in hookwatch",
			"Stop": "effect: proceeds of Stop in the client, another_turn in hookwatch",
		}
		for event, kind := range kinds {
			if len(p.of(event)) > 1 && d.begins(kind) {
				return true
			}
		}
		return len(p.of("Stop")) > 1 && d.begins("texts: Stop [] in the client")
	}},
	{"variables of hookwatch's own cases", "", func(_ project, d difference) bool {
		return oneOf(d.kind, "env: only hookwatch sets ", "HOOK_SESSION_PID", "HOOK_GUARD_PID", "TMPDIR")
	}},
	{"values that differ between two runs of one hook", "", func(_ project, d difference) bool {
		return oneOf(d.kind, "env: value of ", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PID", "CLAUDE_ENV_FILE", "CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_CODE_CHILD_NOTES_DIR", "CLAUDE_EFFORT", "AI_AGENT", "CLAUDE_PLUGIN_DATA", "_",
			"GEMINI_SESSION_ID", "GEMINI_PLANS_DIR")
	}},
	{"variables of the project's settings for a plugin's hooks, which hookwatch takes to run in other projects", "", func(p project, d difference) bool {
		name, client := strings.CutPrefix(d.kind, "env: only the client sets ")
		name, _, _ = strings.Cut(name, " at ")
		value, differs := strings.CutPrefix(d.kind, "env: value of ")
		value, _, _ = strings.Cut(value, " at ")
		named := d.begins("argv: ", "runs: ") && slices.ContainsFunc(variable.FindAllString(p.hook(d.hooks[0]).Form.Command, -1),
			func(name string) bool { return p.sets(name[1:]) })
		return (client && p.sets(name) || differs && p.sets(value) || named) && p.inPlugin(d.hooks[0])
	}},
	{"modes of permissions, and the client's own checks of .claude, decide in addition to hooks and rules", "", func(p project, d difference) bool {
		checked := strings.Contains(fmt.Sprint(p.Calls[d.turn].Input["file_path"]), "/.claude/")
		return (p.hasMode() || checked) && decisions.MatchString(d.kind)
	}},
	{"permission_suggestions depend on the tool", "", func(_ project, d difference) bool {
		return d.kind == "stdin: only hookwatch has PermissionRequest.permission_suggestions"
	}},
	{"the result of an edit tells that the model never read the file, or that an earlier call changed it", "", func(_ project, d difference) bool {
		return d.kind == "stdin: type of PostToolUse.tool_response" &&
			(strings.Contains(d.detail, "contentNotInModelContext:true") || strings.Contains(d.detail, "type:edit_no_occurrence_found"))
	}},
	{"asyncRewake denies in a session with a plain prompt only, may end the last turn and begins others", "", func(p project, d difference) bool {
		if d.begins("runs: ") {
			return strings.Contains(d.detail, "<task-notification>")
		}
		return d.begins("texts: ", "effect: ", "wording: ") && slices.ContainsFunc(p.Entries, func(e entry) bool {
			return e.Keys["asyncRewake"] == true && (d.begins("effect: proceeds of Stop in the client") || strings.Contains(d.kind, " "+e.Event+" "))
		})
	}},
	{"texts of a hook in the background reach the model in a later turn", "", func(p project, d difference) bool {
		return d.begins("texts: ") && slices.ContainsFunc(d.hooks, func(n string) bool {
			e := p.hook(n)
			return e.Keys["async"] == true || strings.Contains(e.Output.Stdout, `"async":true`)
		})
	}},
	{"an agent runs in the background, so that what a slow hook at its end tells it comes after the turn", "", func(p project, d difference) bool {
		return d.begins("texts: SubagentStop [] in the client") && p.Calls[d.turn].Tool == "Agent" && p.hook(d.hooks[0]).Delay > 0
	}},
	{"an input of a hook in the background counts as the call's where nobody is asked, because a session does not show the call's", "", func(p project, d difference) bool {
		return d.kind == "effect: rewritten of PreToolUse in the client, proceeds in hookwatch" && slices.ContainsFunc(d.hooks, func(n string) bool {
			e := p.hook(n)
			return e.Keys["async"] == true && strings.Contains(e.Output.Stdout, `"updatedInput"`)
		})
	}},
	{"a hook for PowerShell, which is not run, has onFailure: block", "", func(p project, d difference) bool {
		return d.begins("effect: ") && slices.ContainsFunc(p.Entries, func(e entry) bool {
			return e.Keys["shell"] == "powershell" && e.Keys["onFailure"] == "block" && strings.Contains(d.kind, " of "+e.Event+" ")
		})
	}},
	{"a title that a hook gave the session is in later payloads", "", func(p project, d difference) bool {
		return d.kind == "stdin: only the client has UserPromptSubmit.session_title" && slices.ContainsFunc(p.Entries, func(e entry) bool { return strings.Contains(e.Output.Stdout, `"sessionTitle"`) })
	}},
	{"a hook with once runs once in a session", clients.Claude, func(p project, d difference) bool {
		return d.begins("runs: 0 times in the client, 1 in hookwatch") && d.turn > 0 && p.hook(d.hooks[0]).Keys["once"] == true
	}},
}

var (
	variable  = regexp.MustCompile(`\$\w+`)
	decisions = regexp.MustCompile(`(?s)^effect: .* of PreToolUse .*(?:asked|allowed|session_ends) in hookwatch$`)
)

// oneOf reports whether a kind is a beginning with one of the names after it.
func oneOf(kind, beginning string, names ...string) bool {
	rest, ok := strings.CutPrefix(kind, beginning)
	rest, _, _ = strings.Cut(rest, " at ")
	return ok && slices.Contains(names, rest)
}

// explain returns the name of a kept difference, "" if it is another.
func explain(p project, d difference) string {
	for _, k := range keepings {
		if (k.client == "" || k.client == p.Client) && k.is(p, d) {
			return k.name
		}
	}
	return ""
}

func (d difference) begins(all ...string) bool {
	return slices.ContainsFunc(all, func(begin string) bool { return strings.HasPrefix(d.kind, begin) })
}

// A tally counts differences and prints each kind once.
type tally struct {
	out      io.Writer
	projects int
	firings  int
	calls    map[suites.Effect]int
	kinds    map[string]int
	known    map[string]int
}

// isFresh counts a difference and reports whether it is to be printed.
func (t *tally) isFresh(d difference, knownToo bool) bool {
	if d.known != "" {
		t.known[d.known]++
		return knownToo && t.known[d.known] == 1
	}
	t.kinds[d.kind]++
	return t.kinds[d.kind] == 1
}

// mostPrinted is the number of entries of a project up to which all of them are printed.
const mostPrinted = 4

// print prints a difference with the smallest project that shows it.
func (t *tally) print(d difference, p project) {
	fmt.Fprintf(t.out, "DIFFERS  %s\n  seed %d, turn %d, hooks %s\n  %s\n", d.kind, p.Seed, d.turn, strings.Join(d.hooks, " "), strings.ReplaceAll(d.detail, "\n", "\n  "))
	for _, e := range p.Entries {
		if len(d.hooks) > 0 && !slices.Contains(d.hooks, strconv.Itoa(e.N)) && len(p.Entries) > mostPrinted {
			continue
		}
		fmt.Fprintf(t.out, "  %d: %s %s %q %q %q %v exit %d, stdout %q, stderr %q, sleep %v\n", e.N, e.Layer, e.Event, e.Matcher, e.Form.Command, e.Form.Args, e.Keys,
			e.Output.Exit, e.Output.Stdout, e.Output.Stderr, e.Output.Sleep)
	}
	for _, f := range p.Files {
		var parts []string
		add := func(is bool, name string, value any) {
			if is {
				parts = append(parts, fmt.Sprintf("%s %v", name, value))
			}
		}
		add(len(f.Env) > 0, "env", f.Env)
		add(len(f.Allow) > 0, "allow", f.Allow)
		add(len(f.Ask) > 0, "ask", f.Ask)
		add(len(f.Deny) > 0, "deny", f.Deny)
		add(f.Mode != "", "mode", f.Mode)
		if f.DisableAll != nil {
			add(true, "disableAllHooks", *f.DisableAll)
		}
		if f.Mistake != nil {
			add(true, "mistake", f.Mistake.New)
		}
		if len(parts) > 0 {
			fmt.Fprintf(t.out, "  %s: %s\n", f.Layer, strings.Join(parts, ", "))
		}
	}
	for i, c := range p.Calls {
		if len(p.Calls) > 1 && i != d.turn {
			continue
		}
		fmt.Fprintf(t.out, "  call %s %v\n", c.Tool, c.Input)
	}
	if p.Plugin != "" {
		fmt.Fprintf(t.out, "  plugin %s\n", p.Plugin)
	}
}

func (t *tally) summary() error {
	different := 0
	for _, kind := range slices.Sorted(maps.Keys(t.kinds)) {
		different += t.kinds[kind]
		fmt.Fprintf(t.out, "%6d  %s\n", t.kinds[kind], kind)
	}
	for _, name := range slices.Sorted(maps.Keys(t.known)) {
		fmt.Fprintf(t.out, "%6d  known: %s\n", t.known[name], name)
	}
	for _, effect := range slices.Sorted(maps.Keys(t.calls)) {
		fmt.Fprintf(t.out, "%6d  calls: %s\n", t.calls[effect], effect)
	}
	fmt.Fprintf(t.out, "%d projects, %d firings, %d differences of %d kinds\n", t.projects, t.firings, different, len(t.kinds))
	if different > 0 {
		return errDiffers
	}
	return nil
}
