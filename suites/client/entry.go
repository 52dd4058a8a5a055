package client

import (
	"cmp"
	"time"

	"hookwatch/suites"
)

// An Entry is one registered hook of a settings file or a plugin.
type Entry struct {
	Event   string
	Matcher string // "" when omitted
	Type    string // command, http, prompt, agent or mcp_tool; "" is command
	Command string
	Args    []string // if not nil, even if empty: the exec form, without a shell
	URL     string   // of an http hook
	Prompt  string   // of a prompt or agent hook
	Server  string   // of an mcp_tool hook
	Tool    string   // of an mcp_tool hook
	If      string   // permission rule that a tool call must match
	Shell   string   // bash or powershell; "" is the system's
	// Timeout is the entry's own time limit; 0 if it has none.
	Timeout time.Duration
	Async   bool
	// AsyncRewake runs the hook in the background, but its exit code 2 blocks if there is no user
	// to ask; observed on client 2.1.330.
	AsyncRewake bool
	Once        bool
	// OnFailure is block or continue: with block, every failure counts as exit code 2; observed on
	// client 2.1.330.
	OnFailure string
	// StatusMessage stands for the command in messages about a decision in JSON, not in those about an
	// exit code; observed on client 2.1.332.
	StatusMessage string
	// ContinueOnBlock lets a prompt hook deny without ending the session; observed on client
	// 2.1.330.
	ContinueOnBlock bool
	Plugin          bool            // registered by a plugin
	Dir             string          // where the command runs, from the session's directory; of other clients only
	Env             []string        // NAME=value, variables of the hook alone; of other clients only
	At              suites.Position // of the entry itself
}

// InBackground reports whether the client does not wait for the hook.
func (e Entry) InBackground() bool { return e.Async || e.AsyncRewake }

// An EntryKey is a key that the client knows in an entry.
type EntryKey struct {
	Name string
	Kind ValueKind
	// Of are the types of hook that have the key; none means all.
	Of []string
	// Values are the accepted words, if they are limited.
	Values []string
	// Required reports that hooks of those types need the key.
	Required bool
	// Since is the first version that has the key; "" is all.
	Since Version
	// On are the versions on which the effect of the key, or of a wrong value, was observed; none
	// if it is only in the client's schema.
	On []Version
}

// Known reports whether a client of version v has the key.
func (k EntryKey) Known(v Version) bool { return v.Since(k.Since) }

// entryKeys is the table of keys, type first. Refusal of a wrong value was observed for type,
// command, timeout, onFailure, shell, statusMessage, server and url; the other keys are assumed to
// follow the same validation.
var entryKeys = []EntryKey{
	{Name: "type", Kind: AString, Values: hookTypes(), Required: true, On: onAll},
	{Name: "command", Kind: AString, Of: []string{"command"}, Required: true, On: onAll},
	{Name: "args", Kind: SomeStrings, Of: []string{"command"}, On: onAll},
	{Name: "shell", Kind: AString, Of: []string{"command"}, Values: []string{"bash", "powershell"}, On: onAll},
	{Name: "async", Kind: ABoolean, Of: []string{"command"}, On: onAll},
	{Name: "asyncRewake", Kind: ABoolean, Of: []string{"command"}, On: on330},
	{Name: "onFailure", Kind: AString, Of: []string{"command", "http", "mcp_tool"}, Values: []string{"block", "continue"}, Since: V329, On: on330},
	{Name: "url", Kind: AnAddress, Of: []string{"http"}, Required: true, On: onAll},
	{Name: "headers", Kind: AnObject, Of: []string{"http"}},
	{Name: "allowedEnvVars", Kind: SomeStrings, Of: []string{"http"}},
	{Name: "server", Kind: AString, Of: []string{"mcp_tool"}, Required: true, On: onAll},
	{Name: "tool", Kind: AString, Of: []string{"mcp_tool"}},
	{Name: "input", Kind: AnObject, Of: []string{"mcp_tool"}},
	{Name: "prompt", Kind: AString, Of: []string{"prompt", "agent"}, Required: true, On: on330},
	{Name: "model", Kind: AString, Of: []string{"prompt", "agent"}},
	{Name: "continueOnBlock", Kind: ABoolean, Of: []string{"prompt", "agent"}, On: on330},
	{Name: "timeout", Kind: ADuration, On: onAll},
	{Name: "if", Kind: AString, On: onAll},
	{Name: "once", Kind: ABoolean, On: onAll},
	{Name: "statusMessage", Kind: AString, On: onAll},
	{Name: "holdsTools", Kind: ABoolean, Of: []string{"command"}, Since: V332}, // of the client's own plugins, as are the next
	{Name: "rewakeMessage", Kind: AString, Of: []string{"command"}, Since: V332},
	{Name: "rewakeSummary", Kind: AString, Of: []string{"command"}, Since: V332},
	{Name: "cloud", Kind: Anything, Of: []string{"command"}, Since: V332}, // a wrong value counts as skip
}

// EntryKeys returns the keys of an entry.
func EntryKeys() []EntryKey { return append([]EntryKey{}, entryKeys...) }

// hookTypes returns the types of hook that the client knows; schema of 2.1.330.
func hookTypes() []string { return []string{"agent", "command", "http", "mcp_tool", "prompt"} }

// DefaultTimeout returns the client's time limit for a hook whose entry has none; documented.
func DefaultTimeout(event, hookType string) time.Duration {
	about, _ := EventByName(event)
	switch {
	case about.AnyType:
		return about.Timeout
	case hookType == "prompt":
		return 30 * time.Second
	case hookType == "agent":
		return 60 * time.Second
	default:
		return cmp.Or(about.Timeout, 600*time.Second)
	}
}
