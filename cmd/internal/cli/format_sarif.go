package cli

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"

	"hookwatch/cmd/internal/version"
	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/printable"
)

var _ = register(&format{
	name: "sarif", help: "SARIF 2.1.0 of the findings of check, prove and diff, for code scanning", layout: asDocument, findingsOnly: true,
	write: func(a *app, r result) error {
		enc := json.NewEncoder(a.raw.Out)
		enc.SetIndent("", "  ")
		return enc.Encode(newSARIF(r.findings))
	},
})

// The names are those of sarif-schema-2.1.0.json.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"semanticVersion"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string        `json:"id"`
		Short sarifText     `json:"shortDescription"`
		Full  *sarifText    `json:"fullDescription,omitempty"`
		Help  *sarifText    `json:"help,omitempty"`
		Usual sarifSeverity `json:"defaultConfiguration"`
	}
	sarifSeverity struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		Rule         string            `json:"ruleId"`
		Index        int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations,omitempty"`
		Related      []sarifLocation   `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifText    `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId"`
	}
	sarifRegion struct {
		Line   int `json:"startLine"`
		Column int `json:"startColumn,omitempty"`
	}
)

// newSARIF converts findings to a log of one run. Its paths are relative to the repository, its
// columns count characters.
func newSARIF(list []annotation) sarifLog {
	run := sarifRun{
		Tool:       sarifTool{Driver: sarifDriver{Name: programName, Version: version.Number, Rules: []sarifRule{}}},
		ColumnKind: "unicodeCodePoints", Results: []sarifResult{},
	}
	index := map[string]int{}
	for _, a := range list {
		at, known := index[a.rule]
		if !known {
			at = len(index)
			index[a.rule] = at
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(a))
		}
		sum := sha256.Sum256([]byte(strings.Join(append([]string{a.rule, cmp.Or(a.registered.File, a.at.File)}, a.subject...), "\x00")))
		r := sarifResult{
			Rule: a.rule, Index: at, Level: sarifLevels[a.severity], Message: sarifText{printable.Lines(a.title + "\n" + a.text)},
			Fingerprints: map[string]string{"finding/v1": hex.EncodeToString(sum[:])},
		}
		if a.at.File != "" {
			r.Locations = []sarifLocation{{Physical: sarifPlace(a.at)}}
		}
		if a.registered.File != "" {
			r.Related = []sarifLocation{{sarifPlace(a.registered), &sarifText{"the hook is registered here"}}}
		}
		run.Results = append(run.Results, r)
	}
	return sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

func sarifPlace(at suites.Position) sarifPhysical {
	place := sarifPhysical{Artifact: sarifArtifact{URI: (&url.URL{Path: at.File}).EscapedPath(), Base: "%SRCROOT%"}}
	if at.Line > 0 {
		place.Region = &sarifRegion{at.Line, at.Column}
	}
	return place
}

// sarifRuleOf describes the rule of a finding.
func sarifRuleOf(a annotation) sarifRule {
	rule := client.RuleAt(a.rule, client.GuardEvent(client.Calls))
	out := sarifRule{ID: a.rule, Short: sarifText{rule.What}, Usual: sarifSeverity{sarifLevels[rule.Severity]}}
	if rule.What == "" {
		out.Short.Text = a.rule
	}
	if rule.Client != "" {
		out.Full = &sarifText{rule.Client}
	}
	if rule.Remedy != "" {
		out.Help = &sarifText{rule.Remedy}
	}
	return out
}

var sarifLevels = map[suites.Severity]string{suites.Error: "error", suites.Warning: "warning", suites.Info: "note"}
