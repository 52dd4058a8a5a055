package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
)

// explainDocument is what explain prints as JSON of many outputs.
type explainDocument struct {
	Version int             `json:"version"`
	Client  string          `json:"client"`
	Outputs []explainedLine `json:"outputs"`
}

// explainedLine is how the client interprets one output.
type explainedLine struct {
	ID        json.RawMessage `json:"id,omitempty"` // as it was given
	Effect    suites.Effect   `json:"effect"`
	Decision  string          `json:"decision"`
	Because   string          `json:"because"`
	Rule      string          `json:"rule"`
	ModelSees []string        `json:"model_sees"`
}

// explainLine interprets an output as a client of a version does.
func explainLine(version client.Version, fired client.Firing) (explainedLine, client.Reading) {
	reading := client.Interpret(version, fired.Event, fired.Output)
	return explainedLine{
		ID: fired.ID, Effect: reading.Effect, Decision: reading.Decision, Because: reading.Because(),
		Rule: string(reading.Cause.Kind), ModelSees: append([]string{}, reading.ModelSees...),
	}, reading
}

// lineText tells it of the output on a line of standard input, which goes by its ID or
// the line's number.
func lineText(w io.Writer, line explainedLine, reading client.Reading, number int) {
	name := fmt.Sprintf("line %d", number)
	if line.ID != nil {
		name = string(line.ID)
		var text string
		if json.Unmarshal(line.ID, &text) == nil {
			name = text
		}
	}
	writef(w, "%s\n", name)
	printReading(w, reading)
}

// printReading tells effect, reason and rule, and what the model sees.
func printReading(w io.Writer, reading client.Reading) {
	rule := reading.Cause.Rule()
	writef(w, "effect  %s\n", reading.Effect)
	writef(w, "why     %s\n", reading.Because())
	writef(w, "rule    %s (%s)\n", rule.ID, observedOn(rule))
	if remedy := reading.Cause.Remedy(); remedy != "" {
		writef(w, "remedy  %s\n", remedy)
	}
	if len(reading.ModelSees) == 0 {
		writef(w, "model   (nothing)\n")
	}
	for _, text := range reading.ModelSees {
		name := "model "
		for line := range strings.Lines(text) {
			writef(w, "%s  %s\n", output(name), output(strings.TrimRight(line, "\r\n")))
			name = "      "
		}
	}
}
