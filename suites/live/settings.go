package live

import (
	"strings"

	"hookwatch/suites/client"
)

// Settings makes a settings file of registered hooks and of variables.
func Settings(entries []client.Entry, env map[string]string) []byte {
	type group struct {
		Matcher string           `json:"matcher,omitempty"`
		Hooks   []map[string]any `json:"hooks"`
	}
	hooks := make(map[string][]group)
	for _, e := range entries {
		hooks[e.Event] = append(hooks[e.Event], group{e.Matcher, []map[string]any{fields(e)}})
	}
	settings := map[string]any{"hooks": hooks}
	if len(env) > 0 {
		settings["env"] = env
	}
	return encoded(settings)
}

func fields(e client.Entry) map[string]any {
	f := map[string]any{"type": "command"}
	set := func(name, value string) {
		if value != "" {
			f[name] = value
		}
	}
	set("type", e.Type)
	set("command", e.Command)
	set("url", e.URL)
	set("prompt", e.Prompt)
	set("server", e.Server)
	set("tool", e.Tool)
	set("if", e.If)
	set("shell", e.Shell)
	set("onFailure", e.OnFailure)
	if e.Args != nil {
		f["args"] = e.Args
	}
	if e.Timeout > 0 {
		f["timeout"] = e.Timeout.Seconds()
	}
	for name, on := range map[string]bool{"async": e.Async, "asyncRewake": e.AsyncRewake, "once": e.Once, "continueOnBlock": e.ContinueOnBlock} {
		if on {
			f[name] = true
		}
	}
	return f
}

// Rooted is the command of an entry that finds its script in root, and runs there,
// wherever the client's own project is.
func Rooted(e client.Entry, root string) string {
	if e.Args != nil || e.Command == "" {
		return e.Command
	}
	in := strings.NewReplacer("${CLAUDE_PROJECT_DIR}", root, "$CLAUDE_PROJECT_DIR", root).Replace(e.Command)
	return "cd '" + strings.ReplaceAll(root, "'", `'\''`) + "' && " + in
}
