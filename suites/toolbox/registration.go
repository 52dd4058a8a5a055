package toolbox

import (
	"fmt"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
)

// registered checks which hooks fire, not how the settings are written: a matcher may list its
// names in any order, be split over several entries, or match more.
func (m *AuditedMachine) registered(want *suites.Registration) suites.Finding {
	names := client.MatcherNames(want.Matcher)
	if len(names) == 0 {
		names = []string{""}
	}
	var lacking, matchers []string
	for _, name := range names {
		entry := m.entry(want, name)
		if entry == nil {
			lacking = append(lacking, name)
		} else if !slices.Contains(matchers, entry.Matcher) {
			matchers = append(matchers, entry.Matcher)
		}
	}
	if len(lacking) == 0 {
		return suites.Finding{Holds: true, Told: told(want, matchers), Remark: wider(names, matchers)}
	}
	for _, h := range m.Hooks(want.Event, lacking[0]) {
		if err := h.MatcherError(); err != nil && slices.Contains(h.Scripts, want.Hook) {
			return suites.Finding{Told: "whether " + want.Event + " runs " + want.Hook + " is not known: its matcher could not be evaluated: " + err.Error()}
		}
	}
	why := want.Event + " does not run " + want.Hook
	if lacking[0] != "" {
		why += " on " + strings.Join(lacking, ", ")
	}
	return suites.Finding{Told: why + "; " + m.instead(want.Event, lacking[0])}
}

func (m *AuditedMachine) entry(want *suites.Registration, name string) *discover.Hook {
	for _, h := range m.Hooks(want.Event, name) {
		if slices.Contains(h.Scripts, want.Hook) && h.MatcherError() == nil {
			return &h
		}
	}
	return nil
}

func told(want *suites.Registration, matchers []string) string {
	matchers = slices.DeleteFunc(slices.Clone(matchers), func(m string) bool { return m == "" })
	if len(matchers) == 0 {
		return want.Event + " runs " + want.Hook
	}
	return fmt.Sprintf("%s runs %s on %s", want.Event, want.Hook, strings.Join(matchers, " and "))
}

// wider describes the names that the entries match in addition to those required.
func wider(names, matchers []string) string {
	var more []string
	for _, m := range matchers {
		for _, name := range client.MatcherNames(m) {
			if !slices.Contains(names, name) && !slices.Contains(more, name) {
				more = append(more, name)
			}
		}
	}
	if len(more) == 0 {
		return ""
	}
	return "it runs on " + strings.Join(more, ", ") + " as well"
}

// instead describes the hooks that the settings do run.
func (m *AuditedMachine) instead(event, name string) string {
	var scripts []string
	for _, h := range m.Hooks(event, name) {
		scripts = append(scripts, h.ID)
	}
	if len(scripts) == 0 {
		return "no hook is in force there"
	}
	return "in force there: " + strings.Join(scripts, ", ")
}
