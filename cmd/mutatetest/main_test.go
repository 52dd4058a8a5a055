package main

import (
	"os"
	"testing"

	gojqcli "github.com/itchyny/gojq/cli"
)

// TestMain makes the test binary the JSON tool that hooks find as a stand-in.
func TestMain(m *testing.M) {
	if standsIn() {
		os.Exit(gojqcli.Run())
	}
	os.Exit(m.Run())
}
