package client

import (
	"strings"

	"hookwatch/suites/jsontree"
)

// A setting is a setting next to the hooks; a dot leads into an object.
type setting struct {
	name   string
	kind   ValueKind
	values []string // all values, if the list is closed
}

// others are the settings other than hooks that the client was observed to validate (2.1.330, and from
// env on 2.1.332). Of other arrays the elements were not
// observed, and of objects nothing within.
var others = []setting{
	{name: "permissions", kind: AnObject},
	{name: "model", kind: AString},
	{name: "statusLine", kind: AnObject},
	{name: "outputStyle", kind: AString},
	{name: "channelsEnabled", kind: ABoolean},
	{name: "claudeMdExcludes", kind: AnArray},
	{name: "cleanupPeriodDays", kind: ACount},
	{name: "disableSkillShellExecution", kind: ABoolean},
	{name: "minimumVersion", kind: AString},
	{name: "showThinkingSummaries", kind: ABoolean},
	{name: "skillListingMaxDescChars", kind: ACount},
	{name: "includeCoAuthoredBy", kind: ABoolean},
	{name: "allowedHttpHookUrls", kind: SomeStrings},
	{name: "env", kind: AnObject},
	{name: "disableAllHooks", kind: ABoolean},
	{name: "permissions.allow", kind: AnArray},
	{name: "permissions.ask", kind: AnArray},
	{name: "permissions.deny", kind: AnArray},
	{name: "permissions.additionalDirectories", kind: AnArray},
	{name: "permissions.defaultMode", kind: AString, values: []string{"acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "manual", "plan"}},
	{name: "permissions.disableBypassPermissionsMode", kind: AString, values: []string{"disable"}},
	{name: "sandbox", kind: AnObject},
	{name: "sandbox.enabled", kind: ABoolean},
	{name: "defaultShell", kind: AString, values: []string{"bash", "powershell"}},
	{name: "$schema", kind: AString},
	{name: "agent", kind: AString},
	{name: "allowManagedHooksOnly", kind: ABoolean},
	{name: "alwaysThinkingEnabled", kind: ABoolean},
	{name: "apiKeyHelper", kind: AString},
	{name: "attribution", kind: AnObject},
	{name: "autoCompactEnabled", kind: ABoolean},
	{name: "autoMemoryEnabled", kind: ABoolean},
	{name: "autoUpdatesChannel", kind: AString},
	{name: "availableModels", kind: SomeStrings},
	{name: "awsAuthRefresh", kind: AString},
	{name: "awsCredentialExport", kind: AString},
	{name: "companyAnnouncements", kind: SomeStrings},
	{name: "disabledMcpjsonServers", kind: AnArray},
	{name: "enableAllProjectMcpServers", kind: ABoolean},
	{name: "enabledMcpjsonServers", kind: AnArray},
	{name: "enabledPlugins", kind: AnObject},
	{name: "fastMode", kind: ABoolean},
	{name: "fileSuggestion", kind: AnObject},
	{name: "httpHookAllowedEnvVars", kind: AnArray},
	{name: "includeGitInstructions", kind: ABoolean},
	{name: "language", kind: AString},
	{name: "otelHeadersHelper", kind: AString},
	{name: "plansDirectory", kind: AString},
	{name: "pluginConfigs", kind: AnObject},
	{name: "prefersReducedMotion", kind: ABoolean},
	{name: "respectGitignore", kind: ABoolean},
	{name: "showTurnDuration", kind: ABoolean},
	{name: "skillOverrides", kind: AnObject},
	{name: "skipDangerousModePermissionPrompt", kind: ABoolean},
	{name: "spinnerTipsEnabled", kind: ABoolean},
	{name: "spinnerVerbs", kind: AnObject},
	{name: "strictKnownMarketplaces", kind: AnArray},
	{name: "terminalProgressBarEnabled", kind: ABoolean},
	{name: "verbose", kind: ABoolean},
	{name: "worktree", kind: AnObject},
}

// find returns the value of the setting in a file.
func (s setting) find(value jsontree.Value) (jsontree.Value, bool) {
	given := true
	for name := range strings.SplitSeq(s.name, ".") {
		if value, given = value.Get(name); !given {
			break
		}
	}
	return value, given
}
