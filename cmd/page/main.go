//go:build js && wasm

// Command page is occudiff in a browser. It runs in a worker of the page that
// `occudiff page` writes. The worker provides dropped files as a file system, so
// that all packages read them as in the program.
//
// It passes requests of the page's scripts to cmd/page/app and returns the
// responses, both as JSON. It must not know formulas, texts, or layout.
package main

import (
	"context"
	"encoding/json"
	"runtime/debug"
	"syscall/js"
	"time"

	"occudiff/cmd/page/app"
)

// site.Compile sets version, so that a report of the page names the version of
// the program that wrote the page.
var version = "devel" // set by the linker

// progressEvery is the time between two messages about progress.
const progressEvery = 100 * time.Millisecond

func main() {
	// A worker has its own memory and runs for minutes. Less frequent garbage
	// collection keeps responses quick.
	debug.SetGCPercent(200)
	a, err := app.New(version)
	if err != nil {
		panic(err)
	}
	// worker.js defines post and calls ask. No other names are shared.
	js.Global().Set("ask", js.FuncOf(func(_ js.Value, args []js.Value) any {
		// Reading files waits for the worker's file system. A callback must not
		// wait.
		go respond(a, args[0].String())
		return nil
	}))
	post(map[string]any{"kind": "ready", "version": version})
	// main must not return, because the callbacks would end with it.
	select {}
}

// respond handles a request of the page.
func respond(a *app.App, question string) {
	var q app.Request
	if err := json.Unmarshal([]byte(question), &q); err != nil {
		panic(err) // impossible, because the page's scripts wrote the request
	}
	last := time.Now()
	a.Progress = func(read, total int64) {
		if now := time.Now(); now.Sub(last) >= progressEvery {
			last = now
			post(map[string]any{"kind": "progress", "id": q.ID, "read": read, "total": total})
		}
	}
	post(a.Respond(context.Background(), &q))
}

func post(message any) {
	text, err := json.Marshal(message)
	if err != nil {
		panic(err) // impossible for strings and counts
	}
	js.Global().Call("post", string(text))
}
