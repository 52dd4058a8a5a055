package notify

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain runs the tests or, in a child of one of them, a sender of one desktop
// notification.
func TestMain(m *testing.M) {
	if events := os.Getenv(senderEvents); events != "" {
		os.Exit(sender(events))
	}
	goleak.VerifyTestMain(m)
}
