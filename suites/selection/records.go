package selection

import (
	"hookwatch/suites"
	"hookwatch/suites/record/basis"
)

// Records give what is kept beside verdicts.
type Records interface {
	Evidence(k suites.Key) *basis.Evidence
	Content(digest string) []byte
}

// A Keeper writes it.
type Keeper interface {
	KeepEvidence(k suites.Key, e *basis.Evidence) error
	KeepContent(digest string, content func() []byte) error
}
