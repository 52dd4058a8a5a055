package process

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func endGroup(*exec.Cmd) bool { return false }

func signalOf(*os.ProcessState) string { return "" }
