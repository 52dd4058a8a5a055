package run_test

import "testing"

func mkfifo(t *testing.T, _ string) { t.Skip("named pipes of this kind are absent here") }
