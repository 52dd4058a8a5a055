package human

import (
	"strings"

	"hookwatch/cmd/internal/notify"
)

// typed is the line on which a filter is typed.
func (h *human) typed() line {
	t := h.asked.typing
	return line{{bold, "filter by " + string(t.By) + ": " + t.Pattern + "_"},
		{dim, "   " + notify.Count(t.Cases, "case") + "   Enter runs them, Esc leaves"}}
}

// hints are as many keys as there is room for.
func (h *human) hints(columns int) string {
	var b strings.Builder
	for _, k := range notify.Keys() {
		hint := "  " + k.Key + " " + k.Short
		if k.Short == "" || b.Len()+len(hint) > columns {
			continue
		}
		b.WriteString(hint)
	}
	return b.String()
}
