package conform

// tools are the names that a matcher of a tool's event can mean, as observed on
// client 2.1.330 and, for those it was not asked for, documented.
var tools = []string{
	"Agent", "AskUserQuestion", "Bash", "BashOutput", "CronCreate", "CronDelete", "CronList", "Edit", "EnterPlanMode", "EnterWorktree",
	"ExitPlanMode", "ExitWorktree", "Glob", "Grep", "LSP", "ListAgents", "ListMcpResourcesTool", "Monitor", "NotebookEdit", "PowerShell", "Read",
	"ReadMcpResourceTool", "SendMessage", "Skill", "SlashCommand", "StructuredOutput", "TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop",
	"TaskUpdate", "TeamCreate", "TeamDelete", "TodoWrite", "ToolSearch", "WebFetch", "WebSearch", "Workflow", "Write",
}

// formerTools are names that older clients had; some still match their successor.
var formerTools = map[string]string{
	"MultiEdit": "Edit", "LS": "Bash", "NotebookRead": "Read", "KillBash": "TaskStop", "AgentOutputTool": "TaskOutput", "View": "Read",
}

// stillMatches are former names that the client takes for their successor.
var stillMatches = []string{"Task", "KillShell", "KillBash", "ListPeers"}

// values are what a matcher of an event is compared with, where the list is
// closed.
var values = map[string][]string{
	"SessionStart": {"startup", "resume", "clear", "compact", "fork"},
	"PreCompact":   {"manual", "auto"},
	"PostCompact":  {"manual", "auto"},
	"Setup":        {"init", "maintenance"},
	"ConfigChange": {"project_settings", "user_settings", "local_settings", "policy_settings", "skills"},
}
