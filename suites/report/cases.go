package report

import (
	"fmt"

	"hookwatch/suites"
)

func withStatus(all []suites.Record, status suites.Status) []*suites.Record {
	var list []*suites.Record
	for i := range all {
		if all[i].Status() == status {
			list = append(list, &all[i])
		}
	}
	return list
}

func title(r *suites.Record) string {
	return fmt.Sprintf("%s %s", code(caseName(r)), name(r.TestName))
}

// caseName names a case in few letters; a record of another tool has only its
// test's name.
func caseName(r *suites.Record) string {
	switch {
	case r.ID == "":
		return r.TestName
	case r.Suite == "":
		return r.ID
	default:
		return r.Key().String()
	}
}
