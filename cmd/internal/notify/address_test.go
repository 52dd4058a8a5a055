//go:build !darwin && !windows

package notify

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

func TestSessionAddress(t *testing.T) {
	t.Parallel()
	socket, file, none := t.TempDir(), t.TempDir(), t.TempDir()
	l, err := net.Listen("unix", filepath.Join(socket, "bus"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.WriteFile(filepath.Join(file, "bus"), nil, 0o600); err != nil { // not a socket
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(file, "dbus-session"), []byte("DBUS_SESSION_BUS_ADDRESS=unix:abstract=/tmp/x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ variable, dir, want string }{
		{"unix:path=/a", socket, "unix:path=/a"},
		{"autolaunch:", socket, ""},
		{"", socket, "unix:path=" + socket + "/bus"},
		{"", file, "unix:abstract=/tmp/x"},
		{"", none, ""},
	} {
		if got, err := sessionAddress(tt.variable, tt.dir); got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%q in %s: %q, %v, want %q", tt.variable, tt.dir, got, err, tt.want)
		}
	}
}
