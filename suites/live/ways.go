package live

import (
	"hookwatch/suites"
	"hookwatch/suites/client"
)

// A Way describes how a session with the client triggers an event, and how the effect of the
// event's hooks is observed.
type Way struct {
	// Why is the reason why no session can trigger the event; empty if one can.
	Why string
	// fire builds the turn of a step.
	fire func(t *Turn, s Step, p payload) error
	// effect returns an effect that shows in more than the texts sent to the model; "" for none.
	effect func(*Seen, hookOutput) (suites.Effect, string)
	// afterTool reports that the hooks run after the tool, so that their texts are context only if
	// they call them that.
	afterTool bool
	// ownSettings reports that the client must read the project's own settings, not a copy with
	// witnesses, because they are what changes.
	ownSettings bool
	// WholeSession reports that the session has a mode of its own for the event, so that it can
	// contain no other step.
	WholeSession bool

	// The fields below trigger the event for measured cells. Step does it. Single reports that a
	// session serves only one cell, because the event occurs once or the cell leaves changes that
	// would affect the next. Ends reports that the client cannot be used afterwards.
	Step    suites.Step
	Single  bool
	Ends    bool
	Matcher string         // of the hook
	Value   string         // by which the client names the hook, in addition to the event
	Needs   []client.Entry // hooks of other events that the event requires
}

// WayTo returns the way to an event.
func WayTo(event string) Way {
	way, known := ways[event]
	if command := about(event).Command; command != "" {
		way.Step = bash(command)
	}
	if !known {
		way.Why = "hookwatch knows no way to have the client fire " + event
	}
	return way
}

func bash(command string) suites.Step { return suites.Step{Tool: "Bash", Command: command} }

// ways are the ways to all events.
var ways = map[string]Way{
	"PreToolUse": {fire: tool(false), effect: (*Seen).before, Step: bash("touch probe"), Value: "Bash"},
	"PreSkillShellCommand": {
		fire: skillLine, effect: (*Seen).lineRan, Single: true, Value: "Bash",
		Step: suites.Step{Fixtures: []suites.Fixture{{Path: "{override}/.claude/commands/" + lineCommand + ".md", Content: "---\nallowed-tools: Bash(echo:*)\n---\nlook: !`echo " + lineEcho + "`\n"}}},
	},
	"PermissionRequest":  {fire: tool(false), effect: (*Seen).permission, Value: "Bash"},
	"PermissionDenied":   {fire: askModel, WholeSession: true, Single: true},
	"PostToolUse":        {fire: tool(true), effect: (*Seen).after, afterTool: true, Step: bash("echo probe"), Value: "Bash"},
	"PostToolUseFailure": {fire: tool(true), effect: (*Seen).after, afterTool: true, Value: "Bash"},
	"PostToolBatch":      {fire: batch, effect: (*Seen).after, afterTool: true, Step: bash("echo probe")},
	"UserPromptSubmit":   {fire: prompt, effect: (*Seen).prompt},
	"UserPromptExpansion": {
		fire: expansion, effect: (*Seen).prompt, Step: suites.Step{Payload: []byte(`{"command_args":"Bob","command_name":"greet"}`)},
	},
	"CwdChanged":     {fire: changeDirectory, Single: true},
	"Stop":           {fire: stop, effect: (*Seen).judgeStop},
	"MessageDisplay": {fire: stop},
	"SubagentStart":  {fire: subagent},
	"SubagentStop":   {fire: subagent, effect: (*Seen).judgeStop},
	"SessionStart": {
		fire: sessionStart, effect: (*Seen).judgeStart, Step: suites.Step{Payload: []byte(`{"source":"clear"}`)}, Value: "clear",
	},
	"SessionEnd":      {fire: sessionEnd, Ends: true},
	"Setup":           {fire: setup, Single: true, Ends: true},
	"PreCompact":      {fire: compact, effect: (*Seen).judgeCompaction},
	"PostCompact":     {fire: compact},
	"PreModelSwitch":  {fire: model, effect: (*Seen).judgeSwitch, Single: true},
	"PostModelSwitch": {fire: model, Single: true},
	"TaskCreated":     {fire: taskCreated, effect: refuses("")},
	"TaskCompleted":   {fire: taskCompleted, effect: refuses(""), Single: true},
	"WorktreeCreate": {
		fire: worktreeCreate, effect: refuses(""), Single: true,
		Step: suites.Step{Fixtures: []suites.Fixture{{Path: "{override}/w/file"}}},
	},
	"WorktreeRemove": {
		fire: worktreeRemove, effect: refuses("could not remove it"), Single: true,
		Needs: []client.Entry{{
			Event: "WorktreeCreate", Type: "command",
			Command: `mkdir -p "$CLAUDE_PROJECT_DIR"/worktree && echo "$CLAUDE_PROJECT_DIR"/worktree`,
		}},
	},
	"InstructionsLoaded": {
		fire: instructions, Single: true, Step: suites.Step{
			Payload:  []byte(`{"file_path":"{override}/CLAUDE.md"}`),
			Fixtures: []suites.Fixture{{Path: "{override}/CLAUDE.md", Content: "Be brief."}},
		},
	},
	"ConfigChange": {fire: configuration, effect: (*Seen).judgeConfiguration, ownSettings: true, Single: true},
	"FileChanged": {
		fire: fileChanged, Single: true, Step: suites.Step{Payload: []byte(`{"file_path":"{override}/watched"}`)}, Matcher: "watched",
	},
	"DirectoryAdded":    {fire: directoryAdded, Single: true},
	"Elicitation":       {fire: question, effect: (*Seen).judgeElicitation, Single: true},
	"ElicitationResult": {fire: question, effect: (*Seen).judgeElicitation, Single: true},
	"Notification":      {fire: question, Single: true},
	"StopFailure":       {Why: "the client fires StopFailure now and then only"},
	"TeammateIdle":      {Why: "no way is known to have the client fire TeammateIdle"},
}

// Replaces reports whether the project's own settings are replaced by a copy with witnesses,
// because the client prints nothing about the event's hooks.
func Replaces(event string) bool { return isUnreported(event) && !ways[event].ownSettings }

// isUnreported reports whether the client prints nothing about the event's hooks.
func isUnreported(event string) bool { return about(event).Unreported }

func about(name string) client.Event {
	event, _ := client.EventByName(name)
	return event
}
