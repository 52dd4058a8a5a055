package check

import (
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/pattern"
)

// powerShells are the programs that run PowerShell: the one for all systems, then those of Windows.
var powerShells = []string{"pwsh", "powershell", "pwsh.exe", "powershell.exe"}

// judgePowerShell judges a hook that the client starts by PowerShell, which hookwatch does not start. Without
// pwsh the client starts nothing; observed on client 2.1.332.
func (j *judgement) judgePowerShell() {
	if h := j.of.hook; h.ForPowerShell() && j.of.tree.lacks(powerShells[0]) {
		j.unstarted = client.Interpret(client.Default, h.Event, client.Output{NotStarted: "pwsh is absent", Entry: h.Entry}).Effect
		j.lacksPowerShell(powerShells[0], j.unstarted, "the client does not start the hook, and ")
	}
}

// lacksPowerShell records that a hook was not judged without a program of PowerShell, and the client's course until then.
func (j *judgement) lacksPowerShell(program string, until suites.Effect, course string) {
	about := j.of.about()
	j.absent, j.ends = program+" is absent", true
	f := FindingOf("absent-program", j.of.hook.ID, j.of.hook.Source, "not judged here: "+j.absent)
	f.Remedy = "install PowerShell, which all systems have as pwsh, or register a script that needs none"
	if f.Effect = about.Fill(course + "{proceeds} as if there were none"); Stops(until) && about.No() != "" {
		f.Effect = course + about.No()
	}
	j.add(f)
}

// backslashes match a path in the form of Windows: unquoted, or in double quotes. Its last group is the path.
var backslashes = pattern.Lazy(`(?i)(?:^|\s)(")?((?:[a-z]:|\.claude|\.|%[a-z_]+%|\$\w+|\$\{\w+\})\\[\w.-]+\\[\w.-]+[^\s";&|]*)`)

// judgeBackslashes judges a path with backslashes in a command that a shell of this system reads.
func judgeBackslashes(s site) []Finding {
	m := backslashes().FindStringSubmatch(s.hook.Command)
	switch {
	case m == nil, s.hook.ForPowerShell():
		return nil
	case m[1] == "":
		return evidence("the command names a path with backslashes: the shell looks for %s", strings.ReplaceAll(m[2], `\`, ""))
	}
	return one(Finding{
		What: "the command names a path with backslashes: " + m[2], Severity: suites.Warning,
		Effect: s.event.Fill("in quotes the shell keeps them, and only on Windows do they separate directories: elsewhere the file is not found and {proceeds}"),
	})
}
