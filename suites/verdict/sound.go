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
	if fault, line := symptom.FaultOf(r); fault != symptom.NoFault {
		add("sound", "exit "+gotExit(r)+": "+strings.TrimSpace(line), wholesome[fault])
	}
	if symptom.Unheeded(r) {
		add("sound", r.EffectReason, "output that the client heeds")
	}
}

// wholesome is what is wanted in the place of a fault.
var wholesome = map[symptom.Fault]string{
	symptom.Unparsed: "a script that parses", symptom.Unstarted: "a hook that starts", symptom.Crashed: "no crash",
	symptom.Overlong: "long values on stdin",
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
