package notify

import (
	"encoding/xml"
	"strings"

	"git.sr.ht/~jackmordaunt/go-toast/wintoast"
)

// desktopService uses only the Windows Runtime. The library could also run a PowerShell
// script made of the text, in which $(...) in a name would be a command.
func desktopService() (send func(notification) error, hangUp func()) {
	return func(n notification) error {
		if err := wintoast.SetAppData(wintoast.AppData{AppID: "hookwatch"}); err != nil {
			return err
		}
		return wintoast.Push(toast(n.title, n.body))
	}, func() {}
}

func toast(title, body string) string {
	var b strings.Builder
	b.WriteString(`<toast duration="short"><visual><binding template="ToastGeneric">`)
	for _, text := range []string{title, body} {
		b.WriteString("<text>")
		_ = xml.EscapeText(&b, []byte(text)) // a builder never fails
		b.WriteString("</text>")
	}
	b.WriteString(`</binding></visual><audio silent="true"/></toast>`)
	return b.String()
}
