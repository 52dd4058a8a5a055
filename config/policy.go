package config

// A VerifyPolicy says what a marker that does not resolve means.
type VerifyPolicy string

// A strict project runs nothing, a warned one is told, off says nothing.
const (
	VerifyStrict VerifyPolicy = "strict"
	VerifyWarn   VerifyPolicy = "warn"
	VerifyOff    VerifyPolicy = "off"
)

// A PreflightPolicy says what a missing requirement does to a full run.
type PreflightPolicy string

// Abort stops the run before it starts; report goes on and says so.
const (
	PreflightAbort  PreflightPolicy = "abort"
	PreflightReport PreflightPolicy = "report"
)

// A GatePolicy says what the absence of a tool means for cases gated by it.
type GatePolicy string

// A gate's absent tool makes the case a skip or a failure.
const (
	GateSkip GatePolicy = "skip"
	GateFail GatePolicy = "fail"
)

// Isolation says how a case is kept from the person's files.
type Isolation string

// Auto is namespaces and never anything weaker; none runs cases in place.
const (
	IsolationAuto       Isolation = "auto"
	IsolationNamespaces Isolation = "namespaces"
	IsolationCopy       Isolation = "copy"
	IsolationNone       Isolation = "none"
)

// A Home says which HOME hooks get.
type Home string

// Real is the person's own, as far as isolation shows it; empty a new one.
const (
	HomeReal  Home = "real"
	HomeEmpty Home = "empty"
)

// A TracePolicy says when cases are run once more to see what they execute.
type TracePolicy string

// Watch does it while nothing else is to be done; always after single runs too.
const (
	TraceWatch  TracePolicy = "watch"
	TraceAlways TracePolicy = "always"
	TraceNever  TracePolicy = "never"
)
