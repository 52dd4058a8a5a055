package client

import (
	"cmp"
	"time"

	"hookwatch/suites"
)

// An Entry is one registered hook, as a settings file or a plugin has it.
type Entry struct {
	Event   string
	Matcher string // "" when omitted
	Type    string // command, http, prompt, agent or mcp_tool; "" is command
	Command string
	Args    []string // not nil, be it empty: the exec form, without a shell
	URL     string   // of an http hook
	Prompt  string   // of a prompt or agent hook
	Server  string   // of an mcp_tool hook
	Tool    string   // of an mcp_tool hook
	If      string   // permission rule that a tool call must match
	Shell   string   // bash or powershell; "" is the system's
	// Timeout is what the entry says, 0 when it says nothing.
	Timeout time.Duration
	Async   bool
	// AsyncRewake runs the hook in the background, but its exit code 2 blocks where
	// there is no person; observed on client 2.1.330.
	AsyncRewake bool
	Once        bool
	// OnFailure is block or continue: with block, every failure counts as exit
	// code 2; observed on client 2.1.330.
	OnFailure string
	// ContinueOnBlock lets a prompt hook deny without ending the session; observed
	// on client 2.1.330.
	ContinueOnBlock bool
	Plugin          bool            // registered by a plugin
	At              suites.Position // of the entry itself
}

// An EntryKey is a key that the client knows in an entry.
type EntryKey struct {
	Name string
	Kind ValueKind
	// Of are the types of hook that have it; none: all.
	Of []string
	// One of these it must be, where it is a word of a list.
	Values []string
	// Required of those types.
	Required bool
	// Since is the first version that has it; "" is the first of all.
	Since Version
	// On are the versions on which it was seen what the key, or a wrong value of
	// it, does; none: it is in the schema of 2.1.330.
	On []Version
}

// Known reports whether a client of version v has the key; of another it says nothing.
func (k EntryKey) Known(v Version) bool { return v.Since(k.Since) }

// entryKeys is the table of keys, type first. That the client refuses a wrong value
// was observed for type, command, timeout, onFailure, shell, statusMessage, server
// and url; the other keys are taken to follow the same validation.
var entryKeys = []EntryKey{
	{Name: "type", Kind: AString, Values: HookTypes(), Required: true, On: onAll},
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
}

// EntryKeys lists the keys of an entry.
func EntryKeys() []EntryKey { return append([]EntryKey{}, entryKeys...) }

// HookTypes lists the types of hook that the client knows; schema of 2.1.330.
func HookTypes() []string { return []string{"agent", "command", "http", "mcp_tool", "prompt"} }

// DefaultTimeout returns the time that the client gives a hook whose entry names none; documented.
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
