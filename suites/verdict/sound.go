package verdict

import (
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/symptom"
)

// judgeSound says what is wrong with a hook of which nothing more is known than that
// the client fires it.
func judgeSound(add func(field, got, want string), e *suites.Expectation, r suites.Result) {
	if !e.Sound {
		return
	}
	switch {
	case r.Exit == 0:
	case symptom.NoParse().Match(r.Stderr):
		add("sound", "exit "+gotExit(r)+": "+oneLine(symptom.NoParse().Find(r.Stderr)), "a script that parses")
	case r.Exit == 126 || r.Exit == 127:
		add("sound", "exit "+gotExit(r)+": "+oneLine(r.Stderr), "a hook that starts")
	case symptom.Crash().Match(r.Stderr) && r.Exit != 2:
		add("sound", "exit "+gotExit(r)+": "+oneLine(symptom.Crash().Find(r.Stderr)), "no crash")
	}
	if symptom.Dropped(r) && !symptom.Echoes(r.Stdout) {
		add("sound", r.EffectReason, "output that the client heeds")
	}
}

// notHere tells that a hook which has only to be sound could not do its work for
// want of something that this machine does not have; "" otherwise.
func notHere(c *suites.Case, o suites.Outcome) string {
	for i, r := range o.Results {
		if !c.Steps[i].Expect.Sound || r.Exit == 0 || r.NotStarted != "" {
			continue
		}
		switch name, kind := symptom.Absent(r); kind {
		case symptom.Program, symptom.Module, symptom.Network:
			return "absent: " + name
		case symptom.File:
			if strings.HasPrefix(name, "/") && !strings.HasPrefix(name, o.Root+"/") && !strings.HasPrefix(name, o.Sandbox+"/") {
				return "absent: " + name
			}
		}
	}
	return ""
}

func oneLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return line
}
