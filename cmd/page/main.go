//go:build js && wasm

// Command page is the occudiff that runs in a browser, within a worker of the
// page that `occudiff page` writes. The worker provides dropped files as a file
// system, so that everything below reads them as the program does.
//
// It takes questions of the page's scripts to cmd/page/app and brings the
// answers back, both as JSON. It knows no formulas, no words of an answer and
// no layout.
package main

import (
	"context"
	"encoding/json"
	"runtime/debug"
	"syscall/js"
	"time"

	"occudiff/cmd/page/app"
)

// site.Compile sets it, so that a report of the page names the same version as
// the program that wrote it.
var version = "devel" // set by the linker

// progressEvery is how often the page hears of progress.
const progressEvery = 100 * time.Millisecond

func main() {
	// A worker has memory of its own and lives for minutes: collecting less
	// often keeps answers quick.
	debug.SetGCPercent(200)
	a, err := app.New(version)
	if err != nil {
		panic(err)
	}
	// worker.js has post and calls ask: no other names are shared.
	js.Global().Set("ask", js.FuncOf(func(_ js.Value, args []js.Value) any {
		// Reading files waits for the worker's file system, which a callback
		// must not.
		go respond(a, args[0].String())
		return nil
	}))
	post(map[string]any{"kind": "ready", "version": version})
	// A program that returns from main takes its callbacks with it.
	select {}
}

// respond answers a question of the page.
func respond(a *app.App, question string) {
	var q app.Request
	if err := json.Unmarshal([]byte(question), &q); err != nil {
		panic(err) // the page's scripts wrote it
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
		panic(err) // it is texts and counts
	}
	js.Global().Call("post", string(text))
}
