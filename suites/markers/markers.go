// Package markers reads the claims of spec documents and cases: "[verify:
// source §section]" says what a claim depends on. It finds the markers of a
// document, attaches them to case IDs, and resolves each to file, line and
// section.
package markers

import (
	"crypto/sha256"
	"encoding/hex"

	"hookwatch/suites"
)

// A Ref names a source and a section of it, as it was written.
type Ref struct {
	Source  string // path, alias, basename, file:line or file:symbol
	Section string // "" for the whole source; "A §B" is B below A
}

// String formats the reference as "source §section".
func (r Ref) String() string {
	switch {
	case r.Section == "":
		return r.Source
	case r.Source == "":
		return sign + r.Section
	default:
		return r.Source + " " + sign + r.Section
	}
}

// A Marker is one reference that a spec document makes. A marker that names
// several sources or sections is several values with the same claim.
type Marker struct {
	Spec   string // slash path of the document
	Line   int    // of the reference; from 1
	Column int    // in characters, from 1
	Ref
	IDs        []string // cases that the claim is about: "P01", or "pm/P01" where the text says so
	Claim      string   // the sentence or table row, without its markers
	SuiteWide  bool     // the claim is about all cases of the tables in its section
	Unresolved bool     // the text itself says that the source is still to be found
}

// At is the place of the reference.
func (m *Marker) At() suites.Position {
	return suites.Position{File: m.Spec, Line: m.Line, Column: m.Column}
}

// ContentDigest is the digest by which contents are compared: 32 hexadecimal
// digits of the SHA-256 sum.
func ContentDigest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:16])
}

const (
	sign       = "§"
	unresolved = "unresolved"
)
