package config

import (
	_ "embed"
	"slices"
)

//go:embed example.yaml
var example []byte

//go:embed schema.json
var schema []byte

// Example is a commented configuration file in which every key has its default.
func Example() []byte { return slices.Clone(example) }

// Schema is the JSON Schema of the configuration file.
func Schema() []byte { return slices.Clone(schema) }
