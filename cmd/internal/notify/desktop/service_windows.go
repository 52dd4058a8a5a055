package desktop

import (
	"encoding/xml"
	"strings"

	"git.sr.ht/~jackmordaunt/go-toast/wintoast"
)

// desktopService is the Windows Runtime alone. The library can also run a
// PowerShell script made of the text, in which $(...) of a name would be a
// command; that is not asked for.
func desktopService() (send func(title, body string) error, hangUp func()) {
	return func(title, body string) error {
		if err := wintoast.SetAppData(wintoast.AppData{AppID: "hookwatch"}); err != nil {
			return err
		}
		return wintoast.Push(toast(title, body))
	}, func() {}
}

func toast(title, body string) string {
	var b strings.Builder
	b.WriteString(`<toast duration="short"><visual><binding template="ToastGeneric">`)
	for _, text := range []string{title, body} {
		b.WriteString("<text>")
		_ = xml.EscapeText(&b, []byte(text)) // a builder takes all
		b.WriteString("</text>")
	}
	b.WriteString(`</binding></visual><audio silent="true"/></toast>`)
	return b.String()
}
