package main

import (
	"os"
	"strconv"
	"testing"
)

// number returns the value of a variable that sets the extent of a long test.
func number(t testing.TB, variable string, otherwise int) int {
	t.Helper()
	text, set := os.LookupEnv(variable)
	if !set {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}
