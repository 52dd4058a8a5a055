package client

import "slices"

// matchedBy is what each event's label shows where the measurements name it.
var matchedBy = map[string]string{"PreToolUse": "Bash", "PostToolUse": "Bash", "PostToolUseFailure": "Bash", "SessionStart": "startup"}

// Cells lists the cells, section by section.
func Cells() []Cell {
	all := slices.Concat(sectionOne(), sectionThree(), belowThree(), sectionThreeA(), sectionFour())
	all = slices.DeleteFunc(all, func(c Cell) bool { return c.Want == Want{} })
	for i := range all {
		all[i].Output.Entry.Command = CellCommand
		if all[i].Output.Matched == "" {
			all[i].Output.Matched = matchedBy[all[i].Event]
		}
	}
	return all
}
