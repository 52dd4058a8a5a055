package client

import (
	"slices"
)

// A Tool is a tool of the client that hooks see.
type Tool struct {
	Name string
	// Also are older names by which matchers may still call it; Task was observed
	// on clients 2.1.197 and 2.1.330, the others were read from the code.
	Also []string
	// Requires are the keys without which the client refuses a call.
	Requires []string
	// Returns are the keys of a result that a hook may put in the place of the
	// tool's own. None: any object or list; only Bash's was observed.
	Returns []string
	// On are the versions on which a call of it was captured; none: it is as the
	// tool describes itself.
	On []Version
}

// tools is the table of tools.
var tools = []Tool{
	{Name: "Bash", Requires: []string{"command"}, Returns: []string{"stdout", "stderr", "interrupted", "isImage"}, On: onAll},
	{Name: "Read", Requires: []string{"file_path"}, On: onOld},
	{Name: "Write", Requires: []string{"file_path", "content"}, On: onOld},
	{Name: "Edit", Requires: []string{"file_path", "old_string", "new_string"}, On: onOld},
	{Name: "MultiEdit", Requires: []string{"file_path", "edits"}},
	{Name: "NotebookEdit", Requires: []string{"notebook_path", "new_source"}},
	{Name: "Grep", Requires: []string{"pattern"}},
	{Name: "Glob", Requires: []string{"pattern"}},
	{Name: "WebFetch", Requires: []string{"url", "prompt"}},
	{Name: "WebSearch", Requires: []string{"query"}},
	{Name: "Skill", Requires: []string{"skill"}},
	{Name: "Agent", Also: []string{"Task"}, Requires: []string{"description", "prompt"}, On: onOld},
	{Name: "TaskCreate", Requires: []string{"subject", "description"}, On: onOld},
	{Name: "TaskUpdate", Requires: []string{"taskId"}, On: onOld},
	{Name: "TaskStop", Also: []string{"KillShell", "KillBash"}},
	{Name: "ListAgents", Also: []string{"ListPeers"}},
}

// Tools lists the tools that are known.
func Tools() []Tool { return slices.Clone(tools) }

// toolByName is the zero Tool for one that is not in the table, as MCP tools are.
func toolByName(name string) Tool {
	for _, tool := range tools {
		if tool.Name == name {
			return tool
		}
	}
	return Tool{}
}

// lacks names the first required key that an input does not have.
func (t Tool) lacks(input map[string]any) string {
	for _, key := range t.Requires {
		if !has(input, key) {
			return key
		}
	}
	return ""
}

// takes reports whether the client takes value in the place of the tool's result.
func (t Tool) takes(value any) bool {
	fields, isObject := value.(map[string]any)
	_, isList := value.([]any)
	if len(t.Returns) == 0 {
		return isObject || isList
	}
	return isObject && !slices.ContainsFunc(t.Returns, func(key string) bool { return !has(fields, key) })
}

// Match reports whether a hook with this matcher runs when the event fires and
// its matched field holds value. An event that has no matched field ignores the
// matcher; an event that the client does not have never runs. See package matcher
// for the rest.
func Match(event, match, value string) bool {
	about, known := EventByName(event)
	switch {
	case !known:
		return false
	case about.MatchedOn == "":
		return true
	}
	names := []string{value}
	if about.Tool {
		names = append(names, toolByName(value).Also...)
	}
	matched, _ := about.matches(match, names...)
	return matched
}

// MatcherError is the reason why the matcher of a hook is not evaluated, nil if it is:
// whether the hook runs when the event fires is not known. It tries the values that are
// known.
func MatcherError(event, match string) error {
	about, known := EventByName(event)
	if !known || about.MatchedOn == "" {
		return nil
	}
	values := []string{"mcp__example__example", "general-purpose", "permission_prompt"}
	for _, tool := range tools {
		values = append(append(values, tool.Name), tool.Also...)
	}
	for _, value := range values {
		if _, err := about.matches(match, value); err != nil {
			return err
		}
	}
	return nil
}

func has(fields map[string]any, key string) bool {
	_, present := fields[key]
	return present
}
